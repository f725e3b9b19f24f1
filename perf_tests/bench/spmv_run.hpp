// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "contestant.hpp"
#include "heddle_contestants.hpp"
#include "load.hpp"
#include "progress.hpp"
#include "request.hpp"
#include "results.hpp"
#include "timing.hpp"
#include "verify.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, set up, verify, time.
template <Scalar S, Offset Off>
class SpmvRun {
 public:
  SpmvRun(const SpmvRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress) {
    result_.source = source.text;
    result_.name = short_name(source);
    progress_.task(result_.name + (source.generated ? ": generating" : ": reading"));
    const double begin = seconds();
    host_ = load<S, Off>(source, request_.seed);
    result_.prepare_seconds = seconds() - begin;
    describe();
    copy_to_device();
  }

  MatrixResult run() {
    enter_schemes();
    enter_baselines();
    if (request_.verify) verify_all();
    time_all();
    return std::move(result_);
  }

 private:
  using Vectors = typename Reference<S, Off>::Vectors;
  using RowMajor = Kokkos::View<S**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Setup = std::function<std::unique_ptr<Contestant<S>>()>;

  static constexpr int setups = 3;
  static constexpr double setup_budget_seconds = 1;

  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  static std::string short_name(const Source& source) {
    if (source.generated) return source.text;
    std::string name = source.text.substr(source.text.find_last_of('/') + 1);
    for (const char* ending : {".xz", ".gz", ".mtx", ".petsc", ".bin"}) {
      const std::size_t at = name.rfind(ending);
      if (at != std::string::npos && at > 0 && at + std::string(ending).size() == name.size()) {
        name.resize(at);
      }
    }
    return name;
  }

  void describe() {
    MatrixFeatures& f = result_.features;
    const auto row_ptr = host_.matrix().row_ptr();
    f.rows = host_.rows();
    f.columns = host_.columns();
    f.nonzeros = static_cast<std::int64_t>(host_.nonzeros());
    double squares = 0;
    f.min_row = f.rows ? f.nonzeros : 0;
    for (std::int64_t i = 0; i < f.rows; ++i) {
      const auto length = static_cast<std::int64_t>(row_ptr(i + 1) - row_ptr(i));
      f.min_row = std::min(f.min_row, length);
      f.max_row = std::max(f.max_row, length);
      f.empty_rows += length == 0;
      squares += static_cast<double>(length) * static_cast<double>(length);
    }
    const auto rows = static_cast<double>(std::max<std::int64_t>(f.rows, 1));
    f.mean_row = static_cast<double>(f.nonzeros) / rows;
    const double variance = std::max(0.0, squares / rows - f.mean_row * f.mean_row);
    f.variation = f.mean_row > 0 ? std::sqrt(variance) / f.mean_row : 0;
    f.csr_bytes = static_cast<std::size_t>(f.nonzeros) * (sizeof(S) + sizeof(Index)) +
                  static_cast<std::size_t>(f.rows + 1) * sizeof(Off);
    result_.apply_bytes = f.csr_bytes + static_cast<std::size_t>(f.rows + f.columns) * sizeof(S) *
                                            static_cast<std::size_t>(request_.columns);
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
    Random random(request_.seed + 2);
    fill_random(x_, random);
    fill_random(y_before_, random);

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
    for (auto& entry : heddle_entries<S, Off>(exec_, problem_, request_, result_)) {
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
  void enter(const std::string& name, bool scheme, const Setup& setup) {
    progress_.task(result_.name + ": setting up " + name);
    ContestantResult entry;
    entry.name = name;
    entry.scheme = scheme;
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
      entry.note = contestant->note();
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
    const Reference<S, Off> reference(host_.matrix(), x_);
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
      if (!contestants_[i]) continue;
      ContestantResult& entry = result_.contestants[i];
      progress_.task(result_.name + ": verifying " + entry.name);
      const double plain = error_of(reference, *contestants_[i], S(1), S(0));
      const double scaled = error_of(reference, *contestants_[i], S(-1.5), S(0.5));
      entry.error_over_bound = std::max(plain, scaled);
      entry.verdict = entry.error_over_bound <= 1 ? Verdict::ok : Verdict::wrong;
    }
  }

  /// With beta = 0, y starts as NaN: it must not be read.
  double error_of(const Reference<S, Off>& reference, Contestant<S>& contestant, S alpha, S beta) {
    using Real = decltype(Kokkos::abs(S()));
    if (beta == S(0)) {
      Kokkos::deep_copy(exec_, problem_.y, S(std::numeric_limits<Real>::quiet_NaN()));
    } else {
      copy_in(problem_.y, y_before_);
    }
    contestant.apply(exec_, alpha, beta);
    copy_out(y_, problem_.y);
    return reference.error_over_bound(alpha, beta, y_before_, y_);
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
