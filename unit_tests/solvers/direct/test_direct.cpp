// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direct factorizations: solutions judged by b - A x, which a serial loop computes here.
#include <heddle/direct.hpp>
#include <heddle/gmres.hpp>

#include "../../../solvers/direct/definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../testing/plan_types.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

/// Rows of entries, in their stored order.
template <Scalar S>
using Rows = std::vector<std::vector<std::pair<int, S>>>;
template <Scalar S>
using Long = std::conditional_t<is_complex<S>, Kokkos::complex<double>, long double>;
template <Scalar S>
Long<S> in_long(const S& value) {
  if constexpr (is_complex<S>) {
    return Long<S>(value.real(), value.imag());
  } else {
    return value;
  }
}

template <ExecutionSpace E, Scalar S, Offset Off = int>
struct Owned {
  using SpaceOf = typename E::memory_space;
  using Of = CsrMatrix<S, int, Off, SpaceOf>;
  int rows, columns;
  Kokkos::View<Off*, SpaceOf> row_ptr;
  Kokkos::View<int*, SpaceOf> col_idx;
  Kokkos::View<S*, SpaceOf> values;

  explicit Owned(const Rows<S>& from, int columns_of = -1)
      : rows(static_cast<int>(from.size())), columns(columns_of < 0 ? rows : columns_of) {
    std::vector<Off> begin(1);
    std::vector<int> column;
    std::vector<S> entries;
    for (const auto& row : from) {
      for (const auto& [j, value] : row) {
        column.push_back(j);
        entries.push_back(value);
      }
      begin.push_back(static_cast<Off>(column.size()));
    }
    row_ptr = copy_in<SpaceOf>(begin);
    col_idx = copy_in<SpaceOf>(column);
    values = copy_in<SpaceOf>(entries);
  }
  Of matrix() const { return Of(rows, columns, row_ptr, col_idx, values); }
};

template <class E, Scalar S, Offset Off = int>
using PlanOf = DirectPlan<E, typename Owned<E, S, Off>::Of>;

/// Random entries in the band from i - lower to i + upper; on the diagonal times `diagonal`.
template <Scalar S>
Rows<S> random_band(int n, int lower, int upper, double diagonal = 1, std::uint64_t seed = 1) {
  Random random(seed);
  Rows<S> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - lower); j <= std::min(n - 1, i + upper); ++j) {
      S value = random.scalar<S>();
      if (i == j) value *= S(static_cast<RealOf<S>>(diagonal));
      rows[static_cast<std::size_t>(i)].push_back({j, value});
    }
  }
  return rows;
}
template <Scalar S>
Rows<S> random_dense(int n, double diagonal = 1, std::uint64_t seed = 1) {
  return random_band<S>(n, n, n, diagonal, seed);
}
/// Row i and column i become row and column order[i].
template <Scalar S>
Rows<S> permuted(const Rows<S>& rows, const std::vector<int>& order) {
  Rows<S> other(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [j, value] : rows[i]) {
      other[static_cast<std::size_t>(order[i])].push_back(
          {order[static_cast<std::size_t>(j)], value});
    }
  }
  return other;
}
std::vector<int> shuffled(int n, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.below(i + 1))]);
  }
  return order;
}

/// The largest entry of b - A x in its rounding errors: n times the precision, times the magnitudes
/// that add up there. Independent of the units of rows and columns. With `of_all`, times the
/// largest such magnitude of all rows, for matrices whose x grows by orders of magnitude along a
/// band.
template <Scalar S, class X, class B>
double backward_error(const Rows<S>& rows, const X& x, const B& b, bool of_all = false) {
  long double worst = 0, largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Long<S> sum = in_long<S>(b(i));
    long double sizes = Kokkos::abs(sum);
    for (const auto& [j, value] : rows[i]) {
      const Long<S> term = in_long<S>(value) * in_long<S>(x(static_cast<std::size_t>(j)));
      sum -= term;
      sizes += Kokkos::abs(term);
    }
    const long double error = Kokkos::abs(sum);
    const bool finite = std::isfinite(error) && std::isfinite(sizes);
    if (!finite) return 1e30;
    if (error > 0) worst = std::max(worst, of_all ? error : error / sizes);
    largest = std::max(largest, sizes);
  }
  if (of_all && largest > 0) worst /= largest;
  const auto precision = static_cast<long double>(std::numeric_limits<RealOf<S>>::epsilon());
  return static_cast<double>(worst / precision / static_cast<long double>(rows.size()));
}

