// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "../../../unit_tests/support/reference.hpp"
#include "../common/load.hpp"
#include "../common/progress.hpp"
#include "../common/timing.hpp"
#include "heddle_contestants.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types and the schemes of a list of formats: load, set up,
/// verify, time.
template <Scalar S, Offset Off, class FormatList = AllFormats>
class SpmvRun {
 public:
  SpmvRun(const SpmvRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress) {
    result_.source = source.text;
    result_.name = source.short_name();
    progress_.task(result_.name + (source.generated ? ": generating" : ": reading"));
    const double begin = seconds();
    host_ = load<S, Off>(source, request_.matrices.seed);
    result_.prepare_seconds = seconds() - begin;
    count_bytes();
    copy_to_device();
  }

  MatrixResult run() {
    enter_schemes();
    enter_baselines();
    if (request_.verify()) verify_all();
    time_all();
    return std::move(result_);
  }

 private:
  using Vectors = test::HostColumns<S>;
  using RowMajor = test::HostColumns<S, Kokkos::LayoutRight>;
  using Setup = std::function<std::unique_ptr<Contestant<S>>()>;

  static constexpr int setups = 3;
  static constexpr double setup_budget_seconds = 1;

  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// Column indices and values, row pointer; then x and y, each once.
  void count_bytes() {
    const auto rows = static_cast<std::size_t>(host_.rows());
    const auto columns = static_cast<std::size_t>(host_.columns());
    const auto k = static_cast<std::size_t>(request_.columns);
    result_.csr_bytes = static_cast<std::size_t>(host_.nonzeros()) * (sizeof(S) + sizeof(Index)) +
                        (rows + 1) * sizeof(Off);
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
    problem_.x = decltype(problem_.x)(unset("heddle::bench::x"), columns * k);
    problem_.y = decltype(problem_.y)(unset("heddle::bench::y"), rows * k);
    copy_in(problem_.x, x_);
  }

  void copy_in(const Kokkos::View<S*, Space>& device, const Vectors& host) {
    if (problem_.row_major) {
      const RowMajor rows("heddle::bench::rows", host.extent(0), host.extent(1));
      Kokkos::deep_copy(rows, host);
      Kokkos::deep_copy(exec_, problem_.template as_columns<Kokkos::LayoutRight>(device), rows);
    } else {
      Kokkos::deep_copy(exec_, problem_.template as_columns<Kokkos::LayoutLeft>(device), host);
    }
    exec_.fence("heddle::bench::copy_in");
  }

  void copy_out(const Vectors& host, const Kokkos::View<S*, Space>& device) {
    if (problem_.row_major) {
      const RowMajor rows("heddle::bench::rows", host.extent(0), host.extent(1));
      Kokkos::deep_copy(exec_, rows, problem_.template as_columns<Kokkos::LayoutRight>(device));
      exec_.fence("heddle::bench::copy_out");
      Kokkos::deep_copy(host, rows);
    } else {
      Kokkos::deep_copy(exec_, host, problem_.template as_columns<Kokkos::LayoutLeft>(device));
      exec_.fence("heddle::bench::copy_out");
    }
  }

  void enter_schemes() {
    for (auto& entry : heddle_entries<S, Off, FormatList>(exec_, problem_, request_, result_)) {
      enter(entry.name, true, [&entry, this] { return entry.setup(exec_, problem_); });
      result_.contestants.back().chosen = entry.chosen;
    }
  }

  void enter_baselines() {
    for (const auto& baseline : baselines<S, Off>()) {
      if (!request_.wants_baseline(baseline.name)) continue;
      enter(baseline.name, false, [&] { return baseline.setup(exec_, problem_); });
    }
  }

