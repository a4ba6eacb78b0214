"""The digest of what a run of mutants asks for: its models, by what they mean."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from pyharness.modules.meanings import meaning_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyharness.plain_models.plain_model import PlainModel


def digest_of(models: Iterable[PlainModel]) -> str:
    """Return the digest of models, in their order.

    As of a job, comments, layout, places and what no name leads to are no part of it.
    """
    told = []
    for model in models:
        config = model.config.text()
        meaning = meaning_of(model.library, [model.module], [config, *model.definitions])
        told.append([config, *model.definitions, sorted(meaning.items())])
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]