/// x of A x = b by a serial elimination with row pivots, in higher precision.
template <Scalar S, class B>
std::vector<Long<S>> serial_solution(const Rows<S>& rows, const B& b) {
  const std::size_t n = rows.size();
  std::vector<std::vector<Long<S>>> a(n, std::vector<Long<S>>(n + 1, Long<S>(0)));
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [j, value] : rows[i]) a[i][static_cast<std::size_t>(j)] += in_long<S>(value);
    a[i][n] = in_long<S>(b(i));
  }
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t best = p;
    for (std::size_t i = p; i < n; ++i) {
      if (Kokkos::abs(a[i][p]) > Kokkos::abs(a[best][p])) best = i;
    }
    std::swap(a[p], a[best]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == p) continue;
      const Long<S> factor = a[i][p] / a[p][p];
      for (std::size_t j = p; j <= n; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  std::vector<Long<S>> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(a[i][n] / a[i][i]);
  return x;
}

template <class E, class S>
Kokkos::View<S*, typename E::memory_space> poisoned(std::size_t n) {
  Kokkos::View<S*, typename E::memory_space> x("heddle::test::x", n);
  fill_with_poison(x);
  return x;
}

/// x of the plan for a random b, into NaN; and that b.
template <class E, Scalar S, class Plan>
auto solved(const Plan& plan, std::size_t n, std::uint64_t seed = 3) {
  const E exec;
  const auto b = random_vector<S>(n, seed);
  const auto x = poisoned<E, S>(n);
  plan.apply(exec, copy_to<typename E::memory_space>(b), x);
  exec.fence("heddle::test::applied");
  return std::pair(to_host(x), b);
}
template <class E, Scalar S>
double error_of_plan(const Rows<S>& rows, const DirectOptions& options = {}) {
  const Owned<E, S> a(rows);
  const PlanOf<E, S> plan(E(), a.matrix(), options);
  const auto [x, b] = solved<E, S>(plan, rows.size());
  return backward_error(rows, x, b);
}

const char* const every_scheme[] = {"direct/dense", "direct/band", "direct/band,ordering=natural",
                                    "direct/band,ordering=rcm"};

std::string error_text(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE_TEMPLATE("a full matrix is solved to rounding, by every scheme", S, float, double,
                   Kokkos::complex<float>, Kokkos::complex<double>) {
  for (const int n : {1, 2, 3, 16, 17, 33, 70}) {
    CAPTURE(n);
    const auto rows = random_dense<S>(n);
    for (const char* scheme : every_scheme) {
      CAPTURE(scheme);
      CHECK(error_of_plan<Exec, S>(rows, {.scheme = scheme}) < 4);
      CHECK(error_of_plan<Exec, S>(rows, {.refinement_steps = 1, .scheme = scheme}) < 1);
    }
    const Owned<Exec, S> a(rows);
    const PlanOf<Exec, S> plan(Exec(), a.matrix());
    const auto [x, b] = solved<Exec, S>(plan, rows.size());
    const auto expected = serial_solution<S>(rows, b);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      error = std::max(error, static_cast<double>(Kokkos::abs(in_long<S>(x(i)) - expected[i])));
      size = std::max(size, static_cast<double>(Kokkos::abs(expected[i])));
    }
    CHECK(error < size * 1e4 * n * static_cast<double>(std::numeric_limits<RealOf<S>>::epsilon()));
  }
}

TEST_CASE("many teams factor and solve what is large, to rounding") {
  // So many rows that solves have two teams, too.
  CHECK(error_of_plan<Exec, double>(random_dense<double>(emulated ? 150 : 530)) < 4);
  const auto band = random_band<double>(560, 20, 500);
  CHECK(error_of_plan<Exec, double>(band, {.scheme = "direct/band"}) < 4);
}

