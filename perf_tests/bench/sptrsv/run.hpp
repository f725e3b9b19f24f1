// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/sptrsv.hpp>

#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../../testing/residual.hpp"
#include "../../../testing/traced_solve.hpp"
#include "../common/contest.hpp"
#include "../common/scheme_search.hpp"
#include "../common/sequential.hpp"
#include "../common/table.hpp"
#include "problem.hpp"
#include "trace.hpp"

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

template <Scalar S, Offset Off>
using PlannedSolve = SptrsvPlan<Exec, CsrMatrix<S, Index, Off, Space>>;

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off>
class HeddleSolve : public PlanContestant<SptrsvProblem<S, Off>, PlannedSolve<S, Off>> {
  using Base = PlanContestant<SptrsvProblem<S, Off>, PlannedSolve<S, Off>>;
  using Base::plan_, Base::problem_;

 public:
  HeddleSolve(const Exec& exec, const SptrsvProblem<S, Off>& problem, const SptrsvOptions& options)
      : Base(problem, exec, problem.A, options) {}

  void solve(const Exec& exec, S alpha) override {
    problem_.with_vectors(
        [&](const auto& b, const auto& x) { plan_.apply(exec, problem_.op, alpha, b, x); });
  }
  bool updates() const override { return true; }
  void update_values(const Exec& exec) override { plan_.update_values(exec, problem_.A); }
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
};

/// The triangle of a matrix on the host, which every contestant solves with: columns of a row
/// ascend, and its diagonal is whole.
template <Scalar S, Offset Off>
class HostTriangle {
 public:
  HostTriangle(const Loaded<S, Off>& loaded, Triangle triangle, Diagonal diagonal,
               std::uint64_t seed)
      : triangle_(triangle), diagonal_(diagonal) {
    require_square(loaded.matrix, "a triangular solve needs a");
    take_rows(loaded.matrix);
    if (!loaded.own_values) draw_values(seed);
    complete_diagonal();
    storage_ = stored<S, Off>(rows_, loaded.matrix.columns());
    count_levels();
    rows_ = {};
  }

  const HostStorage<S, Off>& storage() const { return storage_; }
  /// Number of rows of the longest chain of dependencies.
  std::int64_t levels() const { return levels_; }
  /// Number of diagonal entries that were missing or zero, and were set to one more than the
  /// magnitudes of the other entries of the row. 0 for a unit diagonal.
  std::int64_t diagonal_set() const { return diagonal_set_; }

 private:
  /// Extracts the rows of the triangle; repeated entries are added up.
  void take_rows(const HostStorage<S, Off>& from) {
    rows_.resize(static_cast<std::size_t>(from.rows()));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      each_entry(from, i, [&](std::size_t j, const S& value) {
        if (j != i && !detail::triangle::in_triangle(triangle_, i, j)) return;
        rows_[i].emplace_back(j, value);
      });
      rows_[i].emplace_back(i, S(0));  // so that the diagonal is there
      add_up(rows_[i]);
    }
  }

  S& diagonal_of(HostRow<S>& row) const {
    return (triangle_ == Triangle::lower ? row.back() : row.front()).second;
  }

  /// Draws random values with which the solutions of the triangle and of its transpose stay
  /// moderate: small off the diagonal, around 1.5 on it. A diagonal entry of zero stays zero.
  void draw_values(std::uint64_t seed) {
    std::vector<double> longest(rows_.size(), 0);
    for (const auto& row : rows_) {
      for (const auto& entry : row) longest[static_cast<std::size_t>(entry.first)] += 1;
    }
    test::Random random(seed + 1);
    for (auto& row : rows_) {
      for (auto& [column, value] : row) {
        const S draw = random.scalar<S>();
        if (&value == &diagonal_of(row)) {
          if (value != S(0)) value = S(1.5) + S(0.3) * draw;
        } else {
          const double scale = 0.6 / std::max(static_cast<double>(row.size()),
                                              longest[static_cast<std::size_t>(column)]);
          value = draw * S(static_cast<RealOf<S>>(scale));
        }
      }
    }
  }

  void complete_diagonal() {
    for (auto& row : rows_) {
      S& value = diagonal_of(row);
      if (diagonal_ == Diagonal::unit) {
        value = S(1);
      } else if (value == S(0)) {
        RealOf<S> sum(1);
        for (const auto& entry : row) sum += Kokkos::abs(entry.second);
        value = S(sum);
        ++diagonal_set_;
      }
    }
  }

  void count_levels() {
    std::vector<std::int64_t> levels(rows_.size(), 1);
    for (std::size_t step = 0; step < rows_.size(); ++step) {
      const std::size_t i = triangle_ == Triangle::lower ? step : rows_.size() - 1 - step;
      for (const auto& entry : rows_[i]) {
        const auto j = static_cast<std::size_t>(entry.first);
        if (j != i) levels[i] = std::max(levels[i], levels[j] + 1);
      }
      levels_ = std::max(levels_, levels[i]);
    }
  }

  Triangle triangle_;
  Diagonal diagonal_;
  std::vector<HostRow<S>> rows_;
  HostStorage<S, Off> storage_;
  std::int64_t levels_ = 0, diagonal_set_ = 0;
};

