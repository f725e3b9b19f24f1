// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse direct solutions by SuiteSparse: b - A x is computed here, serially.
#include <heddle/gmres.hpp>
#include <heddle/sparse_direct.hpp>

#include "../../../solvers/krylov/gmres_definitions.hpp"
#include "../../support/krylov.hpp"
#include "../../support/moves_only.hpp"

namespace heddle::test {

namespace {

template <Scalar S>
using PlanOf = SparseDirectPlan<Exec, typename PlainOperator<Exec, S>::Matrix>;

/// max |b - A x| over max |b| + max of sums of |A| |x|, in long double.
template <Scalar S, class X, class B>
double error_of(const PlainOperator<Exec, S>& a, const X& x, const B& b) {
  using Long = std::conditional_t<is_complex<S>, Kokkos::complex<double>, long double>;
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto values = to_host(a.values);
  long double worst = 0, sizes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    Long sum = Long(b(i));
    long double size = Kokkos::abs(sum);
    for (auto k = static_cast<std::size_t>(row_ptr(i));
         k < static_cast<std::size_t>(row_ptr(i + 1)); ++k) {
      const Long term = Long(values(k)) * Long(x(static_cast<std::size_t>(col_idx(k))));
      sum -= term;
      size += Kokkos::abs(term);
    }
    const long double rest = Kokkos::abs(sum);
    if (!std::isfinite(rest)) return 1;
    worst = std::max(worst, rest);
    sizes = std::max(sizes, size);
  }
  return static_cast<double>(sizes > 0 ? worst / sizes : worst);
}

template <Scalar S>
double error_of_plan(const PlainOperator<Exec, S>& a, const PlanOf<S>& plan) {
  const Exec exec;
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = random_vector<S>(n, 5);
  const Kokkos::View<S*, Space> x("heddle::test::x", n);
  fill_with_poison(x);
  plan.apply(exec, copy_to<Space>(b), x);
  return error_of(a, to_host(x), b);
}

/// A grid's matrix without symmetry and with zeros on its diagonal.
template <Scalar S>
PlainOperator<Exec, S> indefinite(int side) {
  return grid_operator<Exec, S>(side, [](int i, int j) {
    return i == j ? (i % 3 == 0 ? 0.0 : 1.0) : j > i ? 1.3 + 0.01 * (i % 7) : -0.8;
  });
}
/// A chain with a few far connections: factors without fill to speak of.
PlainOperator<Exec, double> circuit(int n) {
  return operator_where<Exec, double>(
      n,
      [n](int i, const auto& add) {
        if (i > 0) add(i - 1);
        add(i);
        if (i + 1 < n) add(i + 1);
        if (i % 50 == 0 && i + 100 < n) add(i + 100);
      },
      [](int i, int j) { return i == j  ? 3.0
                                : j > i ? -1.2
                                        : -0.7; });
}
const SparseDirectMethod any_matrix[] = {SparseDirectMethod::umfpack, SparseDirectMethod::klu};

template <class Run>
std::string error_text(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE_TEMPLATE("each library solves to rounding", S, double, Kokkos::complex<double>) {
  static_assert(moves_only<PlanOf<S>>);
  const auto laplace = laplacian<Exec, S>(25, 1e4), other = indefinite<S>(21);
  for (const int steps : {0, 1}) {
    const PlanOf<S> plan(Exec(), laplace.matrix(),
                         {.method = SparseDirectMethod::cholmod, .refinement_steps = steps});
    CHECK(plan.scheme().to_string() == "suitesparse/cholmod");
    CHECK(error_of_plan(laplace, plan) < 1e-14);
    for (const SparseDirectMethod method : any_matrix) {
      for (const auto* a : {&laplace, &other}) {
        const PlanOf<S> of(Exec(), a->matrix(), {.method = method, .refinement_steps = steps});
        CHECK(error_of_plan(*a, of) < 1e-13);
        CHECK(of.forecast().bytes > 0);
        CHECK(of.forecast().factor_entries >= static_cast<double>(a->n));
        CHECK(of.host_bytes() > 0);
      }
    }
  }
}

TEST_CASE("the library is chosen by symmetry, definiteness and fill") {
  const auto method = [](const PlainOperator<Exec, double>& a) {
    const PlanOf<double> plan(Exec(), a.matrix());
    CHECK(error_of_plan(a, plan) < 1e-14);
    CHECK(plan.explain().find(plan.scheme().to_string()) == 0);
    return plan.forecast().method;
  };
  CHECK(method(laplacian<Exec, double>(20)) == SparseDirectMethod::cholmod);
  CHECK(method(circuit(2000)) == SparseDirectMethod::klu);
  const auto solid = star_operator<Exec, double>(14, 14, 14, [](int i, int j) {
    return i == j ? 6.2 : j > i ? -0.7 : -1.3;
  });
  CHECK(method(solid) == SparseDirectMethod::umfpack);
  // Its diagonal is positive, and it is indefinite.
  const auto saddle =
      grid_operator<Exec, double>(20, [](int i, int j) { return i == j ? 1.0 : -1.0; });
  CHECK(method(saddle) != SparseDirectMethod::cholmod);
  CHECK(says(error_text([&] {
               PlanOf<double>(Exec(), saddle.matrix(), {.method = SparseDirectMethod::cholmod});
             }),
             "not positive definite"));
}

TEST_CASE("a Hermitian matrix is not its transpose") {
  using S = Kokkos::complex<double>;
  const auto a = laplacian<Exec, S>(9);
  const PlanOf<S> plan(Exec(), a.matrix());
  CHECK(plan.forecast().method == SparseDirectMethod::cholmod);
  CHECK(error_of_plan(a, plan) < 1e-14);
}

TEST_CASE("columns in any order, repeated entries, offsets of 64 bits and several vectors") {
  const Exec exec;
  const std::vector<std::int64_t> row_ptr = {0, 3, 5, 8};
  const std::vector<int> col_idx = {2, 0, 0, 1, 0, 1, 2, 1};
  const std::vector<double> values = {5, 1, 1, 3, 2, 0.5, 4, 0.5};
  const auto of_rows = copy_in<Space>(row_ptr);
  const auto of_columns = copy_in<Space>(col_idx);
  const auto of_values = copy_in<Space>(values);
  const CsrMatrix A(3, 3, of_rows, of_columns, of_values);
  const PlainOperator<Exec, double> same =
      plain_operator<Exec, double>({0, 2, 4, 6}, {0, 2, 0, 1, 1, 2}, {2, 5, 2, 3, 1, 4});
  for (const SparseDirectMethod method : any_matrix) {
    SparseDirectPlan plan(exec, A, {.method = method});
    const auto b = random_columns<double, Kokkos::LayoutRight>(3, 4, 2);
    const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", 3, 4);
    fill_with_poison(x);
    const auto device_b = copy_to<Space>(b);
    plan.apply(exec, device_b, x);
    const auto on_host = to_host(x);
    for (std::size_t v = 0; v < 4; ++v) {
      const auto one = Kokkos::subview(on_host, Kokkos::ALL, v),
                 right = Kokkos::subview(b, Kokkos::ALL, v);
      CHECK(error_of(same, one, right) < 1e-15);
    }
    plan.apply(exec, device_b, device_b);
    CHECK((bits_of(device_b) == bits_of(x)));
  }
}

TEST_CASE("new values are factored with the same analysis; bad ones are errors, good ones heal") {
  const Exec exec;
  const auto a = indefinite<double>(12), second = times(3.0, flow<Exec, double>(12));
  auto zero = times(1, a), infinite = times(1, a);
  Kokkos::deep_copy(zero.values, 0.0);
  Kokkos::deep_copy(Kokkos::subview(infinite.values, std::size_t{40}),
                    std::numeric_limits<double>::infinity());
  for (const SparseDirectMethod method : any_matrix) {
    PlanOf<double> plan(exec, a.matrix(), {.method = method});
    const auto version = plan.version();
    plan.update_values(exec, second.matrix());
    CHECK(plan.version() != version);
    CHECK(error_of_plan(second, plan) < 1e-14);
    CHECK(says(error_text([&] { plan.update_values(exec, zero.matrix()); }), "singular"));
    CHECK(says(error_text([&] { error_of_plan(a, plan); }), "no factors"));
    CHECK(
        says(error_text([&] { plan.update_values(exec, infinite.matrix()); }), "NaN or infinite"));
    plan.update_values(exec, a.matrix());
    CHECK(error_of_plan(a, plan) < 1e-13);
    CHECK_THROWS_AS(PlanOf<double>(exec, zero.matrix(), {.method = method}), Error);
    CHECK_THROWS_AS(PlanOf<double>(exec, infinite.matrix(), {.method = method}), Error);
  }
  const auto definite = laplacian<Exec, double>(12);
  PlanOf<double> plan(exec, definite.matrix());
  plan.update_values(exec, times(2, definite).matrix());
  CHECK(error_of_plan(times(2, definite), plan) < 1e-14);
  CHECK(says(error_text([&] { plan.update_values(exec, second.matrix()); }), "not symmetric"));
  CHECK(says(error_text([&] { plan.update_values(exec, times(-1, definite).matrix()); }),
             "not positive"));
  plan.update_values(exec, definite.matrix());
  CHECK(error_of_plan(definite, plan) < 1e-14);
}

TEST_CASE("what the analysis predicts is held to the limit, before anything is factored") {
  const Exec exec;
  const auto a = laplacian<Exec, double>(40);
  for (const auto method :
       {SparseDirectMethod::cholmod, SparseDirectMethod::klu, SparseDirectMethod::umfpack}) {
    SparseDirectOptions options{.method = method};
    const std::size_t bytes = PlanOf<double>(exec, a.matrix(), options).forecast().bytes;
    options.max_bytes = bytes;
    CHECK_NOTHROW(PlanOf<double>(exec, a.matrix(), options));
    options.max_bytes = bytes - 1;
    const std::string text = error_text([&] { PlanOf<double>(exec, a.matrix(), options); });
    CHECK(says(text, "need " + std::to_string(bytes) + " bytes"));
    CHECK(says(text, std::to_string(bytes - 1)));
  }
}

TEST_CASE("without a limit that one library holds, the error has the fewest bytes of all") {
  const Exec exec;
  const auto check = [&](const PlainOperator<Exec, double>& a,
                         const std::vector<SparseDirectMethod>& methods) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const SparseDirectMethod method : methods) {
      const PlanOf<double> plan(exec, a.matrix(), {.method = method});
      least = std::min(least, plan.forecast().bytes);
    }
    const std::string text =
        error_text([&] { PlanOf<double>(exec, a.matrix(), {.max_bytes = least - 1}); });
    CHECK(says(text, "need " + std::to_string(least) + " bytes"));
    CHECK(PlanOf<double>(exec, a.matrix(), {.max_bytes = least}).forecast().bytes == least);
  };
  check(laplacian<Exec, double>(20), {SparseDirectMethod::cholmod, SparseDirectMethod::umfpack});
  check(circuit(2000), {SparseDirectMethod::klu, SparseDirectMethod::umfpack});
}

