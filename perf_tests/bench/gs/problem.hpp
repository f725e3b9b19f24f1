// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/gauss_seidel/options.hpp"
#include "../common/problem.hpp"
#include "../common/whole_diagonal.hpp"

namespace heddle::bench {

/// What is known of the numbers that a contestant of Gauss-Seidel leaves.
enum class GsNumbers {
  sequential,  ///< they are those of the sequential sweep, to rounding
  reordered,   ///< of another order of the rows, or of another iteration
  product      ///< b is the operand of a product
};

/// Something that was set up for the sweeps of one problem, from zero or from what is in x.
template <Scalar S>
class GsContestant : public Contestant {
 public:
  virtual GsNumbers numbers() const { return GsNumbers::sequential; }
};

/// One matrix on the device with its vectors; what every contestant is given.
template <Scalar S, Offset Off>
struct GsProblem : SolveVectors<S> {
  using Contestant = GsContestant<S>;

  /// Columns ascend, each once, and the diagonal is whole.
  CsrMatrix<S, Index, Off, Space> A;
  bool symmetric = false;  ///< A, or Hermitian
  GaussSeidelOptions options;
  bool from_zero = true;
  int sweeps = 1;

  bool forward() const { return options.sweep != SweepDirection::backward; }
  bool backward() const { return options.sweep != SweepDirection::forward; }

  /// The least that the sweeps move: each half sweep reads one side of the matrix, and those that
  /// start from a guess the other one first; of vectors b, x and the sum over the other side.
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
