// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of Krylov methods: their instance, right-hand sides, a user's
// preconditioner.
#pragma once

#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/krylov/options.hpp"
#include "../../testing/events.hpp"
#include "../../testing/vectors_check.hpp"
#include "grid_operator.hpp"

namespace heddle::test {

/// Options with one option more, of a solver that has it.
inline KrylovOptions restarted_after(int iterations, KrylovOptions options = {}) {
  options.restart = iterations;
  return options;
}
inline KrylovOptions within(const SpectrumBounds& bounds, KrylovOptions options = {}) {
  options.bounds = bounds;
  return options;
}

using Exec = DefaultDevice;
using Space = Exec::memory_space;

template <class S, class SpaceOf = Space>
auto right_hand_side(std::int64_t n, std::uint64_t seed = 1) {
  return copy_to<SpaceOf>(random_vector<S>(static_cast<std::size_t>(n), seed));
}

/// The matrix of entry(i, j) within the band |i - j| <= reach.
template <Scalar S, class Entry>
PlainOperator<Exec, S> banded(int n, int reach, const Entry& entry) {
  const auto columns = [=](int i, const auto& add) {
    for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j) add(j);
  };
  return operator_where<Exec, S>(n, columns, entry);
}

/// A's inverse diagonal as an operator that a solver does not recognize as a diagonal.
struct Diagonal {
  JacobiPreconditioner<Exec, double> jacobi;
  bool is_symmetric = true;
  int applies = 0;

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    ++applies;
    jacobi.apply(exec, b, x);
  }
  bool symmetric() const { return is_symmetric; }
  static const char* name() { return "one of the user's"; }
};

}  // namespace heddle::test
