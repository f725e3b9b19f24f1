# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable
from os import PathLike
from typing import IO, Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
device: str
_Array: TypeAlias = NDArray[Any]
# Matrices of scipy.sparse, plans, and objects that have shape and matvec(x) or `@`.
_Operator: TypeAlias = Any

class Error(ValueError): ...
class Refusal(Error): ...
class OutOfMemory(Error): ...
class ConversionWarning(UserWarning): ...

def set_threads(threads: int) -> None: ...
def threads() -> int: ...

class Matrix:
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    converted: bool
    @property
    def values(self) -> _Array: ...
    @property
    def col_idx(self) -> NDArray[np.int32]: ...
    @property
    def row_ptr(self) -> _Array: ...
    def __init__(self, A: Any, shape: tuple[int, int] | None = None, *, copy: bool = False) -> None: ...
    @property
    def nnz(self) -> int: ...
    def to_scipy(self) -> Any: ...

_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

def read_matrix_market(path: _Path | IO[Any], *, dtype: Any = ..., max_bytes: float | None = None) -> Matrix: ...
def write_matrix_market(
    path: _Path | IO[bytes],
    A: Any,
    *,
    symmetry: Literal["general", "symmetric", "skew-symmetric", "hermitian"] = "general",
    pattern: bool = False,
    comment: str = "",
) -> None: ...

class _Applies:
    ndim: int
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def T(self) -> _Applies: ...
    @property
    def H(self) -> _Applies: ...
    def matvec(self, x: ArrayLike, out: _Array | None = None) -> _Array: ...
    def rmatvec(self, x: ArrayLike, out: _Array | None = None) -> _Array: ...
    def matmat(self, X: ArrayLike, out: _Array | None = None) -> _Array: ...
    def rmatmat(self, X: ArrayLike, out: _Array | None = None) -> _Array: ...
    def dot(self, x: ArrayLike, out: _Array | None = None) -> _Array: ...
    def transpose(self) -> _Applies: ...
    def adjoint(self) -> _Applies: ...
    def conj(self) -> _Applies: ...
    # The product with an operator is an operator of scipy.
    def __matmul__(self, x: Any) -> Any: ...
    def __rmatmul__(self, x: Any) -> Any: ...
    def __mul__(self, x: Any) -> Any: ...
    def __rmul__(self, x: Any) -> Any: ...
    def __truediv__(self, x: complex) -> Any: ...
    def __neg__(self) -> Any: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __sub__(self, other: Any) -> Any: ...
    def __rsub__(self, other: Any) -> Any: ...
    def __call__(self, x: ArrayLike) -> _Array: ...

