// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/spmv.hpp>

#include "contestant.hpp"
#include "request.hpp"
#include "results.hpp"

namespace heddle::bench {

inline std::vector<std::string> heddle_scheme_names() {
  std::vector<std::string> names;
  for (const Scheme& scheme : spmv_schemes<Exec>()) names.push_back(scheme.to_string());
  return names;
}

/// What plans of Heddle are told of the vectors.
template <Scalar S, Offset Off>
ExpectedColumns expected_columns(const SpmvProblem<S, Off>& problem) {
  return {problem.columns, !problem.row_major};
}

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off>
class HeddleContestant : public Contestant<S> {
 public:
  HeddleContestant(const Exec& exec, const SpmvProblem<S, Off>& problem, const SpmvOptions& options)
      : problem_(problem), plan_(exec, problem.A, options) {}

  void apply(const Exec& exec, S alpha, S beta) override {
    problem_.with_vectors(
        [&](const auto& x, const auto& y) { plan_.apply(exec, alpha, x, beta, y); });
  }
  std::size_t bytes() const override { return plan_.bytes(); }

 private:
  SpmvProblem<S, Off> problem_;
  SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>> plan_;
};

template <Scalar S, Offset Off>
struct HeddleEntry {
  std::string name;
  bool chosen = false;
  std::optional<Scheme> scheme;
  int expected_applies = 0;

  std::unique_ptr<Contestant<S>> setup(const Exec& exec, const SpmvProblem<S, Off>& problem) const {
    SpmvOptions options;
    options.scheme = scheme;
    options.expected_applies = expected_applies;
    options.columns = expected_columns(problem);
    return std::make_unique<HeddleContestant<S, Off>>(exec, problem, options);
  }
};

/// The schemes that were asked for, and "auto": the one that `choose` takes, with the choosing in
/// its setup. Writes the choice into `result`.
template <Scalar S, Offset Off>
std::vector<HeddleEntry<S, Off>> heddle_entries(const Exec& exec,
                                                const SpmvProblem<S, Off>& problem,
                                                const SpmvRequest& request, MatrixResult& result) {
  const Choice choice = choose(row_features(exec, problem.A), backends::describe(exec),
                               request.expected_applies, expected_columns(problem));
  result.chosen_scheme = choice.scheme.to_string();
  result.choice_reason = choice.reason;

  std::vector<HeddleEntry<S, Off>> entries;
  if (request.automatic()) entries.push_back({"auto", false, {}, request.expected_applies});
  std::vector<Scheme> schemes;
  if (request.all_schemes()) schemes = spmv_schemes<Exec>();
  for (const std::string& text : request.schemes) {
    if (text != "all" && text != "auto")
      schemes.push_back(parse_scheme(text, spmv_grammars(backends::max_subwarp_width<Exec>)));
  }
  for (const Scheme& scheme : schemes) {
    entries.push_back(
        {scheme.to_string(), scheme == choice.scheme, scheme, request.expected_applies});
  }
  return entries;
}

}  // namespace heddle::bench
