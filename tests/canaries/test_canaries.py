"""Planted values of cells that are not released, in no byte of any release.

Every cell of a small table can be told from all others, by a long text (which a frame keeps in a
buffer of its own) and by a short one (which may stand inside a view).  Whatever is decided,
a value that no released cell shows must be in nothing that is written: every algorithm that is
registered, every kind of frame and file, every format.
"""

from __future__ import annotations

import io
import json
import pickle
import stat

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import incrowd as ic
from frame_kinds import duckdb_relation, ibis_table
from incrowd.release import anonymize_file
from release_checks import ALGORITHMS, built

N = 16  # the last one stands alone in age and city; an exact search has to do with so few
LONE = N - 1
PERSONS = [f"Person-CANARY-{row:02}-by-full-name" for row in range(N)]
MAILS = [f"m{row:02}@qZx.yw" for row in range(N)]
DISEASES = [f"disease-CANARY-{N - row:02}-in-many-words" for row in range(N)]
CODES = [f"kQ9z{N - row:02}Wv" for row in range(N)]  # sorted, they are in no order of the rows
LONE_CITY = "city-CANARY-on-an-island"
PLANTED = [*PERSONS, *MAILS, *DISEASES, *CODES, LONE_CITY]
PRIVATE = [*PERSONS, *MAILS, *DISEASES, *CODES]  # what a recoding has no need of

