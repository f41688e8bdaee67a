"""Fits the goals at the end of matches by a sum over the facts of their states, for `leaf=FILE`.

Called by `experiment generations` with the folder of the matches of a generation and the path of the result. It learns
from the matches of all generations so far, by least squares with a small penalty. A match has one value at its end, so
its states weigh less the more there are.
"""
import glob, json, os, sys
import numpy as np
import pyarrow.parquet as parquet

data, result = sys.argv[1:]
states, goals, weights = [], [], []
folder = glob.escape(os.path.join(data, "..", ".."))
for numbers in sorted(glob.glob(os.path.join(folder, "*", "play", "features.*.json"))):
    game = json.load(open(numbers))
    facts, roles = game["facts"], len(game["roles"])
    bits = np.load(numbers[:-5] + ".npy")
    table = parquet.read_table(numbers[:-5] + ".parquet", columns=["match", "goal"]).to_pydict()
    states.append(np.unpackbits(bits, axis=1)[:, : len(facts)].astype(float))
    goals.append(np.array(table["goal"], float).reshape(-1, roles))
    match = np.array(table["match"])[::roles]
    weights.append(1 / np.sqrt(np.bincount(match, minlength=match.max() + 1)[match]))
states, goals, weights = np.concatenate(states), np.concatenate(goals), np.concatenate(weights)[:, None]
ended = ~np.isnan(goals).any(axis=1)  # a match without goals teaches nothing
states, goals, weights = states[ended], goals[ended], weights[ended]
matrix = np.hstack([np.ones((len(states), 1)), states])
penalty = np.diag([1e-6] + [1.0] * len(facts))
fit = np.linalg.solve((weights * matrix).T @ (weights * matrix) + penalty, (weights * matrix).T @ (weights * goals))
file = {"schema": "hyperplay.linear/1", "rules": game["rules"], "roles": {}}
for role, column in zip(game["roles"], fit.T):
    if role != "random":
        known = {fact: round(weight, 4) for fact, weight in zip(facts, column[1:]) if abs(weight) >= 1e-4}
        file["roles"][role] = {"constant": round(column[0], 4), "facts": known}
json.dump(file, open(result, "w"), indent=1)
