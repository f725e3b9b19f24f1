// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioners in single precision under solvers in double: each beside itself in double.
#define HEDDLE_DEFINITIONS  // for float
#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/single_precision.hpp>
#include <limits>

#include "../../support/error_of.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int side = 30;
using Vector = Kokkos::View<double*, Space>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// The formats of a hierarchy in float that MultigridOptions::values makes.
template <class M>
using HierarchyFormats = std::conditional_t<heddle::detail::is_compiled<Exec, M>(), DefaultFormats,
                                            Formats<CsrFormat, BlockedEllFormat>>;
template <class M>
using SweepFormats =
    std::conditional_t<heddle::detail::is_compiled<Exec, M>(), EveryFormat, Formats<CsrFormat>>;
template <class M>
using Product =
    SpmvPlan<Exec, M, typename M::scalar_type, typename M::scalar_type, HierarchyFormats<M>>;

// Preconditioners of a matrix in either precision.
constexpr auto jacobi = []<class M>(const M& A) {
  return JacobiPreconditioner<Exec, typename M::scalar_type>(Exec(), A);
};
constexpr auto blocks = []<class M>(const M& A) {
  return BlockJacobiPreconditioner<Exec, typename M::scalar_type>(Exec(), A, 3);
};
constexpr auto polynomial = []<class M>(const M& A) {
  return ChebyshevPlan<Exec, M, Product<M>>(Exec(), A, spectrum_bounds(Exec(), A), 3);
};
constexpr auto sweep = []<class M>(const M& A) {
  return GaussSeidelPlan<Exec, M, SweepFormats<M>>(Exec(), A);
};
constexpr auto lu = []<class M>(const M& A) { return IluPlan<Exec, M>(Exec(), A); };
constexpr auto cholesky = []<class M>(const M& A) { return IcPlan<Exec, M>(Exec(), A); };
constexpr auto multigrid = []<class M>(const M& A) {
  const MultigridOptions options{.coarsest_rows = 40, .borrow_values = true};
  return MultigridPlan<Exec, M, HierarchyFormats<M>>(Exec(), A, options);
};

template <class Make, class Other>
constexpr bool same(const Make&, const Other&) {
  return std::same_as<Make, Other>;
}

/// Calls check(make) for every preconditioner.
template <class Check>
void with_each(const Check& check) {
  const auto run = [&](const std::string& name, const auto& make) {
    CAPTURE(name);
    check(make);
  };
  run("Jacobi", jacobi);
  run("block Jacobi", blocks);
  run("polynomial", polynomial);
  run("sweep", sweep);
  run("ILU", lu);
  run("IC", cholesky);
  run("multigrid", multigrid);
}

/// A grid with two coefficients, 1 and `jump`, in squares, held a little everywhere.
PlainOperator<Exec, double> with_jumps(double jump) {
  const Star star{side, side};
  const auto size = [=](int k) { return (k % side / 5 + k / side / 5) % 2 ? jump : 1.0; };
  return operator_where<Exec, double>(star.nodes(), star, [=](int i, int j) {
    const auto flow = [&](int k) { return 2 / (1 / size(i) + 1 / size(k)); };
    if (i != j) return -flow(j);
    double sum = 1e-2;
    star(i, [&](int k) { sum += k == i ? 0.0 : flow(k); });
    return sum;
  });
}

template <class M>
Vector applied(M& preconditioner, const Vector& b) {
  const Vector x("heddle::test::x", b.extent(0));
  preconditioner.apply(Exec(), b, x);
  Exec().fence("heddle::test::applied");
  return x;
}
Vector times(double factor, const Vector& b) {
  const Vector x("heddle::test::x", b.extent(0));
  heddle::vectors::axpby(Exec(), factor, b, 0.0, x);
  return x;
}

/// |x - y| / |y|
template <class V>
double difference(const V& x, const V& y) {
  const auto host_x = to_host(x), host_y = to_host(y);
  long double difference = 0, size = 0;  // squares may leave a double's range
  for (std::size_t i = 0; i < host_y.extent(0); ++i) {
    const long double d = Kokkos::abs(host_x(i) - host_y(i)), of_y = Kokkos::abs(host_y(i));
    difference += d * d;
    size += of_y * of_y;
  }
  return static_cast<double>(std::sqrt(difference / size));
}

