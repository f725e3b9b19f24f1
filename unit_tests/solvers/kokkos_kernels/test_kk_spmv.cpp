// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk::spmv against the oracle; test_kokkos_kernels_spmv.cpp compares with Kokkos Kernels.
#include <doctest/doctest.h>

#include <heddle/kokkos_kernels.hpp>

#include "../../../formats/all_definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../../testing/format_suite/check.hpp"
#include "../../../testing/plan_types.hpp"
#include "../../support/crs_matrix.hpp"

namespace heddle::test {

namespace {

// A format that borrows the values, and one that copies them.
using TwoFormats = Formats<CsrFormat, EllFormat>;

template <class T>
struct Handles {
  using S = typename T::Scalar;
  using Matrix = CrsMatrix<S, typename T::Ordinal, typename T::Offset, typename T::Space>;
  template <class X, class Y = X>
  using Of = kk::SPMVHandle<typename T::Exec, Matrix, X, Y, TwoFormats>;
  using View = typename Vectors<S, typename T::Space>::View;
  using Handle = Of<View>;
  using Vector = Kokkos::View<S*, typename T::Space>;
};

struct Mode {
  const char* name;
  Op op;
};
constexpr Mode modes[] = {{"N", Op::none},
                          {"t", Op::transpose},
                          {"T", Op::transpose},
                          {"C", Op::conjugate},
                          {"n", Op::none},
                          {"c", Op::conjugate},
                          {"H", Op::conjugate_transpose},
                          {"h", Op::conjugate_transpose}};

/// Checks one product of several vectors by `multiply(mode, alpha, x, beta, y)` against the oracle;
/// if beta == 0, y is NaN before.
template <class T, class Multiply>
std::string problem(const DeviceMatrix<T>& A, const Mode& mode, typename T::Scalar alpha,
                    typename T::Scalar beta, std::size_t count, bool apart, Multiply multiply) {
  using S = typename T::Scalar;
  const auto x = random_vectors<S>(A.rows_of_x(mode.op), count, apart, 5);
  const auto y = random_vectors<S>(A.rows_of_y(mode.op), count, apart, 6);
  if (beta == S(0)) fill_with_poison(y.data());
  const auto x_device = x.template in<typename T::Space>();
  const auto y_device = y.template in<typename T::Space>();
  multiply(mode.name, alpha, x_device.view(), beta, y_device.view());
  Kokkos::fence("heddle::test::multiplied");
  const Reference right = reference_of<T>(A, mode.op, alpha, x, beta, y);
  const std::string wrong = mismatch(right, y_device.template in<Kokkos::HostSpace>().view());
  return wrong.empty() ? "" : A.name + ", mode " + mode.name + ": " + wrong;
}

using KkTypes = FewTypes;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("kk: every mode, of a handle that reads the values at each call", T,
                          every_mode) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto A = to_device<T>(exec, pattern);
    const auto theirs = crs_matrix(A.device);
    typename Handles<T>::Handle handle;
    for (const Mode& mode : modes) {
      for (const S alpha : {S(0), S(1), S(-2.5)}) {
        for (const S beta : {S(0), S(1), S(RealOf<S>(0.75))}) {
          CHECK(problem<T>(A, mode, alpha, beta, 1, true,
                           [&](const char* m, S a, const auto& x, S b, const auto& y) {
                             kk::spmv(exec, &handle, m, a, theirs, x, b, y);
                           }) == "");
        }
      }
    }
    CHECK(handle.plan().scheme().format() == "csr");
  }
}
TEST_CASE_TEMPLATE_APPLY(every_mode, KkTypes);

