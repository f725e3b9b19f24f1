// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest.hpp"
#include "heddle_contestants.hpp"
#include "program.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, factor, verify, time.
template <Scalar S, Offset Off>
class IluRun {
 public:
  IluRun(const IluRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    problem_.host = load_into(result_, source, progress_, [&] {
      return with_whole_diagonal(load<S, Off>(source, request_.matrices.seed), "incomplete factors",
                                 diagonal_set_);
    });
    result_.apply_bytes = result_.csr_bytes;
    problem_.options = request_.options();
    problem_.cholesky = request_.cholesky();
    problem_.solves = request_.solve;
    problem_.columns = request_.columns;
    problem_.row_major = request_.row_major();
    device_ = problem_.host.template copy_to<Space>(exec_);
    exec_.fence("heddle::bench::copied");
    problem_.A = device_.matrix();
    const auto rows = static_cast<std::size_t>(problem_.host.rows());
    problem_.host_b = test::random_columns<S>(rows, request_.columns, request_.matrices.seed + 2);
    problem_.make_vectors(exec_, problem_.host_b);
    result_.rows = row_features(exec_, problem_.A);
    if (diagonal_set_ > 0) {
      result_.choice_reason = "the diagonal of " + std::to_string(diagonal_set_) + " rows was set";
    }
  }

  MatrixResult run() {
    enter_schemes();
    contest_.enter_baselines(problem_, request_);
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    std::erase_if(result_.contestants, [&](const ContestantResult& entry) {
      return entry.name == "program-cg" && !problem_.solves;
    });
    return std::move(result_);
  }

 private:
  using Contestant = IluContestant<S>;

  void enter_schemes() {
    const char* const name = problem_.cholesky ? "ic" : "ilu";
    const SchemeGrammar legal = detail::ilu::grammar(name, backends::describe(exec_));
    const auto expand = [&](const std::string& word) {
      return word == "all" ? std::optional(kernel_schemes(legal)) : std::nullopt;
    };
    if (request_.automatic()) {
      enter("auto", std::nullopt, Timed::factor);
      result_.chosen_scheme = result_.contestants.back().scheme;
    }
    for (const Scheme& scheme : asked_schemes(request_.schemes, std::span(&legal, 1), expand)) {
      enter(scheme.to_string(), scheme, Timed::factor);
      ContestantResult& entry = result_.contestants.back();
      entry.chosen = entry.scheme == result_.chosen_scheme;
    }
    enter("apply", std::nullopt, Timed::apply);
    if (problem_.solves) enter("cg", std::nullopt, Timed::solve);
  }

  void enter(const std::string& name, const std::optional<Scheme>& scheme, Timed timed) {
    IluOptions options = problem_.options;
    options.scheme = scheme;
    contest_.enter(name, true, [&] {
      return make_factors<S, Off>(exec_, problem_, options, request_.in_float(), timed);
    });
  }

  void verify_all() {
    contest_.verify([&](Contestant& contestant, const ContestantResult&) {
      test::fill_with_poison(problem_.x);
      contestant.run(exec_);
      exec_.fence("heddle::bench::verified");
      return contestant.error_over_bound(exec_);
    });
  }

  IluRequest request_;
  Progress& progress_;
  Exec exec_;
  std::int64_t diagonal_set_ = 0;
  CsrStorage<S, Index, Off, Space> device_;
  IluProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