TEST_CASE("what has no teams that wait for each other factors with one") {
  using E = Portable<Kokkos::DefaultExecutionSpace>;
  if constexpr (!emulated) {
    for (const char* scheme : every_scheme) {
      CAPTURE(scheme);
      CHECK(error_of_plan<E, double>(random_dense<double>(90), {.scheme = scheme}) < 4);
    }
  }
}

TEST_CASE("rows are exchanged where the diagonal is zero or small") {
  const Rows<double> two = {{{1, 1.0}}, {{0, 1.0}}};
  Rows<double> cycle(40), tiny = random_dense<double>(40, 1e-14),
                          none = random_dense<double>(40, 0.0);
  for (int i = 0; i < 40; ++i) cycle[static_cast<std::size_t>(i)] = {{(i + 7) % 40, 2.0 + i}};
  for (const auto& rows : {two, cycle, tiny, none}) {
    for (const char* scheme : every_scheme) {
      CAPTURE(scheme);
      CHECK(error_of_plan<Exec, double>(rows, {.scheme = scheme}) < 4);
    }
    CHECK(error_of_plan<Exec, double>(rows) < 4);
  }
}

TEST_CASE_TEMPLATE("a band is factored as one, with exchanged rows", S, double,
                   Kokkos::complex<float>) {
  const int n = emulated ? 90 : 200;
  const std::pair<int, int> bands[] = {{0, 0}, {1, 1}, {0, 2},  {2, 0},
                                       {3, 1}, {1, 5}, {20, 4}, {17, 33}};
  for (const auto& [lower, upper] : bands) {
    CAPTURE(lower);
    CAPTURE(upper);
    // With a diagonal of 2 nothing is singular, even where the matrix is a triangle.
    auto rows = random_band<S>(n, lower, upper, 0.5);
    if (lower == 0 || upper == 0) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto& [j, value] : rows[i]) {
          if (j == static_cast<int>(i)) value = S(2);
        }
      }
    }
    const Owned<Exec, S> a(rows);
    const PlanOf<Exec, S> plan(Exec(), a.matrix(), {.ordering = DirectOrdering::natural});
    CHECK(plan.scheme().to_string() == "direct/band,ordering=natural");
    CHECK(plan.forecast().lower_bandwidth == lower);
    CHECK(plan.forecast().upper_bandwidth == upper);
    const auto [x, b] = solved<Exec, S>(plan, rows.size());
    CHECK(backward_error(rows, x, b, lower > upper) < 4);
  }
}

TEST_CASE("a band in disorder is found again, unless the natural order is asked for") {
  const int n = emulated ? 80 : 400;
  const auto band = random_band<double>(n, 3, 2), rows = permuted(band, shuffled(n, 5));
  const Owned<Exec, double> a(rows);
  const PlanOf<Exec, double> plan(Exec(), a.matrix()),
      natural(Exec(), a.matrix(), {.ordering = DirectOrdering::natural});
  CHECK(plan.scheme().to_string() == "direct/band,ordering=rcm");
  CHECK(plan.forecast().lower_bandwidth <= 10);
  CHECK(natural.scheme().to_string() != plan.scheme().to_string());
  CHECK(natural.forecast().flops > plan.forecast().flops);
  CHECK(plan.bytes() < natural.bytes());
  CHECK(plan.explain().find("direct/band,ordering=natural:") != std::string::npos);
  for (const auto* of : {&plan, &natural}) {
    const auto [x, b] = solved<Exec, double>(*of, rows.size());
    CHECK(backward_error(rows, x, b) < 4);
  }
  CHECK(error_of_plan<Exec, double>(rows, {.refinement_steps = 2}) < 1);
  // A full band is as narrow as can be in its own order, and no other is searched for.
  const Owned<Exec, double> ordered(band);
  const PlanOf<Exec, double> of_band(Exec(), ordered.matrix());
  CHECK(of_band.scheme().to_string() == "direct/band,ordering=natural");
  CHECK(of_band.explain().find("rcm") == std::string::npos);
}

