// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors within solvers, and refusals of plans.
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>

#include "../../../solvers/ilu/definitions.hpp"
#include "../../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/grid_operator.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Matrix = PlainOperator<Exec, double>::Matrix;
using Default = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Owned = OwnedMatrix<Default>;
using Vector = Kokkos::View<double*, Space>;

std::int64_t bad_row(
    const Kokkos::View<const std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>& word) {
  std::int64_t bad = -1;
  Kokkos::deep_copy(bad, word);
  return bad - 1;
}

}  // namespace

TEST_CASE("cg needs fewer iterations, the fewer the more fill") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 12 : 50);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  std::int64_t before = cg.solve(exec, a, b, x).iterations;
  for (const int level : {0, 1, 3}) {
    CAPTURE(level);
    IluPlan<Exec, Matrix> lu(exec, a.matrix(), {.fill_level = level});
    const KrylovResult by_lu = cg.solve(exec, a, b, x, lu);
    CHECK(by_lu.converged());
    CHECK(relative_residual(a, b, x) < 2e-8);
    IcPlan<Exec, Matrix> cholesky(exec, a.matrix(), {.fill_level = level});
    const KrylovResult by_cholesky = cg.solve(exec, a, b, x, cholesky);
    CHECK(by_cholesky.converged());
    CHECK(relative_residual(a, b, x) < 2e-8);
    CHECK(std::abs(by_lu.iterations - by_cholesky.iterations) <= 1);
    CHECK(by_lu.iterations < before);
    before = by_lu.iterations;
    IcPlan<Exec, Matrix> in_float(
        exec, a.matrix(), {.fill_level = level, .factor_values = FactorValues::single_precision});
    const KrylovResult by_float = cg.solve(exec, a, b, x, in_float);
    CHECK(by_float.converged());
    CHECK(by_float.iterations <= by_cholesky.iterations + 1);
  }
  // Factors of subdomains need more iterations than those of the whole matrix.
  IcPlan<Exec, Matrix> whole(exec, a.matrix()), parts(exec, a.matrix(), {.subdomains = 6});
  const auto of_whole = cg.solve(exec, a, b, x, whole).iterations;
  const KrylovResult of_parts = cg.solve(exec, a, b, x, parts);
  CHECK(of_parts.converged());
  CHECK(of_parts.iterations > of_whole);
}

TEST_CASE("several right-hand sides at once") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 30);
  const auto n = static_cast<std::size_t>(a.n);
  IcPlan<Exec, Matrix> ic(exec, a.matrix(), {.vectors = {.count = 3}});
  CgSolver<Exec, double> cg(exec, a.n, {.vectors = 3});
  SpmvPlan<Exec, Matrix, double, double, Formats<Shared<CsrFormat>>> A(exec, a.matrix());
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutRight>(n, 3, 1));
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", n, 3);
  CHECK(cg.solve(exec, A, b, x, ic).converged());
  const Vector of_b("heddle::test::b", n), of_x("heddle::test::x", n);
  for (int c = 0; c < 3; ++c) {
    Kokkos::deep_copy(of_b, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(of_x, Kokkos::subview(x, Kokkos::ALL, c));
    CHECK(relative_residual(a, of_b, of_x) < 2e-8);
  }
}

TEST_CASE("bicgstab and gmres need fewer iterations") {
  const Exec exec;
  auto a = flow<Exec, double>(emulated ? 10 : 40);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  IluPlan<Exec, Matrix> lu(exec, a.matrix());
  const auto solve = [&](auto& solver) {
    Kokkos::deep_copy(x, 0.0);
    const auto plain = solver.solve(exec, a, b, x).iterations;
    Kokkos::deep_copy(x, 0.0);
    const KrylovResult with = solver.solve(exec, a, b, x, lu);
    CHECK(with.converged());
    CHECK(relative_residual(a, b, x) < 1e-7);
    CHECK(2 * with.iterations <= plain);
  };
  BicgstabSolver<Exec, double> bicgstab(exec, a.n);
  solve(bicgstab);
  GmresSolver<Exec, double> gmres(exec, a.n);
  solve(gmres);
}

TEST_CASE("sweeps of lu are no preconditioner for cg, and say so") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 20);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n);
  IluPlan<Exec, Matrix> lu(exec, a.matrix(), {.scheme = Scheme("ilu/sweeps")});
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, lu), doctest::Contains("is not symmetric"), Error);
  IcPlan<Exec, Matrix> ic(exec, a.matrix(), {.scheme = Scheme("ic/sweeps")});
  CHECK(cg.solve(exec, a, b, x, ic).converged());
}

