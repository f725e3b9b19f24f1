// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's SpMV plans as contestants, and the names of their schemes.
#pragma once

#include <heddle/spmv.hpp>

#include "../../../backends/device.hpp"
#include "../../../backends/lanes.hpp"
#include "../../../formats/all_formats.hpp"
#include "../../../formats/csr/inspect.hpp"
#include "../../../formats/csr/parameters.hpp"
#include "../../../formats/model/model.hpp"
#include "../common/asked_schemes.hpp"
#include "../common/results.hpp"
#include "problem.hpp"
#include "request.hpp"

namespace heddle::bench {

/// The schemes of the grammars, one line for each kernel. A list of them needs no device.
template <class FormatList = AllFormats>
std::vector<std::string> heddle_scheme_names() {
  std::vector<std::string> names;
  for (const SchemeGrammar& grammar : FormatList::grammars(listed_device())) {
    const std::string usage = grammar.usage();
    for (std::size_t from = 0; from < usage.size();) {
      const std::size_t comma = std::min(usage.find(", ", from), usage.size());
      names.push_back(usage.substr(from, comma - from));
      from = comma + 2;
    }
  }
  return names;
}

/// The vectors that plans of Heddle expect.
template <Scalar S, Offset Off>
ExpectedVectors expected_vectors(const SpmvProblem<S, Off>& problem) {
  return {problem.columns, !problem.row_major};
}

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off, class FormatList>
class HeddleContestant : public SpmvContestant<S> {
 public:
  HeddleContestant(const Exec& exec, const SpmvProblem<S, Off>& problem, const SpmvOptions& options)
      : problem_(problem), plan_(exec, problem.A, options) {}

  void apply(const Exec& exec, S alpha, S beta) override {
    problem_.with_vectors(
        [&](const auto& x, const auto& y) { plan_.apply(exec, alpha, x, beta, y); });
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::size_t moved_bytes() const override {
    return static_cast<std::size_t>(plan_.moved_bytes(Op::none, problem_.columns));
  }
  std::string scheme() const override { return plan_.scheme().to_string(); }

 private:
  SpmvProblem<S, Off> problem_;
  SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>, S, S, FormatList> plan_;
};

/// Names and inputs from `first` to before `last`.
template <class Names, class Inputs>
NamedNumbers named(const Names& names, const Inputs& inputs, std::size_t first, std::size_t last) {
  NamedNumbers numbers;
  for (std::size_t i = first; i < last; ++i) numbers.emplace_back(names[i], inputs[i]);
  return numbers;
}

/// Inputs of a block of csr/blocks, the mean of all blocks; long rows are not separated.
template <class Matrix>
NamedNumbers mean_block(const Matrix& A, const RowFeatures& rows) {
  namespace csr = heddle::detail::csr;
  if (rows.rows == 0) return {};
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_ptr());
  const auto place = [&](std::int64_t row) {
    return static_cast<double>(row_ptr(static_cast<std::size_t>(row)));
  };
  const std::int64_t height = csr::block_tuning.rows_per_block(rows.mean_row());
  const std::int64_t blocks = ceil_div(rows.rows, height);
  csr::LaneInputs mean{};
  for (std::int64_t first = 0; first < rows.rows; first += height) {
    const std::int64_t last = std::min(rows.rows, first + height);
    double squares = 0, shortest = place(first + 1) - place(first), longest = 0;
    for (std::int64_t row = first; row < last; ++row) {
      const double length = place(row + 1) - place(row);
      squares += length * length;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    const csr::LaneInputs block =
        csr::lane_inputs(static_cast<double>(last - first), static_cast<double>(rows.columns),
                         place(last) - place(first), squares, shortest, longest);
    for (std::size_t i = 0; i < lane_input_names.size(); ++i) {
      mean.of[i] += block.of[i] / static_cast<double>(blocks);
    }
  }
  return named(lane_input_names, mean.of, 0, lane_input_names.size());
}

template <Scalar S, Offset Off, class FormatList>
struct HeddleEntry {
  std::string name;
  bool chosen = false;
  SpmvOptions options;
  std::optional<double> predicted_seconds = {};
  std::string model_group = {};
  NamedNumbers model_inputs = {};

  std::unique_ptr<SpmvContestant<S>> setup(const Exec& exec,
                                           const SpmvProblem<S, Off>& problem) const {
    return std::make_unique<HeddleContestant<S, Off, FormatList>>(exec, problem, options);
  }
};

/// The requested schemes ("all": the candidates for this matrix; "every": variants that use every
/// value of every parameter), and "auto": the choice of `choose`, whose set-up includes the
/// choosing. Writes the features of the rows and the choice into `result`.
template <Scalar S, Offset Off, class FormatList>
std::vector<HeddleEntry<S, Off, FormatList>> heddle_entries(const Exec& exec,
                                                            const SpmvProblem<S, Off>& problem,
                                                            const SpmvRequest& request,
                                                            MatrixResult& result) {
  result.rows = row_features(exec, problem.A);
  const Features features = features_of(exec, problem.A, result.rows);
  const Device device = backends::describe(exec);
  ChooseOptions options{
      request.expected_applies,
      false,
      {sizeof(S), sizeof(Index), sizeof(Off), sizeof(S), sizeof(S), expected_vectors(problem)}};
  options.model = request.model;
  const Choice choice = choose<FormatList>(features, device, options);
  result.chosen_scheme = choice.scheme.to_string();
  result.choice_reason = choice.reason;
  ModelInputs inputs = matrix_inputs(features, device, options.sizes);
  result.model_inputs = named(model_input_names, inputs, 0, matrix_input_count);
  if (device.has_lanes()) result.block_inputs = mean_block(problem.A, result.rows);

  std::vector<HeddleEntry<S, Off, FormatList>> entries;
  SpmvOptions plain;
  plain.expected_applies = request.expected_applies;
  plain.vectors = options.sizes.vectors;
  plain.model = request.model;
  SpmvOptions automatic = plain;
  automatic.model = request.model;
  automatic.measure_seconds = request.measure_seconds;
  automatic.cache = request.cache;
  if (request.automatic()) entries.push_back({"auto", false, automatic});
  if (request.explain) {
    result.explanation = SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>, S, S, FormatList>(
                             exec, problem.A, automatic)
                             .explain();
  }
  const auto expand = [&](const std::string& word) -> std::optional<std::vector<Scheme>> {
    if (word == "all") return FormatList::candidates(features, device);
    if (word == "every") return FormatList::variants(device);
    return std::nullopt;
  };
  for (const Scheme& scheme :
       asked_schemes(request.schemes, FormatList::grammars(device), expand)) {
    entries.push_back({scheme.to_string(), scheme == choice.scheme, plain});
    entries.back().options.scheme = scheme;
    const Prediction prediction =
        heddle::detail::predict(FormatList::rules(), scheme, features, device, options.sizes);
    if (!prediction.possible()) continue;
    set_scheme_inputs(inputs, scheme, prediction.seconds);
    entries.back().predicted_seconds = prediction.seconds;
    entries.back().model_group = model_group(scheme);
    entries.back().model_inputs =
        named(model_input_names, inputs, matrix_input_count, inputs.size());
  }
  return entries;
}

}  // namespace heddle::bench