TEST_CASE("without memory for a search the order is the natural one, unless rcm is asked for") {
  static int refused;
  refused = 0;
  const auto rows = permuted(random_band<double>(80, 3, 2), shuffled(80, 5));
  const Owned<Exec, double> a(rows);
  const auto make = [&](DirectOrdering ordering) {
    const auto before = Kokkos::Tools::Experimental::get_callbacks();
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](const char* label, std::uint32_t, std::uint64_t* id) {
          *id = 0;
          if (std::string(label).find("heddle::reorder") != 0) return;
          ++refused;
          throw OutOfMemory("no memory", "free some");
        });
    std::optional<PlanOf<Exec, double>> plan;
    std::string text;
    try {
      plan.emplace(Exec(), a.matrix(), DirectOptions{.ordering = ordering});
    } catch (const OutOfMemory& error) {
      text = error.problem();
    }
    Kokkos::Tools::Experimental::set_callbacks(before);
    return std::pair(std::move(plan), text);
  };
  const auto plan = make(DirectOrdering::automatic).first;
  CHECK(refused == 1);
  REQUIRE(plan);
  CHECK(plan->explain().find("rcm") == std::string::npos);
  const auto [x, b] = solved<Exec, double>(*plan, rows.size());
  CHECK(backward_error(rows, x, b) < 4);
  CHECK(make(DirectOrdering::rcm).second == "no memory");
  CHECK(refused == 2);
}

TEST_CASE("rows and unknowns in any units are solved as in equal ones") {
  for (const char* scheme : every_scheme) {
    CAPTURE(scheme);
    for (const int which : {0, 1, 2}) {
      CAPTURE(which);
      auto rows = random_dense<double>(40);
      Random random(9);
      std::vector<double> units;
      for (int i = 0; i < 40; ++i) {
        units.push_back(std::pow(10.0, static_cast<double>(random.below(281) - 140)));
      }
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto& [j, value] : rows[i]) {
          if (which == 0) value *= units[i];
          if (which == 1) value *= units[static_cast<std::size_t>(j)];
          if (which == 2) value *= 1e150;
        }
      }
      const Owned<Exec, double> a(rows);
      const PlanOf<Exec, double> plan(Exec(), a.matrix(), {.scheme = scheme});
      const Exec exec;
      auto b = random_vector<double>(rows.size(), 3);
      for (std::size_t i = 0; which == 0 && i < rows.size(); ++i) b(i) *= units[i];
      const auto x = poisoned<Exec, double>(rows.size());
      plan.apply(exec, copy_to<Space>(b), x);
      exec.fence("heddle::test::applied");
      CHECK(backward_error(rows, to_host(x), b) < 4);
    }
  }
}

TEST_CASE("entries near the ends of the range are neither zero nor infinite") {
  const double most = std::numeric_limits<double>::max();
  const Rows<double> every[] = {{{{0, most}}},
                                {{{0, 1e308}, {1, 0.5e308}}, {{0, -1e308}, {1, 0.5e308}}},
                                {{{0, 1.0}, {1, 1.0}}, {{1, 1e-200}, {2, 1e200}}, {{2, 1.0}}},
                                {{{0, 1.0}, {1, 1.0}}, {{2, 1.0}}, {{1, 1e-200}, {2, 1e200}}}};
  for (const auto& rows : every) {
    const std::size_t n = rows.size();
    CAPTURE(n);
    const auto b = random_vector<double>(n, 1);
    for (std::size_t i = 0; i < n; ++i) {
      b(i) = 0;
      for (const auto& [j, value] : rows[i]) b(i) += value;
    }
    // In the order of rcm, products of the factors leave the range.
    for (const char* scheme : {"direct/dense", "direct/band,ordering=natural"}) {
      CAPTURE(scheme);
      const Owned<Exec, double> a(rows);
      const PlanOf<Exec, double> plan(Exec(), a.matrix(), {.scheme = scheme});
      const auto x = poisoned<Exec, double>(n);
      plan.apply(Exec(), copy_to<Space>(b), x);
      CHECK(backward_error(rows, to_host(x), b) < 4);
    }
  }
}

