# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Preconditioners: plans that solve with something near A."""
from . import _core
from ._arrays import asarray, handed, place, xp
from ._matrix import as_matrix
from ._operator import Plan, readable
from ._options import takes


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


@takes(_core.SptrsvOptions)
class SptrsvPlan(Preconditioner):
    """One triangle of a matrix, to be solved with many times: T x = b.

    Parameters
    ----------
    T : Matrix, or scipy.sparse CSR
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, T, *, stream=None, **options):
        self._set(T, "sptrsv_plan", _core.SptrsvOptions, options, stream)


@takes(_core.GaussSeidelOptions)
class GaussSeidelPlan(Preconditioner):
    """A sweep of Gauss-Seidel, SOR or SSOR from a guess of zero. heddle.cg takes a symmetric one alone.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, *, stream=None, **options):
        self._set(A, "gauss_seidel_plan", _core.GaussSeidelOptions, options, stream)


@takes(_core.IluOptions)
class IluPlan(Preconditioner):
    """Incomplete factors L U of a matrix.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, *, stream=None, **options):
        self._set(A, "ilu_plan", _core.IluOptions, options, stream)


@takes(_core.IluOptions)
class IcPlan(Preconditioner):
    """An incomplete Cholesky factor L of a symmetric positive definite matrix: M = (L L^T)^-1.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
        Symmetric (Hermitian) positive definite; its lower triangle counts.
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, *, stream=None, **options):
        self._set(A, "ic_plan", _core.IluOptions, options, stream)


@takes(_core.MultigridOptions)
class MultigridPlan(Preconditioner):
    """A cycle of smoothed or plain aggregation, for symmetric positive definite matrices of elliptic problems.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
    near_nullspace : array of (rows,) or (rows, vectors), optional
        Vectors that A nearly takes to zero, as rigid bodies of elasticity; by default the constant one.
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ()

    def __init__(self, A, near_nullspace=None, *, stream=None, **options):
        with place(stream):
            A = as_matrix(A)
            if near_nullspace is not None:
                near_nullspace = readable("near_nullspace", near_nullspace, A.dtype)
                if near_nullspace.shape[0] != A.shape[0]:
                    raise _core.Error(f"near_nullspace has the shape {near_nullspace.shape}; give "
                                      f"({A.shape[0]}, number of vectors)")
        self._set(A, "multigrid_plan", _core.MultigridOptions, options, stream, (near_nullspace,))


def rigid_body_motions(coordinates):
    """The rigid body motions of nodes: near_nullspace of an elastic body whose row node * d + k is the displacement along k.

    Parameters
    ----------
    coordinates : array of (nodes, 2) or (nodes, 3)

    Returns
    -------
    array of (2 * nodes, 3) or (3 * nodes, 6)
        The translations, then the rotations about the mean of the nodes.
    """
    coordinates = asarray("coordinates", coordinates)
    if coordinates.ndim != 2 or coordinates.shape[1] not in (2, 3):
        raise _core.Error(f"coordinates has the shape {coordinates.shape}; give (nodes, 2) or (nodes, 3)")
    nodes, d = coordinates.shape
    place_of_node = coordinates - coordinates.mean(axis=0) if nodes else coordinates
    motions = xp.zeros((nodes, d, d * (d + 1) // 2))
    for k in range(d):
        motions[:, k, k] = 1
    for column, (i, j) in enumerate([(0, 1)] if d == 2 else [(0, 1), (1, 2), (2, 0)], d):
        motions[:, i, column], motions[:, j, column] = -place_of_node[:, j], place_of_node[:, i]
    return motions.reshape(nodes * d, -1)
