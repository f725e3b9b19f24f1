// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <heddle/spmv.hpp>
#include <limits>

#include "../../testing/user_format.hpp"
#include "../support/shared_formats.hpp"

using namespace heddle;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Space = Exec::memory_space;

namespace {

/// A format without inspect.
struct WithoutInspect : CsrFormat {
 private:
  static void inspect();
};

/// A format whose inspect returns no executor.
struct MakesNumbers : user::DenseFormat {
  template <Scalar V, Scalar Acc, ExecutionSpace E, class Matrix>
  static int inspect(const Inspection<E, Matrix>&, const Scheme&) {
    return 1;
  }
};

static_assert(SpmvFormat<CsrFormat> && SpmvFormat<user::DenseFormat>);
static_assert(!SpmvFormat<WithoutInspect> && !SpmvFormat<MakesNumbers>);

/// [2 0 1; 0 0 0; 1 4 0; 0 3 5] with offsets of any type.
template <class Off>
struct Small {
  Kokkos::View<Off*, Space> row_ptr{"row_ptr", 5};
  Kokkos::View<int*, Space> col_idx{"col_idx", 6};
  Kokkos::View<double*, Space> values{"values", 6};

  Small() {
    const int starts[] = {0, 2, 2, 4, 6}, columns[] = {0, 2, 0, 1, 1, 2};
    const double entries[] = {2, 1, 1, 4, 3, 5};
    for (std::size_t i = 0; i < 5; ++i) row_ptr(i) = static_cast<Off>(starts[i]);
    for (std::size_t k = 0; k < 6; ++k) {
      col_idx(k) = columns[k];
      values(k) = entries[k];
    }
  }
  CsrMatrix<double, int, Off, Space> matrix() const { return {4, 3, row_ptr, col_idx, values}; }
};

/// All formats, as a user has them by default. Sanitized tests have no compiled part: they use the
/// formats that are compiled for all tests, or CSR for offsets of 64 bits.
#ifdef HEDDLE_SANITIZED_TESTS
template <class Off>
using List = std::conditional_t<sizeof(Off) == 4, test::SharedFormats, Formats<CsrFormat>>;
#else
template <class Off>
using List = AllFormats;
#endif
template <class Off>
using Plan = SpmvPlan<Exec, CsrMatrix<double, int, Off, Space>, double, double, List<Off>>;

}  // namespace

TEST_CASE_TEMPLATE("offsets of either sign give the same, by every format", Off, int, unsigned,
                   std::int64_t, std::size_t) {
  const Exec exec;
  const Small<Off> small;
  const auto A = small.matrix();
  Kokkos::View<double*, Space> x("x", 3), y("y", 4), back("back", 3);
  for (std::size_t i = 0; i < 3; ++i) x(i) = static_cast<double>(i + 1);
  std::vector<std::string> schemes{"csr/adaptive", "csr/merge"};
  if constexpr (!std::is_same_v<List<Off>, Formats<CsrFormat>>) {
    for (const char* scheme :
         {"ell", "blocked-ell", "coo", "gcsr", "hyb", "bcsr/2x2", "tiled/16", "csb"}) {
      schemes.push_back(scheme);
    }
  }
  for (const std::string& scheme : schemes) {
    CAPTURE(scheme);
    Plan<Off> plan(exec, A, {.scheme = scheme, .ops = {Op::transpose}});
    static_assert(
        std::is_same_v<typename Plan<Off>::matrix_type, CsrMatrix<double, int, Off, Space>>);
    plan.apply(exec, 1.0, x, 0.0, y);
    plan.apply(exec, Op::transpose, 1.0, y, 0.0, back);
    exec.fence();
    CHECK(std::array{y(0), y(1), y(2), y(3)} == std::array{5.0, 0.0, 9.0, 21.0});
    CHECK(std::array{back(0), back(1), back(2)} == std::array{19.0, 99.0, 110.0});
    small.values(0) = 3;
    plan.update_values(exec, A);
    plan.apply(exec, 1.0, x, 0.0, y);
    exec.fence();
    CHECK(y(0) == 6.0);
    small.values(0) = 2;
  }
  spmv(exec, 1.0, A, x, 0.0, y);
  exec.fence();
  CHECK(y(3) == 21.0);
}

TEST_CASE("a plan's formats see signed offsets, and the user's arrays") {
  const Small<std::size_t> small;
  const auto A = small.matrix();
  const auto signed_one = with_signed_offsets(A);
  static_assert(std::is_same_v<decltype(signed_one), const CsrMatrix<double, int, long, Space>>);
  CHECK(static_cast<const void*>(signed_one.row_ptr().data()) == A.row_ptr().data());
  CHECK(signed_one.values().data() == A.values().data());
  CHECK(signed_one.nonzeros() == 6);
  const CsrMatrix<double, int, std::size_t, Space> none;
  CHECK(with_signed_offsets(none).rows() == 0);
}

TEST_CASE("more nonzeros than signed offsets count are an error, before anything is read") {
  const Exec exec;
  const unsigned row_ptr[] = {0, 3000000000u};
  const CsrMatrix<double, int, unsigned, Space> A(1, 1, 3000000000u, row_ptr, nullptr, nullptr);
  CHECK(A.nonzeros() == 3000000000u);
  CHECK_THROWS_WITH_AS(Plan<unsigned>(exec, A),
                       doctest::Contains("3000000000 entries, more than 32 bits hold"), Error);
  const Kokkos::View<double*, Space> x("x", 1), y("y", 1);
  CHECK_THROWS_AS(spmv(exec, 1.0, A, x, 0.0, y), Error);
}
