// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../testing/reference.hpp"
#include "../common/contest.hpp"
#include "../common/solve_error.hpp"
#include "../common/symmetry.hpp"
#include "check.hpp"
#include "heddle_contestants.hpp"
#include "request.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, set up, verify, time.
template <Scalar S, Offset Off>
class GsRun {
 public:
  GsRun(const GsRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    host_ = load_into(result_, source, progress_, [&] {
      const auto loaded = load<S, Off>(source, request_.matrices.seed);
      auto whole = with_whole_diagonal(loaded, "sweeps of Gauss-Seidel", diagonal_set_);
      if (!loaded.own_values) mirror_values(whole);
      return whole;
    });
    problem_.symmetric = hermitian(host_);
    problem_.options = request_.options();
    problem_.from_zero = request_.from_zero();
    problem_.sweeps = request_.sweeps;
    problem_.columns = request_.columns;
    problem_.row_major = request_.row_major();
    device_ = host_.template copy_to<Space>(exec_);
    exec_.fence("heddle::bench::copied");
    problem_.A = device_.matrix();
    const auto rows = static_cast<std::size_t>(host_.rows());
    b_ = test::random_columns<S>(rows, request_.columns, request_.matrices.seed + 2);
    guess_ = test::random_columns<S>(rows, request_.columns, request_.matrices.seed + 3);
    problem_.make_vectors(exec_, b_);
    result_.apply_bytes = problem_.least_bytes(result_.csr_bytes);
    result_.rows = row_features(exec_, problem_.A);
    if (diagonal_set_ > 0) {
      result_.choice_reason = "the diagonal of " + std::to_string(diagonal_set_) + " rows was set";
    }
  }

  MatrixResult run() {
    enter_schemes();
    contest_.enter(product_name, true,
                   [&] { return std::make_unique<HeddleProduct<S, Off>>(exec_, problem_); });
    contest_.enter_baselines(problem_, request_);
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    return std::move(result_);
  }

 private:
  using Contestant = GsContestant<S>;
  using Columns = test::HostColumns<S>;

  void enter_schemes() {
    const SchemeGrammar legal = detail::gauss_seidel::grammar(backends::describe(exec_));
    using Meant = std::optional<std::vector<Scheme>>;
    const auto expand = [&](const std::string& word) -> Meant {
      if (word == "multicolor") return Meant(std::in_place);
      return word == "all" ? Meant(kernel_schemes(legal)) : std::nullopt;
    };
    if (request_.automatic()) enter("auto", std::nullopt, GaussSeidelOrder::natural);
    for (const Scheme& scheme : asked_schemes(request_.schemes, std::span(&legal, 1), expand)) {
      enter(scheme.to_string(), scheme, GaussSeidelOrder::natural);
    }
    if (request_.all_schemes() || ContestOptions::contains(request_.schemes, "multicolor")) {
      enter("multicolor", std::nullopt, GaussSeidelOrder::multicolor);
    }
  }

  void enter(const std::string& name, const std::optional<Scheme>& scheme, GaussSeidelOrder order) {
    GaussSeidelOptions options = problem_.options;
    options.scheme = scheme;
    options.order = order;
    contest_.enter(name, true, [&] {
      return std::make_unique<HeddleSweeps<S, Off>>(exec_, problem_, options);
    });
    ContestantResult& entry = result_.contestants.back();
    if (name == "auto") result_.chosen_scheme = entry.scheme;
    entry.chosen = scheme && entry.scheme == result_.chosen_scheme;
  }

  void verify_all() {
    progress_.task(result_.name + ": reference");
    std::vector<ReferenceSweeps<S, Off>> references;
    for (int v = 0; v < request_.columns; ++v) {
      const auto at = static_cast<std::size_t>(v);
      references.emplace_back(host_, problem_.options);
      references.back().run([&](std::size_t i) { return b_(i, at); },
                            [&](std::size_t i) { return from_zero() ? S(0) : guess_(i, at); },
                            request_.sweeps);
    }
    const test::Reference product = test::reference_product(Op::none, host_.matrix(), b_);
    const Columns x("heddle::bench::x", b_.extent(0), b_.extent(1));
    contest_.verify([&](Contestant& contestant, ContestantResult& entry) -> std::optional<double> {
      if (from_zero()) {
        test::fill_with_poison(problem_.x);
      } else {
        problem_.copy_in(exec_, problem_.x, guess_);
      }
      contestant.run(exec_);
      problem_.copy_out(exec_, x, problem_.x);
      if (contestant.numbers() == GsNumbers::reordered) {
        const double tenth = 0.1;  // solve_error() is relative to ten times a tolerance
        const std::string residual = format("residual %.2g", solve_error(host_, b_, x, tenth));
        entry.note += (entry.note.empty() ? "" : ", ") + residual;
        return {};
      }
      if (contestant.numbers() == GsNumbers::product) return test::error_over_bound(product, x);
      double error = 0;
      for (std::size_t v = 0; v < references.size(); ++v) {
        const auto of_column =
            references[v].error_over_bound([&](std::size_t i) { return x(i, v); });
        if (!of_column) return {};
        error = std::max(error, *of_column);
      }
      return error;
    });
  }
  bool from_zero() const { return request_.from_zero(); }

  GsRequest request_;
  Progress& progress_;
  Exec exec_;
  std::int64_t diagonal_set_ = 0;
  HostStorage<S, Off> host_;
  CsrStorage<S, Index, Off, Space> device_;
  Columns b_, guess_;
  GsProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
