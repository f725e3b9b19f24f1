# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Systems of numbers of two kinds, which promote as in scipy.

Promotion is done in Python: what is compiled for a scalar is given that scalar alone. So a build for double tests it with a
stand-in of what is compiled for float, which takes float32 alone and works in float64. A build of both needs no stand-in."""
from types import ModuleType

import heddle
import numpy as np
import pytest
from conftest import flow, laplacian
from heddle import _core, _matrix, _systems, _types

DIGITS = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-10, "complex128": 1e-10}


class Wide:
    """A part of float64, given arrays of float32."""

    def __init__(self, core):
        self.core = core

    def _call(self, name, *arguments):
        """By copies, of which what is written to goes back."""
        wide = [one.astype(np.float64) if isinstance(one, np.ndarray) else getattr(one, "core", one) for one in arguments]
        for one in arguments:
            assert not isinstance(one, np.ndarray) or one.dtype == np.float32
        result = getattr(self.core, name)(*wide)
        for one, copy in zip(arguments, wide):
            if isinstance(one, np.ndarray) and one.flags.writeable:
                one[:] = copy
        return result

    def __getattr__(self, name):
        return lambda *arguments: self._call(name, *arguments)


def residual(A, b, x):
    """Relative to b, computed in double."""
    b = b.astype(np.complex128)
    return np.linalg.norm(b - A.astype(np.complex128) @ x) / np.linalg.norm(b)


def stand_in(double):
    """_core.float32_int32."""
    part = ModuleType("heddle._core.float32_int32")

    def matrix(rows, columns, row_ptr, col_idx, values, owners):
        assert values.dtype == np.float32
        return Wide(double.Matrix(rows, columns, row_ptr, col_idx, values.astype(np.float64), owners))

    part.Matrix = matrix
    for name in ("spmv_plan", "ilu_plan", "ic_plan"):
        setattr(part, name, lambda A, *options, make=getattr(double, name): Wide(make(A.core, *options)))
    for name in ("CgSolver", "GmresSolver", "BicgstabSolver"):
        setattr(part, name, lambda *options, make=getattr(double, name): Wide(make(*options)))
    return part


@pytest.fixture
def scalars(monkeypatch):
    """Those of the build, and float32."""
    if np.dtype(np.float32) in _types.scalars:
        yield _types.scalars
        return
    both = (np.dtype(np.float32), *_types.scalars)
    monkeypatch.setattr(_core, "float32_int32", stand_in(_core.float64_int32), raising=False)
    for module in (_types, _matrix, _systems):
        monkeypatch.setattr(module, "scalars", both)
    _types.types.cache_clear()
    yield both
    _types.types.cache_clear()


@pytest.mark.parametrize("narrow, wide", [("float32", "float64"), ("float64", "complex128"), ("float32", "complex64"),
                                          ("float32", "complex128"), ("complex64", "complex128")])
@pytest.mark.parametrize("method", ["cg", "gmres", "bicgstab"])
def test_a_wider_right_hand_side_promotes(method, narrow, wide, scalars, rng):
    if not {np.dtype(narrow), np.dtype(wide)} <= set(scalars):
        pytest.skip("other numbers")
    A = (laplacian if method == "cg" else flow)(15).astype(narrow)
    b = rng.random(225) + (1j * rng.random(225) if np.dtype(wide).kind == "c" else 0)
    b, solve, rtol = b.astype(wide), getattr(heddle, method), DIGITS[wide]
    factors = heddle.IcPlan(A) if method == "cg" else heddle.IluPlan(A)
    for given in (A, heddle.Matrix(A), heddle.SpmvPlan(A)):
        for M in (None, factors, lambda r: r / 4):
            with pytest.warns(heddle.ConversionWarning, match=f"A holds {narrow}, and the system {wide}") as told:
                x, info = solve(given, b, M=M, rtol=rtol)
            assert info == 0 and x.dtype == wide and {one.filename for one in told} == {__file__}
            assert residual(A, b, x) <= 1.01 * rtol
    x, info = solve(heddle.SpmvPlan(A.astype(wide)), b, M=factors, rtol=rtol)  # M of lower precision is not converted
    assert info == 0 and residual(A, b, x) <= 1.01 * rtol


@pytest.mark.parametrize("method", ["cg", "gmres", "bicgstab"])
def test_what_needs_no_more_digits_keeps_them(method, scalars, rng, recwarn):
    A, solve = (laplacian if method == "cg" else flow)(15), getattr(heddle, method)
    single, b = A.astype(np.float32), rng.random(225)
    for one in (b.astype(np.float32), np.ones(225, int), np.ones(225, bool)):
        x, info = solve(single, one, rtol=1e-4)
        assert info == 0 and x.dtype == np.float32
        assert residual(single, one, x) <= 1.01e-4
    assert solve(A, b.astype(np.float32))[0].dtype == np.float64
    assert not recwarn.list
    with pytest.warns(heddle.ConversionWarning):
        assert solve(single, list(b))[0].dtype == np.float64


def test_eigenpairs_promote(scalars, rng):
    A, X = laplacian(15), rng.random((225, 2))
    with pytest.warns(heddle.ConversionWarning, match="A holds float32, and the system float64"):
        values, vectors = heddle.lobpcg(A.astype(np.float32), X)
    assert values.dtype == vectors.dtype == np.float64
    np.testing.assert_allclose(values, heddle.lobpcg(A, X)[0], rtol=1e-6)


def test_products_do_not_promote(scalars, rng):
    plan = heddle.SpmvPlan(laplacian(15).astype(np.float32))
    assert (plan @ np.ones(225, np.float32)).dtype == np.float32
    with pytest.raises(TypeError, match="x holds float64, and the operator float32"):
        plan @ np.ones(225)


@pytest.mark.parametrize("build, dtype, other, both", [
    ("float32 float64", "float32", "float64", "float64"), ("float64", "float64", "complex128", "float64"),
    ("float32 float64 complex128", "float32", "complex64", "complex128"),
    ("float32 float64 complex64 complex128", "float32", "complex128", "complex128"),
    ("float32 float64 complex64 complex128", "float64", "complex64", "complex128"),
    ("float32 float64", "float64", "float32", "float64"), ("float32 float64", "float32", "int64", "float32")])
def test_what_is_promoted_to_what(monkeypatch, build, dtype, other, both):
    monkeypatch.setattr(_types, "scalars", tuple(map(np.dtype, build.split())))
    assert _systems._holds(np.dtype(dtype), (np.empty(0, other),)) == np.dtype(both)
