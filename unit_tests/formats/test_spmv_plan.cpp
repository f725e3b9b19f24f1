// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan promises beyond one right product.
#include <cstring>

#include "spmv_check.hpp"

namespace heddle::test {

using PlanTypes = Every<std::tuple<double>, UsualIndices>;

namespace {

Pattern pattern_named(const std::string& name) {
  for (Pattern& pattern : test_patterns()) {
    if (pattern.name == name) return std::move(pattern);
  }
  FAIL("no pattern ", name);
  return {};
}

template <class F>
Error error_of(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return Error("", "");
}

bool mentions(const Error& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("applies repeat bit for bit", T, repeats) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  std::vector<Pattern> patterns = test_patterns();
  for (Pattern& pattern : tile_patterns()) patterns.push_back(std::move(pattern));
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<T>(exec, pattern);
    const auto rows = static_cast<std::size_t>(A.host.rows());
    const auto x =
        copy_to<typename T::Space>(random_vector<S>(static_cast<std::size_t>(A.host.columns()), 5));
    for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
      const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
      Kokkos::View<S*, typename T::Space> y("heddle::test::y", rows);
      HostVector<S> first("heddle::test::first", rows);
      bool same = true;
      for (int run = 0; run < 6; ++run) {
        fill_with_poison(y);
        plan.apply(exec, S(1), x, S(0), y);
        exec.fence("heddle::test::applied");
        const auto result = to_host(y);
        if (run == 0) Kokkos::deep_copy(first, result);
        same =
            same && (rows == 0 || std::memcmp(result.data(), first.data(), rows * sizeof(S)) == 0);
      }
      CHECK_MESSAGE(same, A.name, ", ", scheme.to_string());
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(repeats, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("a sum that is not a number arrives, and nothing hangs", T, nan_sums) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("huge first and last row"));
  // The very NaN that stands for "no sum yet" between tiles, and an ordinary one.
  const std::uint64_t payload = 0x7ff8c5a1c5a1c5a1u;
  double strange;
  std::memcpy(&strange, &payload, sizeof(strange));
  for (const double bad : {strange, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    const auto x_host = random_vector<S>(static_cast<std::size_t>(A.host.columns()), 5);
    Kokkos::deep_copy(x_host, S(bad));
    const auto x = copy_to<typename T::Space>(x_host);
    for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
      const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
      Kokkos::View<S*, typename T::Space> y("heddle::test::y", A.host.rows());
      for (int run = 0; run < 2; ++run) plan.apply(exec, S(1), x, S(0), y);
      exec.fence("heddle::test::applied");
      const auto result = to_host(y);
      CHECK(!std::isfinite(result(0)));
      CHECK(!std::isfinite(result(64)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(nan_sums, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("new values need no new plan", T, new_values) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const char* name : {"power law", "one huge row", "unsorted columns with duplicates"}) {
    const Pattern pattern = pattern_named(name);
    const auto before = to_device<T>(exec, pattern, 1);
    const auto after = to_device<T>(exec, pattern, 2);
    for (const Transpose how : {Transpose::on_first_use, Transpose::stored, Transpose::atomics}) {
      for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
        SpmvPlan plan(exec, before.matrix(), {.scheme = scheme, .transpose = how});
        CHECK(apply_and_compare(exec, plan, before, Op::transpose, S(1), S(0)) == "");
        plan.update_values(exec, after.matrix());
        CHECK(apply_and_compare(exec, plan, after, Op::none, S(1), S(0)) == "");
        CHECK(apply_and_compare(exec, plan, after, Op::transpose, S(1), S(0)) == "");
      }
    }
    SpmvPlan plan(exec, before.matrix());
    const auto other = to_device<T>(exec, pattern_named("tridiagonal"));
    CHECK(mentions(error_of([&] { plan.update_values(exec, other.matrix()); }), "new plan"));
  }
}
TEST_CASE_TEMPLATE_APPLY(new_values, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("a plan moves, and tells of itself", T, tells) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("power law"));
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
    SpmvPlan moved = std::move(plan);
    CHECK(moved.scheme() == scheme);
    CHECK(moved.setup_time() > 0);
    const bool keeps_tiles = scheme.has("adaptive") || scheme.has("merge");
    CHECK((moved.bytes() > 0) == keeps_tiles);
    CHECK(apply_and_compare(exec, moved, A, Op::none, S(1), S(0)) == "");
    const std::size_t before = moved.bytes();
    CHECK(apply_and_compare(exec, moved, A, Op::transpose, S(1), S(0)) == "");
    CHECK(moved.bytes() > before + A.host.bytes());
  }
  const SpmvPlan chosen(exec, A.matrix());
  CHECK(!chosen.reason().empty());
}
TEST_CASE_TEMPLATE_APPLY(tells, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("wrong input is an error that says where", T, wrong_input) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("wide"));
  const auto plan_of = [&](const auto& host) {
    const auto device = host.template copy_to<typename T::Space>(exec);
    exec.fence("heddle::test::matrix");
    return SpmvPlan(exec, device.matrix());
  };

  SUBCASE("a scheme that does not exist") {
    for (const char* text : {"csr/merg", "cs/merge", "csr/subwarp=3", "csr", "csr/subwarp=128"}) {
      const Error error =
          error_of([&] { SpmvPlan(exec, A.matrix(), {.scheme = Scheme::parse(text)}); });
      CHECK(mentions(error, "csr"));
    }
    const Error error =
        error_of([&] { SpmvPlan(exec, A.matrix(), {.scheme = Scheme::parse("csr/merg")}); });
    CHECK(mentions(error, "csr/adaptive"));
  }
  SUBCASE("no columns") {
    const Error error = error_of([&] { SpmvPlan(exec, A.matrix(), {.columns = {0}}); });
    CHECK(mentions(error, "options.columns.count is 0"));
  }
  SUBCASE("a column out of range") {
    const auto bad = make_matrix<S, typename T::Ordinal, typename T::Offset>(pattern_named("wide"));
    const auto entry = static_cast<std::size_t>(bad.row_ptr()(5));
    bad.col_idx()(entry) = bad.columns();
    const Error error = error_of([&] { plan_of(bad); });
    CHECK(error.where().row == 5);
    CHECK(error.where().entry == static_cast<std::int64_t>(entry));
    bad.col_idx()(entry) = -1;
    CHECK(error_of([&] { plan_of(bad); }).where().row == 5);
  }
  SUBCASE("a row pointer that falls") {
    const auto bad = make_matrix<S, typename T::Ordinal, typename T::Offset>(pattern_named("wide"));
    bad.row_ptr()(6) = bad.row_ptr()(5) - 1;
    CHECK(error_of([&] { plan_of(bad); }).where().row == 5);
  }
  SUBCASE("vectors that do not fit") {
    const SpmvPlan plan(exec, A.matrix());
    const auto rows = static_cast<std::size_t>(A.host.rows());
    const auto columns = static_cast<std::size_t>(A.host.columns());
    using Vector = Kokkos::View<S*, typename T::Space>;
    using Vectors = Kokkos::View<S**, typename T::Space>;
    const Vector x("x", columns), y("y", rows);
    const auto apply = [&](const auto& from, const auto& to, Op op = Op::none) {
      plan.apply(exec, op, S(1), from, S(0), to);
    };
    CHECK(mentions(error_of([&] { apply(y, y); }), "x has"));
    CHECK(mentions(error_of([&] { apply(x, x); }), "y has"));
    CHECK(mentions(error_of([&] { apply(x, y, Op::transpose); }), "transpose"));
    CHECK(mentions(error_of([&] { apply(Vectors("x", columns, 2), Vectors("y", rows, 3)); }),
                   "columns"));
    CHECK_NOTHROW(apply(Vectors("x", columns, 0), Vectors("y", rows, 0)));
  }
}
TEST_CASE_TEMPLATE_APPLY(wrong_input, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("sums may be kept wider than values", T, wider) {
  const typename T::Exec exec;
  using Matrix = typename DeviceMatrix<T>::Matrix;
  const auto A = to_device<T>(exec, pattern_named("one huge row"));
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto columns = static_cast<std::size_t>(A.host.columns());

  const auto x = random_vector<double>(columns, 3);
  const HostVector<double> y("heddle::test::y", rows);
  const auto x_device = copy_to<typename T::Space>(x);
  const auto y_device = copy_to<typename T::Space>(y);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const SpmvPlan<typename T::Exec, Matrix, double> double_vectors(exec, A.matrix(),
                                                                    {.scheme = scheme});
    double_vectors.apply(exec, 1.0, x_device, 0.0, y_device);
    exec.fence("heddle::test::applied");
    CHECK(mismatch<double>(reference_spmv(A.host.matrix(), x, y), to_host(y_device)) == "");
  }

  // A sum of 20,000 floats in float is off by more than the last bit; in double it is not.
  const auto x_float = random_vector<float>(columns, 3);
  const HostVector<float> y_float("heddle::test::y", rows);
  const auto xf = copy_to<typename T::Space>(x_float);
  const auto yf = copy_to<typename T::Space>(y_float);
  const auto reference = reference_spmv(A.host.matrix(), x_float, y_float);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const SpmvPlan<typename T::Exec, Matrix, float, double> plan(exec, A.matrix(),
                                                                 {.scheme = scheme});
    plan.apply(exec, 1.0, xf, 0.0, yf);
    exec.fence("heddle::test::applied");
    const auto result = to_host(yf);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto exact = static_cast<double>(reference.values[i].real());
      CHECK(std::abs(result(i) - exact) <= std::abs(exact) * 0x1p-23 + 1e-12);
    }
  }
}
using FloatTypes = Every<std::tuple<float>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(wider, FloatTypes);

