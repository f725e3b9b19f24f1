# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of a build for GPUs share. It needs CuPy."""
import cupy
import cupyx.scipy.sparse as csp
import heddle
import numpy as np

SCALARS = [np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")
           if hasattr(heddle._core, f"{name}_int32")]


def on_gpu(A, dtype=np.float64):
    """A copy of scipy's matrix there."""
    return csp.csr_matrix(A.astype(dtype))


def vectors(shape, dtype=np.float64, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return cupy.asarray((x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype))


def close(got, wanted, digits=None):
    """Compares an array of CuPy's with one of CuPy's or NumPy's."""
    assert isinstance(got, cupy.ndarray) and got.dtype == wanted.dtype
    digits = digits or (1e-4 if np.finfo(got.dtype).bits == 32 else 1e-10)
    np.testing.assert_allclose(got.get(), cupy.asnumpy(wanted), rtol=digits, atol=digits)


def relative_residual(A, x, b):
    """By CuPy alone."""
    return float(cupy.linalg.norm(b - A @ x) / cupy.linalg.norm(b))
