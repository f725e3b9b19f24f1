// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of stress tests of triangular solves.
#pragma once

#include <map>
#include <optional>

#include "triangles.hpp"
#include "watchdog.hpp"

namespace heddle::test {

/// Schemes of a device: all of a kind with few schemes, and some 60 of a kind with many, among them
/// each value of each parameter; other ones for another `start`.
inline std::vector<Scheme> sptrsv_samples(const Device& device, std::size_t start) {
  constexpr std::size_t most = emulated ? 2 : 60;
  std::map<std::string, std::vector<Scheme>> kinds;
  for (const Scheme& scheme : sptrsv_variants(device)) {
    kinds[scheme.terms().front().key].push_back(scheme);
  }
  std::vector<Scheme> samples;
  for (const auto& [kind, all] : kinds) {
    const std::size_t size = all.size();
    // Coprime to the size, a product of small numbers: no value of a parameter is skipped.
    const std::size_t step = size <= most ? 1 : 1237;
    for (std::size_t i = 0; i < std::min(size, most); ++i) {
      samples.push_back(all[(start + i * step) % size]);
    }
  }
  return samples;
}

/// The residual after solve(b, x) with random right-hand sides, each contiguous or all interleaved;
/// x is poisoned before, or is b.
template <Scalar V, class T, class Acc, class Solve>
double residual_after(const DeviceMatrix<T>& A, Triangle triangle, Diagonal diagonal, Op op,
                      const Acc& alpha, int vectors, std::uint64_t seed, bool apart, bool in_place,
                      const Solve& solve) {
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vectors<V>(n, static_cast<std::size_t>(vectors), apart, seed);
  const auto b_device = b.template in<typename T::Space>();
  Vectors<V, typename T::Space> x(n, static_cast<std::size_t>(vectors), apart);
  if (in_place) {
    x = b_device;
  } else {
    fill_with_poison(x.data());
  }
  solve(b_device.view(), x.view());
  Kokkos::fence("heddle::test::solved");
  const auto stored = triangle_of(A.host, triangle, diagonal);
  return residual(stored, op, x.template in<Kokkos::HostSpace>().view(), alpha, b.view());
}

/// The residual of a plan after T x = b.
template <class T, class Plan>
double solve_randomly(const typename T::Exec& exec, Plan& plan, const DeviceMatrix<T>& A,
                      Triangle triangle, int vectors, std::uint64_t seed) {
  using S = typename T::Scalar;
  return residual_after<S>(A, triangle, Diagonal::stored, Op::none, S(1), vectors, seed, true,
                           false,
                           [&](const auto& b, const auto& x) { plan.apply(exec, S(1), b, x); });
}

/// A way to solve: by a plan of a scheme, by a plan that chooses one, or without a plan.
struct Way {
  std::optional<Scheme> scheme = std::nullopt;
  bool plan = true;
  int room = 4;  ///< right-hand sides of a pass

  std::string name() const {
    const std::string of_plan = scheme ? scheme->to_string() : "as chosen";
    return (plan ? of_plan : "without a plan") + ", room " + std::to_string(room);
  }
};
inline Way without_plan(int room = 4) { return {std::nullopt, false, room}; }

/// Both ways that name no scheme, without a plan with room for one vector and for four.
inline std::vector<Way> unnamed_ways() { return {Way{}, without_plan(1), without_plan(4)}; }
inline std::vector<Way> ways_of(const std::vector<Scheme>& schemes) {
  std::vector<Way> ways;
  for (const Scheme& scheme : schemes) ways.push_back({scheme});
  return ways;
}
/// Samples of a device's schemes, and no plan.
inline std::vector<Way> sampled_ways(const Device& device, std::size_t start) {
  std::vector<Way> ways = ways_of(sptrsv_samples(device, start));
  ways.push_back(without_plan());
  return ways;
}

/// A triangle on a device, and one way to solve with it. Without a plan sums are in V.
template <class T, class V = typename T::Scalar, class Acc = V>
class TriangleSolver {
 public:
  using Type = T;
  using Vector = V;
  using Exec = typename T::Exec;

