// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/multigrid.hpp>

#include "../common/plans.hpp"
#include "../common/table.hpp"
#include "../solve/system.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultigridProblem<S, Off>;
using Matrix = Problem::Matrix;

class PlannedMultigrid
    : public PlannedOperator<S, Off, MultigridPlan<Exec, Matrix>, AnyMultigrid<S>> {
 public:
  using PlannedOperator::PlannedOperator;

  void apply_from(const Exec& exec, int level, const Const& b, const Vector& x) override {
    plan().apply_from(exec, level, b, x);
  }
  MultigridHierarchy levels() const override { return plan().levels(); }
};

/// A MultigridPlan as a contestant.
class PlannedHierarchy : public MultigridContestant {
 public:
  PlannedHierarchy(const Exec& exec, const Problem& problem, const std::string& name)
      : problem_(problem),
        plan_(make_multigrid<S, Off>(exec, problem.A, problem.coordinates, name,
                                     problem.request.options)) {}

  void run(const Exec& exec) override { plan_->apply(exec, problem_.b, problem_.x); }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_->update_values(exec); }
  std::size_t bytes() const override { return plan_->bytes(); }
  std::string note() const override {
    const MultigridHierarchy of = levels();
    return format("%zu levels, operator complexity %.2f", of.levels.size(),
                  of.operator_complexity());
  }
  MultigridHierarchy levels() const override { return plan_->levels(); }
  void apply_from(const Exec& exec, int level) override {
    const auto rows =
        static_cast<std::size_t>(plan_->levels().levels[static_cast<std::size_t>(level)].rows);
    const std::pair<std::size_t, std::size_t> first(0, rows);
    plan_->apply_from(exec, level, Kokkos::subview(problem_.b, first),
                      Kokkos::subview(problem_.x, first));
  }

  Solved solve(const Exec& exec) override {
    const auto product = make_product<S, Off>(exec, problem_.A, SpmvOptions{});
    KrylovOptions options = krylov_options(problem_.request.limits);
    if (problem_.request.method() != Method::cg) options.flexible = plan_->is_variable();
    const auto by = [&](auto solver) {
      return solved(solver.solve(exec, *product, problem_.b, problem_.x, *plan_));
    };
    const std::int64_t rows = problem_.A.rows();
    if (problem_.request.method() == Method::cg) return by(CgSolver<Exec, S>(exec, rows, options));
    return by(GmresSolver<Exec, S>(exec, rows, options));
  }

 private:
  Problem problem_;
  std::unique_ptr<AnyMultigrid<S>> plan_;
};

/// Runs one source: load, make a system, set up, verify, time, level by level.
class Run : public SystemContest<MultigridRequest, Problem> {
 public:
  using SystemContest::SystemContest;

  MatrixResult run() {
    for (const KnownHierarchy& known : known_hierarchies()) {
      const bool first = known.name == known_hierarchies().front().name;
      if (!request_.asks_for(known.name) && !(first && request_.automatic())) continue;
      enter(known.name, true,
            [&] { return std::make_unique<PlannedHierarchy>(exec_, problem_, known.name); });
    }
    enter_baselines();
    // A preconditioner is right if a solve with it is.
    for_each("solving with", [&](Contestant& contestant, ContestantResult& entry) {
      test::fill_with_poison(problem_.x);
      const Solved solved = contestant.solve(exec_);
      entry.iterations = solved.iterations;
      if (!request_.verify()) return;
      judge(entry, error());
      if (!solved.converged) entry.note += "; the solve with it: " + solved.why;
    });
    time_updates();
    for_each("timing levels of", [&](Contestant& contestant, ContestantResult& entry) {
      time_levels(contestant, entry);
    });
    time_all();
    return std::move(result_);
  }

 private:
  /// The time of a level is that of a cycle from it on, less that of a cycle from the next level.
  void time_levels(Contestant& contestant, ContestantResult& entry) {
    const MultigridHierarchy hierarchy = contestant.levels();
    const std::size_t count = hierarchy.levels.size();
    double below = 0;
    for (std::size_t l = count; l-- > 0;) {
      const Samples samples = time_repeated(
          exec_, {3, 50, 0.1}, [&] { contestant.apply_from(exec_, static_cast<int>(l)); });
      const MultigridLevel& level = hierarchy.levels[l];
      entry.levels.insert(entry.levels.begin(),
                          {level.rows, level.entries, level.scheme, level.smoother, level.bytes,
                           std::max(0.0, samples.median() - below)});
      below = samples.median();
    }
  }
};

[[maybe_unused]] const bool entered = enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME);

}  // namespace

template <Scalar T, Offset O>
std::unique_ptr<AnyMultigrid<T>> make_multigrid(const Exec& exec,
                                                const CsrMatrix<T, Index, O, Space>& A,
                                                const Kokkos::View<double**, Space>& coordinates,
                                                const std::string& name, MultigridOptions options) {
  for (const auto& [smoother, word] : detail::words<MultigridSmoother>) {
    if (name == word) options.smoother = smoother;
  }
  if (name == "float") options.values = MultigridValues::single_precision;
  if (name.starts_with("plain")) options.kind = MultigridKind::plain_aggregation;
  if (name == "w" || name == "plain-w") options.cycle = MultigridCycle::w;
  if (name == "plain-k") options.cycle = MultigridCycle::k;
  MultigridParts<Exec, Matrix> parts;
  if (name == "ic") parts.preconditioner = plan_of_each_level<IcPlan<Exec, Matrix>>(IcOptions{});
  if (name == "ilu") {
    parts.preconditioner = plan_of_each_level<IluPlan<Exec, Matrix>>(IluOptions{});
  }
  const auto planned = [&](const auto&... with) -> std::unique_ptr<AnyMultigrid<T>> {
    if (!parts.preconditioner) {
      return std::make_unique<PlannedMultigrid>(exec, A, with..., options);
    }
    return std::make_unique<PlannedMultigrid>(exec, A, with..., parts, options);
  };
  if (coordinates.extent(0) == 0) return planned();
  options.block_size = static_cast<int>(coordinates.extent(1));
  return planned(rigid_body_motions<T>(exec, coordinates));
}
template std::unique_ptr<AnyMultigrid<S>> make_multigrid(const Exec&, const Matrix&,
                                                         const Kokkos::View<double**, Space>&,
                                                         const std::string&, MultigridOptions);

}  // namespace heddle::bench