TEST_CASE("new values, and pivots that go bad") {
  const Exec exec;
  const auto rows = ascending(random_rows<double>(40, 3, false, 1));
  auto other = rows, zero = rows, nan = rows;
  for (auto& row : other) {
    for (auto& entry : row) entry.second *= 1.5;
  }
  // Rows 11 and 17 have a diagonal alone, which no update changes.
  for (auto* const changed : {&zero, &nan}) {
    for (const std::size_t i : {std::size_t{11}, std::size_t{17}}) {
      for (auto& [column, value] : (*changed)[i]) {
        const bool diagonal = column == static_cast<std::int64_t>(i);
        value = !diagonal ? 0.0 : changed == &zero ? 0.0 : std::nan("");
      }
    }
  }
  const Owned a(rows), of_other(other), of_zero(zero), of_nan(nan);
  IluPlan<Exec, Owned::Matrix> plan(exec, a.matrix());
  const auto before = plan.version();
  CHECK(bad_row(plan.bad_row()) == -1);
  plan.update_values(exec, of_other.matrix());
  CHECK(plan.version() != before);
  plan.check_values(exec);
  CHECK(difference(plan.factors(exec), reference_lu(other, {})) < 1e-14);
  for (const Owned* bad : {&of_zero, &of_nan}) {
    plan.update_values(exec, bad->matrix());
    exec.fence("heddle::test::factored");
    CHECK(bad_row(plan.bad_row()) == 11);  // the lowest row
    CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 11"), Error);
    using Plan = IluPlan<Exec, Owned::Matrix>;
    CHECK_THROWS_WITH_AS(Plan(exec, bad->matrix()), doctest::Contains("row 11"), Error);
  }
  plan.update_values(exec, a.matrix());
  plan.check_values(exec);
  CHECK(difference(plan.factors(exec), reference_lu(rows, {})) < 1e-14);
}

TEST_CASE("a pivot floor lifts small pivots, and keeps their sign or phase") {
  using S = Kokkos::complex<double>;
  using T = Types<DefaultDevice, S, Indices<std::int32_t, std::int32_t>>;
  const Exec exec;
  const HostRows<S> rows = {
      {{0, S(0)}}, {{1, S(-0.01)}}, {{2, S(0, 0.001)}}, {{3, S(-3)}}, {{4, S(0.03, -0.04)}}};
  const OwnedMatrix<T> a(rows);
  IluPlan<Exec, OwnedMatrix<T>::Matrix> plan(exec, a.matrix(), {.pivot_floor = 0.5});
  plan.check_values(exec);
  const auto factors = plan.factors(exec);
  const auto pivots = to_host(factors.values());
  const S expected[] = {S(0.5), S(-0.5), S(0, 0.5), S(-3), S(0.3, -0.4)};
  for (std::size_t i = 0; i < 5; ++i) CHECK(Kokkos::abs(pivots(i) - expected[i]) < 1e-15);
  CHECK(plan.residual(exec, a.matrix()) > 0.1);
}

TEST_CASE("an empty plan names what was called, and takes one that was made") {
  const Exec exec;
  const auto rows = random_rows<double>(10, 2, true, 1);
  const Owned a(rows);
  const auto check = [&]<class Plan>(std::type_identity<Plan>, const std::string& type) {
    Plan plan;
    const Vector x("heddle::test::x", 10), y("heddle::test::y", 10);
    const auto empty = [&](const char* called, const auto& call) {
      const std::string text = type + "::" + called + " was called on an object that is empty";
      CHECK_THROWS_WITH_AS(call(), doctest::Contains(text.c_str()), Error);
    };
    empty("apply", [&] { plan.apply(exec, x, x); });
    empty("update_values", [&] { plan.update_values(exec, a.matrix()); });
    empty("bad_row", [&] { plan.bad_row(); });
    empty("check_values", [&] { plan.check_values(exec); });
    empty("residual", [&] { plan.residual(exec, a.matrix()); });
    empty("factors", [&] { plan.factors(exec); });
    empty("diagonal_growth", [&] { plan.diagonal_growth(); });
    empty("scheme", [&] { plan.scheme(); });
    empty("setup_seconds", [&] { plan.setup_seconds(); });
    empty("bytes", [&] { plan.bytes(); });
    plan = Plan(exec, a.matrix());
    Kokkos::deep_copy(x, 1.0);
    plan.apply(exec, x, y);
    exec.fence("heddle::test::applied");
    const auto bits = bits_of(y);
    plan = Plan();
    empty("apply", [&] { plan.apply(exec, x, y); });
    // Updates on the default instance, of a plan whose type is deduced.
    plan = Plan(a.matrix(), {.check_pattern = false});
    plan.update_values(a.matrix());
    for (const bool with_op : {false, true}) {
      Kokkos::deep_copy(y, 0.0);
      with_op ? plan.apply(Op::none, x, y) : plan.apply(x, y);
      Exec{}.fence("heddle::test::applied");
      CHECK((bits_of(y) == bits));
    }
  };
  check(std::type_identity<IluPlan<Exec, Owned::Matrix>>(), "IluPlan");
  check(std::type_identity<IcPlan<Exec, Owned::Matrix>>(), "IcPlan");
  const auto single = IluOptions{.factor_values = FactorValues::single_precision};
  static_assert(
      std::same_as<decltype(IluPlan(exec, a.matrix(), single)), IluPlan<Exec, Owned::Matrix>>);
  static_assert(
      std::same_as<decltype(IcPlan(exec, a.matrix(), single)), IcPlan<Exec, Owned::Matrix>>);
}

