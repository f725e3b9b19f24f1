// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../backends/graph.hpp"
#include "../../core/multivector.hpp"
#include "../../core/version.hpp"
#include "../vectors/operands.hpp"
#include "../vectors/operations.hpp"

namespace heddle {

/// A vector in the memory of a solver: contiguous, on the device.
template <ExecutionSpace Exec, Scalar S>
using SolverVector =
    Kokkos::View<S*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
/// A vector in the memory of a solver that is only read.
template <ExecutionSpace Exec, Scalar S>
using ConstSolverVector =
    Kokkos::View<const S*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The matrix of a solver: y = A x, queued on `exec` without an allocation or a wait, and its
/// shape. An SpmvPlan is one, and so is a user's struct with these three functions. With `static
/// constexpr bool takes_several_vectors = true` it gets Views of rank 2 if a solver has several
/// right-hand sides; otherwise it gets one vector after the other. With options.reduction x and y
/// are the rows of this process, rows() and columns() their number, and apply brings what it needs
/// of the other processes' x; it may wait then.
///
/// It may also have `apply_dot(exec, x, y, workspace, result)`, which computes conj(x) . y too, and
/// `has_dot()`, which says whether the dot reads no vector again. SpmvPlan has both; conjugate
/// gradients use them.
template <class A, class Exec, class S>
concept LinearOperator = requires(A& a, const Exec& exec, const ConstSolverVector<Exec, S>& x,
                                  const SolverVector<Exec, S>& y) {
  a.apply(exec, x, y);
  { a.rows() } -> std::convertible_to<std::int64_t>;
  { a.columns() } -> std::convertible_to<std::int64_t>;
};

/// The preconditioner of a solver: x = M b, an approximation of A's inverse times b, which starts
/// from zero and never reads x. An SptrsvPlan is one. Optional members:
///
/// - `bool symmetric()`: whether M is symmetric (Hermitian) if A is. Solvers that need it refuse an
///   M that returns false. Without this member M counts as symmetric.
/// - `name()`: the name that such a refusal prints.
/// - `asymmetry()`: the reason why M is not symmetric, a std::string that it prints as well.
/// - `bool is_variable()`: whether M may differ from one apply to the next, as an inner iteration
///   does. CgSolver is then flexible without options.flexible, GmresSolver asks for that option,
///   and the other Krylov solvers refuse M. Without this member M counts as constant.
/// - `reserve(exec, vectors)`: makes room for an apply to so many vectors at once. Solvers with
///   several right-hand sides or eigenpairs call it before they iterate, outside of any apply, of
///   an M that is not const. It may allocate and wait, and renews version() if it does.
/// - `static constexpr bool is_diagonal = true`: M is a diagonal matrix with the entries
///   `inverse_diagonal()`, a View of rank 1 on the device. CgSolver without options.flexible and
///   ChebyshevSolver read these with the residual and never call apply, unless options.nullspace is
///   set. Other solvers call apply.
///
/// Operators and preconditioners may also declare that they are `capturable()`: apply neither waits
/// nor allocates, launches only on the instance that it gets, and a recorded apply may run again
/// during the same solve. Then blocks of iterations run as graphs on backends that have graphs.
/// Without this member a part is not capturable. If apply queues through plans and functions of
/// Heddle alone, say so by `static constexpr bool launches_by_heddle = true`: otherwise the stream
/// is captured while apply is recorded, and until then no thread may wait for the device, as
/// allocating and freeing do; what that breaks is a solve without graphs, or another thread's wait.
/// Graphs are kept for later solves if both parts also hold a Version and `version()` returns its
/// number(); renew it with the values, and with everything else that the host passes to launches.
template <class M, class Exec, class S>
concept Preconditioner = requires(M& m, const Exec& exec, const ConstSolverVector<Exec, S>& b,
                                  const SolverVector<Exec, S>& x) { m.apply(exec, b, x); };

/// No preconditioner; all objects of this type are equal.
struct NoPreconditioner {
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;
  static VersionNumber version() {
    static const Version only;
    return only.number();
  }
};

namespace detail::krylov {

template <class M>
inline constexpr bool no_preconditioner = std::same_as<std::remove_const_t<M>, NoPreconditioner>;

/// The version of a part in a solve. A part without a Version has a new number in each solve.
template <class T>
VersionNumber version_in_solve(const T& part) {
  if constexpr (HasVersion<T>) {
    return part.version();
  } else {
    return Version().number();
  }
}

/// Whether an apply of the part may be recorded and run again.
template <class T>
bool capturable(const T& part) {
  if constexpr (requires { part.capturable(); }) {
    return part.capturable();
  } else {
    return false;
  }
}

/// A number in memory of the device.
template <ExecutionSpace Exec, Scalar S>
using SolverNumber =
    Kokkos::View<S, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// An operator that computes y = A x and x . y, in the type in which solvers add up.
template <class A, class Exec, class S>
concept AppliesDot = requires(
    A& a, const Exec& exec, const ConstSolverVector<Exec, S>& x, const SolverVector<Exec, S>& y,
    const VectorWorkspace<Exec, Wide<S>>& workspace,
    const SolverNumber<Exec, Wide<S>>& result) { a.apply_dot(exec, x, y, workspace, result); };

/// Whether the dot of apply_dot reads no vector again.
template <class A>
bool has_dot(const A& matrix) {
  if constexpr (requires { matrix.has_dot(); }) {
    return matrix.has_dot();
  } else {
    return false;
  }
}

/// Number of bytes that a product with `vectors` vectors moves; 0 if the operator does not say.
template <class A>
double bytes_of_product(const A& matrix, int vectors) {
  if constexpr (requires { matrix.moved_bytes(Op::none, vectors); }) {
    return matrix.moved_bytes(Op::none, vectors);
  } else {
    return 0;
  }
}

template <class T>
constexpr bool takes_several_vectors() {
  if constexpr (requires { T::takes_several_vectors; }) {
    return T::takes_several_vectors;
  } else {
    return false;
  }
}

template <class T>
constexpr bool launches_by_heddle() {
  if constexpr (requires { T::launches_by_heddle; }) {
    return T::launches_by_heddle;
  } else {
    return false;
  }
}

/// Runs body(), an apply of the part on `exec`, in a form that a graph can record.
template <class Part, class Exec, class Body>
void recordable(const Exec& exec, const Body& body) {
  if constexpr (launches_by_heddle<Part>()) {
    body();
  } else {
    backends::record_captured(exec, body);
  }
}

template <class T>
bool symmetric(const T& part) {
  if constexpr (requires { part.symmetric(); }) {
    return part.symmetric();
  } else {
    return true;
  }
}

template <class T>
bool is_variable(const T& part) {
  if constexpr (requires { part.is_variable(); }) {
    return part.is_variable();
  } else {
    return false;
  }
}

template <class T>
std::string name_of(const T& part) {
  if constexpr (requires { part.name(); }) {
    return part.name();
  } else {
    return "the preconditioner";
  }
}

/// ": " and the reason why M is not symmetric; empty if M does not say.
template <class T>
std::string asymmetry_of(const T& part) {
  if constexpr (requires { part.asymmetry(); }) {
    return ": " + part.asymmetry();
  } else {
    return {};
  }
}

/// Makes room in M before iterations that apply it to so many vectors at once.
template <class Exec, class M>
void reserve(const Exec& exec, M& preconditioner, int vectors) {
  if constexpr (requires { preconditioner.reserve(exec, vectors); }) {
    preconditioner.reserve(exec, vectors);
  }
}

/// How a pass gets z = M r.
enum class Preconditioned {
  not_at_all,   ///< z is r
  by_diagonal,  ///< z is d r, never stored
  by_operator   ///< z is a vector
};

template <class M>
constexpr Preconditioned how_with() {
  if constexpr (no_preconditioner<M>) return Preconditioned::not_at_all;
  if constexpr (requires { requires M::is_diagonal; }) return Preconditioned::by_diagonal;
  return Preconditioned::by_operator;
}

/// The vectors that a pass reads for M: d, one for all right-hand sides, or `z`, the result of M.
/// Throws Error if the diagonal has another number of rows.
template <Scalar S, class M>
Multivector<const S> read_of([[maybe_unused]] M& preconditioner, const Multivector<const S>& z,
                             [[maybe_unused]] std::int64_t rows) {
  if constexpr (how_with<M>() == Preconditioned::by_diagonal) {
    auto diagonal = multivector_of<const S>(preconditioner.inverse_diagonal());
    if (diagonal.rows != rows) {
      throw Error("the preconditioner is for " + std::to_string(diagonal.rows) + " unknowns, not " +
                      std::to_string(rows),
                  "make it of the same matrix");
    }
    diagonal.vector_stride = 0;
    return diagonal;
  } else {
    return z;
  }
}

/// z, from the entries that a pass has read for M.
template <Preconditioned how, class Pack>
KOKKOS_FORCEINLINE_FUNCTION Pack z_of(const Pack& read, const Pack& r) {
  if constexpr (how == Preconditioned::not_at_all) return r;
  if constexpr (how == Preconditioned::by_diagonal) return Pack::multiply(read, r);
  return read;
}

/// Vectors of a solver: a column-major multivector.
template <ExecutionSpace Exec, Scalar S>
using SolverVectors = Kokkos::View<S**, Kokkos::LayoutLeft, typename Exec::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <ExecutionSpace Exec, Scalar S>
SolverVector<Exec, S> column(const SolverVectors<Exec, S>& vectors, int c) {
  const std::size_t rows = vectors.extent(0);
  return SolverVector<Exec, S>(vectors.data() + static_cast<std::size_t>(c) * rows, rows);
}

/// part.apply(exec, x, y) for all vectors: together if the part takes_several_vectors.
template <ExecutionSpace Exec, Scalar S, class Part>
void apply(const Exec& exec, Part& part, const SolverVectors<Exec, S>& x,
           const SolverVectors<Exec, S>& y) {
  using Const = Kokkos::View<const S**, Kokkos::LayoutLeft, typename Exec::memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  recordable<Part>(exec, [&] {
    const int count = static_cast<int>(x.extent(1));
    if constexpr (takes_several_vectors<Part>()) {
      if (count > 1) return part.apply(exec, Const(x), y);
    }
    for (int c = 0; c < count; ++c) {
      part.apply(exec, ConstSolverVector<Exec, S>(column<Exec, S>(x, c)), column<Exec, S>(y, c));
    }
  });
}

/// own = x and q = A x, or both zero if the guess is.
template <ExecutionSpace Exec, Scalar S, class A, class X>
void take_guess(const Exec& exec, A& matrix, const X& x, bool zero_guess,
                const SolverVectors<Exec, S>& own, const SolverVectors<Exec, S>& q) {
  if (zero_guess) {
    heddle::vectors::scale(exec, 0, own);
    heddle::vectors::scale(exec, 0, q);
  } else {
    heddle::vectors::axpby(exec, 1, x, 0, own);
    apply<Exec, S>(exec, matrix, own, q);
  }
}

}  // namespace detail::krylov

}  // namespace heddle