TEST_CASE_TEMPLATE_DEFINE("spmv() needs no plan", T, free_function) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    for (const Op op : {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose}) {
      const auto rows = static_cast<std::size_t>(A.host.rows());
      const auto columns = static_cast<std::size_t>(A.host.columns());
      const auto x = random_vector<S>(transposes(op) ? rows : columns, 3);
      const auto y = random_vector<S>(transposes(op) ? columns : rows, 4);
      const auto x_device = copy_to<typename T::Space>(x);
      const auto y_device = copy_to<typename T::Space>(y);
      spmv(exec, op, S(2), A.matrix(), x_device, S(-1), y_device);
      exec.fence("heddle::test::applied");
      const auto reference = reference_spmv(op, S(2), A.host.matrix(), x, S(-1), y);
      CHECK_MESSAGE(mismatch(reference, to_host(y_device)) == "", A.name, ", ", name(op));
    }
  }
}
using FreeTypes = Every<std::tuple<double, Kokkos::complex<float>>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(free_function, FreeTypes);

TEST_CASE_TEMPLATE_DEFINE("a plan runs on other instances of its device", T, instances) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("huge first and last row"));
  const auto parts = Kokkos::Experimental::partition_space(exec, 1, 1);
  const SpmvPlan plan(parts[0], A.matrix(), {.scheme = Scheme("csr", {{"adaptive"}})});
  CHECK(apply_and_compare(parts[0], plan, A, Op::none, S(1), S(0)) == "");
  CHECK(apply_and_compare(parts[1], plan, A, Op::none, S(1), S(0)) == "");
}
TEST_CASE_TEMPLATE_APPLY(instances, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("alpha = 0 reads neither A nor x", T, alpha_zero) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("power law"));
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto columns = static_cast<std::size_t>(A.host.columns());
  fill_with_poison(A.device.values());
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", std::max(rows, columns));
  fill_with_poison(x);
  const auto y_host = random_vector<S>(rows, 3);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const SpmvPlan plan(exec, A.matrix(), {.scheme = scheme});
    for (const Op op : {Op::none, Op::transpose}) {
      for (const S beta : {S(0), S(-2)}) {
        const auto y = copy_to<typename T::Space>(y_host);
        if (beta == S(0)) fill_with_poison(y);
        plan.apply(exec, op, S(0), Kokkos::subview(x, std::pair(std::size_t{0}, rows)), beta, y);
        exec.fence("heddle::test::applied");
        const auto result = to_host(y);
        bool right = true;
        for (std::size_t i = 0; i < rows; ++i) {
          right = right && result(i) == (beta == S(0) ? S(0) : beta * y_host(i));
        }
        CHECK_MESSAGE(right, scheme.to_string(), ", ", name(op));
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(alpha_zero, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("unchecked columns are the caller's word", T, unchecked) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("wide"));
  const SpmvPlan plan(exec, A.matrix(), {.check = false});
  CHECK(apply_and_compare(exec, plan, A, Op::none, S(1), S(0)) == "");
  // Set up, never applied: a column out of range goes unnoticed, a bad row pointer does not.
  auto bad = make_matrix<S, typename T::Ordinal, typename T::Offset>(pattern_named("wide"));
  bad.col_idx()(0) = bad.columns();
  const auto unnoticed = bad.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::matrix");
  CHECK_NOTHROW(SpmvPlan(exec, unnoticed.matrix(), {.check = false}));
  bad.row_ptr()(6) = bad.row_ptr()(5) - 1;
  const auto falling = bad.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::matrix");
  CHECK(error_of([&] { SpmvPlan(exec, falling.matrix(), {.check = false}); }).where().row == 5);
}
TEST_CASE_TEMPLATE_APPLY(unchecked, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("two plans run side by side on two instances", T, side_by_side) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto instances = Kokkos::Experimental::partition_space(exec, 1, 1);
  const auto A = to_device<T>(exec, pattern_named("huge first and last row"));
  const auto B = to_device<T>(exec, pattern_named("power law"));
  const auto xa = random_vector<S>(static_cast<std::size_t>(A.host.columns()), 3);
  const auto xb = random_vector<S>(static_cast<std::size_t>(B.host.columns()), 4);
  const auto xa_device = copy_to<typename T::Space>(xa);
  const auto xb_device = copy_to<typename T::Space>(xb);
  for (const Scheme& scheme : spmv_schemes<typename T::Exec>()) {
    const SpmvPlan plan_a(instances[0], A.matrix(), {.scheme = scheme});
    const SpmvPlan plan_b(instances[1], B.matrix(), {.scheme = scheme});
    const Kokkos::View<S*, typename T::Space> ya("heddle::test::ya", A.host.rows());
    const Kokkos::View<S*, typename T::Space> yb("heddle::test::yb", B.host.rows());
    exec.fence("heddle::test::ready");
    for (int run = 0; run < 20; ++run) {
      plan_a.apply(instances[0], S(1), xa_device, S(0), ya);
      plan_b.apply(instances[1], S(1), xb_device, S(0), yb);
    }
    for (const auto& instance : instances) instance.fence("heddle::test::applied");
    CHECK(mismatch(reference_spmv(A.host.matrix(), xa, ya), to_host(ya)) == "");
    CHECK(mismatch(reference_spmv(B.host.matrix(), xb, yb), to_host(yb)) == "");
  }
}
TEST_CASE_TEMPLATE_APPLY(side_by_side, PlanTypes);

TEST_CASE_TEMPLATE_DEFINE("a matrix of raw pointers is as good as one of Views", T, raw_pointers) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, pattern_named("every length to 80"));
  const typename DeviceMatrix<T>::Matrix raw(
      A.host.rows(), A.host.columns(), A.host.nonzeros(), A.matrix().row_ptr().data(),
      A.matrix().col_idx().data(), A.matrix().values().data());
  const SpmvPlan plan(exec, raw);
  CHECK(apply_and_compare(exec, plan, A, Op::none, S(2), S(-1)) == "");
}
TEST_CASE_TEMPLATE_APPLY(raw_pointers, PlanTypes);

TEST_CASE("a matrix is made from Views or raw pointers") {
  using Space = Kokkos::DefaultExecutionSpace::memory_space;
  const Kokkos::View<std::size_t*, Space> row_ptr("heddle::test::row_ptr", 4);
  const Kokkos::View<int*, Space> col_idx("heddle::test::col_idx", 0);
  const Kokkos::View<float*, Space> values("heddle::test::values", 0);
  const CsrMatrix A(3, 5, row_ptr, col_idx, values);
  static_assert(std::same_as<decltype(A), const CsrMatrix<float, int, std::size_t, Space>>);
  const CsrMatrix<float, int, std::size_t, Space> B(3, 5, std::size_t{0}, row_ptr.data(),
                                                    col_idx.data(), values.data());
  CHECK(B.rows() == A.rows());
  CHECK(B.nonzeros() == 0);
}

}  // namespace heddle::test