class _Plan(_Applies):
    matrix: Matrix
    def update_values(self, A: Any = None) -> None: ...
    @property
    def setup_seconds(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def scheme(self) -> str: ...

class Choice:
    scheme: str
    seconds: float
    setup_seconds: float
    kept_bytes: float
    measured_seconds: float
    reason: str
    refusal: str
    def __init__(
        self,
        scheme: str,
        seconds: float,
        setup_seconds: float,
        kept_bytes: float,
        measured_seconds: float,
        reason: str,
        refusal: str,
    ) -> None: ...

class SpmvPlan(_Plan):
    def __init__(
        self,
        A: Any,
        *,
        scheme: str | None = None,
        expected_applies: float = 1000,
        vectors: float = 1,
        transpose: bool = False,
        values_in_place: bool = False,
        max_bytes: float | None = None,
        measure_seconds: float = 0.0,
        stream: Any = None,
    ) -> None: ...
    def apply(self, alpha: complex, x: ArrayLike, beta: complex, y: _Array, *, transposed: bool = False) -> None: ...
    @property
    def choices(self) -> list[Choice]: ...
    def explain(self) -> str: ...

class _Preconditioner(_Plan):
    def solve(self, b: ArrayLike, out: _Array | None = None) -> _Array: ...

class SptrsvPlan(_Preconditioner):
    def __init__(
        self,
        T: Any,
        *,
        lower: bool = True,
        unit_diagonal: bool = False,
        ignore_outside: bool = False,
        expected_applies: float = 1000,
        scheme: str | None = None,
        vectors: float = 1,
        transpose: bool = False,
        stream: Any = None,
    ) -> None: ...

class GaussSeidelPlan(_Preconditioner):
    def __init__(
        self,
        A: Any,
        *,
        sweep: Literal["symmetric", "forward", "backward"] = "symmetric",
        omega: float = 1.0,
        order: Literal["natural", "multicolor"] = "natural",
        block_size: float = 1,
        expected_applies: float = 1000,
        scheme: str | None = None,
        vectors: float = 1,
        stream: Any = None,
    ) -> None: ...

class _Factors(_Preconditioner):
    def __init__(
        self,
        A: Any,
        *,
        fill_level: float = 0,
        pivot_floor: float = 0.0,
        retries: float = 0,
        block_size: float = 1,
        subdomains: float = 1,
        single_precision: bool = False,
        expected_applies: float = 1000,
        scheme: str | None = None,
        vectors: float = 1,
        transpose: bool = False,
        stream: Any = None,
    ) -> None: ...

class IluPlan(_Factors): ...
class IcPlan(_Factors): ...

class MultigridPlan(_Preconditioner):
    def __init__(
        self,
        A: Any,
        near_nullspace: ArrayLike | None = None,
        *,
        kind: Literal["automatic", "smoothed", "plain"] = "automatic",
        cycle: Literal["v", "w", "k"] = "v",
        strength: float = 0.02,
        strength_measure: Literal["automatic", "magnitude", "evolution"] = "automatic",
        improve_candidates: float | None = None,
        block_size: float = 1,
        smoother: Literal["chebyshev", "block-chebyshev", "l1-jacobi"] = "chebyshev",
        degree: float = 2,
        coarsest_rows: float = 500,
        max_levels: float = 20,
        max_operator_complexity: float = 5.0,
        symmetry_tolerance: float = 1e-5,
        max_bytes: float | None = None,
        expected_applies: float = 1000,
        expected_solves: float = 0,
        vectors: float = 1,
        stream: Any = None,
    ) -> None: ...

class Progress:
    iterations: int
    residual: float
    def __init__(self, iterations: int, residual: float) -> None: ...

class Result:
    x: _Array
    outcome: str
    message: str
    iterations: int
    residual: float
    first_residual: float
    reference: float
    history: NDArray[np.float64]
    scheme: str
    products: int
    recording_failed: bool
    def __init__(
        self,
        x: _Array,
        outcome: str,
        message: str,
        iterations: int,
        residual: float,
        first_residual: float,
        reference: float,
        history: NDArray[np.float64],
        scheme: str,
        products: int = 1,
        recording_failed: bool = False,
    ) -> None: ...
    @property
    def converged(self) -> bool: ...
    @property
    def relative_residual(self) -> float: ...
    @property
    def info(self) -> int: ...
    def plot(self, axes: Any = None) -> Any: ...

# A function of xk, or of a Progress if its argument is named `progress`.
_Callback: TypeAlias = Callable[[Any], Any] | None

@overload
def cg(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[False] = False,
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> tuple[_Array, int]: ...
@overload
def cg(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[True],
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result: ...
@overload
def cg(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: bool,
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result | tuple[_Array, int]: ...
@overload
def gmres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: float | None = None,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: Literal["pr_norm", "x"] | None = None,
    return_result: Literal[False] = False,
    basis_in_float: bool = False,
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> tuple[_Array, int]: ...
@overload
def gmres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: float | None = None,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: Literal["pr_norm", "x"] | None = None,
    return_result: Literal[True],
    basis_in_float: bool = False,
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result: ...
@overload
def gmres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: float | None = None,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: Literal["pr_norm", "x"] | None = None,
    return_result: bool,
    basis_in_float: bool = False,
    flexible: bool = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result | tuple[_Array, int]: ...
@overload
def bicgstab(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[False] = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> tuple[_Array, int]: ...
@overload
def bicgstab(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[True],
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result: ...
@overload
def bicgstab(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: bool,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result | tuple[_Array, int]: ...
@overload
def minres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[False] = False,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> tuple[_Array, int]: ...
@overload
def minres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: Literal[True],
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result: ...
@overload
def minres(
    A: _Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: float | None = None,
    M: _Operator | None = None,
    callback: _Callback = None,
    return_result: bool,
    check_every: float | None = None,
    history: bool = False,
    nullspace: ArrayLike | None = None,
    stream: Any = None,
) -> Result | tuple[_Array, int]: ...
class _Solver:
    @property
    def bytes(self) -> int: ...
    def solve(
        self,
        A: _Operator,
        b: ArrayLike,
        x0: ArrayLike | None = None,
        *,
        M: _Operator | None = None,
        callback: _Callback = None,
    ) -> Result: ...

class CgSolver(_Solver):
    def __init__(
        self,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        maxiter: float | None = None,
        flexible: bool = False,
        check_every: float | None = None,
        history: bool = False,
        nullspace: ArrayLike | None = None,
        stream: Any = None,
    ) -> None: ...

class GmresSolver(_Solver):
    def __init__(
        self,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        restart: float | None = None,
        maxiter: float | None = None,
        basis_in_float: bool = False,
        flexible: bool = False,
        check_every: float | None = None,
        history: bool = False,
        nullspace: ArrayLike | None = None,
        stream: Any = None,
    ) -> None: ...

class BicgstabSolver(_Solver):
    def __init__(
        self,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        maxiter: float | None = None,
        check_every: float | None = None,
        history: bool = False,
        nullspace: ArrayLike | None = None,
        stream: Any = None,
    ) -> None: ...

class MinresSolver(_Solver):
    def __init__(
        self,
        *,
        rtol: float = 1e-5,
        atol: float = 0.0,
        maxiter: float | None = None,
        check_every: float | None = None,
        history: bool = False,
        nullspace: ArrayLike | None = None,
        stream: Any = None,
    ) -> None: ...

class EigenResult:
    values: NDArray[np.float64]
    vectors: _Array
    converged: bool
    message: str
    iterations: int
    residuals: NDArray[np.float64]
    errors: NDArray[np.float64]
    scale: float
    history: NDArray[np.float64]
    def __init__(
        self,
        values: NDArray[np.float64],
        vectors: _Array,
        converged: bool,
        message: str,
        iterations: int,
        residuals: NDArray[np.float64],
        errors: NDArray[np.float64],
        scale: float,
        history: NDArray[np.float64],
    ) -> None: ...

@overload
def lobpcg(
    A: _Operator,
    X: ArrayLike,
    B: _Operator | None = None,
    M: _Operator | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: float | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: Literal[False] = False,
    retResidualNormsHistory: Literal[False] = False,
    restartControl: int | None = None,
    *,
    relative_to: Literal["norm", "value"] = "norm",
    max_seconds: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    return_result: Literal[False] = False,
    stream: Any = None,
) -> tuple[NDArray[np.float64], _Array]: ...
@overload
def lobpcg(
    A: _Operator,
    X: ArrayLike,
    B: _Operator | None = None,
    M: _Operator | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: float | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: Literal[False] = False,
    *,
    retResidualNormsHistory: Literal[True],
    restartControl: int | None = None,
    relative_to: Literal["norm", "value"] = "norm",
    max_seconds: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    return_result: Literal[False] = False,
    stream: Any = None,
) -> tuple[NDArray[np.float64], _Array, NDArray[np.float64]]: ...
@overload
def lobpcg(
    A: _Operator,
    X: ArrayLike,
    B: _Operator | None = None,
    M: _Operator | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: float | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: Literal[False] = False,
    retResidualNormsHistory: bool = False,
    restartControl: int | None = None,
    *,
    relative_to: Literal["norm", "value"] = "norm",
    max_seconds: float | None = None,
    callback: Callable[[Progress], object] | None = None,
    return_result: Literal[True],
    stream: Any = None,
) -> EigenResult: ...
def choose(A: Any, **options: Any) -> list[Choice]: ...
def spy(A: Any, axes: Any = None, *, cells: int = 400) -> Any: ...
