"""The program in Python: its commands, players and samplers of Python in them, blocks of experiments, and results."""

import concurrent.futures
import importlib.util
import subprocess
import sys

import pytest

import hyperplay as hp

PLAN = """
schema = "hyperplay.experiment/1"
name = "Blocks"
seed = 1
games = ["kuhn_poker", "rock_paper_scissors"]
repetitions = 12

[schedule]
kind = "round_robin"

[[player]]
name = "one"
spec = "hyperplay:playouts=50"

[[player]]
name = "other"
spec = "random"
"""

OWN = """
import sys
import hyperplay as hp

class Bold:
    def __init__(self, game, role):
        self.calls = {"bet", "call"}
    def decide(self, evidence, legal, seed):
        return next((move for move in legal if move in self.calls), legal[0])

class Broken(Bold):
    def decide(self, evidence, legal, seed):
        raise ValueError("by design")

class Rejection:
    def __init__(self, game, role, particles):
        self.game, self.role, self.particles = game, role, particles
    def update(self, evidence, over, seed):
        found = []
        for attempt in range(4000):
            state, history = self.game.initial_state(), []
            for step, (own, percepts) in enumerate(evidence):
                moves = state.random_moves((seed + 7919 * attempt + step) % 2**63)
                if moves[self.game.roles.index(self.role)] != own or state.percepts(moves)[self.role] != percepts:
                    break
                state, history = state.step(moves), history + [moves]
            else:
                if state.is_terminal == over:
                    found.append(history)
            if len(found) == self.particles:
                break
        return found

sys.exit(hp.main(sys.argv[1:], players={"bold": Bold, "broken": Broken}, samplers={"patient": Rejection}))
"""


def program(*words, script=None, code=0):
    start = [sys.executable, *([str(script)] if script else ["-m", "hyperplay"]), *map(str, words)]
    ended = subprocess.run(start, capture_output=True, text=True, timeout=300)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def test_it_is_the_program():
    assert "kuhn_poker" in program("games").stdout
    assert "no_such_game" in program("check", "no_such_game", code=2).stderr


def test_a_player_of_python_plays_in_every_command(own):
    shown = program("match", "kuhn_poker", "alice=bold", "bob=hyperplay", "-n", 40, "--seed", 1, script=own)
    assert "bold" in shown.stdout and "0 faults" in shown.stdout
    gained = program("exploit", "kuhn_poker", "alice=bold", "bob=bold", "--unit", 25, "--seed", 1, script=own)
    assert "NashConv" in gained.stdout
    # Its exception is a fault that the referee names.
    faulty = program("match", "kuhn_poker", "alice=broken", "-n", 2, "--seed", 1, "--verbose", script=own)
    assert "by design" in faulty.stdout


def test_a_sampler_of_python_is_measured_beside_ours(own):
    shown = program("belief", "kuhn_poker", "--conform", "patient", "--replicates", 100, "--seed", 1, script=own)
    assert "consistency" in shown.stdout


def test_blocks_are_played_apart_and_joined_to_the_same_bytes(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    program("experiment", "run", plan, "--out", tmp_path / "whole")
    hp.merge_blocks(tmp_path / "whole")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda block: hp.run_block(plan, block, 3, tmp_path / "parts"), range(3)))
    hp.run_block(plan, 1, 3, tmp_path / "parts")
    hp.merge_blocks(tmp_path / "parts")
    for name in ["matches.jsonl", "turns.jsonl"]:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with pytest.raises(subprocess.CalledProcessError):
        hp.run_block(tmp_path / "none.toml", 0, 3, tmp_path / "parts")


STUDY = """
schema = "hyperplay.study/1"
seed = 5
sampler = ["rejection", "bootstrap"]
particles = [4]
replicates = 3
matches = 2
playouts = 0
[[game]]
name = "kuhn_poker"
"""


def test_blocks_of_a_study_are_measured_apart_and_their_particles_are_a_frame(tmp_path):
    plan = tmp_path / "study.toml"
    plan.write_text(STUDY)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    program("belief", plan, "--out", whole)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda block: hp.run_block(plan, block, 3, parts, keep_particles=True), range(3)))
    hp.merge_blocks(parts)
    for name in ["turns.jsonl", "rows.csv", "summary.csv"]:
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
    pytest.importorskip("pyarrow")
    held = hp.read_results(parts)["particles"]
    assert held.columns[-2:].to_list() == ["weight", "probability"]
    sets = held.groupby(["sampler", "match", "role", "step", "replicate"])
    # An empty set is a row without a weight.
    assert abs(sets.weight.sum() - sets.weight.count().clip(upper=1)).max() < 1e-9
    # The coverage of a set is the probability of what it holds.
    rows = hp.read_results(whole)["rows"]
    distinct = held.assign(history=held.history.map(str)).drop_duplicates(["sampler", "match", "role", "step", "replicate", "history"])
    covered = distinct.groupby(["sampler", "match", "role", "step", "replicate"]).probability.sum().groupby(["sampler", "match", "role", "step"]).mean()
    told = rows.set_index(["sampler", "match", "role", "step"]).coverage
    assert abs(covered - told).max() < 1e-5


def test_results_are_data_frames(tmp_path):
    pytest.importorskip("pandas")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    program("experiment", "run", plan, "--out", tmp_path / "whole")
    program("experiment", "report", tmp_path / "whole")
    frames = hp.read_results(tmp_path / "whole")
    assert {"one", "other"} <= set(frames["scores"]["player"])


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_ray_plays_blocks(tmp_path):
    import ray

    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    ray.init(num_cpus=2)
    block = ray.remote(num_cpus=1, max_retries=3)(hp.run_block)
    ray.get([block.remote(str(plan), number, 3, str(tmp_path / "parts")) for number in range(3)])
    hp.merge_blocks(tmp_path / "parts")