/// Runs one source with one pair of types: load, cut the triangle, set up, update, verify, time.
template <Scalar S, Offset Off>
class SptrsvRun : public Contest<SptrsvRequest, SptrsvProblem<S, Off>> {
  using Base = Contest<SptrsvRequest, SptrsvProblem<S, Off>>;
  using Base::exec_, Base::problem_, Base::request_, Base::result_, Base::progress_;
  using Solve = HeddleSolve<S, Off>;
  using Contestant = SptrsvContestant<S>;

 public:
  SptrsvRun(const SptrsvRequest& request, const Source& source, Progress& progress)
      : Base(request, source, progress) {
    problem_.triangle = request.triangle();
    problem_.diagonal = request.diagonal();
    problem_.op = request.op();
    this->take_matrix([&](const auto& loaded) {
      const HostTriangle<S, Off> triangle(loaded, problem_.triangle, problem_.diagonal,
                                          request.matrices.seed);
      TriangleFacts& facts = result_.triangle.emplace();
      facts.entries = static_cast<std::int64_t>(triangle.storage().nonzeros());
      facts.levels = triangle.levels();
      facts.diagonal_set = triangle.diagonal_set();
      return triangle.storage();
    });
    problem_.make_vectors(exec_, this->random_vectors(2));
    result_.apply_bytes += 2 * problem_.b.size() * sizeof(S);
  }

  MatrixResult run() {
    if (ContestOptions::contains(request_.schemes, "search")) search();
    enter_plans();
    this->enter_baselines();
    this->time_updates();  // so that the result of an update is verified
    if (request_.verify()) verify_all();
    this->time_all();
    if (request_.traces()) trace_all();
    return std::move(result_);
  }

 private:
  /// Options of a plan, with a pinned scheme if there is one.
  SptrsvOptions options(const std::optional<Scheme>& scheme = {}) const {
    SptrsvOptions options;
    options.triangle = problem_.triangle;
    options.diagonal = problem_.diagonal;
    options.ignore_outside = true;
    options.scheme = scheme;
    options.vectors = this->expected_vectors();
    if (problem_.op != Op::none) options.ops.push_back(problem_.op);
    return options;
  }
  /// The schemes that "all" runs and a search starts from.
  std::vector<Scheme> candidates() const {
    const TriangleFacts& facts = *result_.triangle;
    return detail::sptrsv::candidates(result_.rows.rows, facts.entries - result_.rows.rows,
                                      facts.levels, backends::describe(exec_));
  }

  /// A plan that a search times.
  struct Searched {
    Exec exec;
    std::unique_ptr<Solve> solve;

    Scheme scheme() const { return Scheme::parse(solve->scheme()); }
    TimedScheme time(double too_slow_seconds) const {
      return time_alone(exec, [this] { solve->run(exec); }, too_slow_seconds);
    }
  };

  void search() {
    const SchemeGrammar legal = detail::sptrsv::grammar(backends::describe(exec_));
    const auto setup = [&](const Scheme& scheme) {
      return Searched{exec_, std::make_unique<Solve>(exec_, problem_, options(scheme))};
    };
    const auto watch = [&](std::size_t tried, const SearchedScheme* best, const Scheme& next) {
      const std::string leader =
          best ? ", best " + duration(*best->time.seconds) + " " + best->scheme.to_string() : "";
      progress_.step(0, 0, std::to_string(tried) + leader + ", now " + next.to_string());
    };
    progress_.task(result_.name + ": searching");
    result_.search =
        SchemeSearch(legal, request_.search_seconds, setup, host_seconds, watch).run(candidates());
  }