TEST_CASE("a complex entry is finite where |re| + |im| is not, and no pivot") {
  const auto check = []<class S>(const S& large) {
    const S one(1), none(0);
    const Rows<S> rows = {{{0, one}, {1, large}}, {{1, one}}};
    const Owned<Exec, S> a(rows), pivot(Rows<S>{{{0, large}}});
    const PlanOf<Exec, S> plan(Exec(), a.matrix());
    const auto b = random_vector<S>(2, 1);
    b(0) = large;
    b(1) = one;
    const auto x = poisoned<Exec, S>(2);
    plan.apply(Exec(), copy_to<Space>(b), x);
    const auto found = to_host(x);
    CHECK((found(0) == none));
    CHECK((found(1) == one));
    CHECK_THROWS_WITH_AS((PlanOf<Exec, S>(Exec(), pivot.matrix())),
                         doctest::Contains("elimination overflows"), Error);
  };
  check(Kokkos::complex<double>(1e308, 1e308));
  check(Kokkos::complex<float>(3e38f, 3e38f));
}

TEST_CASE("a power of two in a row changes no pivot, and no bit of x") {
  auto rows = random_dense<double>(50);
  const Owned<Exec, double> a(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto& entry : rows[i]) entry.second *= std::exp2(static_cast<double>(i % 11) * 10);
  }
  const Owned<Exec, double> scaled(rows);
  const Exec exec;
  const auto b = random_vector<double>(50, 1), of_scaled = random_vector<double>(50, 1);
  for (std::size_t i = 0; i < 50; ++i) of_scaled(i) *= std::exp2(static_cast<double>(i % 11) * 10);
  const auto x = poisoned<Exec, double>(50), y = poisoned<Exec, double>(50);
  PlanOf<Exec, double>(exec, a.matrix()).apply(exec, copy_to<Space>(b), x);
  PlanOf<Exec, double>(exec, scaled.matrix()).apply(exec, copy_to<Space>(of_scaled), y);
  exec.fence("heddle::test::applied");
  CHECK((bits_of(x) == bits_of(y)));
}

TEST_CASE("refinement in the residuals of double precision makes float's x exact") {
  // Two rows that differ little, so that x is sensitive.
  auto rows = random_dense<float>(60);
  for (std::size_t j = 0; j < 60; ++j) {
    rows[7][j].second = rows[30][j].second + (j % 2 == 0 ? 1e-3f : -1e-3f);
  }
  const auto error = [&](int steps) {
    const Owned<Exec, float> a(rows);
    const PlanOf<Exec, float> plan(Exec(), a.matrix(), {.refinement_steps = steps});
    const auto [x, b] = solved<Exec, float>(plan, rows.size());
    const auto expected = serial_solution<float>(rows, b);
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      worst = std::max(worst, static_cast<double>(std::abs(x(i) - expected[i])));
      size = std::max(size, static_cast<double>(std::abs(expected[i])));
    }
    return worst / size;
  };
  CHECK(error(0) > 1e-6);
  CHECK(error(3) < 2e-7);
}

TEST_CASE("an exactly singular matrix is an error that names its column") {
  const auto check = [](const Rows<double>& rows, int column, const DirectOptions& options = {}) {
    const Owned<Exec, double> a(rows);
    const std::string says = "column " + std::to_string(column) + " has no pivot";
    CHECK_THROWS_WITH_AS((PlanOf<Exec, double>(Exec(), a.matrix(), options)),
                         doctest::Contains(says.c_str()), Error);
  };
  check({{{0, 0.0}}}, 0);
  check({{}}, 0);
  for (const char* scheme : every_scheme) {
    CAPTURE(scheme);
    check({{{0, 1.0}, {1, 2.0}}, {{0, 2.0}, {1, 4.0}}}, 1, {.scheme = scheme});
    Rows<double> missing = random_band<double>(30, 4, 4);
    for (auto& row : missing)
      std::erase_if(row, [](const auto& entry) { return entry.first == 0; });
    if (std::string(scheme).find("rcm") == std::string::npos) check(missing, 0, {.scheme = scheme});
    Rows<double> zero = random_band<double>(30, 4, 4);
    for (auto& row : zero) {
      for (auto& [j, value] : row) {
        if (j == 21) value = 0;
      }
    }
    check(zero, 21, {.scheme = scheme});
  }
}

