# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import heddle
import numpy as np
import pytest
import scipy.sparse as sp

# A build for GPUs accepts CuPy's arrays, and has tests of its own.
collect_ignore_glob = [] if heddle.device == "cpu" else ["test_[!g]*.py"]


def laplacian(n):
    """Of a grid of n x n, a little more than it on the diagonal: symmetric positive definite."""
    line = sp.diags_array([-np.ones(n - 1), 2.01 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = sp.eye_array(n)
    return (sp.kron(one, line) + sp.kron(line, one)).tocsr()


def flow(n):
    """The same with a wind along one direction: not symmetric."""
    wind = sp.diags_array([-0.5 * np.ones(n - 1), 0.5 * np.ones(n - 1)], offsets=[-1, 1])
    return (laplacian(n) + sp.kron(sp.eye_array(n), wind)).tocsr()


def without_boundary_values(n):
    """Of a grid of n x n: singular, with the constant vector as its nullspace."""
    line = sp.diags_array([-np.ones(n - 1), np.r_[1, 2 * np.ones(n - 2), 1], -np.ones(n - 1)], offsets=[-1, 0, 1])
    return (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsr()


def random_matrix(rows, columns, seed=1):
    """With empty rows, long ones, and columns in no order."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, min(columns, 9) + 1, rows)
    if rows:
        lengths[rows // 2] = columns
    row_ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    picked = [rng.permutation(columns)[:k] for k in lengths]
    col_idx = np.concatenate([np.empty(0), *picked]).astype(np.int32)
    return sp.csr_array((rng.standard_normal(col_idx.size), col_idx, row_ptr), shape=(rows, columns))


@pytest.fixture
def A():
    return laplacian(30)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def run_python():
    """Runs a program in an interpreter of its own, and gives what it printed; it is to end well."""
    # A background program of a shell ignores SIGINT, and so would the programs of a test run there.
    listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

    def run(text, **environment):
        done = subprocess.run([sys.executable, "-c", listens + text], env={**os.environ, **environment}, timeout=120,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout
    return run
