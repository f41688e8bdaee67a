"""Every example of the guide runs, and the stubs say what is there."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "python.md"


def test_the_examples_of_the_guide_run():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        if "pyspiel" in block and importlib.util.find_spec("pyspiel") is None:
            continue
        exec(compile(block, str(GUIDE), "exec"), names)
    assert {"policy", "env", "mine"} <= set(names)


def test_type_checkers_find_stubs(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "typed.py"
    program.write_text(
        "import hyperplay as hp\n"
        "game = hp.load('kuhn_poker')\n"
        "legal: list[str] = game.initial_state().legal_moves('alice')\n"
        "outcome: str = hp.Belief(game, 'bob', particles=10).update('noop', ['(your_card king)'])\n"
        "hp.play(game, {'alice': 'auto'}, matches=3)\n"
        "wrong: int = game.name\n"
    )
    checked = subprocess.run([sys.executable, "-m", "mypy", str(program)], capture_output=True, text=True)
    assert checked.stdout.count("error:") == 1 and "typed.py:6:" in checked.stdout, checked.stdout + checked.stderr


def test_everything_public_is_explained():
    import hyperplay as hp

    for name in hp.__all__:
        thing = getattr(hp, name)
        assert thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else ()
        unexplained = [member for member, of in members if not member.startswith("_") and not of.__doc__]
        assert not unexplained or thing is hp.Finding, (name, unexplained)