  TriangleSolver(const Exec& exec, const DeviceMatrix<T>& A, const Way& way,
                 SptrsvOptions options = {})
      : A_(A), options_(std::move(options)) {
    options_.vectors.count = way.room;
    options_.scheme = way.scheme;
    if (way.plan) {
      plan_.emplace(exec, A.matrix(), options_);
    } else {
      workspace_.emplace(exec, A.host.rows(), way.room);
    }
  }
  bool solves(Op op) const { return plan_ || op == Op::none; }
  /// Goes on with the values of B, whose pattern is the same.
  void take(const Exec& exec, const DeviceMatrix<T>& B) {
    A_ = B;
    if (plan_) plan_->update_values(exec, B.matrix());
  }
  template <class B, class X>
  void apply(const Exec& exec, Op op, const Acc& alpha, const B& b, const X& x) {
    if (plan_) {
      plan_->apply(exec, op, alpha, b, x);
    } else {
      sptrsv(exec, op, V(alpha), A_.matrix(), b, x, *workspace_, options_);
    }
  }
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    apply(exec, Op::none, Acc(1), b, x);
  }
  /// The residual after a solve with random right-hand sides; x is poisoned before, or is b.
  double residual_of(const Exec& exec, Op op, int vectors, std::uint64_t seed, bool apart = true,
                     bool in_place = false) {
    const Acc alpha(RealOf<Acc>(is_complex<Acc> ? 0.75 : -1.25));
    return residual_after<V>(A_, options_.triangle, options_.diagonal, op, alpha, vectors, seed,
                             apart, in_place,
                             [&](const auto& b, const auto& x) { apply(exec, op, alpha, b, x); });
  }
  auto& plan() { return *plan_; }

 private:
  DeviceMatrix<T> A_;
  SptrsvOptions options_;
  std::optional<typename T::template Plan<V, Acc>> plan_;
  std::optional<SptrsvWorkspace<Exec, V>> workspace_;
};

/// A lower triangle for every way; the entries of one that grows are larger than its diagonal.
struct TriangleCase {
  Pattern lower;
  bool grows = false;
};
inline std::vector<TriangleCase> triangle_cases() {
  using Row = std::vector<std::int64_t>;
  std::vector<TriangleCase> cases;
  for (Pattern& pattern : triangle_patterns()) cases.push_back({std::move(pattern)});
  // Neighbours that need each other, within a warp and across its edges.
  cases.push_back({lower_band("long bidiagonal", cut(5000), {1})});
  cases.push_back({lower_band("three before", cut(3000), {1, 2, 3})});
  cases.push_back({lower_band("edges of warps", cut(3000), {1, 31, 32, 33, 63, 64})});
  cases.push_back({lower_band("every other", cut(3001), {2})});
  // Few levels, so that x stays finite in float; groups of merged rows have several levels.
  cases.push_back({lower_pattern("short chains", 600,
                                 [](std::int64_t i) { return i % 9 ? Row{i - 1} : Row{}; }),
                   true});
  cases.push_back({lower_pattern("grid of few levels", 900,
                                 [](std::int64_t i) {
                                   Row row;
                                   if (i >= 90 && i % 90 >= 80) row.push_back(i - 90);
                                   if (i % 9) row.push_back(i - 1);
                                   return row;
                                 }),
                   true});
  cases.push_back({triangle_named("two wide levels"), true});
  return cases;
}
/// The triangle of a case, or its reverse, with other values for another seed.
template <class T>
DeviceMatrix<T> triangle_of_case(const typename T::Exec& exec, const TriangleCase& from,
                                 Triangle triangle, std::uint64_t seed) {
  using D = DeviceMatrix<T>;
  const Pattern pattern = triangle == Triangle::lower ? from.lower : reversed(from.lower);
  const auto host = make_matrix<typename D::S, typename D::O, typename D::Off>(pattern);
  set_triangle_values(host, seed);
  for (std::size_t i = 0; from.grows && i < static_cast<std::size_t>(host.rows()); ++i) {
    for (auto k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
      const auto e = static_cast<std::size_t>(k);
      // Large entries in two of three sets of 27 rows: some blocks are well-conditioned.
      const bool off_diagonal = static_cast<std::size_t>(host.col_idx()(e)) != i;
      if (off_diagonal && i / 27 % 3) {
        host.values()(e) = typename D::S(static_cast<RealOf<typename D::S>>(i % 2 ? 7 : -5));
      }
    }
  }
  return to_device<T>(exec, pattern.name, host);
}

