// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../../../backends/algorithms/transpose.hpp"
#include "../../../formats/all_formats.hpp"
#include "../../../testing/reference.hpp"
#include "../common/contest.hpp"
#include "../common/plans.hpp"
#include "operations.hpp"
#include "problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = ConvertProblem<S, Off>;

/// The whole inspection of a plan with one scheme.
class PlanConversion : public ConvertContestant<S> {
 public:
  PlanConversion(const Exec& exec, const Problem& problem, const SpmvOptions& options)
      : problem_(problem), options_(options) {
    run(exec);
  }

  void run(const Exec& exec) override {
    plan_.reset();
    plan_ = make_plan<S, Off>(exec, problem_, options_);
  }
  void product(const Exec& exec) override {
    plan_->apply(exec, S(1), S(0));
    exec.fence("heddle::bench::product");
  }
  std::size_t bytes() const override { return plan_->bytes(); }
  std::string scheme() const override { return plan_->scheme(); }

 private:
  Problem problem_;
  SpmvOptions options_;
  std::unique_ptr<SpmvContestant<S>> plan_;
};

/// The stored transpose that a plan keeps for ops that its scheme lacks.
class TransposeConversion : public ConvertContestant<S> {
 public:
  TransposeConversion(const Exec& exec, const Problem& problem) : problem_(problem) { run(exec); }

  void run(const Exec& exec) override {
    made_.reset();
    made_.emplace(exec, problem_.A);
  }
  void product(const Exec& exec) override {
    const auto T = made_->matrix();
    product_by_transpose(exec, problem_, T.row_ptr(), T.col_idx(), T.values());
  }
  std::size_t bytes() const override { return made_->bytes(); }

 private:
  Problem problem_;
  std::optional<heddle::detail::Transposed<Exec, S, Index, Off>> made_;
};

/// Converts one source into every form: load, convert, verify, time.
class Run : public Contest<ConvertRequest, Problem> {
 public:
  Run(const ConvertRequest& request, const Source& source, Progress& progress)
      : Contest(request, source, progress) {
    take_matrix([](const auto& loaded) { return loaded.matrix; });
    if (wants_sum()) make_other();
    problem_.block = request.block;
    x_ = test::random_columns<S>(static_cast<std::size_t>(problem_.host.columns()), 1,
                                 request.matrices.seed + 2);
    problem_.make_vectors(exec_, x_);
  }

  MatrixResult run() {
    enter_plans();
    enter_operations();
    race([&] {  // verifies each conversion by a product with its result
      const auto reference = test::reference_product(Op::none, problem_.host.matrix(), x_);
      const auto of_sum = wants_sum() ? sum_reference(reference) : test::Reference();
      return [=, this](ConvertContestant<S>& contestant, const ContestantResult& entry) {
        test::fill_with_poison(problem_.y);
        contestant.product(exec_);
        return test::error_over_bound(makes_sum(entry.name) ? of_sum : reference,
                                      problem_.host_y(exec_));
      };
    });
    // The allocations of each conversion, allocated and released alone.
    for_each("allocations of", [&](Contestant& contestant, ContestantResult& entry) {
      if (!contestant.allocates_through_kokkos()) return;
      entry.allocations = measure_allocations(exec_, true, [&] {
        contestant.run(exec_);
        return true;
      });
    });
    return std::move(result_);
  }

 private:
  void enter_plans() {
    const Features features = features_of(exec_, problem_.A, result_.rows);
    const Device device = backends::describe(exec_);
    const auto grammars = AllFormats::grammars(device);
    const auto expand = [&](const std::string& word) -> Meant {
      if (word == "transpose" || word == "operations" || is_operation(word)) {
        return Meant(std::in_place);
      }
      if (word != "all") return std::nullopt;
      std::vector<Scheme> all = AllFormats::candidates(features, device);
      const std::string block = std::to_string(request_.block);
      all.push_back(parse_scheme("bcsr/" + block + "x" + block, grammars));
      return all;
    };
    for (const Scheme& scheme : asked_schemes(request_.schemes, grammars, expand)) {
      const SpmvOptions options{.scheme = scheme, .check = request_.check};
      enter(scheme.to_string(), true,
            [&] { return std::make_unique<PlanConversion>(exec_, problem_, options); });
    }
    if (!request_.asks_for("transpose")) return;
    enter("transpose", true,
          [&] { return std::make_unique<TransposeConversion>(exec_, problem_); });
  }

  static bool is_operation(const std::string& word) {
    return std::find(operation_names.begin(), operation_names.end(), word) != operation_names.end();
  }
  bool wants_operation(const std::string& name) const {
    return request_.asks_for("operations") || request_.asks_for(name);
  }
  void enter_operations() {
    each_operation(
        problem_, request_.matrices.seed,
        [this](const std::string& name) { return wants_operation(name); },
        [this]<class Make, class Multiply>(const std::string& name, const Make& make,
                                           const Multiply& multiply) {
          using Conversion = OperationConversion<S, Make, Multiply>;
          enter(name, true, [&] { return std::make_unique<Conversion>(exec_, make, multiply); });
        });
  }

  /// Whether Heddle's sum or that of a library was asked for.
  bool wants_sum() const {
    const auto& libraries = baselines<Problem>();
    return wants_operation("op-add") ||
           std::any_of(libraries.begin(), libraries.end(), [&](const auto& baseline) {
             return makes_sum(baseline.name) && request_.wants_baseline(baseline.name);
           });
  }
  /// Makes the other matrix of sums.
  void make_other() {
    const auto& A = problem_.A;
    other_ = A.rows() == A.columns() ? transpose(exec_, A) : sort_rows(exec_, A);
    const auto values = other_.storage().values();
    Kokkos::deep_copy(values, test::random_vector<S>(values.extent(0), request_.matrices.seed + 3));
    problem_.B = other_.matrix();
  }
  /// (A + B) x, if `sum` is A x. Its bound has the magnitudes and terms of both products, which
  /// covers the rounding of entries that are in both matrices.
  test::Reference sum_reference(test::Reference sum) const {
    const auto B = other_.storage().template copy_to<Kokkos::HostSpace>(exec_);
    exec_.fence("heddle::bench::copied");
    const auto other = test::reference_product(Op::none, B.matrix(), x_);
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
      sum.values[i] = sum.values[i] + other.values[i];
      sum.magnitudes[i] += other.magnitudes[i];
      sum.terms[i] += other.terms[i];
    }
    return sum;
  }

  DerivedCsr<Exec, S, Index, Off> other_;
  test::HostColumns<S> x_;
};

[[maybe_unused]] const bool entered = enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME);

}  // namespace

}  // namespace heddle::bench
