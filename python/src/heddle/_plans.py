# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Preconditioners: plans that solve with something near A."""
from . import _core
from ._arrays import handed, place
from ._matrix import as_matrix
from ._operator import Plan, readable


class Preconditioner(Plan):
    """x = M b, where M is near the inverse of A: `plan @ b`, `plan.solve(b)`, or `M=plan` in a solver, heddle's or
    scipy's."""

    __slots__ = ()

    def _apply(self, op, b, x):
        self._prepare(op)
        self._core.apply(op, handed(b), handed(x))

    def solve(self, b, out=None):
        """x = M b, of one vector or several."""
        return self.dot(b, out)

    @property
    def scheme(self):
        """What runs; of MultigridPlan its levels, a line each."""
        return self._core.scheme()


class SptrsvPlan(Preconditioner):
    """One triangle of a matrix, to be solved with many times: T x = b.

    Parameters
    ----------
    T : Matrix, or scipy.sparse CSR
    lower : bool
        The lower triangle, or the upper one.
    unit_diagonal : bool
        The diagonal is one, whatever is stored.
    ignore_outside : bool
        Ignore entries outside of the triangle, as of a matrix that holds both; else they are an error.
    expected_applies, scheme, vectors, transpose, stream
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, T, *, lower=True, unit_diagonal=False, ignore_outside=False, expected_applies=1000, scheme=None,
                 vectors=1, transpose=False, stream=None):
        self._set(T, "sptrsv_plan", dict(
            lower=lower, unit_diagonal=unit_diagonal, ignore_outside=ignore_outside, expected_applies=expected_applies,
            scheme=scheme, vectors=vectors, transpose=transpose), stream)


class GaussSeidelPlan(Preconditioner):
    """A sweep of Gauss-Seidel, SOR or SSOR from a guess of zero.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    sweep : 'symmetric', 'forward' or 'backward'
        heddle.cg takes a symmetric one alone.
    omega : float
        Relaxation, between 0 and 2.
    order : 'natural' or 'multicolor'
    block_size : int
        Rows whose unknowns are solved for together, 1 to 8.
    expected_applies, scheme, vectors, stream
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, *, sweep="symmetric", omega=1.0, order="natural", block_size=1, expected_applies=1000,
                 scheme=None, vectors=1, stream=None):
        self._set(A, "gauss_seidel_plan", dict(
            sweep=sweep, omega=omega, order=order, block_size=block_size, expected_applies=expected_applies,
            scheme=scheme, vectors=vectors), stream)


class _Factors(Preconditioner):
    __slots__ = ()

    def __init__(self, A, *, fill_level=0, pivot_floor=0.0, retries=0, block_size=1, subdomains=1,
                 single_precision=False, expected_applies=1000, scheme=None, vectors=1, transpose=False, stream=None):
        self._set(A, self._make, dict(
            fill_level=fill_level, pivot_floor=pivot_floor, retries=retries, block_size=block_size,
            subdomains=subdomains, single_precision=single_precision, expected_applies=expected_applies, scheme=scheme,
            vectors=vectors, transpose=transpose), stream)


class IluPlan(_Factors):
    """Incomplete factors L U of a matrix.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    fill_level : int
        k of ILU(k).
    pivot_floor : float
        What a smaller pivot becomes.
    retries : int
        How often the diagonal may grow until no pivot is bad.
    block_size : int
        Blocks that hold an entry are taken to be full.
    subdomains : int
        Runs of rows between which entries are dropped, so that they are solved with in parallel.
    single_precision : bool
        Store the factors as float32.
    transpose : bool
        Prepare M^T b, which rmatvec needs.
    expected_applies, scheme, vectors, stream
        As of SpmvPlan.
    """

    __slots__ = ()
    _make = "ilu_plan"


class IcPlan(_Factors):
    """An incomplete Cholesky factor L of a symmetric positive definite matrix: M = (L L^T)^-1.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
        Symmetric (Hermitian) positive definite; its lower triangle counts.
    fill_level, pivot_floor, retries, block_size, subdomains, single_precision
        As of IluPlan.
    transpose : bool
        Has no effect, since M is symmetric.
    expected_applies, scheme, vectors, stream
        As of SpmvPlan.
    """

    __slots__ = ()
    _make = "ic_plan"


class MultigridPlan(Preconditioner):
    """A cycle of smoothed or plain aggregation, for symmetric positive definite matrices of elliptic problems.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    near_nullspace : array of (rows,) or (rows, vectors), optional
        Vectors that A nearly takes to zero, as rigid bodies of elasticity; by default the constant one.
    kind : 'automatic', 'smoothed' or 'plain'
        Smoothed aggregation, or plain, whose set-up is shorter and whose iterations are more. Automatic: by expected_solves.
    cycle : 'v', 'w' or 'k'
        A K cycle is no linear map: heddle.cg is flexible with it, and other methods refuse it.
    strength : float
        Entries above it, relative to the diagonal, join rows.
    strength_measure : 'automatic', 'magnitude' or 'evolution'
        What makes an entry strong: its magnitude, or how smoothing spreads an impulse, for stiff directions that follow
        no entry. 'automatic' takes the latter if positive entries make magnitudes mislead.
    improve_candidates : int, optional
        Sweeps that relax near-nullspace vectors on each level; by default 4 if they are of no use, else 0.
    block_size : int
        Rows of a node, which join together.
    smoother : 'chebyshev', 'block-chebyshev' or 'l1-jacobi'
        'block-chebyshev' takes the dense blocks of nodes on the diagonal in place of the diagonal.
    degree : int
        Of Chebyshev's polynomial, 1 to 4, or sweeps of Jacobi.
    coarsest_rows, max_levels : int
        Levels of more rows are made coarser; the most levels.
    max_operator_complexity : float
        No level is added that would bring the entries of all levels above so many times those of A, 1 or more.
    symmetry_tolerance : float
        A counts as symmetric (Hermitian), which heddle.cg asks of M, if D^-1/2 (A - A^H) D^-1/2, D its diagonal, is at most
        so many times sqrt(rows) in Frobenius' norm. The default takes values of 8 digits.
    max_bytes : int, optional
        The most device memory that the plan may keep; heddle.Error says how much it would keep.
    expected_solves : int
        Solves with one set-up, from which an automatic kind is chosen; 0, unknown: smoothed.
    expected_applies, vectors, stream
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, near_nullspace=None, *, strength=0.02, strength_measure="automatic", improve_candidates=None,
                 block_size=1, smoother="chebyshev", degree=2, coarsest_rows=500, max_levels=20,
                 max_operator_complexity=5.0, symmetry_tolerance=1e-5, max_bytes=None, expected_applies=1000,
                 vectors=1, stream=None):
        with place(stream):
            A = as_matrix(A)
            if near_nullspace is not None:
                near_nullspace = readable("near_nullspace", near_nullspace, A.dtype)
                if near_nullspace.shape[0] != A.shape[0]:
                    raise _core.Error(f"near_nullspace has the shape {near_nullspace.shape}; give "
                                      f"({A.shape[0]}, number of vectors)")
        self._set(A, "multigrid_plan", dict(
            strength=strength, strength_measure=strength_measure, improve_candidates=improve_candidates,
            block_size=block_size, smoother=smoother, degree=degree, coarsest_rows=coarsest_rows,
            max_levels=max_levels, max_operator_complexity=max_operator_complexity, symmetry_tolerance=symmetry_tolerance,
            max_bytes=max_bytes, expected_applies=expected_applies, vectors=vectors), stream, (near_nullspace,))