TEST_CASE_TEMPLATE_DEFINE("kk: algorithms, options, several vectors, no handle", T, ways) {
  using S = typename T::Scalar;
  using Handle = typename Handles<T>::Handle;
  const typename T::Exec exec;
  for (const char* name : {"0 x 7", "7 x 0", "all rows empty", "one huge row", "every length to 80",
                           "unsorted columns with duplicates"}) {
    const auto patterns = test_patterns();
    const auto found = std::find_if(patterns.begin(), patterns.end(),
                                    [&](const Pattern& p) { return p.name == name; });
    REQUIRE(found != patterns.end());
    const auto A = to_device<T>(exec, *found);
    const auto theirs = crs_matrix(A.device);
    Handle merge(kk::SPMV_MERGE_PATH), native(kk::SPMV_NATIVE), once(kk::SPMV_FAST_SETUP);
    Handle copies(SpmvOptions{.ops = {Op::transpose}});
    Handle* const handles[] = {&merge, &native, &once, &copies};
    for (const Mode& mode : modes) {
      for (const std::size_t count : {1, 3, 9, 0}) {
        for (const bool apart : {true, false}) {
          const S alpha(2), beta(count % 2 ? 0 : 1);
          for (Handle* handle : handles) {
            CHECK(problem<T>(A, mode, alpha, beta, count, apart,
                             [&](const char* m, S a, const auto& x, S b, const auto& y) {
                               kk::spmv(exec, handle, m, a, theirs, x, b, y);
                             }) == "");
          }
          CHECK(problem<T>(A, mode, alpha, beta, count, apart,
                           [&](const char* m, S a, const auto& x, S b, const auto& y) {
                             kk::spmv(exec, m, a, theirs, x, b, y);
                           }) == "");
        }
      }
    }
    CHECK(merge.plan().scheme().has("merge"));
    CHECK(merge.get_algorithm() == kk::SPMV_MERGE_PATH);
    CHECK_THROWS_AS(once.plan(), Error);
  }
}
TEST_CASE_TEMPLATE_APPLY(ways, KkTypes);

using One = OnePlanType<TwoFormats>;
using S = One::Scalar;

namespace {

/// A matrix, x of ones, and y.
struct Fixture {
  One::Exec exec;
  DeviceMatrix<One> A = to_device<One>(exec, banded_pattern("tridiagonal", 1000, 1000, {-1, 0, 1}));
  Handles<One>::Matrix theirs = crs_matrix(A.device);
  Handles<One>::Vector x{"heddle::test::x", 1000}, y{"heddle::test::y", 1000};

  Fixture() {
    Kokkos::deep_copy(x, 1);
    Kokkos::deep_copy(A.device.values(), 2);
  }
  /// Entry 500 of y after a product by a handle.
  template <class Handle>
  S middle(Handle& handle, const char* mode = "N") {
    Kokkos::deep_copy(y, -1);
    kk::spmv(exec, &handle, mode, 1, theirs, x, 0, y);
    exec.fence("heddle::test::applied");
    return to_host(y)(500);
  }
};

using Handle = Handles<One>::Of<Handles<One>::Vector>;

}  // namespace

TEST_CASE("kk: a handle made from an algorithm reads the values at each call") {
  Fixture f;
  Handle handle;
  for (const char* mode : {"N", "T"}) {
    Kokkos::deep_copy(f.A.device.values(), 2);
    CHECK(f.middle(handle, mode) == 6);
    Kokkos::deep_copy(f.A.device.values(), 3);
    CHECK(f.middle(handle, mode) == 9);
  }
  SUBCASE("and takes them from wherever they lie") {
    f.theirs.values = Handles<One>::Vector("heddle::test::values", f.theirs.values.extent(0));
    Kokkos::deep_copy(f.theirs.values, 5);
    CHECK(f.middle(handle) == 15);
    CHECK(f.middle(handle, "T") == 15);
  }
}

TEST_CASE("kk: a handle made from options takes values by update_values") {
  Fixture f;
  Handle handle(SpmvOptions{.scheme = Scheme("ell")});
  handle.update_values(f.exec, f.theirs);  // nothing to update yet
  CHECK(f.middle(handle) == 6);
  CHECK(f.middle(handle, "T") == 6);
  Kokkos::deep_copy(f.A.device.values(), 3);
  CHECK(f.middle(handle) == 6);  // the handle has a copy
  CHECK(f.middle(handle, "T") == 6);
  handle.update_values(f.exec, f.theirs);
  CHECK(f.middle(handle) == 9);
  CHECK(f.middle(handle, "T") == 9);

  f.theirs.values = Handles<One>::Vector("heddle::test::values", f.theirs.values.extent(0));
  CHECK_THROWS_WITH_AS(f.middle(handle), doctest::Contains("call update_values"), Error);
  handle.update_values(f.exec, f.theirs);
  CHECK(f.middle(handle) == 0);
}

TEST_CASE("kk: options that pin a scheme with atomic transposes need no stored one") {
  Fixture f;
  Handle handle(SpmvOptions{.scheme = Scheme::parse("csr/scalar,transpose=atomics")});
  CHECK(f.middle(handle, "T") == 6);
  Kokkos::deep_copy(f.A.device.values(), 3);
  CHECK(f.middle(handle, "T") == 9);
}

