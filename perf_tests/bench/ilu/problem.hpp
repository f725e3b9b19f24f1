// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/ilu/options.hpp"
#include "../common/problem.hpp"
#include "../common/whole_diagonal.hpp"

namespace heddle::bench {

/// What conjugate gradients are asked for.
inline constexpr double solve_tolerance = 1e-8;
inline constexpr int most_iterations = 10000;

/// What is timed: new factors, an apply of them, or conjugate gradients with them.
enum class Timed { factor, apply, solve };

/// Something that makes incomplete factors of one matrix, or applies them.
template <Scalar S>
class IluContestant : public Contestant {
 public:
  /// The largest error of what run() left over its bound, at most 1 where it is right; nothing
  /// where it does not claim to be exact. Waits.
  virtual std::optional<double> error_over_bound(const Exec& exec) = 0;
};

/// One matrix on the device, with vectors for an apply; what every contestant is given.
template <Scalar S, Offset Off>
struct IluProblem : SolveVectors<S> {
  using Contestant = IluContestant<S>;

  /// Columns ascend, each once, and the diagonal is whole. Of Cholesky factors the lower triangle
  /// is meant.
  CsrMatrix<S, Index, Off, Space> A;
  HostStorage<S, Off> host;
  IluOptions options;
  bool cholesky = false;
  bool solves = false;
  test::HostColumns<S> host_b;

  /// What is in x. Waits.
  test::HostColumns<S> host_x(const Exec& exec) const {
    const test::HostColumns<S> columns("heddle::bench::x", host_b.extent(0), host_b.extent(1));
    this->copy_out(exec, columns, this->x);
    return columns;
  }
};

}  // namespace heddle::bench
