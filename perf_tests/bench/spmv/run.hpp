// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../formats/all_formats.hpp"
#include "../../../testing/reference.hpp"
#include "../common/contest.hpp"
#include "../common/load.hpp"
#include "heddle_contestants.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types and the schemes of a list of formats: load, set up,
/// verify, time.
template <Scalar S, Offset Off, class FormatList = AllFormats>
class SpmvRun {
 public:
  SpmvRun(const SpmvRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    host_ = load_into(result_, source, progress_,
                      [&] { return load<S, Off>(source, request_.matrices.seed).matrix; });
    count_bytes();
    copy_to_device();
  }

  MatrixResult run() {
    contest_.look_at_allocations();
    enter_schemes();
    contest_.enter_baselines(problem_, request_);
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    return std::move(result_);
  }

 private:
  using Vectors = test::HostColumns<S>;
  using Contestant = SpmvContestant<S>;

  /// Counts the bytes of CSR, x and y, each once.
  void count_bytes() {
    const auto rows = static_cast<std::size_t>(host_.rows());
    const auto columns = static_cast<std::size_t>(host_.columns());
    const auto k = static_cast<std::size_t>(request_.columns);
    result_.apply_bytes = result_.csr_bytes + (rows + columns) * k * sizeof(S);
  }

  void copy_to_device() {
    const auto k = static_cast<std::size_t>(request_.columns);
    const auto unset = [](const char* label) {
      return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
    };
    const auto rows = static_cast<std::size_t>(host_.rows());
    const auto columns = static_cast<std::size_t>(host_.columns());
    x_ = Vectors(unset("heddle::bench::x"), columns, k);
    y_ = Vectors(unset("heddle::bench::y"), rows, k);
    y_before_ = Vectors(unset("heddle::bench::y_before"), rows, k);
    test::Random random(request_.matrices.seed + 2);
    test::fill_random(x_, random);
    test::fill_random(y_before_, random);

    device_ = host_.template copy_to<Space>(exec_);
    problem_.A = device_.matrix();
    problem_.columns = request_.columns;
    problem_.row_major = request_.row_major();
    problem_.x = problem_.vector("heddle::bench::x", columns * k);
    problem_.y = problem_.vector("heddle::bench::y", rows * k);
    problem_.copy_in(exec_, problem_.x, x_);
  }

  void enter_schemes() {
    for (auto& entry : heddle_entries<S, Off, FormatList>(exec_, problem_, request_, result_)) {
      contest_.enter(entry.name, true, [&entry, this] { return entry.setup(exec_, problem_); });
      ContestantResult& entered = result_.contestants.back();
      entered.chosen = entry.chosen;
      entered.predicted_seconds = entry.predicted_seconds;
      entered.model_group = entry.model_group;
      entered.model_inputs = entry.model_inputs;
    }
  }

  void verify_all() {
    progress_.task(result_.name + ": reference");
    const test::Reference plain = test::reference_product(Op::none, host_.matrix(), x_);
    const S alpha(-1.5), beta(0.5);
    const test::Reference scaled = test::scaled(alpha, plain, beta, y_before_);
    contest_.verify([&](Contestant& contestant, const ContestantResult&) {
      // With beta = 0 y must not be read.
      test::fill_with_poison(problem_.y);
      const double plain_error = error_of(plain, contestant, S(1), S(0));
      problem_.copy_in(exec_, problem_.y, y_before_);
      const double scaled_error = error_of(scaled, contestant, alpha, beta);
      return std::max(plain_error, scaled_error);
    });
  }

  double error_of(const test::Reference& reference, Contestant& contestant, S alpha, S beta) {
    contestant.apply(exec_, alpha, beta);
    problem_.copy_out(exec_, y_, problem_.y);
    return test::error_over_bound(reference, y_);
  }

  SpmvRequest request_;
  Progress& progress_;
  Exec exec_;
  HostStorage<S, Off> host_;
  CsrStorage<S, Index, Off, Space> device_;
  Vectors x_, y_, y_before_;
  SpmvProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
