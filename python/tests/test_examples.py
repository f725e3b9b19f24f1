# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples run, small, and draw."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.mark.parametrize("name, n, says", [("poisson", 40, "heddle.cg, MultigridPlan"),
                                           ("vibration_modes", 39, "converged"), ("choosing", 60, "blocks of 3 x 3")])
def test_example(name, n, says, tmp_path):
    picture = tmp_path / "picture.png"
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", str(n), picture], text=True, capture_output=True,
                          env={**os.environ, "MPLBACKEND": "agg"}, timeout=120)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout and picture.stat().st_size > 5000