TEST_CASE("new values replace the old ones; bad ones are reported until good ones come") {
  const Exec exec;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const char* scheme : every_scheme) {
    for (const int steps : {0, 1}) {
      CAPTURE(scheme);
      CAPTURE(steps);
      const auto rows = random_band<double>(50, 6, 9, 1, 1),
                 other = random_band<double>(50, 6, 9, 1, 2);
      const Owned<Exec, double> a(rows), of_other(other);
      const DirectOptions options{.refinement_steps = steps, .scheme = scheme};
      PlanOf<Exec, double> plan(exec, a.matrix(), options);
      const auto first = solved<Exec, double>(plan, 50).first;
      const auto version = plan.version();
      plan.update_values(exec, of_other.matrix());
      CHECK(plan.version() != version);
      const auto [x, b] = solved<Exec, double>(plan, 50);
      CHECK(backward_error(other, x, b) < 4);
      for (const double value : {std::nan(""), infinity, -infinity, 0.0}) {
        CAPTURE(value);
        auto bad = rows;
        for (const std::size_t i : {std::size_t{17}, std::size_t{33}}) {
          for (auto& entry : bad[i]) entry.second = value;
        }
        const Owned<Exec, double> of_bad(bad);
        plan.update_values(exec, of_bad.matrix());
        exec.fence("heddle::test::factored");
        std::int64_t word = 0;
        Kokkos::deep_copy(word, plan.bad_row());
        const std::string says = value == 0 ? "singular" : "row 17";
        CHECK(word > 0);
        CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains(says.c_str()), Error);
        CHECK_THROWS_WITH_AS((PlanOf<Exec, double>(exec, of_bad.matrix(), options)),
                             doctest::Contains(says.c_str()), Error);
        if (value != 0) CHECK(word == 18);
      }
      plan.update_values(exec, a.matrix());
      plan.check_values(exec);
      CHECK((bits_of(solved<Exec, double>(plan, 50).first) == bits_of(first)));
    }
  }
}

TEST_CASE("entries in any order, repeated ones and offsets of 64 bits are taken") {
  auto rows = random_dense<double>(30);
  Rows<double> split(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto entry = rows[i].rbegin(); entry != rows[i].rend(); ++entry) {
      split[i].push_back({entry->first, 0.25 * entry->second});
      split[i].push_back({entry->first, 0.75 * entry->second});
    }
  }
  const auto check = [&]<class Off>(Off) {
    const Owned<Exec, double, Off> a(split);
    const PlanOf<Exec, double, Off> plan(Exec(), a.matrix(), {.refinement_steps = 1});
    const auto [x, b] = solved<Exec, double>(plan, rows.size());
    CHECK(backward_error(split, x, b) < 1);
  };
  check(int());
  check(std::int64_t());
  check(std::uint32_t());
}

TEST_CASE("several right-hand sides have the bits of each alone, in either layout and in place") {
  const Exec exec;
  const auto rows = permuted(random_band<double>(90, 3, 3), shuffled(90, 4));
  const Owned<Exec, double> a(rows);
  for (const int steps : {0, 1}) {
    for (const char* scheme : every_scheme) {
      CAPTURE(scheme);
      const PlanOf<Exec, double> plan(
          exec, a.matrix(), {.refinement_steps = steps, .vectors = {.count = 2}, .scheme = scheme});
      const auto check = [&]<class Layout>(Layout) {
        const auto host = random_columns<double, Layout>(90, 5, 7);
        const auto b = copy_to<Space>(host);
        const Kokkos::View<double**, Layout, Space> x("heddle::test::x", 90, 5);
        fill_with_poison(x);
        plan.apply(exec, b, x);
        for (std::size_t v = 0; v < 5; ++v) {
          const auto one = poisoned<Exec, double>(90), own = poisoned<Exec, double>(90),
                     column = poisoned<Exec, double>(90);
          Kokkos::deep_copy(own, Kokkos::subview(b, Kokkos::ALL, v));
          Kokkos::deep_copy(column, Kokkos::subview(x, Kokkos::ALL, v));
          plan.apply(exec, own, one);
          plan.apply(exec, own, own);
          exec.fence("heddle::test::applied");
          CHECK((bits_of(one) == bits_of(column)));
          CHECK((bits_of(own) == bits_of(column)));
        }
        plan.apply(exec, b, b);
        exec.fence("heddle::test::applied");
        CHECK((bits_of(b) == bits_of(x)));
      };
      check(Kokkos::LayoutLeft());
      check(Kokkos::LayoutRight());
    }
  }
}

