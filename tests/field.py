#!/usr/bin/env python3
"""Plays the rulesheets of a folder and counts what must not happen: late moves, faults, beliefs that stay depleted.

    tests/field.py path/to/hyperplay FOLDER_OR_FILE ... [--clocks 0.2,1,5] [--steps 20] [--roles all]

Every file is played twice or more: one match in which all roles choose at random, without a clock; and for each clock one
match of a player (`--player`, by default hyperplay) in the first role that is not random, against random. What is
counted comes from `hyperplay match --json`, whose keys are in docs/json.md. A row of the table is one match:

    clock   seconds for a move; - for the match at random
    late    moves that came after the clock, and other: the other moves that were replaced (illegal, crashed)
    lost    decisions on a depleted belief; back: recoveries; dead: 1 if the belief was depleted at the end
    latest  the answer in time that used the greatest share of its clock, in percent, and of how many seconds
    make    seconds to read the rules and make the engines, before the match; match: seconds of the match
    cpu     seconds of processor time of the whole run

Where the processor time is far below the time that passed although the program had work, other programs had the
processors, and a late move says little. The script needs Python 3 and nothing else. It ends with code 1 if a file
could not be played, or if there was a late move, another fault, a failed match or a belief that stayed depleted.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

ENDINGS = {".kif", ".gdl", ".pl"}
COLUMNS = "file role clock playouts steps_by steps end late other lost back dead latest make match cpu".split()
TALL = ["late", "other", "dead"]


def files_of(places):
    """The rulesheets named, and those in the folders named, in the order of their names."""
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(path for path in place.iterdir() if path.suffix in ENDINGS)
        else:
            yield place


def run(command, patience):
    """The report of a match, or the last line of what went wrong; and the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return None, f"stopped after {patience:g} s", patience
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    said = done.stderr.strip().splitlines() or [f"code {done.returncode}"]
    errors = [line for line in said if line.startswith("error")] or said
    try:
        return json.loads(done.stdout), None if done.returncode == 0 else errors[-1], cpu
    except json.JSONDecodeError:
        return None, errors[-1], cpu


def row_of(path, role, clock, report, passed, cpu):
    """What a report says, by column."""
    said = report["decisions"].get(role, {}) if role else {}
    faults = [kinds for kinds in report["faults_by_role"].values()]
    late = sum(kinds.get("late", 0) for kinds in faults)
    share = said.get("latest_share")
    latest = "-" if share is None else f"{100 * share:.0f}% of {said['latest_seconds'] / max(share, 1e-9):.2g}"
    return {
        "file": path.name,
        "role": role or "-",
        "clock": clock or "-",
        "playouts": report["engine"]["playouts"],
        "steps_by": report["engine"]["steps"],
        "steps": report["steps"],
        "end": "+".join(report["unfinished"]) or "over",
        "late": late,
        "other": report["faults"] - late,
        "lost": said.get("depletions", 0),
        "back": said.get("recoveries", 0),
        "dead": said.get("depleted_at_end", 0),
        "latest": latest,
        "make": f"{passed - report['seconds']:.1f}",
        "match": f"{report['seconds']:.1f}",
        "cpu": f"{cpu:.1f}",
    }


def matches_of(path, options):
    """The rows of a file; a row with the key `error` where it could not be played."""

    def play(role, clock):
        command = [options.program, "match", str(path), "--json", "--seed", str(options.seed)]
        command += ["--limit", str(options.steps)]
        patience = options.patience
        if role:
            command += [f"{role}={options.player}", "--startclock", str(options.start), "--playclock", str(clock)]
            patience += options.start + options.steps * clock
        begun = time.monotonic()
        report, error, cpu = run(command, patience)
        passed = time.monotonic() - begun
        if report is None or error:
            return report, {"file": path.name, "role": role or "-", "clock": clock or "-", "error": error}
        return report, row_of(path, role, clock, report, passed, cpu)

    report, row = play(None, None)
    if not options.clocks_only or "error" in row:
        yield row
    if report is None:
        return
    roles = list(report["players"])
    for role in roles if options.roles == "all" else roles[:1]:
        for clock in options.clocks:
            yield play(role, clock)[1]


class Shown:
    """The rows as they come: a table, tab-separated values, or lines of JSON."""

    WIDTHS = dict(file=30, role=8, clock=5, playouts=11, steps_by=11, steps=5, end=10, latest=12)

    def __init__(self, form):
        self.form = form
        self.line(dict(zip(COLUMNS, COLUMNS)), heading=True)

    def line(self, row, heading=False):
        if self.form == "json":
            text = "" if heading else json.dumps(row)
        elif self.form == "tsv":
            text = "\t".join(str(row.get(name, row.get("error", "") if name == "end" else "")) for name in COLUMNS)
        elif "error" in row:
            text = f"{row['file'][:29]:30} {row['role'][:8]:8} {row['clock']!s:>5} {row['error']}"
        else:
            text = " ".join(f"{str(row[name])[: self.WIDTHS.get(name, 6)]:{self.WIDTHS.get(name, 6)}}" for name in COLUMNS)
        if text:
            print(text.rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("places", nargs="+", metavar="FOLDER_OR_FILE")
    clocks = lambda text: [float(clock) for clock in text.split(",")]
    parser.add_argument("--clocks", type=clocks, default=[1.0], help="seconds for a move, as in 0.2,1,5")
    parser.add_argument("--start", type=float, default=10.0, help="seconds before the first move")
    parser.add_argument("--steps", type=int, default=20, help="the longest match")
    parser.add_argument("--player", default="hyperplay", help="as in hyperplay:particles=64")
    parser.add_argument("--roles", choices=["first", "all"], default="first", help="whom the player plays")
    parser.add_argument("--clocks-only", action="store_true", help="do not show the match at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=120.0, help="seconds that a run may take besides its clocks")
    parser.add_argument("--form", choices=["table", "tsv", "json"], default="table")
    options = parser.parse_args()

    shown = Shown(options.form)
    played, refused, failed, sums = 0, 0, 0, dict.fromkeys(TALL, 0)
    for path in files_of(options.places):
        for row in matches_of(path, options):
            shown.line(row)
            if "error" in row:
                refused += 1
                continue
            played += 1
            failed += row["end"] == "failed"
            for name in TALL:
                sums[name] += row[name]
    counts = ", ".join(f"{name} {count}" for name, count in sums.items())
    print(f"{played} matches: {counts}; {failed} failed, {refused} not played", file=sys.stderr)
    sys.exit(1 if refused or failed or any(sums.values()) else 0)


if __name__ == "__main__":
    main()