template <class M>
KrylovResult solve(const PlainOperator<Exec, double>& a, const Vector& b, M& preconditioner) {
  auto applied = a;
  CgSolver<Exec, double> cg(Exec(), a.n, {.max_iterations = 3000});
  const Vector x("heddle::test::x", b.extent(0));
  const KrylovResult result = cg.solve(Exec(), applied, b, x, preconditioner);
  if (result.converged()) CHECK(residual_norms(a, b, x).residual <= 1.01e-8 * norm(b));
  return result;
}

}  // namespace

TEST_CASE("in single precision M is itself to rounding, in half of the bytes, for b of any scale") {
  const auto a = star(side, 4.1);
  const auto b = right_hand_side<double>(a.n);
  with_each([&](const auto& make) {
    auto exact = make(a.matrix());
    SinglePrecision m(Exec(), a.matrix(), make);
    CHECK(m.symmetric() == heddle::detail::krylov::symmetric(exact));
    CHECK(mentions(m.name(), " in single precision"));
    CHECK(mentions(m.name(), heddle::detail::krylov::name_of(exact)));
    if constexpr (requires { exact.explain(); }) CHECK(m.explain() == m.preconditioner().explain());
    const Vector x = applied(m, b);
    const double rounding = difference(x, applied(exact, b));
    CHECK(rounding > 0);
    CHECK(rounding < 1e-5);
    for (const double scale : {0x1p-900, 0x1p-40, 0x1p900}) {
      CAPTURE(scale);
      CHECK((bits_of(applied(m, times(scale, b))) == bits_of(times(scale, x))));
    }
    const Vector zero("heddle::test::zero", b.extent(0));
    CHECK((bits_of(applied(m, zero)) == bits_of(zero)));
  });
}

TEST_CASE("several vectors of unlike scales are each as alone, with any room for them") {
  const auto a = star(side, 4.1);
  const auto n = static_cast<std::size_t>(a.n);
  const Columns b("heddle::test::b", n, 5), x("heddle::test::x", n, 5);
  const auto column = [](const Columns& of, int c) {
    return Vector(Kokkos::subview(of, Kokkos::ALL, c));
  };
  for (int c = 0; c < 5; ++c) {
    Kokkos::deep_copy(column(b, c),
                      times(std::pow(10.0, 60 * c - 120),
                            right_hand_side<double>(a.n, static_cast<std::uint64_t>(c))));
  }
  with_each([&](const auto& make) {
    SinglePrecision m(Exec(), a.matrix(), make);
    for (const int room : {1, 3, 8}) {
      m.reserve(Exec(), room);
      m.apply(Exec(), b, x);
      Exec().fence("heddle::test::applied");
      for (int c = 0; c < 5; ++c) {
        CHECK(difference(column(x, c), applied(m, column(b, c))) < 1e-5);
      }
    }
  });
}

TEST_CASE(
    "a solve takes about as many iterations, with coefficients that jump and any scale of A") {
  const auto check = [](const PlainOperator<Exec, double>& a, double more, const auto& make) {
    const auto b = right_hand_side<double>(a.n);
    auto exact = make(a.matrix());
    SinglePrecision m(Exec(), a.matrix(), make);
    const KrylovResult in_double = solve(a, b, exact), in_float = solve(a, b, m);
    CHECK(in_float.converged());
    CHECK(in_float.iterations <= more * in_double.iterations + 3);
  };
  const auto smooth = star(side, 4.1), jumps = with_jumps(1e4), large_jumps = with_jumps(1e6);
  with_each([&](const auto& make) {
    for (const double scale : {1.0, 1e-30, 1e30}) {
      CAPTURE(scale);
      check(times(scale, smooth), 1.1, make);
    }
    check(jumps, 1.5, make);
    // In float a coarse diagonal entry that is a millionth of its summands counts as zero.
    check(large_jumps, same(make, multigrid) ? 10 : 1.7, make);
  });
}

TEST_CASE("every solver takes a preconditioner in single precision") {
  for (const std::string& method : one_of_each_solver()) {
    CAPTURE(method);
    System system = typical(method, side);
    system.bounds = {0.05, 1.5};
    SinglePrecision m(Exec(), system.a.matrix(), lu);
    CHECK(solve_by(method, system, {}, m).result.converged());
  }
  auto a = star(side, 4.1);
  LobpcgSolver<Exec, double> lobpcg(Exec(), a.n, {.count = 3, .relative_tolerance = 1e-9});
  const Columns x("heddle::test::x", static_cast<std::size_t>(a.n), 3);  // random instead of 0
  SinglePrecision m(Exec(), a.matrix(), multigrid);
  CHECK(lobpcg.solve(Exec(), a, x, m).converged());
  SinglePrecision forward(Exec(), a.matrix(), []<class M>(const M& A) {
    const GaussSeidelOptions options{.sweep = SweepDirection::forward};
    return GaussSeidelPlan<Exec, M, SweepFormats<M>>(Exec(), A, options);
  });
  const auto b = right_hand_side<double>(a.n);
  CHECK(mentions(error_of([&] { solve(a, b, forward); }), "sweep in single precision"));
}

