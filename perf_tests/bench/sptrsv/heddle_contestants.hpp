// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's plans of triangular solves as contestants, and the names of their schemes.
#pragma once

#include <heddle/sptrsv.hpp>

#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../../testing/traced_solve.hpp"
#include "../common/asked_schemes.hpp"
#include "../common/progress.hpp"
#include "../common/results.hpp"
#include "../common/scheme_search.hpp"
#include "../common/table.hpp"
#include "../common/timing.hpp"
#include "problem.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The schemes of the grammar, one line for each kernel with the number of its schemes. A list of
/// them needs no device.
inline std::vector<std::string> sptrsv_scheme_names() {
  const SchemeGrammar legal = detail::sptrsv::grammar(listed_device());
  std::vector<std::string> names;
  std::int64_t all = 0;
  const auto schemes = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " scheme" : " schemes");
  };
  for (const SchemeKernel& kernel : legal.kernels) {
    const std::int64_t count = count_schemes(legal, kernel);
    const SchemeGrammar alone(legal.format, {kernel}, legal.parameters);
    names.push_back(alone.usage() + ": " + schemes(count));
    all += count;
  }
  names.push_back("in all " + schemes(all) + "; of a number <n> its examples count");
  return names;
}

/// Options of a plan for a problem, with a pinned scheme if there is one.
template <Scalar S, Offset Off>
SptrsvOptions plan_options(const SptrsvProblem<S, Off>& problem,
                           const std::optional<Scheme>& scheme) {
  SptrsvOptions options;
  options.triangle = problem.triangle;
  options.diagonal = problem.diagonal;
  options.ignore_outside = true;
  options.scheme = scheme;
  options.vectors = {problem.columns, !problem.row_major};
  if (problem.op != Op::none) options.ops.push_back(problem.op);
  return options;
}
/// Options of a plan that chooses its scheme as requested.
template <Scalar S, Offset Off>
SptrsvOptions plan_options(const SptrsvProblem<S, Off>& problem, const SptrsvRequest& request) {
  SptrsvOptions options = plan_options(problem, std::optional<Scheme>());
  options.model = request.model;
  options.measure_seconds = request.measure_seconds;
  options.cache = request.cache;
  return options;
}

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off>
class HeddleSolve : public SptrsvContestant<S> {
 public:
  HeddleSolve(const Exec& exec, const SptrsvProblem<S, Off>& problem, const SptrsvOptions& options)
      : problem_(problem), plan_(exec, problem.T, options) {}

  void solve(const Exec& exec, S alpha) override {
    problem_.with_vectors(
        [&](const auto& b, const auto& x) { plan_.apply(exec, problem_.op, alpha, b, x); });
  }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_.update_values(exec, problem_.T); }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override { return plan_.scheme(problem_.op).to_string(); }
  /// Only the type that is worth separate kernels is traced: double with 32-bit offsets.
  std::optional<test::SolveTrace> trace(const Exec& exec) override {
    if constexpr (std::same_as<S, double> && sizeof(Off) == 4) {
      return problem_.with_vectors([&](const auto& b, const auto& x) {
        return test::traced_solve(exec, plan_, problem_.op, S(1), multivector_of<const S>(b),
                                  multivector_of<S>(x));
      });
    } else {
      return std::nullopt;
    }
  }
  TriangleFeatures features(const Exec& exec) const { return plan_.features(exec, problem_.op); }
  std::string explain() const { return plan_.explain(problem_.op); }

 private:
  SptrsvProblem<S, Off> problem_;
  SptrsvPlan<Exec, CsrMatrix<S, Index, Off, Space>> plan_;
};

template <Scalar S, Offset Off>
struct HeddleSolveEntry {
  std::string name;
  bool chosen = false;
  SptrsvOptions options;

  std::unique_ptr<SptrsvContestant<S>> setup(const Exec& exec,
                                             const SptrsvProblem<S, Off>& problem) const {
    return std::make_unique<HeddleSolve<S, Off>>(exec, problem, options);
  }
};

