// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../../../formats/model/read.hpp"
#include "../../../solvers/sptrsv/options.hpp"
#include "../../../testing/solve_trace.hpp"
#include "../common/json.hpp"
#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench sptrsv`.
struct SptrsvRequest : ChoiceOptions {
  std::string triangle_name = "lower";
  std::string diagonal_name = "stored";
  std::string op_name = "none";
  /// Seconds that the search for one matrix may take.
  double search_seconds = 20;
  /// The model that was read from model_path, or null.
  std::shared_ptr<const TriangleModel> model = nullptr;
  /// File for the traces of the schemes; empty for none.
  std::string trace_path;
  /// Traces of all matrices so far.
  std::shared_ptr<Json> traced = nullptr;

  bool traces() const { return !trace_path.empty(); }
  Triangle triangle() const { return detail::value_of<Triangle>("--triangle", triangle_name); }
  Diagonal diagonal() const { return detail::value_of<Diagonal>("--diagonal", diagonal_name); }
  Op op() const { return detail::value_of<Op>("--op", op_name); }
};

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

/// A triangle A with its whole diagonal, of ones if `diagonal` is unit, and its vectors. The
/// columns of a row ascend, each of them once.
template <Scalar S, Offset Off>
struct SptrsvProblem : MatrixProblem<S, Off>, SolveVectors<S> {
  using Contestant = SptrsvContestant<S>;

  Triangle triangle = Triangle::lower;
  Diagonal diagonal = Diagonal::stored;
  Op op = Op::none;
};

}  // namespace heddle::bench
