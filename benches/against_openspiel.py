#!/usr/bin/env python3
"""CFR+ of OpenSpiel (C++) and `hyperplay solve`, in one run, alternating, on one core.

    benches/against_openspiel.py path/to/hyperplay [--repetitions N] [--limit SECONDS] [--part side-by-side|methods]

Side by side, Leduc poker and Liar's Dice (one die of six faces each) to a NashConv of 0.01:

- *OpenSpiel*: `pyspiel.CFRPlusSolver`. Its time is that of loading the game, building the solver and making as many
  iterations as a NashConv of 0.01 needs. That number is found before, without a clock: between two doublings it is
  interpolated in the logarithms. So the time that it takes OpenSpiel to compute a NashConv is not counted, nor the start of Python.
- *hyperplay*: the whole process `hyperplay solve GAME --nash-conv 0.01 -j 1`: its start, the reading and grounding of the
  rules, the game tree, the iterations, and every NashConv on the way.

Nothing is subtracted. The script and both solvers are bound to one core. On a computer that others use, processor seconds
mean more than those of the clock; both are shown, as medians over the repetitions with the least in brackets. The games have
the same payoffs with --unit 3 and 50; the script asserts that uniform play has the same NashConv. OpenSpiel's tree of Liar's
Dice has twice the information sets, because it keeps those with one move, the call after the highest bid.

Then it shows how far both are after 1 and 10 seconds (OpenSpiel: processor seconds without those of its NashConv;
hyperplay: `--seconds`), and the time of every --method to a NashConv of 1e-4 and 1e-6 in Kuhn poker, Leduc poker and
Liar's Dice: seconds of the whole process; a run that needs longer than the limit shows how far it came.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

GAMES = [("leduc_poker", "leduc_poker", 3), ("liars_dice", "liars_dice_1x6", 50)]
METHODS = ["auto", "cfr+", "dcfr", "pcfr+", "pdcfr+"]
TARGETS = [1e-4, 1e-6]
GOAL = 0.01


def solve(program, game, unit, *limits):
    """One process: what it reports, its seconds by the clock and of the processor."""
    command = [program, "solve", game, "--unit", unit, *limits, "-j", 1, "--json"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def iterations_needed(spiel, name):
    """How many iterations of CFR+ a NashConv of `GOAL` needs."""
    game = spiel.load_game(name)
    solver, made, last = spiel.CFRPlusSolver(game), 0, None
    while True:
        goal = max(8, 2 * made)
        while made < goal:
            solver.evaluate_and_update_policy()
            made += 1
        found = spiel.nash_conv(game, solver.average_policy())
        if found <= GOAL:
            break
        last = made, found
    if last is None:
        return made
    share = math.log(last[1] / GOAL) / math.log(last[1] / found)
    return math.ceil(last[0] * (made / last[0]) ** share)


def openspiel(spiel, name, iterations):
    """The seconds of so many iterations from nothing, and the NashConv that they reach."""
    clock, processor = time.perf_counter(), time.process_time()
    game = spiel.load_game(name)
    solver = spiel.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return clock, processor, game, solver


def how_far(spiel, name, moments):
    """The iterations and the NashConv after so many processor seconds, those of NashConv not counted."""
    game, spent, made, found = spiel.load_game(name), 0.0, 0, []
    solver = spiel.CFRPlusSolver(game)
    for moment in moments:
        while spent < moment:
            start = time.process_time()
            solver.evaluate_and_update_policy()
            spent += time.process_time() - start
            made += 1
        found.append((made, spiel.nash_conv(game, solver.average_policy())))
    return found


def seconds(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f})"


def side_by_side(spiel, program, repetitions):
    for name, game, unit in GAMES:
        uniform = subprocess.run([program, "exploit", game, "--unit", str(unit), "--json"], capture_output=True, check=True)
        opponent = spiel.load_game(name)
        theirs = spiel.nash_conv(opponent, spiel.UniformRandomPolicy(opponent))
        assert math.isclose(json.loads(uniform.stdout)["nash_conv"], theirs, rel_tol=1e-9), f"{game}: not the same game"
        iterations = iterations_needed(spiel, name)
        theirs, ours = [], []
        for _ in range(repetitions):
            theirs.append(openspiel(spiel, name, iterations))
            ours.append(solve(program, game, unit, "--nash-conv", GOAL))
        reached = spiel.nash_conv(theirs[-1][2], theirs[-1][3].average_policy())
        report = ours[-1][0]
        clocks = [[run[0] for run in theirs], [run[1] for run in ours]]
        processors = [[run[1] for run in theirs], [run[2] for run in ours]]
        print(f"{game} to NashConv {GOAL}, {repetitions} repetitions: median (least) of")
        print(f"  {'':10} {'seconds':>18} {'processor seconds':>20} {'iterations':>11} {'a second':>9} {'NashConv':>9}")
        for who, k, made, at in (("OpenSpiel", 0, iterations, reached), ("hyperplay", 1, report["iterations"], report["nash_conv"])):
            rate = made / statistics.median(processors[k])
            print(f"  {who:10} {seconds(clocks[k]):>18} {seconds(processors[k]):>20} {made:>11,} {rate:>9,.1f} {at:>9.3g}")
        median, least = (pick(processors[0]) / pick(processors[1]) for pick in (statistics.median, min))
        print(f"  hyperplay ({report['method']}) needs 1/{median:.1f} of the processor seconds (by the least: 1/{least:.1f})")
        at_moment = how_far(spiel, name, (1, 10))
        for moment, (made, found) in zip((1, 10), at_moment):
            same_rule, _, spent = solve(program, game, unit, "--method", "cfr+", "--nash-conv", 0, "--seconds", moment)
            best, _, _ = solve(program, game, unit, "--nash-conv", 0, "--seconds", moment)
            print(f"  after {moment:>2} s: OpenSpiel {made:,} iterations, NashConv {found:.3g}; hyperplay cfr+ "
                  f"{same_rule['iterations']:,}, {same_rule['nash_conv']:.3g} ({spent:.2f} processor seconds in all); "
                  f"auto {best['iterations']:,}, {best['nash_conv']:.3g}")
        sys.stdout.flush()


def methods(program, limit):
    print(f"seconds of `hyperplay solve -j 1` to a NashConv, limit {limit:g} s; in brackets processor seconds")
    print(f"  {'game':16} {'method':8} " + " ".join(f"{f'to {target:g}':>26}" for target in TARGETS))
    for game, unit in (("kuhn_poker", 25), ("leduc_poker", 3), ("liars_dice_1x6", 50)):
        for method in METHODS:
            cells = []
            for target in TARGETS:
                if cells and cells[-1].startswith("-"):
                    cells.append("-")  # it did not reach the one before
                    continue
                limits = ("--method", method, "--nash-conv", target, "--seconds", limit)
                report, clock, processor = solve(program, game, unit, *limits)
                if report["nash_conv"] <= target:
                    cells.append(f"{clock:.3f} ({processor:.3f})")
                else:
                    cells.append(f"- ({report['nash_conv']:.2g} after {clock:.0f} s)")
            print(f"  {game:16} {method:8} " + " ".join(f"{cell:>26}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description="CFR+ of OpenSpiel and hyperplay solve, side by side on one core.")
    parser.add_argument("program", type=Path, help="path to hyperplay")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--limit", type=float, default=120, help="seconds of each run of the second part [default: 120]")
    parser.add_argument("--part", choices=["side-by-side", "methods"], help="only one of the two parts")
    arguments = parser.parse_args()
    program = str(arguments.program.resolve())
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    os.environ["RAYON_NUM_THREADS"] = "1"
    print(f"core {core}; load {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
    if arguments.part != "methods":
        try:
            import pyspiel
        except ImportError as error:
            print(f"skipped: OpenSpiel, {error}")
        else:
            side_by_side(pyspiel, program, arguments.repetitions)
    if arguments.part != "side-by-side":
        methods(program, arguments.limit)
    print(f"load {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