/// The schemes that "all" runs and a search starts from. `facts` are those of op(T).
inline std::vector<Scheme> candidates(const Device& device, const RowFeatures& rows,
                                      const TriangleFacts& facts) {
  return detail::sptrsv::candidates(rows.rows, facts.entries - rows.rows, facts.levels, device);
}

/// A plan that a search times.
template <Scalar S, Offset Off>
struct SearchedSolve {
  Exec exec;
  std::unique_ptr<HeddleSolve<S, Off>> solve;

  Scheme scheme() const { return Scheme::parse(solve->scheme()); }
  TimedScheme time(double too_slow_seconds) const {
    return time_alone(exec, [this] { solve->solve(exec, S(1)); }, too_slow_seconds);
  }
};

/// Searches for the fastest scheme of a problem, and shows its progress on `progress`.
template <Scalar S, Offset Off>
SearchResult search_schemes(const Exec& exec, const SptrsvProblem<S, Off>& problem,
                            double budget_seconds, const MatrixResult& result, Progress& progress) {
  const Device device = backends::describe(exec);
  const SchemeGrammar legal = detail::sptrsv::grammar(device);
  const auto setup = [&](const Scheme& scheme) {
    return SearchedSolve<S, Off>{
        exec, std::make_unique<HeddleSolve<S, Off>>(exec, problem, plan_options(problem, scheme))};
  };
  const auto watch = [&](std::size_t tried, const SearchedScheme* best, const Scheme& next) {
    const std::string leader =
        best ? ", best " + duration(*best->time.seconds) + " " + best->scheme.to_string() : "";
    progress.step(0, 0, std::to_string(tried) + leader + ", now " + next.to_string());
  };
  progress.task(result.name + ": searching");
  return SchemeSearch(legal, budget_seconds, setup, host_seconds, watch)
      .run(candidates(device, result.rows, *result.triangle));
}

/// The requested schemes ("all": the candidates), "auto": the choice of a plan, and "search": the
/// best of result.search, if there was one. Writes the choice into `result`.
template <Scalar S, Offset Off>
std::vector<HeddleSolveEntry<S, Off>> heddle_solve_entries(const Exec& exec,
                                                           const SptrsvProblem<S, Off>& problem,
                                                           const SptrsvRequest& request,
                                                           MatrixResult& result) {
  const Device device = backends::describe(exec);
  const SchemeGrammar legal = detail::sptrsv::grammar(device);
  const SptrsvOptions automatic = plan_options(problem, request);
  const HeddleSolve<S, Off> chosen(exec, problem, automatic);
  result.chosen_scheme = chosen.scheme();
  if (request.explain) result.explanation = chosen.explain();
  const TriangleFeatures features = chosen.features(exec);
  const TriangleInputs inputs = triangle_inputs(features);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    result.model_inputs.emplace_back(triangle_input_names[i], inputs[i]);
  }
  visit_features(features, [&](const std::string& name, auto value, const char*) {
    result.triangle->features.emplace_back(name, static_cast<double>(value));
  });

  std::vector<HeddleSolveEntry<S, Off>> found;
  if (request.automatic()) found.push_back({"auto", false, automatic});
  using Meant = std::optional<std::vector<Scheme>>;
  const auto expand = [&](const std::string& word) -> Meant {
    if (word == "search") return Meant(std::in_place);
    if (word == "all") return candidates(device, result.rows, *result.triangle);
    return std::nullopt;
  };
  for (const Scheme& scheme : asked_schemes(request.schemes, std::span(&legal, 1), expand)) {
    const std::string name = scheme.to_string();
    found.push_back(
        {name, name == result.chosen_scheme, plan_options(problem, std::optional(scheme))});
  }
  if (result.search && result.search->best) {
    found.push_back(
        {"search", false, plan_options(problem, std::optional(result.search->best->scheme))});
  }
  return found;
}

}  // namespace heddle::bench
