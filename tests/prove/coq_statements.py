"""The statements of the Coq files: each file without its proofs and comments, so with all hypotheses and definitions.

``python -m tests.prove.coq_statements`` writes their digests into coq_statements.txt, where a test looks for them: a
statement that loses a premise, or says ``True``, still compiles.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from pyharness.base.toolchain.spec_files import SPECS

PINNED = Path(__file__).with_name("coq_statements.txt")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_PROOF = re.compile(r"\bProof\b.*?\b(?:Qed|Defined)\.", re.DOTALL)


def stated(text: str) -> str:
    """Return the text of a file without proofs, comments and layout."""
    return " ".join(_PROOF.sub("", _COMMENT.sub("", text)).split())


def digests() -> dict[str, str]:
    """Return a digest for each sentence of a file that states or defines something, by the file and the name."""
    found: dict[str, str] = {}
    for path in sorted((SPECS / "coq").glob("*.v")):
        before: list[str] = []  # in Coq the sections' variables and hypotheses are premises of what follows
        for sentence in re.split(r"(?<=\.)\s", stated(path.read_text(encoding="utf-8"))):
            named = re.match(
                r"(?:Theorem|Lemma|Definition|Fixpoint|Inductive|Record|Print Assumptions) (\w+)", sentence
            )
            if named is None:
                before.append(sentence)
                continue
            whole = "\n".join([*before, sentence])
            found[f"{path.stem}.{named[1]}"] = hashlib.sha256(whole.encode()).hexdigest()[:16]
    return found


def text() -> str:
    """Return the text of the file with the digests."""
    return "".join(f"{name} {digest}\n" for name, digest in digests().items())


if __name__ == "__main__":
    PINNED.write_text(text(), encoding="utf-8")
