// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../solvers/ilu/options.hpp"
#include "../common/problem.hpp"
#include "../common/whole_diagonal.hpp"

namespace heddle::bench {

/// Limits of the conjugate gradients.
inline constexpr double solve_tolerance = 1e-8;
inline constexpr int most_iterations = 10000;

/// The timed work: new factors, an apply of them, or conjugate gradients with them.
enum class Timed { factor, apply, solve };

/// A contestant that makes incomplete factors of one matrix, applies them, or solves with them.
template <Scalar S>
class IluContestant : public Contestant {
 public:
  /// The largest error of the result of run() over its bound, at most 1 if it is right; empty if
  /// the contestant does not claim to be exact. Waits.
  virtual std::optional<double> error_over_bound(const Exec& exec) = 0;
};

/// One matrix on the device, with vectors for an apply: the input of every contestant.
template <Scalar S, Offset Off>
struct IluProblem : SolveVectors<S> {
  using Contestant = IluContestant<S>;

  /// A square matrix: columns ascend, each once, and the diagonal is whole. Cholesky factors are
  /// those of its lower triangle.
  CsrMatrix<S, Index, Off, Space> A;
  HostStorage<S, Off> host;
  IluOptions options;
  bool cholesky = false;
  bool solves = false;
  test::HostColumns<S> host_b;

  /// A copy of x on the host. Waits.
  test::HostColumns<S> host_x(const Exec& exec) const {
    const test::HostColumns<S> columns("heddle::bench::x", host_b.extent(0), host_b.extent(1));
    this->copy_out(exec, columns, this->x);
    return columns;
  }
};

}  // namespace heddle::bench