TEST_CASE("new values are those of a new preconditioner") {
  const auto a = star(side, 4.1), other = times(0.7, star(side, 5));
  const auto b = right_hand_side<double>(a.n);
  with_each([&](const auto& make) {
    SinglePrecision m(Exec(), a.matrix(), make), updated(Exec(), other.matrix(), make);
    CHECK(difference(applied(updated, b), applied(m, b)) > 0.01);
    updated.update_values(Exec(), a.matrix());
    updated.check_values(Exec());
    if (same(make, polynomial) || same(make, multigrid)) return;  // bounds, aggregates of `other`
    CHECK((bits_of(applied(updated, b)) == bits_of(applied(m, b))));
  });
}

TEST_CASE("multigrid in single precision has the same bits by either way") {
  for (const auto& a : {star(side, 4.1), with_jumps(1e6)}) {
    const auto b = right_hand_side<double>(a.n);
    SinglePrecision m(Exec(), a.matrix(), multigrid);
    MultigridPlan plan(Exec(), a.matrix(),
                       {.values = MultigridValues::single_precision, .coarsest_rows = 40});
    const auto check = [&] {
      for (const double scale : {1.0, 1e-250, 1e250}) {
        CHECK((bits_of(applied(m, times(scale, b))) == bits_of(applied(plan, times(scale, b)))));
      }
    };
    check();
    const auto other = times(3, a);
    m.update_values(Exec(), other.matrix());
    plan.update_values(Exec(), other.matrix());
    check();
  }
}

TEST_CASE("values that float cannot hold are an Error, by their row; others may vanish") {
  const auto good = banded<double>(9, 1, [](int i, int j) { return i == j ? 4.0 : -1.0; });
  const auto with = [](int row, int column, double value) {
    return banded<double>(9, 1, [=](int i, int j) {
      return i == row && j == column ? value : i == j ? 4.0 : -1.0;
    });
  };
  SinglePrecision m(Exec(), good.matrix(), jacobi);
  const auto check = [&](const PlainOperator<Exec, double>& bad, const char* says) {
    CAPTURE(says);
    CHECK(mentions(error_of([&] { SinglePrecision(Exec(), bad.matrix(), jacobi); }), says));
    m.update_values(Exec(), bad.matrix());
    CHECK(mentions(error_of([&] { m.check_values(Exec()); }), says));
    m.update_values(Exec(), good.matrix());
    m.check_values(Exec());
  };
  check(with(5, 4, -1e39), "row 5: a value is too large for single precision");
  check(with(6, 6, 1e300), "row 6: a value is too large for single precision");
  check(with(7, 7, 1e-40), "row 7: a value is too large for single precision, or the diagonal");
  check(with(3, 3, std::numeric_limits<double>::quiet_NaN()), "row 3: the diagonal");
  check(with(2, 2, 0), "row 2: the diagonal");
  const auto vanishing = with(5, 4, -1e-60);
  CHECK_NOTHROW(SinglePrecision(Exec(), vanishing.matrix(), jacobi));
}

TEST_CASE("NaN in b reaches x, and no later x") {
  const auto a = star(side, 4.1);
  const auto b = right_hand_side<double>(a.n);
  with_each([&](const auto& make) {
    SinglePrecision m(Exec(), a.matrix(), make);
    const Vector bad = times(1, b);
    Kokkos::deep_copy(Kokkos::subview(bad, 7), std::numeric_limits<double>::quiet_NaN());
    const auto before = bits_of(applied(m, b));
    CHECK_FALSE(all_finite(applied(m, bad)));
    CHECK((bits_of(applied(m, b)) == before));
  });
}

TEST_CASE("complex numbers") {
  using S = Kokkos::complex<double>;
  const auto a = laplacian<Exec, S>(side);
  const auto b = right_hand_side<S>(a.n);
  const Kokkos::View<S*, Space> x("heddle::test::x", b.extent(0)),
      y("heddle::test::y", b.extent(0));
  SinglePrecision m(Exec(), a.matrix(), jacobi);
  m.apply(b, x);
  jacobi(a.matrix()).apply(b, y);
  Exec().fence("heddle::test::applied");
  CHECK(difference(x, y) < 1e-6);
}

}  // namespace heddle::test
