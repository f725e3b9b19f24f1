// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of another type than the matrix: every scheme and candidate gives solutions in the
// precision of the vectors.
#include <doctest/doctest.h>

#include <algorithm>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/select/choose.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

/// A matrix of S, vectors of V and sums in A.
template <class E, class S, class V, class A = V>
struct WideType : TriangleType<E, S, Indices32> {
  using Vector = V;
  using Accumulator = A;
};

using Exec = Kokkos::DefaultExecutionSpace;
using WideTypes = JoinTuples<
    std::tuple<WideType<Exec, float, double>, WideType<Exec, double, float>>,
    InTurn<WideType<Exec, Kokkos::complex<float>, Kokkos::complex<double>>,
           WideType<Exec, float, Kokkos::complex<double>>>,
    InTurn<WideType<Exec, float, float, double>, WideType<Portable<Exec>, float, double>>>;

/// Samples of a device's schemes, the candidates for triangles of the pattern's size, and no plan.
template <class T>
std::vector<Way> wide_ways(const Pattern& pattern, std::size_t start) {
  const Device device = backends::describe(typename T::Exec());
  std::vector<Scheme> schemes = sptrsv_samples(device, start);
  for (const int levels : {10, 500}) {
    for (const Scheme& scheme : heddle::detail::sptrsv::candidates(
             static_cast<std::int64_t>(pattern.rows.size()), pattern.nonzeros(), levels, device)) {
      if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end()) {
        schemes.push_back(scheme);
      }
    }
  }
  std::vector<Way> ways = ways_of(schemes);
  // Without a plan sums have the type of the vectors.
  if (std::same_as<typename T::Vector, typename T::Accumulator>) ways.push_back(without_plan(2));
  return ways;
}

template <class T>
using WideSolver = TriangleSolver<T, typename T::Vector, typename T::Accumulator>;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv: solutions have the precision of the vectors", T, wide) {
  check_every_triangle<WideSolver<T>>([](const Pattern& pattern, std::size_t turn) {
    return wide_ways<T>(pattern, 761 * (turn + 1));
  });
}
TEST_CASE_TEMPLATE_APPLY(wide, WideTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: that holds for all ops, diagonals and several vectors", T,
                          wide_ops) {
  check_every_op<WideSolver<T>>(
      ways_of(sptrsv_samples(backends::describe(typename T::Exec()), 17)));
}
TEST_CASE_TEMPLATE_APPLY(wide_ops, WideTypes);

}  // namespace heddle::test