TEST_CASE("wrong input is an error that names the row") {
  const Exec exec;
  using Plan = IluPlan<Exec, Owned::Matrix>;
  using Ic = IcPlan<Exec, Owned::Matrix>;
  const auto rows = random_rows<double>(10, 2, false, 1);
  const Owned a(rows);
  const auto refuses = [&](const IluOptions& options, const char* text) {
    CHECK_THROWS_WITH_AS(Plan(exec, a.matrix(), options), doctest::Contains(text), Error);
    CHECK_THROWS_WITH_AS(Ic(exec, a.matrix(), options), doctest::Contains(text), Error);
  };
  refuses({.fill_level = -1}, "options.fill_level is -1");
  refuses({.pivot_floor = std::nan("")}, "options.pivot_floor");
  refuses({.block_size = 0}, "options.block_size is 0");
  refuses({.subdomains = 0}, "options.subdomains is 0");
  refuses({.partition = {0, 1}}, "2 entries for 10 rows");
  refuses({.subdomains = 2, .partition = std::vector<int>(10)}, "both given");
  refuses({.vectors = {.count = 0}}, "options.vectors.count is 0");
  refuses({.expected_applies = -1}, "options.expected_applies is -1");
  refuses({.scheme = Scheme("csr/scalar")}, "csr/scalar");
  refuses({.threads = -1}, "options.threads");
  for (const bool whole : {false, true}) {
    auto without = rows;  // a diagonal, or a full row
    std::erase_if(without[6], [&](const auto& entry) { return whole || entry.first == 6; });
    const Owned holed(without);
    CHECK_THROWS_WITH_AS(Plan(exec, holed.matrix()),
                         doctest::Contains("row 6: there is no diagonal"), Error);
    CHECK_THROWS_WITH_AS(Ic(exec, holed.matrix()), doctest::Contains("row 6"), Error);
  }
  auto outside = rows;
  outside[3].emplace_back(10, 1.0);
  const Owned wide(outside);
  CHECK_THROWS_WITH_AS(Plan(exec, wide.matrix()), doctest::Contains("row 3"), Error);
  const Kokkos::View<int*, Space> row_ptr("heddle::test::row_ptr", 6);
  const Owned::Matrix rectangular(5, 10, 0, row_ptr.data(), nullptr, nullptr);
  CHECK_THROWS_WITH_AS(Plan(exec, rectangular), doctest::Contains("5 x 10"), Error);
  Plan plan(exec, a.matrix());
  const Owned larger(random_rows<double>(11, 2, false, 1));
  CHECK_THROWS_WITH_AS(plan.update_values(exec, larger.matrix()),
                       doctest::Contains("a matrix of 11 x 11"), Error);
  const Vector x("heddle::test::x", 10), longer("heddle::test::y", 11);
  CHECK_THROWS_AS(plan.apply(exec, longer, x), Error);
  CHECK_THROWS_WITH_AS(plan.apply(exec, Op::transpose, x, x), doctest::Contains("not prepared"),
                       Error);
  Plan moved = std::move(plan);
  moved.apply(exec, x, x);
  exec.fence("heddle::test::applied");
  CHECK_THROWS_WITH_AS(plan.apply(exec, x, x), doctest::Contains("moved from"), Error);
}

}  // namespace heddle::test
