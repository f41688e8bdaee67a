"""Every notebook of the documentation runs from its first cell to its last."""

import importlib.util
import pathlib

import pytest

NOTEBOOKS = pathlib.Path(__file__).parents[3] / "docs" / "notebooks"


def test_there_is_a_notebook_for_each_use():
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} >= {"poker", "beliefs", "selfplay", "rulesheets"}


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for needed in ("ipykernel", "matplotlib", "pandas", "pyarrow"):
        pytest.importorskip(needed)
    book = nbformat.read(path, as_version=4)
    missing = [name for name in book.metadata.get("needs", []) if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")
    nbclient.NotebookClient(book, timeout=900, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
