// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/gauss_seidel/options.hpp"
#include "../common/problem.hpp"
#include "../common/whole_diagonal.hpp"

namespace heddle::bench {

/// Expected result of a Gauss-Seidel contestant.
enum class GsNumbers {
  sequential,  ///< equal to the sequential sweep up to rounding
  reordered,   ///< result of another order of the rows, or of another iteration
  product      ///< result of a product, whose operand is b
};

/// A contestant that is set up for the sweeps of one problem, from zero or from the given x.
template <Scalar S>
class GsContestant : public Contestant {
 public:
  virtual GsNumbers numbers() const { return GsNumbers::sequential; }
};

/// One matrix on the device with its vectors: the input of every contestant.
template <Scalar S, Offset Off>
struct GsProblem : SolveVectors<S> {
  using Contestant = GsContestant<S>;

  /// A square matrix: columns ascend, each once, and the diagonal is whole.
  CsrMatrix<S, Index, Off, Space> A;
  bool symmetric = false;  ///< whether A is symmetric or Hermitian
  GaussSeidelOptions options;
  bool from_zero = true;
  int sweeps = 1;

  bool forward() const { return options.sweep != SweepDirection::backward; }
  bool backward() const { return options.sweep != SweepDirection::forward; }

  /// Bytes that the sweeps move at least: each half sweep reads one side of the matrix, and a sweep
  /// from a guess reads the other side first. Vectors are b, x and the sum over the other side.
  std::size_t least_bytes(std::size_t csr_bytes) const {
    const auto halves = static_cast<std::size_t>(sweeps) * (forward() && backward() ? 2 : 1);
    std::size_t sides = halves, passes = 4 * halves;
    if (from_zero) {
      passes = 2 * halves;
    } else {
      sides = forward() && backward() ? halves + 1 : 2 * halves;
    }
    const auto entries =
        static_cast<std::size_t>(A.rows()) * static_cast<std::size_t>(this->columns);
    return csr_bytes * sides / 2 + passes * entries * sizeof(S);
  }
};

}  // namespace heddle::bench
