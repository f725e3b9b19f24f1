// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/dots.hpp"
#include "../vectors/updates.hpp"
#include "concepts.hpp"

namespace heddle {

namespace detail::krylov {

/// Vectors of a solver, each contiguous, one after the other.
template <ExecutionSpace Exec, Scalar S>
using SolverVectors = Kokkos::View<S**, Kokkos::LayoutLeft, typename Exec::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <ExecutionSpace Exec, Scalar S>
SolverVector<Exec, S> column(const SolverVectors<Exec, S>& vectors, int c) {
  const std::size_t rows = vectors.extent(0);
  return SolverVector<Exec, S>(vectors.data() + static_cast<std::size_t>(c) * rows, rows);
}

/// part.apply(exec, x, y) to all vectors: together if the part says that it takes_several_vectors.
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

/// own = x and q = A x, or both zero where the guess is.
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