/// The first promise: every way solves with every triangle, again, with several vectors in place,
/// and with new values. `ways(pattern, turn)` lists those of one triangle.
template <class Solver, class Ways>
void check_every_triangle(const Ways& ways) {
  using T = typename Solver::Type;
  const typename T::Exec exec;
  Watchdog watchdog("sptrsv of every triangle");
  std::size_t turn = 0;
  for (const TriangleCase& from : triangle_cases()) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const auto A = triangle_of_case<T>(exec, from, triangle, 1);
      const auto B = triangle_of_case<T>(exec, from, triangle, 77);
      CAPTURE(A.name);
      for (const Way& way : ways(from.lower, turn++)) {
        CAPTURE(way.name());
        SptrsvOptions options{.triangle = triangle};
        if (from.grows) options.ops = {Op::transpose};
        Solver solver(exec, A, way, options);
        for (std::uint64_t repeat = 0; repeat < (emulated ? 1 : 3); ++repeat) {
          CHECK(solver.residual_of(exec, Op::none, 1, repeat) <= 1);
        }
        CHECK(solver.residual_of(exec, Op::none, 3, 6, true, true) <= 1);
        if (from.grows && solver.solves(Op::transpose)) {
          CHECK(solver.residual_of(exec, Op::transpose, 1, 5) <= 1);
          CHECK(solver.residual_of(exec, Op::transpose, 3, 6, true, true) <= 1);
        }
        if (!emulated) {
          solver.take(exec, B);
          CHECK(solver.residual_of(exec, Op::none, 1, 7) <= 1);
        }
        watchdog.progress();
      }
    }
  }
}

/// The second: all ops, diagonals, layouts and numbers of right-hand sides, in place or not.
template <class Solver>
void check_every_op(const std::vector<Way>& ways) {
  using T = typename Solver::Type;
  const typename T::Exec exec;
  Watchdog watchdog("sptrsv of every op");
  for (const char* name :
       {"grid", "random", "elements", "unsorted with duplicates", "one huge row", "long rows"}) {
    CAPTURE(name);
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
      for (const Way& way : ways) {
        CAPTURE(way.name());
        Solver solver(exec, A, way,
                      {.diagonal = diagonal, .ops = {Op::transpose, Op::conjugate_transpose}});
        // Fewer vectors after more, and more after fewer: the last solve may leave nothing.
        const auto counts = way.scheme ? std::vector{1, 3, 6} : std::vector{1, 4, 3, 0, 9, 2, 1};
        std::uint64_t seed = 1;
        for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
          if (!solver.solves(op)) continue;
          CAPTURE(heddle::name(op));
          for (const int vectors : counts) {
            CAPTURE(vectors);
            for (const bool apart : {true, false}) {
              const bool in_place = seed % 3 == 0;
              CHECK(solver.residual_of(exec, op, vectors, seed, apart, in_place) <= 1);
              ++seed;
            }
          }
          watchdog.progress();
        }
      }
    }
  }
}

/// Many more rows than a device runs at once; fewer on CPUs, which have few threads, and where
/// nothing can wait: there one thread solves without a plan.
template <ExecutionSpace Exec>
constexpr std::int64_t more_rows_than_run() {
  if (emulated) return 2500;
  return backends::has_lanes<Exec> && backends::waits_make_progress<Exec> ? 1000000 : 20000;
}

/// Triangles of about `rows` rows: a chain, a grid, and wide levels.
inline Pattern long_chain(std::int64_t rows) { return lower_band("long chain", rows, {1}); }
inline Pattern large_grid(std::int64_t rows) {
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) <= rows) ++side;
  return lower_grid("large grid", side);
}
inline Pattern large_random(std::int64_t rows) {
  Random random(17);
  return lower_pattern("large and random", rows, [&](std::int64_t i) {
    return random_row(random, i, std::min<std::int64_t>(i, 5));
  });
}

}  // namespace heddle::test
