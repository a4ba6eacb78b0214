"""The configuration of TLC: what is read, what is handed on, what is refused."""

from __future__ import annotations

import pytest

from pyharness.base.errors import SpecError
from pyharness.tla.plain_models.config_file import parse_config

WHOLE = r"""
\* a comment (* that opens nothing
(* one (* within *) another *)
CONSTANTS
  N = 3  Values = {v1, {"a b", 2}, TRUE}
  Small <- MCSmall
  Ballot <- [Voting] MCBallot
SPECIFICATION Spec
INVARIANTS TypeOK
  Safe
PROPERTY Live
CONSTRAINTS Few
ACTION_CONSTRAINT Forward
SYMMETRY Swaps
VIEW Seen
CHECK_DEADLOCK FALSE
ALIAS Shown
"""


def test_everything_that_a_configuration_says_is_read():
    read = parse_config(WHOLE, "MC.cfg")
    assert [each.text for each in read.constants] == [
        "N = 3",
        'Values = {v1, {"a b", 2}, TRUE}',
        "Small <- MCSmall",
        "Ballot <- [Voting] MCBallot",
    ]
    assert all(each.line for each in read.constants)
    assert (read.names.get("MCSmall"), read.names.get("MCBallot")) == ("<-", None)
    assert (read.specification, read.invariants, read.properties) == ("Spec", ("TypeOK", "Safe"), ("Live",))
    assert (read.constraints, read.action_constraints) == (("Few",), ("Forward",))
    assert (read.symmetry, read.view, read.check_deadlock, read.alias) == ("Swaps", "Seen", False, "Shown")


def test_what_the_pinned_tlc_does_not_know_is_not_handed_on():
    read = parse_config(WHOLE, "MC.cfg")
    again = parse_config(read.text(), "MC.cfg")
    assert again.check_deadlock
    assert not again.alias
    assert [each.text for each in again.constants] == [each.text for each in read.constants]
    assert again.names == {name: word for name, word in read.names.items() if name != "Shown"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SPECIFICATION Spec\nINVARIANTS A\nPOSTCONDITION Done", "MC.cfg:3: POSTCONDITION Done"),
        ("CHECK_DEADLOCK MAYBE", "MC.cfg:1: CHECK_DEADLOCK is TRUE or FALSE"),
        ("INIT Init", "there is INIT without NEXT"),
        ("SPECIFICATION S\nINIT I\nNEXT N", "both SPECIFICATION and INIT"),
        ("SPECIFICATION S\nSPECIFICATION T", "MC.cfg:2: SPECIFICATION is given twice"),
        ("N = 3", "MC.cfg:1: N is not a word of a configuration"),
        ("INVARIANTSS A", "did you mean INVARIANTS"),
        ("CONSTANT N = [a |-> 1]", "MC.cfg:1: [ does not begin a value"),
        ("CONSTANT N = -1", "MC.cfg:1: TLC reads no negative number in a configuration"),
        ("CONSTANT N 3", "N is followed by neither = nor <-"),
        (
            "CONSTANT N <- 1..4",
            "MC.cfg:1: expected a name of a definition, found 1\n  define a name, and write N <- Name",
        ),
        ("CONSTANT N = 3\nINVARAINT A", "MC.cfg:2: INVARAINT is not a word of a configuration"),
        ("CONSTANT N = {1, 2", "} is missing"),
        ("CONSTANT N = " + "{" * 2000, "more than 100 deep"),
        ('(* a " (* " *)\nINVARIANT A', "MC.cfg:1: this comment has no end"),
        ("(* never closed", "MC.cfg:1: this comment has no end"),
        ("CONSTANT N = ;", "MC.cfg:1: ; does not begin a value"),
        ("INVARIANT ;", "MC.cfg:1: expected a name of a definition after INVARIANT, found ;"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, said):
    with pytest.raises(SpecError) as error:
        parse_config(text, "MC.cfg")
    assert said in str(error.value)


@pytest.mark.parametrize("comment", [r"(* a \* b *)", '(* a "b *)', '(* " (* " *) *)', "(* a\n *) \\* (* b"])
def test_within_a_comment_of_blocks_nothing_else_begins(comment):
    assert parse_config(f"{comment}\nINVARIANT A", "MC.cfg").invariants == ("A",)


@pytest.mark.parametrize(
    "value", ["= -3", "= {-1, 2}", "<- 1..4", "= [a |-> 1]", "<- <<1, 2>>", "= 3", "<- Small"]
)
def test_the_value_of_a_constant_that_is_given_elsewhere_is_passed_over(value):
    read = parse_config(f"CONSTANTS\n A = 1\n N {value}\n B <- Bs\nINVARIANT I", "MC.cfg", ["N"])
    assert [each.text for each in read.constants] == ["A = 1", "B <- Bs"]
    assert read.invariants == ("I",)
    assert parse_config(f"CONSTANT N {value}", "MC.cfg", ["N"]).constants == ()


@pytest.mark.parametrize("value", ["3", "-3", '"a"', "{1, 2}", "<<1>>"])
def test_a_misspelt_word_behind_a_value_that_is_passed_over_is_not_passed_over(value):
    with pytest.raises(SpecError, match=r"MC.cfg:2: INVARAINT is not a word .*\n.* did you mean INVARIANT"):
        parse_config(f"CONSTANT N = {value}\nINVARAINT A", "MC.cfg", ["N"])
