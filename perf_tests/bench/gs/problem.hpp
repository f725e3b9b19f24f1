// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/gauss_seidel/options.hpp"
#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Name of the contestant whose rate sweeps are compared with.
inline constexpr const char* product_name = "product";

/// Options of `heddle-bench gs`.
struct GsRequest : ContestOptions {
  std::string sweep_name = "symmetric", start = "zero";
  int sweeps = 1;
  GaussSeidelOptions options;

  bool from_zero() const { return start == "zero"; }
};

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

/// A square matrix with its vectors: columns ascend, each once, and the diagonal is whole.
template <Scalar S, Offset Off>
struct GsProblem : MatrixProblem<S, Off>, SolveVectors<S> {
  using Contestant = GsContestant<S>;

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
    const std::size_t again = forward() && backward() ? 1 : halves;
    const std::size_t sides = from_zero ? halves : halves + again;
    return csr_bytes * sides / 2 + (from_zero ? 2 : 4) * halves * this->b.size() * sizeof(S);
  }
};

}  // namespace heddle::bench