TEST_CASE("more right-hand sides than a plan solves for at once have the bits of each alone") {
  const Exec exec;
  const std::size_t n = 40, count = 70;
  const auto rows = random_band<double>(40, 5, 3);
  const Owned<Exec, double> a(rows);
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutLeft>(n, count, 7));
  for (const char* scheme : every_scheme) {
    CAPTURE(scheme);
    const DirectOptions options{.refinement_steps = 1, .vectors = {.count = 70}, .scheme = scheme};
    const PlanOf<Exec, double> plan(exec, a.matrix(), options);
    CHECK(plan.bytes() == PlanOf<Exec, double>::forecast(exec, a.matrix(), options).bytes);
    const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("heddle::test::x", n, count);
    fill_with_poison(x);
    plan.apply(exec, b, x);
    for (std::size_t v = 0; v < count; ++v) {
      CAPTURE(v);
      const auto one = poisoned<Exec, double>(n), column = poisoned<Exec, double>(n);
      Kokkos::deep_copy(column, Kokkos::subview(x, Kokkos::ALL, v));
      plan.apply(exec, Kokkos::subview(b, Kokkos::ALL, v), one);
      exec.fence("heddle::test::applied");
      CHECK((bits_of(one) == bits_of(column)));
    }
  }
}

TEST_CASE_TEMPLATE("every run has the same bits, on any number of threads", S, double,
                   Kokkos::complex<double>) {
  const int n = emulated ? 120 : 300;
  const auto rows = random_dense<S>(n);
  const Owned<Exec, S> a(rows);
  const auto b = copy_to<Space>(random_vector<S>(rows.size(), 1));
  const auto bits = [&](const Exec& exec) {
    const PlanOf<Exec, S> plan(exec, a.matrix(), {.refinement_steps = 1});
    const auto x = poisoned<Exec, S>(rows.size());
    plan.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    return bits_of(x);
  };
  const auto once = bits(Exec());
  CHECK((bits(Exec()) == once));
  for (const Exec& instance : two_instances(Exec())) CHECK((bits(instance) == once));
}

TEST_CASE("what does not fit into max_bytes is an error that says both numbers") {
  const Exec exec;
  const auto rows = random_dense<double>(40);
  const Owned<Exec, double> a(rows);
  using Plan = PlanOf<Exec, double>;
  for (const int steps : {0, 1}) {
    for (const char* scheme : every_scheme) {
      DirectOptions options{.refinement_steps = steps, .scheme = scheme};
      const auto forecast = Plan::forecast(exec, a.matrix(), options);
      const Plan plan(exec, a.matrix(), options);
      CHECK(plan.bytes() == forecast.bytes);
      CHECK(plan.forecast().bytes == forecast.bytes);
      CHECK(plan.scheme() == forecast.scheme);
      options.max_bytes = forecast.bytes;
      CHECK_NOTHROW(Plan(exec, a.matrix(), options));
      options.max_bytes = forecast.bytes - 1;
      const std::string text = error_text([&] { Plan(exec, a.matrix(), options); });
      CHECK(text.find("needs " + std::to_string(forecast.bytes) + " bytes") != std::string::npos);
      CHECK(text.find("is " + std::to_string(forecast.bytes - 1)) != std::string::npos);
      CHECK(Plan::forecast(exec, a.matrix(), options).bytes == forecast.bytes);
    }
  }
  // A dense matrix needs the fewest operations and the fewest bytes here.
  CHECK(Plan(exec, a.matrix()).scheme().to_string() == "direct/dense");
  // No number of bytes overflows.
  const int many = 1'000'000;
  Rows<double> far(static_cast<std::size_t>(many));
  for (int i = 0; i < many; ++i) far[static_cast<std::size_t>(i)] = {{many - 1 - i, 1.0}};
  const Owned<Exec, double> of_far(far);
  const DirectOptions natural{.ordering = DirectOrdering::natural};
  const std::string text = error_text([&] { Plan(exec, of_far.matrix(), natural); });
  CHECK(text.find("needs 80000") != std::string::npos);
}

