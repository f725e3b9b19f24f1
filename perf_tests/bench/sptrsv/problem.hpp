// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../../solvers/sptrsv/options.hpp"
#include "../../../testing/solve_trace.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// A contestant that is set up for one problem and solves op(T) x = alpha b.
template <Scalar S>
class SptrsvContestant : public Contestant {
 public:
  void run(const Exec& exec) final { solve(exec, S(1)); }
  virtual void solve(const Exec& exec, S alpha) = 0;
  /// Whether it reads x, to no effect as long as that is finite. No contestant of Heddle does.
  virtual bool needs_finite_x() const { return false; }
  /// Traces one solve with alpha = 1; empty if that is not compiled.
  virtual std::optional<test::SolveTrace> trace(const Exec&) { return std::nullopt; }
};

/// One triangle on the device with its vectors: the input of every contestant.
template <Scalar S, Offset Off>
struct SptrsvProblem : SolveVectors<S> {
  using Contestant = SptrsvContestant<S>;

  /// The triangle with its whole diagonal, of ones if `diagonal` is unit. The columns of a row
  /// ascend, each of them once.
  CsrMatrix<S, Index, Off, Space> T;
  Triangle triangle = Triangle::lower;
  Diagonal diagonal = Diagonal::stored;
  Op op = Op::none;
};

}  // namespace heddle::bench