  /// Sets a contestant up several times: the first pays for the loading of kernels and libraries.
  void enter(const std::string& name, bool is_scheme, const Setup& setup) {
    progress_.task(result_.name + ": setting up " + name);
    ContestantResult entry;
    entry.name = name;
    entry.is_scheme = is_scheme;
    std::unique_ptr<Contestant<S>> contestant;
    try {
      double spent = 0;
      for (int i = 0; i <= setups && (i < 2 || spent < setup_budget_seconds); ++i) {
        contestant.reset();
        exec_.fence("heddle::bench::setup");
        const double begin = seconds();
        contestant = setup();
        exec_.fence("heddle::bench::setup");
        const double took = seconds() - begin;
        spent += took;
        if (i == 0) {
          entry.first_setup_seconds = took;
        } else {
          entry.setup.seconds.push_back(took);
        }
      }
      contestant->apply(exec_, S(1), S(0));
      exec_.fence("heddle::bench::first_apply");
      entry.bytes = contestant->bytes();
      entry.moved_bytes = contestant->moved_bytes();
      entry.scheme = contestant->scheme();
      entry.note = contestant->note();
      if (!entry.scheme.empty() && entry.scheme != name) {
        entry.note = entry.scheme + (entry.note.empty() ? "" : "; ") + entry.note;
      }
    } catch (const Error& error) {
      contestant.reset();
      entry.verdict = Verdict::unsupported;
      entry.note = error.what();
    }
    contestants_.push_back(std::move(contestant));
    result_.contestants.push_back(std::move(entry));
  }

  void verify_all() {
    progress_.task(result_.name + ": reference");
    const test::Reference plain = test::reference_product(Op::none, host_.matrix(), x_);
    const S alpha(-1.5), beta(0.5);
    const test::Reference scaled = test::scaled(alpha, plain, beta, y_before_);
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (!contestants_[i]) continue;
      ContestantResult& entry = result_.contestants[i];
      progress_.task(result_.name + ": verifying " + entry.name);
      // With beta = 0 y must not be read.
      test::fill_with_poison(problem_.y);
      const double plain_error = error_of(plain, *contestants_[i], S(1), S(0));
      copy_in(problem_.y, y_before_);
      const double scaled_error = error_of(scaled, *contestants_[i], alpha, beta);
      entry.error_over_bound = std::max(plain_error, scaled_error);
      entry.verdict = entry.error_over_bound <= 1 ? Verdict::ok : Verdict::wrong;
    }
  }

  double error_of(const test::Reference& reference, Contestant<S>& contestant, S alpha, S beta) {
    contestant.apply(exec_, alpha, beta);
    copy_out(y_, problem_.y);
    return test::error_over_bound(reference, y_);
  }

  void time_all() {
    progress_.task(result_.name + ": timing");
    std::vector<Runner> runners;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (!contestants_[i]) continue;
      Contestant<S>* contestant = contestants_[i].get();
      runners.push_back({result_.contestants[i].name,
                         [this, contestant] { contestant->apply(exec_, S(1), S(0)); },
                         {},
                         {},
                         {}});
      places.push_back(i);
    }
    const TimingOptions options{.repetitions = request_.repetitions,
                                .budget_seconds = request_.budget_seconds,
                                .flush = request_.flush,
                                .cache_bytes = backends::describe(exec_).cache_bytes};
    time_in_turns(exec_, runners, options, progress_);
    for (std::size_t i = 0; i < runners.size(); ++i) {
      ContestantResult& entry = result_.contestants[places[i]];
      entry.time = std::move(runners[i].time);
      entry.queued = std::move(runners[i].queued);
      entry.latency = std::move(runners[i].latency);
    }
  }

  SpmvRequest request_;
  Progress& progress_;
  Exec exec_;
  HostStorage<S, Off> host_;
  CsrStorage<S, Index, Off, Space> device_;
  Vectors x_, y_, y_before_;
  SpmvProblem<S, Off> problem_;
  std::vector<std::unique_ptr<Contestant<S>>> contestants_;
  MatrixResult result_;
};

}  // namespace heddle::bench