TEST_CASE("one iteration of gmres suffices with complete factors") {
  const Exec exec;
  auto a = flow<Exec, double>(emulated ? 7 : 20);
  const auto b = right_hand_side<double>(a.n);
  const auto matrix = a.matrix();
  DirectPlan M(exec, matrix);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  GmresSolver<Exec, double> gmres(exec, a.n, {.relative_tolerance = 1e-12});
  const KrylovResult result = gmres.solve(exec, a, b, x, M);
  CHECK(result.converged());
  CHECK(result.iterations == 1);
  CHECK(relative_residual(a, b, x) < 1e-12);
}

TEST_CASE("a plan of no rows does nothing, and wrong shapes are errors") {
  const Exec exec;
  using Plan = PlanOf<Exec, double>;
  const Owned<Exec, double> none(Rows<double>{});
  const Kokkos::View<double*, Space> nothing("heddle::test::nothing", 0);
  for (const char* scheme : every_scheme) {
    Plan plan(exec, none.matrix(), {.refinement_steps = 1, .scheme = scheme});
    plan.apply(exec, nothing, nothing);
    plan.update_values(exec, none.matrix());
    plan.check_values(exec);
  }
  const auto rows = random_dense<double>(6);
  const Owned<Exec, double> a(rows), wide(rows, 7), smaller(random_dense<double>(5));
  CHECK_THROWS_WITH_AS(Plan(exec, wide.matrix()), doctest::Contains("6 x 7"), Error);
  Plan plan(exec, a.matrix());
  const auto five = poisoned<Exec, double>(5), six = poisoned<Exec, double>(6);
  CHECK_THROWS_WITH_AS(plan.apply(exec, five, six), doctest::Contains("b has 5 rows"), Error);
  CHECK_THROWS_WITH_AS(plan.apply(exec, six, five), doctest::Contains("x has 5 rows"), Error);
  CHECK_THROWS_AS(plan.update_values(exec, smaller.matrix()), Error);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> two("heddle::test::two", 6, 2),
      three("heddle::test::three", 6, 3);
  CHECK_THROWS_AS(plan.apply(exec, two, three), Error);
  const CsrMatrix<double, int, int, Space> pattern(6, 6, 36, a.row_ptr.data(), a.col_idx.data(),
                                                   nullptr);
  CHECK_THROWS_WITH_AS(Plan(exec, pattern), doctest::Contains("no values"), Error);
  CHECK_THROWS_WITH_AS(plan.update_values(exec, pattern), doctest::Contains("no values"), Error);
  const auto [x, b] = solved<Exec, double>(plan, 6);
  CHECK(backward_error(rows, x, b) < 4);
}

TEST_CASE("options that contradict each other, or say nothing, are errors") {
  const Exec exec;
  const Owned<Exec, double> a(random_dense<double>(6));
  const auto text = [&](const DirectOptions& options) {
    return error_text([&] { PlanOf<Exec, double>(exec, a.matrix(), options); });
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(says(text({.ordering = DirectOrdering::rcm, .scheme = "direct/dense"}), "no effect"));
  CHECK(says(text({.ordering = DirectOrdering::rcm, .scheme = "direct/band,ordering=natural"}),
             "give one of them"));
  CHECK(says(text({.scheme = "direct/round"}), "direct/dense"));
  CHECK(says(text({.scheme = "direct/band,ordering=amd"}), "ordering"));
  CHECK(says(text({.refinement_steps = -1}), "options.refinement_steps is -1"));
  CHECK(says(text({.vectors = {.count = 0}}), "options.vectors.count is 0"));
}

}  // namespace heddle::test
