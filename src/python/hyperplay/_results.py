"""Folders of results as data frames, and experiments in blocks."""

import pathlib
import subprocess
import sys


def read_results(folder):
    """The tables of a folder (CSV, and where pyarrow is installed Parquet, also as a folder of one table) as data frames of pandas, by the name of the file."""
    import pandas

    found = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        if path.suffix == ".csv":
            found[path.stem] = pandas.read_csv(path)
        elif path.name == "particles" and path.is_dir():
            found[path.name] = pandas.concat(map(pandas.read_parquet, sorted(path.glob("*.parquet"))))
        elif path.suffix == ".parquet":
            found[path.stem] = pandas.read_parquet(path)
    return found


def _program(*arguments):
    subprocess.run([sys.executable, "-m", "hyperplay", *map(str, arguments)], check=True)


def run_block(plan, block, blocks, out, keep_particles=False):
    """Plays block `block` (from 0) of `blocks` of an experiment, or measures that of a study of beliefs, into the folder that they share,
    in a process with one thread. `keep_particles` keeps the particle sets of a study, too.

    Called again it makes only what is missing. Raises subprocess.CalledProcessError."""
    if pathlib.Path(plan).is_file() and b"hyperplay.study/" in pathlib.Path(plan).read_bytes():
        keep = ["--keep-particles"] if keep_particles else []
        _program("belief", plan, "--out", out, "--shard", f"{block + 1}/{blocks}", "--threads", 1, *keep)
    else:
        _program("experiment", "run", plan, "--out", out, "--shard-from-0", f"{block}/{blocks}", "--threads", 1)


def merge_blocks(out):
    """Joins the blocks of an experiment or a study in its folder; the bytes are those of a run on one machine.

    What is missing is an error of an experiment; of a study it is measured here."""
    study = pathlib.Path(out, "study.toml").exists()
    _program(*(["belief", pathlib.Path(out).resolve()] if study else ["experiment", "merge", out]))