TABLE = pa.table(
    {
        "name": [f"{person} works at the northern clinic" for person in PERSONS],
        "mail": MAILS,
        "age": [20 + 10 * (row % 3) for row in range(N - 1)] + [97],
        "city": [["Berlin-Charlottenburg", "Hamburg"][row % 2] for row in range(N - 1)]
        + [LONE_CITY],
        "sex": ["fm"[row // 8] for row in range(N)],
        "disease": DISEASES,
        "code": CODES,
        "place": ["works at the northern clinic"] * N,
        "income": ["high" if row % 2 else "low" for row in range(N)],
    }
)
DESCRIBED = {
    "identifiers": ["name", "mail"],
    "quasi_identifiers": {
        "age": ic.intervals(5, 10, 20),
        "city": ic.suppression(),
        "sex": ic.suppression(),
    },
    "sensitive": ["disease"],
    "insensitive": ["code", "place"],
    "target": "income",
    "k": 3,
    "suppressed": "drop",
}


def as_polars(**kinds):
    """Return the table for Polars, the place cut out of the name: both share their bytes."""
    frame = pl.from_arrow(TABLE).with_columns(place=pl.col("name").str.slice(len(PERSONS[0]) + 1))
    return frame.with_columns(*(pl.col(name).cast(kind) for name, kind in kinds.items()))


def texts_as(kind):
    """Return the table with its texts in another Arrow type, and notes on its fields."""
    fields = [
        pa.field(
            field.name,
            kind if field.type == pa.string() else field.type,
            metadata={"note": PERSONS[at]},
        )
        for at, field in enumerate(TABLE.schema)
    ]
    return TABLE.cast(pa.schema(fields, metadata={"note": MAILS[0]}))


def as_pandas(table=TABLE, **options):
    frame = table.to_pandas(**options).set_index(pd.Index(PERSONS, name=MAILS[0]))
    frame.attrs["note"] = PERSONS[0]
    frame.columns.name = PERSONS[0]
    return frame


FRAMES = {
    "pandas": as_pandas,
    "pandas objects": lambda: as_pandas().astype(object),
    "pandas nullable": lambda: as_pandas().convert_dtypes(),
    "pandas arrow": lambda: as_pandas(types_mapper=pd.ArrowDtype),
    "pandas categories": lambda: as_pandas(texts_as(pa.dictionary(pa.int32(), pa.string()))),
    "polars": as_polars,
    "polars lazy": lambda: as_polars().lazy(),
    "polars categories": lambda: as_polars(code=pl.Categorical, disease=pl.Enum(DISEASES)),
    "pyarrow": lambda: texts_as(pa.string()),
    "pyarrow dictionary": lambda: texts_as(pa.dictionary(pa.int32(), pa.string())),
    "pyarrow view": lambda: texts_as(pa.string_view()),
}


def written_by_pandas(frame):
    sink = io.BytesIO()
    frame.to_feather(sink, compression="uncompressed")
    yield "feather", sink.getvalue()
    yield "parquet", frame.to_parquet(compression=None)
    yield "pickle", pickle.dumps(frame)
    yield "csv", frame.to_csv().encode()


def written_by_polars(frame):
    if isinstance(frame, pl.LazyFrame):
        yield "serialised", frame.serialize()
        yield "pickled lazily", pickle.dumps(frame)
        frame = frame.collect()
    newest = pl.CompatLevel.newest()
    writers = {
        "ipc": lambda sink: frame.write_ipc(sink),
        "ipc of today": lambda sink: frame.write_ipc(sink, compat_level=newest),
        "ipc stream": lambda sink: frame.write_ipc_stream(sink),
        "ipc stream of today": lambda sink: frame.write_ipc_stream(sink, compat_level=newest),
        "parquet": lambda sink: frame.write_parquet(sink, compression="uncompressed"),
        "csv": lambda sink: frame.write_csv(sink),
    }
    for name, write in writers.items():
        sink = io.BytesIO()
        write(sink)
        yield name, sink.getvalue()
    yield "pickle", pickle.dumps(frame)
    yield "arrow", pickle.dumps(frame.to_arrow())


def written_by_arrow(table):
    for name, writer in (("ipc stream", pa.ipc.new_stream), ("ipc file", pa.ipc.new_file)):
        sink = io.BytesIO()
        with writer(sink, table.schema) as opened:
            opened.write_table(table)
        yield name, sink.getvalue()
    yield "pickle", pickle.dumps(table)
    plain = table.cast(pa.schema([(field.name, pa.string()) for field in table.schema]))
    for name, write in {
        "feather": lambda sink: pa.feather.write_feather(table, sink, compression="uncompressed"),
        "parquet": lambda sink: pq.write_table(table, sink, compression="none"),
        "csv": lambda sink: pa.csv.write_csv(plain, sink),
    }.items():
        sink = io.BytesIO()
        write(sink)
        yield name, sink.getvalue()


def written(table):
    """Yield the bytes of a table in every format that its library writes."""
    if isinstance(table, pd.DataFrame):
        return written_by_pandas(table)
    return written_by_arrow(table) if isinstance(table, pa.Table) else written_by_polars(table)


def shown(table) -> str:
    """Return all cells of a released table as one text."""
    if isinstance(table, pa.Table):
        return str(table.to_pydict())
    if isinstance(table, pd.DataFrame):
        return str(table.astype(object).to_dict("list"))
    return str(table.lazy().collect().to_dict(as_series=False))


def check(data: bytes, planted, where: str) -> None:
    assert not [value for value in planted if value.encode() in data], where


def check_words(release, gone) -> None:
    check(json.dumps(release.to_json(), ensure_ascii=False).encode(), gone, "json")
    check(release.summary().encode(), gone, "summary")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_frames(algorithm):
    search = built(algorithm, limit=0.4)
    for kind, make in FRAMES.items():
        release = ic.anonymize(make(), **DESCRIBED, algorithm=search)
        cells = shown(release.table)
        gone = [value for value in PLANTED if value not in cells]
        assert {*PERSONS, *MAILS} <= {*gone}
        if release.facts["dropped"]:
            assert len(gone) >= 2 * N + 2 * release.facts["dropped"]
        for written_as, data in written(release.table):
            check(data, gone, f"{kind}, {written_as}")
        check_words(release, gone)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_files(algorithm, tmp_path):
    files = {"in.csv": "out.csv", "in.parquet": "out.parquet", "dictionaries.parquet": "d.parquet"}
    with (tmp_path / "in.csv").open("wb") as file:
        pa.csv.write_csv(TABLE, file)
    pq.write_table(texts_as(pa.string()), tmp_path / "in.parquet")
    pq.write_table(
        texts_as(pa.dictionary(pa.int32(), pa.string())), tmp_path / "dictionaries.parquet"
    )
    for source, target in files.items():
        release = anonymize_file(
            tmp_path / source,
            tmp_path / target,
            ic.policy(**DESCRIBED),
            algorithm=built(algorithm, limit=0.4),
            recoding=tmp_path / "recoding.json",
        )
        gone = [value for value in PLANTED if value not in shown(release.table)]
        assert {*PERSONS, *MAILS} <= {*gone}
        data = (tmp_path / target).read_bytes()
        check(data, gone, target)
        if target != "out.csv":  # compressed, and its schema in base 64
            for written_as, raw in written_by_arrow(pq.read_table(tmp_path / target)):
                check(raw, gone, f"{target}, {written_as}")
        check_words(release, gone)
        check((tmp_path / "recoding.json").read_bytes(), PRIVATE, "recoding")
        assert stat.S_IMODE((tmp_path / "recoding.json").stat().st_mode) == 0o600


LAZY_FRAMES = {
    "polars": lambda: as_polars().lazy(),
    "polars categories": lambda: as_polars(code=pl.Categorical, disease=pl.Enum(DISEASES)).lazy(),
    "duckdb": lambda: duckdb_relation(TABLE, None),
    "duckdb enumerations": lambda: duckdb_enumerations(),
    "ibis": lambda: ibis_table(TABLE, None),
}


def duckdb_enumerations(diseases=DISEASES):
    """Return the table with diseases that are enumerated, also inside of another column."""
    connection = duckdb.connect()
    connection.register("given", TABLE)
    connection.execute(f"CREATE TYPE disease AS ENUM ({', '.join(map(repr, diseases))})")
    return connection.sql(
        "SELECT * REPLACE (disease::disease AS disease, {'of': [disease::disease]} AS place) "
        "FROM given"
    )


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis calls it
@pytest.mark.parametrize("kind", LAZY_FRAMES)
def test_lazy_frames(kind):
    search = built("flash", limit=0.4)
    with ic.anonymize(LAZY_FRAMES[kind](), **DESCRIBED, algorithm=search) as release:
        released = release.table
        if isinstance(released, pl.LazyFrame):
            found = dict(written(released))
        else:
            arrow = released.to_arrow_table() if "duckdb" in kind else released.to_pyarrow()
            types = released.types if "duckdb" in kind else released.schema()
            found = {"pickle": pickle.dumps(arrow), "types": str(types).encode()}
            released = arrow
        gone = [value for value in PLANTED if value not in shown(released)]
        assert {*PERSONS, *MAILS, DISEASES[LONE]} <= {*gone}
        for written_as, data in found.items():
            check(data, gone, f"{kind}, {written_as}")
        check_words(release, gone)


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_files_that_stay_on_disk(kind, tmp_path):
    pq.write_table(texts_as(kind), tmp_path / "in.parquet")
    feather = texts_as(kind)
    pyarrow.feather.write_feather(feather, tmp_path / "in.arrow")
    for source in ("in.parquet", "in.arrow"):
        for target in ("out.parquet", "out.arrow", "out.csv"):
            release = anonymize_file(
                tmp_path / source,
                tmp_path / target,
                ic.policy(**DESCRIBED),
                algorithm=built("flash", limit=0.4),
                engine="duckdb",
            )
            with release:
                gone = [
                    value for value in PLANTED if value not in shown(release.table.to_arrow_table())
                ]
            assert {*PERSONS, *MAILS, DISEASES[LONE]} <= {*gone}
            check((tmp_path / target).read_bytes(), gone, f"{source}, {target}")
            if target == "out.csv":
                continue
            read = pq.read_table if target == "out.parquet" else pa.feather.read_table
            table = read(tmp_path / target)
            assert all(field.metadata is None for field in table.schema)
            for written_as, raw in written_by_arrow(table):
                check(raw, gone, f"{source}, {target}, {written_as}")


def numbered(table, name):
    """Return the values of a column in the order in which it numbers them."""
    if isinstance(table, pd.DataFrame):
        return table[name].cat.categories.tolist()
    if isinstance(table, pa.Table):
        return table[name].combine_chunks().dictionary.to_pylist()
    numbers, texts = table[name].to_physical(), table[name].cast(pl.String)
    return [text for _, text in sorted(zip(numbers, texts, strict=True))]


def test_no_numbering_tells_the_order_of_the_rows(tmp_path):
    search = built("flash", limit=0.4)
    tables = {
        kind: ic.anonymize(FRAMES[kind](), **DESCRIBED, algorithm=search).table
        for kind in ("pandas categories", "polars categories", "pyarrow dictionary")
    }
    as_polars(code=pl.Categorical, disease=pl.Categorical).write_parquet(tmp_path / "in.parquet")
    anonymize_file(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        ic.policy(**DESCRIBED),
        algorithm=search,
    )
    tables["parquet"] = pq.read_table(tmp_path / "out.parquet")
    for kind, table in tables.items():
        for name, planted in (("code", CODES), ("disease", DISEASES)):
            assert numbered(table, name) == sorted(planted[:LONE]), (kind, name)
    assert pq.read_schema(tmp_path / "out.parquet").field("code").metadata is None


def enumerated(kind, diseases):
    """Return in which order the released diseases of a lazy frame are enumerated."""
    make = {
        "polars": lambda: as_polars(disease=pl.Enum(diseases)).lazy(),
        "duckdb": lambda: duckdb_enumerations(diseases),
    }
    search = built("flash", limit=0.4)
    with ic.anonymize(make[kind](), **DESCRIBED, algorithm=search) as release:
        if kind == "polars":
            return release.table.collect_schema()["disease"].categories.to_list()
        [(_, values)] = release.table.types[release.table.columns.index("disease")].children
        return values


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_enumerations_keep_their_order_unless_it_is_that_of_the_rows(kind):
    released = DISEASES[:LONE]
    assert enumerated(kind, DISEASES) == sorted(released)
    declared = [*DISEASES[8:], *DISEASES[:8]]
    assert enumerated(kind, declared) == [each for each in declared if each in released]


def test_the_canaries_can_be_found():
    release = ic.anonymize(as_polars(), **DESCRIBED, algorithm=built("flash", limit=0.4))
    assert DISEASES[LONE] not in shown(release.table)
    for make in FRAMES.values():  # a frame that was only filtered, not released
        table = make()
        for written_as, data in written(table):
            assert PERSONS[0].encode() in data, written_as
            assert CODES[LONE].encode() in data, written_as
