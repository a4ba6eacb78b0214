"""The tables of the pipeline: their schemas, declared once."""

from __future__ import annotations

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

__all__ = ["HISTORY", "SCHEMAS", "STATES"]


def _schema(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind, nullable=True) for name, kind in fields.items()])


_TEXT, _LONG, _REAL, _BOOL = StringType(), LongType(), DoubleType(), BooleanType()

SCHEMAS: dict[str, StructType] = {
    # one row per run of TLC; `run` counts a job's runs, of which a model with violations has several
    "runs": _schema(
        job=_TEXT, model=_TEXT, kind=_TEXT, run=_LONG, outcome=_TEXT, detail=_TEXT, missing=_TEXT, violated=_TEXT,
        topologies=_LONG, finished=_BOOL, exit_status=_LONG, distinct=_LONG, generated=_LONG, depth=_LONG,
        seconds=_REAL, tlc=_TEXT, evaluated=ArrayType(StringType()),
    ),
    # one row per topology of a model
    "topologies": _schema(job=_TEXT, model=_TEXT, topology=_TEXT, distinct=_LONG, outcome=_TEXT, violated=_TEXT),
    # how often each action was taken in a run
    "actions": _schema(job=_TEXT, run=_LONG, action=_TEXT, total=_LONG),
    # counterexamples and simulated behaviours, as ITF
    "traces": _schema(job=_TEXT, model=_TEXT, kind=_TEXT, index=_LONG, topology=_TEXT, length=_LONG, violated=_TEXT,
        itf=_TEXT),
    # which property caught which mutant on which topology, and by how long a trace
    "kills": _schema(
        job=_TEXT, model=_TEXT, spec=_TEXT, mutant=_TEXT, property=_TEXT, topology=_TEXT, processes=_LONG,
        channels=_LONG, length=_LONG,
    ),
    # each trace on each implementation
    "replays": _schema(
        job=_TEXT, model=_TEXT, kind=_TEXT, index=_LONG, implementation=_TEXT, agreed=_BOOL, steps=_LONG, length=_LONG,
        violated=ArrayType(StringType()), divergence=_TEXT, diverged_at=_LONG,
    ),
    # each trace with white before red, and whether TLC accepts that as a computation
    "reorderings": _schema(
        job=_TEXT, model=_TEXT, kind=_TEXT, index=_LONG, topology=_TEXT, complete=_BOOL, agreed=_BOOL, actions=_LONG,
        whites=_LONG, swaps=_LONG, stuck=_LONG, occurred=_BOOL, reason=_TEXT, accepted=_BOOL, itf=_TEXT,
    ),
    # what the comparison of each model with the implementation in every state came to
    "conformances": _schema(
        job=_TEXT, model=_TEXT, implementation=_TEXT, states=_LONG, transitions=_LONG, mismatches=_LONG, first=_TEXT,
        error=_TEXT, tlc_seconds=_REAL, seconds=_REAL,
    ),
    # what a model must reach, with the graph where it does first and the length of the trace
    "witnesses": _schema(job=_TEXT, model=_TEXT, witness=_TEXT, formula=_TEXT, topology=_TEXT, length=_LONG),
    # the implementation's own state spaces
    "explorations": _schema(job=_TEXT, model=_TEXT, topology=_TEXT, distinct=_LONG, transitions=_LONG, seconds=_REAL),
    # states in which TLC and the implementation differ by one action; states and sets of successors as TLA+ text, the
    # trace that reaches the state as ITF; `depth` counts that trace's states, and is 0 where the initial states differ
    "conformance": _schema(
        model=_TEXT, implementation=_TEXT, topology=_TEXT, action=_TEXT, depth=_LONG, state=_TEXT,
        tlc=ArrayType(StringType()), python=ArrayType(StringType()), itf=_TEXT,
    ),
    # the worked examples of the literature
    "examples": _schema(example=_TEXT, verdict=_TEXT, message=_TEXT),
    # what each model came to
    "verdicts": _schema(model=_TEXT, verdict=_TEXT, expected=_TEXT, reasons=ArrayType(StringType())),
}  # fmt: skip
"""Every table's schema by its name. All columns may be null: TLC does not always get to say everything."""

STATES = _schema(
    id=_LONG, initial=_BOOL, topology=_TEXT, key=_LONG, successors=MapType(_TEXT, ArrayType(_LONG)),
    problem=_TEXT, spec=_BOOL,
)  # fmt: skip
"""A state of TLC's graph and the implementation's successors: see :mod:`pyharness.conformance.spark_tables`."""

HISTORY = _schema(
    run=_TEXT, began=_TEXT, plan=_TEXT, whole=_BOOL, plan_verdict=_TEXT, plan_seconds=_REAL, jobs=_LONG, reused=_LONG,
    model=_TEXT, spec=_TEXT, mutant=_TEXT, expected=_TEXT, verdict=_TEXT, topologies=_LONG, distinct=_LONG,
    generated=_LONG, depth=_LONG, seconds=_REAL, transitions=_LONG, replays=_LONG, taken=ArrayType(_TEXT),
    caught_by=ArrayType(_TEXT),
)  # fmt: skip
"""A model in a run of a plan: see :mod:`pyharness.judge.run_history`."""
