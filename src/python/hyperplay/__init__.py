"""General game playing with imperfect information, from rules alone.

A game is loaded by `load`. `State` is one state, `Batch` many of them, in NumPy arrays. `Belief` follows what a role perceives,
`Player` chooses moves, `play` plays matches, and `solve` finds an equilibrium as a `Policy`. `hyperplay.openspiel` makes an
OpenSpiel game of a rulesheet, and `hyperplay.env` environments for reinforcement learning.
"""

from importlib.metadata import version as _version

from hyperplay._failure import HyperplayError
from hyperplay._native import Batch, Belief, Finding, Game, GameTree, Histories, Player, Policy, State
from hyperplay._native import games, load, main, play, read_policy, solve
from hyperplay._results import merge_blocks, read_results, run_block

__version__ = _version("hyperplay")

__all__ = [
    "Batch", "Belief", "Finding", "Game", "GameTree", "Histories", "HyperplayError", "Player", "Policy", "State", "games", "load", "main",
    "merge_blocks", "play", "read_policy", "read_results", "run_block", "solve",
]
