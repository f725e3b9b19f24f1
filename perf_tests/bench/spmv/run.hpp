// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/spmv.hpp>

#include "../../../formats/all_formats.hpp"
#include "../../../formats/csr/inspect.hpp"
#include "../../../formats/csr/parameters.hpp"
#include "../../../formats/model/model.hpp"
#include "../../../testing/reference.hpp"
#include "../common/contest.hpp"
#include "problem.hpp"

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

template <Scalar S, Offset Off, class FormatList>
using ProductPlan = SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>, S, S, FormatList>;

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off, class FormatList>
class HeddleContestant
    : public PlanContestant<SpmvProblem<S, Off>, ProductPlan<S, Off, FormatList>> {
  using Base = PlanContestant<SpmvProblem<S, Off>, ProductPlan<S, Off, FormatList>>;
  using Base::plan_, Base::problem_;

 public:
  HeddleContestant(const Exec& exec, const SpmvProblem<S, Off>& problem, const SpmvOptions& options)
      : Base(problem, exec, problem.A, options) {}

  void apply(const Exec& exec, S alpha, S beta) override {
    problem_.with_vectors(
        [&](const auto& x, const auto& y) { plan_.apply(exec, alpha, x, beta, y); });
  }
  std::string explain() const { return plan_.explain(); }
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

/// Runs one source with one pair of types and the schemes of a list of formats: load, set up,
/// verify, time.
template <Scalar S, Offset Off, class FormatList = AllFormats>
class SpmvRun : public Contest<SpmvRequest, SpmvProblem<S, Off>> {
  using Base = Contest<SpmvRequest, SpmvProblem<S, Off>>;
  using Base::exec_, Base::problem_, Base::request_, Base::result_;
  using Vectors = test::HostColumns<S>;

 public:
  SpmvRun(const SpmvRequest& request, const Source& source, Progress& progress)
      : Base(request, source, progress) {
    this->take_matrix([](const auto& loaded) { return loaded.matrix; });
    const auto k = static_cast<std::size_t>(request.columns);
    x_ = Vectors("heddle::bench::x", static_cast<std::size_t>(problem_.host.columns()), k);
    y_before_ =
        Vectors("heddle::bench::y_before", static_cast<std::size_t>(problem_.host.rows()), k);
    test::Random random(request.matrices.seed + 2);
    test::fill_random(x_, random);
    test::fill_random(y_before_, random);
    problem_.make_vectors(exec_, x_);
    result_.apply_bytes += (x_.size() + y_before_.size()) * sizeof(S);
  }

  MatrixResult run() {
    this->look_at_allocations();
    enter_schemes();
    this->race([&] {
      const S alpha(-1.5), beta(0.5);
      const test::Reference plain = test::reference_product(Op::none, problem_.host.matrix(), x_);
      const test::Reference scaled = test::scaled(alpha, plain, beta, y_before_);
      return [=, this](SpmvContestant<S>& contestant, const ContestantResult&) {
        // With beta = 0 y must not be read.
        test::fill_with_poison(problem_.y);
        contestant.apply(exec_, S(1), S(0));
        const double plain_error = test::error_over_bound(plain, problem_.host_y(exec_));
        problem_.copy_in(exec_, problem_.y, y_before_);
        contestant.apply(exec_, alpha, beta);
        return std::max(plain_error, test::error_over_bound(scaled, problem_.host_y(exec_)));
      };
    });
    return std::move(result_);
  }

 private:
  using Plan = HeddleContestant<S, Off, FormatList>;

  /// Enters "auto", the choice of `choose`, whose set-up includes the choosing, and the requested
  /// schemes ("all": the candidates for this matrix; "every": variants that use every value of
  /// every parameter), each with the inputs of a model.
  void enter_schemes() {
    const Features features = features_of(exec_, problem_.A, result_.rows);
    const Device device = backends::describe(exec_);
    ChooseOptions options{
        request_.expected_applies,
        false,
        {sizeof(S), sizeof(Index), sizeof(Off), sizeof(S), sizeof(S), this->expected_vectors()}};
    options.model = request_.model;
    const Choice choice = choose<FormatList>(features, device, options);
    result_.chosen_scheme = choice.scheme.to_string();
    result_.choice_reason = choice.reason;
    ModelInputs inputs = matrix_inputs(features, device, options.sizes);
    result_.model_inputs = named(model_input_names, inputs, 0, matrix_input_count);
    if (device.has_lanes()) result_.block_inputs = mean_block(problem_.A, result_.rows);

    SpmvOptions plain;
    plain.expected_applies = request_.expected_applies;
    plain.vectors = this->expected_vectors();
    plain.model = request_.model;
    SpmvOptions automatic = plain;
    automatic.measure_seconds = request_.measure_seconds;
    automatic.cache = request_.cache;
    const auto enter_plan = [&](const std::string& name,
                                const SpmvOptions& of) -> ContestantResult& {
      return this->enter(name, true, [&] { return std::make_unique<Plan>(exec_, problem_, of); });
    };
    if (request_.explain) {
      result_.explanation = Plan(exec_, problem_, automatic).explain();
    }
    if (request_.automatic()) enter_plan("auto", automatic);
    const auto expand = [&](const std::string& word) -> Meant {
      if (word == "all") return FormatList::candidates(features, device);
      if (word == "every") return FormatList::variants(device);
      return std::nullopt;
    };
    for (const Scheme& scheme :
         asked_schemes(request_.schemes, FormatList::grammars(device), expand)) {
      SpmvOptions pinned = plain;
      pinned.scheme = scheme;
      ContestantResult& entry = enter_plan(scheme.to_string(), pinned);
      entry.chosen = scheme == choice.scheme;
      const Prediction prediction =
          heddle::detail::predict(FormatList::rules(), scheme, features, device, options.sizes);
      if (!prediction.possible()) continue;
      set_scheme_inputs(inputs, scheme, prediction.seconds);
      entry.predicted_seconds = prediction.seconds;
      entry.model_group = model_group(scheme);
      entry.model_inputs = named(model_input_names, inputs, matrix_input_count, inputs.size());
    }
  }

  Vectors x_, y_before_;
};

}  // namespace heddle::bench