TEST_CASE("refinement corrects what pivots below the largest lose") {
  // KLU takes a diagonal of a thousandth of the largest entry.
  const auto a = grid_operator<Exec, double>(20, [](int i, int j) {
    return i == j ? 0.002 : j > i ? 1.3 + 0.01 * (i % 7) : -0.8;
  });
  const auto error = [&](int steps) {
    return error_of_plan(
        a, PlanOf<double>(Exec(), a.matrix(),
                          {.method = SparseDirectMethod::klu, .refinement_steps = steps}));
  };
  CHECK(error(0) > 1e-14);
  CHECK(error(1) < 1e-15);
}

TEST_CASE("one iteration of gmres suffices") {
  const Exec exec;
  auto a = flow<Exec, double>(30);
  const auto b = right_hand_side<double>(a.n);
  PlanOf<double> M(exec, a.matrix());
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  GmresSolver<Exec, double> gmres(exec, a.n, {.relative_tolerance = 1e-12});
  const KrylovResult result = gmres.solve(exec, a, b, x, M);
  CHECK(result.converged());
  CHECK(result.iterations == 1);
}

TEST_CASE("no rows, wrong shapes and wrong options") {
  const Exec exec;
  const auto none = plain_operator<Exec, double>({0}, {}, {});
  const Kokkos::View<double*, Space> nothing("heddle::test::nothing", 0);
  PlanOf<double> empty(exec, none.matrix());
  empty.apply(exec, nothing, nothing);
  empty.update_values(exec, none.matrix());
  const auto one = plain_operator<Exec, double>({0, 1}, {0}, {4.0});
  CHECK(error_of_plan(one, PlanOf<double>(exec, one.matrix())) == 0);
  const auto singular = plain_operator<Exec, double>({0, 0}, {}, {});
  for (const SparseDirectMethod method :
       {SparseDirectMethod::automatic, SparseDirectMethod::cholmod, SparseDirectMethod::klu,
        SparseDirectMethod::umfpack}) {
    CHECK(says(error_text([&] { PlanOf<double>(exec, singular.matrix(), {.method = method}); }),
               "singular: it has no entries"));
  }
  using Complex = Kokkos::complex<double>;  // finite, though its magnitude is not
  const auto large = plain_operator<Exec, Complex>({0, 1}, {0}, {Complex(1.5e308, 1.5e308)});
  CHECK(!says(error_text([&] { PlanOf<Complex>(exec, large.matrix()); }), "NaN or infinite"));
  const auto a = flow<Exec, double>(4);
  PlanOf<double> plan(exec, a.matrix());
  const Kokkos::View<double*, Space> x("heddle::test::x", 16), five("heddle::test::five", 5);
  CHECK(says(error_text([&] { plan.apply(exec, five, x); }), "b has 5 rows"));
  CHECK(says(error_text([&] { plan.apply(exec, x, five); }), "x has 5 rows"));
  CHECK_THROWS_AS(plan.update_values(exec, one.matrix()), Error);
  const Kokkos::View<double*, Space> both("heddle::test::both", 20);
  CHECK(says(error_text([&] {
               plan.apply(exec, Kokkos::subview(both, std::pair(0, 16)),
                          Kokkos::subview(both, std::pair(4, 20)));
             }),
             "x overlaps b in part"));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> no_columns("heddle::test::none", 16, 0);
  CHECK_NOTHROW(plan.apply(exec, no_columns, no_columns));
  const PlainOperator<Exec, double>::Matrix wide(16, 17, a.row_ptr, a.col_idx, a.values);
  CHECK(says(error_text([&] { PlanOf<double>(exec, wide); }), "16 x 17"));
  CHECK(says(error_text([&] { PlanOf<double>(exec, a.matrix(), {.refinement_steps = -1}); }),
             "refinement_steps"));
  CHECK(says(error_text([&] {
               PlanOf<double>(exec, a.matrix(), {.method = SparseDirectMethod::cholmod});
             }),
             "row 0"));
  CHECK(says(error_text([&] { PlanOf<double>().apply(exec, x, x); }), "is empty"));
}

}  // namespace heddle::test