TEST_CASE("kk: a handle belongs to one matrix") {
  Fixture f, g;
  Handle handle;
  CHECK_THROWS_WITH_AS(handle.plan(), doctest::Contains("after the first spmv"), Error);
  CHECK(f.middle(handle) == 6);
  CHECK_THROWS_WITH_AS(g.middle(handle), doctest::Contains("another matrix"), Error);
  auto fewer = f.theirs;
  fewer.columns -= 1;
  CHECK_THROWS_AS(kk::spmv(f.exec, &handle, "N", 1, fewer, f.x, 0, f.y), Error);
  CHECK(f.middle(handle) == 6);
}

TEST_CASE("kk: products without a space or a handle") {
  Fixture f;
  Handle handle;
  const auto middle = [&] {
    Kokkos::fence("heddle::test::applied");
    const S result = to_host(f.y)(500);
    Kokkos::deep_copy(f.y, -1);
    return result;
  };
  kk::spmv(&handle, "N", 1, f.theirs, f.x, 0, f.y);
  CHECK(middle() == 6);
  kk::spmv("N", 1, f.theirs, f.x, 0, f.y);
  CHECK(middle() == 6);
  kk::spmv(f.exec, "T", 1, f.theirs, f.x, 0, f.y);
  CHECK(middle() == 6);
}

TEST_CASE("kk: what is refused") {
  Fixture f;
  Handle handle;
  CHECK_THROWS_WITH_AS(kk::spmv(f.exec, &handle, "X", 1, f.theirs, f.x, 0, f.y),
                       doctest::Contains("mode is 'X'"), Error);
  CHECK_THROWS_AS(kk::spmv(f.exec, "", 1, f.theirs, f.x, 0, f.y), Error);
  const Handles<One>::Vector small("heddle::test::small", 999);
  CHECK_THROWS_AS(kk::spmv(f.exec, &handle, "N", 1, f.theirs, small, 0, f.y), Error);
  CHECK_THROWS_AS(kk::spmv(f.exec, "N", 1, f.theirs, f.x, 0, small), Error);
  Kokkos::deep_copy(f.A.device.col_idx(), 1000);
  Handle another;
  CHECK_THROWS_WITH_AS(f.middle(another), doctest::Contains("row 0"), Error);

  enum Theirs {
    SPMV_DEFAULT,
    SPMV_BSR_V42,
    SPMV_FAST_SETUP,
    SPMV_NATIVE,
    SPMV_MERGE_PATH,
    SPMV_NATIVE_MERGE_PATH
  };
  CHECK(Handle(SPMV_NATIVE_MERGE_PATH).get_algorithm() == kk::SPMV_NATIVE_MERGE_PATH);
  CHECK_THROWS_WITH_AS(Handle{SPMV_BSR_V42}, doctest::Contains("blocks"), Error);
}

TEST_CASE("kk: vectors wider than the matrix") {
  using Float = Types<One::Exec, float, Indices32>;
  const One::Exec exec;
  const auto A = to_device<Float>(exec, banded_pattern("a row", 1, 2, {0, 1}));
  const float small = std::numeric_limits<float>::epsilon() / 2;
  Kokkos::deep_copy(A.device.values(), small);
  Kokkos::deep_copy(Kokkos::subview(A.device.values(), 0), 1.0f);
  const Handles<One>::Vector x("heddle::test::x", 2), y("heddle::test::y", 1);
  Kokkos::deep_copy(x, 1);
  kk::SPMVHandle<One::Exec, Handles<Float>::Matrix, Handles<One>::Vector, Handles<One>::Vector,
                 Formats<CsrFormat>>
      handle;
  kk::spmv(exec, &handle, "N", 1.0, crs_matrix(A.device), x, 0.0, y);
  exec.fence("heddle::test::applied");
  CHECK(to_host(y)(0) == 1.0 + double(small));
}

TEST_CASE("kk: the second product allocates nothing and waits for nothing") {
  Fixture f;
  Handle reads, copies(SpmvOptions{.scheme = Scheme("ell"), .check_overlap = false});
  for (Handle* handle : {&reads, &copies}) {
    for (const char* mode : {"N", "H"}) {
      f.middle(*handle, mode);
      const Recording recording;
      kk::spmv(f.exec, handle, mode, 1.0, f.theirs, f.x, 0.0, f.y);
      CHECK(strangers(Recording::seen()) == "");
      CHECK(count(Recording::seen(), Event::kernel) >= 1);
      CHECK(count(Recording::seen(), Event::allocation) == 0);
      CHECK(count(Recording::seen(), Event::copy) == 0);
      CHECK(count(Recording::seen(), Event::fence) == 0);
    }
  }
}

}  // namespace heddle::test