  /// Enters "auto", the choice of a plan; the requested schemes; and the best one of a search.
  void enter_plans() {
    SptrsvOptions automatic = options();
    automatic.model = request_.model;
    automatic.measure_seconds = request_.measure_seconds;
    automatic.cache = request_.cache;
    describe(Solve(exec_, problem_, automatic));
    const auto enter_plan = [&](const std::string& name, const SptrsvOptions& of) {
      const auto setup = [&] { return std::make_unique<Solve>(exec_, problem_, of); };
      this->enter(name, true, setup).chosen = name == result_.chosen_scheme;
    };
    if (request_.automatic()) enter_plan("auto", automatic);
    const auto expand = [&](const std::string& word) -> Meant {
      if (word == "search") return Meant(std::in_place);
      if (word == "all") return candidates();
      return std::nullopt;
    };
    const SchemeGrammar legal = detail::sptrsv::grammar(backends::describe(exec_));
    for (const Scheme& scheme : asked_schemes(request_.schemes, std::span(&legal, 1), expand)) {
      enter_plan(scheme.to_string(), options(scheme));
    }
    if (result_.search && result_.search->best) {
      enter_plan("search", options(result_.search->best->scheme));
    }
  }
  /// Writes the choice of a plan, and the features that it depends on, into the result.
  void describe(const Solve& chosen) {
    result_.chosen_scheme = chosen.scheme();
    if (request_.explain) result_.explanation = chosen.explain();
    const TriangleFeatures features = chosen.features(exec_);
    const TriangleInputs inputs = triangle_inputs(features);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      result_.model_inputs.emplace_back(triangle_input_names[i], inputs[i]);
    }
    visit_features(features, [&](const std::string& name, auto value, const char*) {
      result_.triangle->features.emplace_back(name, static_cast<double>(value));
    });
  }

  /// Solves on the host; returns whether the scalar cannot hold the solution, or almost not. That
  /// is the matrix's fault, and the results of contestants depend on their order of operations.
  bool overflows() {
    const auto T = problem_.host.matrix();
    const test::HostColumns<S>& b = problem_.host_b;
    const test::HostColumns<S> x("heddle::bench::x", b.extent(0), b.extent(1));
    substitute(T, problem_.triangle, problem_.diagonal, problem_.op, S(1), b, x);
    const test::Reference product = test::reference_product(problem_.op, T, x);
    const long double largest = std::numeric_limits<RealOf<S>>::max();
    for (std::size_t v = 0; v < b.extent(1); ++v) {
      for (std::size_t i = 0; i < product.rows; ++i) {
        const long double size = test::detail::magnitude(test::detail::Wide(x(i, v)));
        if (!(size < 1e-3L * largest)) return true;
        if (!(product.magnitudes[v * product.rows + i] < 1e-3L * largest)) return true;
      }
    }
    return false;
  }

  void verify_all() {
    progress_.task(result_.name + ": reference");
    result_.triangle->overflows = overflows();
    if (result_.triangle->overflows) return;
    this->verify([&](Contestant& contestant, const ContestantResult&) {
      const double plain_error = error_of(contestant, S(1));
      return std::max(plain_error, error_of(contestant, S(-1.5)));
    });
  }
  double error_of(Contestant& contestant, S alpha) {
    if (contestant.needs_finite_x()) {
      Kokkos::deep_copy(exec_, problem_.x, S(1));
    } else {
      test::fill_with_poison(problem_.x);  // x must not be read
    }
    contestant.solve(exec_, alpha);
    return test::residual(problem_.host, problem_.op, problem_.host_x(exec_), alpha,
                          problem_.host_b);
  }

  void trace_all() {
    this->for_each("tracing", [&](Contestant& contestant, ContestantResult& entry) {
      if (!entry.is_scheme) return;
      contestant.trace(exec_);  // the first loads the kernel
      const auto solve = contestant.trace(exec_);
      if (solve) result_.traces.push_back(analysed(entry.scheme, *solve));
    });
  }
  TracedSolve analysed(const std::string& scheme, const test::SolveTrace& solve) const {
    TracedSolve traced{scheme, solve.groups, {}};
    if constexpr (sizeof(Off) == 4) {
      const auto& host = problem_.host;
      const auto rows = static_cast<std::size_t>(host.rows());
      const auto entries = static_cast<std::size_t>(host.nonzeros());
      const StepParents needs =
          step_parents({host.row_ptr().data(), rows + 1}, {host.col_idx().data(), entries},
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
};

}  // namespace heddle::bench
