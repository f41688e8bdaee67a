#!/bin/sh
# The package for Python: its lints, a wheel, and the tests of the package that is in the wheel. What Python lacks (OpenSpiel, PettingZoo, mypy,
# pandas, Ray; for the notebooks nbclient, ipykernel, matplotlib and pyarrow, for one of them PyTorch), its tests skip.
#
#   sh tests/python.sh
set -eu
cd "$(dirname "$0")/.."
cargo clippy --release -p hyperplay-python -- -D warnings
built=target/python
rm -rf "$built"
python3 -m maturin build --release --generate-stubs --manifest-path src/python/Cargo.toml --out "$built/wheels"
ls -l "$built/wheels"
python3 -m pip install --quiet --no-deps --target "$built/site" "$built"/wheels/*.whl
PYTHONPATH="$built/site" python3 -m pytest --quiet --import-mode=importlib -p no:cacheprovider src/python/tests
