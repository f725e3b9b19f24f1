// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <heddle/spmv.hpp>
#include <limits>

#include "../../testing/format_suite/check.hpp"
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

const test::Pattern small{"small", 3, {{0, 2}, {}, {0, 1}, {1, 2}}};

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
  using Type = test::Types<Exec, double, test::Indices<int, Off>>;
  static_assert(
      std::is_same_v<typename Plan<Off>::matrix_type, CsrMatrix<double, int, Off, Space>>);
  const Exec exec;
  const auto A = test::to_device<Type>(exec, small), B = test::to_device<Type>(exec, small, 2);
  std::vector<std::string> schemes{"csr/adaptive", "csr/merge"};
  if constexpr (!std::is_same_v<List<Off>, Formats<CsrFormat>>) {
    schemes.insert(schemes.end(),
                   {"ell", "blocked-ell", "coo", "gcsr", "hyb", "bcsr/2x2", "tiled/16", "csb"});
  }
  for (const std::string& scheme : schemes) {
    CAPTURE(scheme);
    Plan<Off> plan(exec, A.matrix(), {.scheme = scheme, .ops = {Op::transpose}});
    for (const auto* values_of : {&A, &B}) {
      if (values_of == &B) plan.update_values(exec, B.matrix());
      for (const Op op : {Op::none, Op::transpose}) {
        CHECK(test::apply_and_compare(exec, plan, *values_of, op, 1.0, 0.0) == "");
      }
    }
  }
  const auto by_spmv = [&](Op, double alpha, const auto& x, double beta, const auto& y) {
    spmv(exec, alpha, A.matrix(), x, beta, y);
  };
  const test::CheckedVectors<Type> product(A, Op::none, 1.0, 0.0, 1, true, true);
  CHECK(product.problem_of(exec, by_spmv) == "");
}

TEST_CASE("a plan's formats see signed offsets, and the user's arrays") {
  const auto stored = test::make_matrix<double, int, std::size_t>(small);
  const auto A = stored.matrix();
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
