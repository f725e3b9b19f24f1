// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../testing/residual.hpp"
#include "../common/contest.hpp"
#include "../common/stopwatch.hpp"
#include "heddle_contestants.hpp"
#include "problem.hpp"
#include "substitute.hpp"
#include "trace.hpp"
#include "triangle.hpp"

namespace heddle::bench {

/// Runs one source with one pair of types: load, cut the triangle, set up, update, verify, time.
template <Scalar S, Offset Off>
class SptrsvRun {
 public:
  SptrsvRun(const SptrsvRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    host_ = load_into(result_, source, progress_, [&] { return triangle_of(source); });
    const auto vectors = static_cast<std::size_t>(2 * request_.columns);
    result_.apply_bytes =
        result_.csr_bytes + static_cast<std::size_t>(host_.rows()) * vectors * sizeof(S);
    copy_to_device();
  }

  MatrixResult run() {
    if (request_.searches()) {
      result_.search = search_schemes(exec_, problem_, request_.search_seconds, result_, progress_);
    }
    for (auto& entry : heddle_solve_entries(exec_, problem_, request_, result_)) {
      contest_.enter(entry.name, true, [&entry, this] { return entry.setup(exec_, problem_); });
      result_.contestants.back().chosen = entry.chosen;
    }
    contest_.enter_baselines(problem_, request_);
    contest_.time_updates();  // so that the result of an update is verified
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    if (request_.traces()) trace_all();
    return std::move(result_);
  }

 private:
  using Vectors = test::HostColumns<S>;
  using Contestant = SptrsvContestant<S>;

  HostStorage<S, Off> triangle_of(const Source& source) {
    const std::uint64_t seed = request_.matrices.seed;
    const HostTriangle<S, Off> triangle(load<S, Off>(source, seed), request_.triangle(),
                                        request_.diagonal(), seed);
    TriangleFacts facts;
    facts.entries = static_cast<std::int64_t>(triangle.storage().nonzeros());
    facts.levels = triangle.levels();
    facts.diagonal_set = triangle.diagonal_set();
    result_.triangle = facts;
    return triangle.storage();
  }

  void copy_to_device() {
    const auto rows = static_cast<std::size_t>(host_.rows());
    b_ = test::random_columns<S>(rows, request_.columns, request_.matrices.seed + 2);
    x_ = Vectors("heddle::bench::x", rows, static_cast<std::size_t>(request_.columns));

    device_ = host_.template copy_to<Space>(exec_);
    problem_.T = device_.matrix();
    problem_.triangle = request_.triangle();
    problem_.diagonal = request_.diagonal();
    problem_.op = request_.op();
    problem_.columns = request_.columns;
    problem_.row_major = request_.row_major();
    problem_.make_vectors(exec_, b_);
    result_.rows = row_features(exec_, problem_.T);
  }

  /// Solves on the host; returns whether the scalar cannot hold the solution, or almost not. That
  /// is the matrix's fault, and the results of contestants depend on their order of operations.
  bool overflows() {
    substitute(host_.matrix(), problem_.triangle, problem_.diagonal, problem_.op, S(1), b_, x_);
    const test::Reference product = test::reference_product(problem_.op, host_.matrix(), x_);
    const long double largest = std::numeric_limits<RealOf<S>>::max();
    const auto k = static_cast<std::size_t>(request_.columns);
    for (std::size_t v = 0; v < k; ++v) {
      for (std::size_t i = 0; i < product.rows; ++i) {
        const long double x = test::detail::magnitude(test::detail::Wide(x_(i, v)));
        if (!(x < 1e-3L * largest)) return true;
        if (!(product.magnitudes[v * product.rows + i] < 1e-3L * largest)) return true;
      }
    }
    return false;
  }

  void verify_all() {
    progress_.task(result_.name + ": reference");
    result_.triangle->overflows = overflows();
    if (result_.triangle->overflows) return;
    contest_.verify([&](Contestant& contestant, const ContestantResult&) {
      const double plain_error = error_of(contestant, S(1));
      return std::max(plain_error, error_of(contestant, S(-1.5)));
    });
  }

  void trace_all() {
    contest_.for_each([&](Contestant& contestant, ContestantResult& entry) {
      if (!entry.is_scheme) return;
      progress_.task(result_.name + ": tracing " + entry.name);
      contestant.trace(exec_);  // the first loads the kernel
      const auto solve = contestant.trace(exec_);
      if (solve) result_.traces.push_back(analysed(entry.scheme, *solve));
    });
  }

  TracedSolve analysed(const std::string& scheme, const test::SolveTrace& solve) const {
    TracedSolve traced{scheme, solve.groups, {}};
    if constexpr (sizeof(Off) == 4) {
      const auto rows = static_cast<std::size_t>(host_.rows());
      const auto entries = static_cast<std::size_t>(host_.nonzeros());
      const StepParents needs =
          step_parents({host_.row_ptr().data(), rows + 1}, {host_.col_idx().data(), entries},
                       transposes(problem_.op), solve.step_of_row, solve.begin_ns.size());
      traced.analysis = analyse_trace({solve.begin_ns, solve.end_ns, needs.begin, needs.parents});
      std::vector<std::int32_t> first_row(solve.begin_ns.size());
      for (std::size_t i = rows; i-- > 0;) {
        first_row[static_cast<std::size_t>(solve.step_of_row[i])] = static_cast<std::int32_t>(i);
      }
      for (std::int32_t& step : traced.analysis.path) {
        step = first_row[static_cast<std::size_t>(step)];
      }
    }
    return traced;
  }

  double error_of(Contestant& contestant, S alpha) {
    if (contestant.needs_finite_x()) {
      Kokkos::deep_copy(exec_, problem_.x, S(1));
    } else {
      test::fill_with_poison(problem_.x);  // x must not be read
    }
    contestant.solve(exec_, alpha);
    problem_.copy_out(exec_, x_, problem_.x);
    return test::residual(host_, problem_.op, x_, alpha, b_);
  }

  SptrsvRequest request_;
  Progress& progress_;
  Exec exec_;
  HostStorage<S, Off> host_;
  CsrStorage<S, Index, Off, Space> device_;
  Vectors b_, x_;
  SptrsvProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
