// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk::sptrsv_solve against the oracle; test_kokkos_kernels_sptrsv.cpp compares with Kokkos
// Kernels.
#include <doctest/doctest.h>

#include <heddle/kokkos_kernels.hpp>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../support/crs_matrix.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using kk::SPTRSVAlgorithm;

template <class T>
using HandleOf =
    kk::KokkosKernelsHandle<typename T::Offset, const typename T::Ordinal, typename T::Scalar,
                            typename T::Exec, typename T::Space, typename T::Space>;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("kk: lower and upper triangles, with and without values before", T,
                          triangles) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  Watchdog watchdog("kk sptrsv");
  for (const Pattern& lower : triangle_patterns()) {
    for (const bool is_lower : {true, false}) {
      const auto A = triangle_on_device<T>(exec, is_lower ? lower : reversed(lower));
      const auto t = crs_matrix(A.device);
      CAPTURE(A.name);
      for (const SPTRSVAlgorithm algorithm :
           {SPTRSVAlgorithm::SEQLVLSCHD_TP1, SPTRSVAlgorithm::SPTRSV_CUSPARSE}) {
        for (const bool values_before : {true, false}) {
          HandleOf<T> handle;
          handle.create_sptrsv_handle(algorithm, static_cast<std::size_t>(t.numRows()), is_lower);
          if (values_before) {
            kk::sptrsv_symbolic(exec, &handle, t.graph.row_map, t.graph.entries, t.values);
          } else {
            kk::sptrsv_symbolic(exec, &handle, t.graph.row_map, t.graph.entries);
          }
          const Triangle triangle = is_lower ? Triangle::lower : Triangle::upper;
          for (const int vectors : {1, 2, 3}) {
            const auto solve = [&](const auto& b, const auto& x) {
              kk::sptrsv_solve(exec, &handle, t.graph.row_map, t.graph.entries, t.values, b, x);
            };
            CHECK(residual_after<S>(A, triangle, Diagonal::stored, Op::none, S(1), vectors, 4,
                                    vectors % 2, false, solve) <= 1);
          }
          watchdog.progress();
        }
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(triangles, TriangleTypes);

using One = OneTriangleType;

namespace {

/// A diagonal matrix of 300 rows, b of ones, and x.
struct Fixture {
  One::Exec exec;
  DeviceMatrix<One> A = triangle_on_device<One>(exec, triangle_named("diagonal"));
  CrsMatrix<double, One::Ordinal, One::Offset, One::Space> t = crs_matrix(A.device);
  Kokkos::View<double*, One::Space> b{"heddle::test::b", 300}, x{"heddle::test::x", 300};
  HandleOf<One> handle;

  explicit Fixture(SPTRSVAlgorithm algorithm = SPTRSVAlgorithm::SEQLVLSCHD_TP1) {
    Kokkos::deep_copy(b, 1);
    handle.create_sptrsv_handle(algorithm, 300, true);
  }
  void set(double value) const { Kokkos::deep_copy(t.values, value); }
  void symbolic() { kk::sptrsv_symbolic(&handle, t.graph.row_map, t.graph.entries, t.values); }
  void numeric() { kk::sptrsv_numeric(&handle, t.graph.row_map, t.graph.entries, t.values); }
  void solve() { kk::sptrsv_solve(&handle, t.graph.row_map, t.graph.entries, t.values, b, x); }
  /// Entry 200 of x after a solve.
  double middle() {
    Kokkos::deep_copy(x, -1);
    solve();
    Kokkos::fence("heddle::test::solved");
    return to_host(x)(200);
  }
};

}  // namespace

TEST_CASE("kk: a solve takes the values that it is given") {
  Fixture f;
  f.set(2);
  CHECK(f.middle() == 0.5);  // no set-up call, as Kokkos Kernels allows
  f.set(4);
  CHECK(f.middle() == 0.25);
  f.symbolic();
  f.set(8);
  CHECK(f.middle() == 0.125);
  f.t.values = Kokkos::View<double*, One::Space>("heddle::test::values", 300);
  f.set(16);
  CHECK(f.middle() == 0.0625);
}

TEST_CASE("kk: after sptrsv_numeric values hold until the next one") {
  Fixture f;
  f.set(2);
  SUBCASE("with a symbolic phase") { f.symbolic(); }
  SUBCASE("with one without values") {
    kk::sptrsv_symbolic(f.exec, &f.handle, f.t.graph.row_map, f.t.graph.entries);
  }
  SUBCASE("without") {}
  f.numeric();
  f.set(4);
  CHECK(f.middle() == 0.5);
  f.numeric();
  CHECK(f.middle() == 0.25);
  f.symbolic();  // restarts the set-up
  f.set(8);
  CHECK(f.middle() == 0.125);
}

TEST_CASE("kk: with SPTRSV_CUSPARSE values hold until the next symbolic phase") {
  Fixture f(SPTRSVAlgorithm::SPTRSV_CUSPARSE);
  f.set(2);
  f.symbolic();
  f.set(4);
  CHECK(f.middle() == 0.5);
  f.symbolic();
  CHECK(f.middle() == 0.25);
}

TEST_CASE("kk: a solve allocates nothing and waits for nothing, nor does new values") {
  Fixture f;
  f.handle.create_sptrsv_handle(SptrsvOptions{.check_pattern = false}, 300);
  f.set(2);
  f.symbolic();
  for (const bool numeric : {false, true}) {
    const Recording recording;
    if (numeric) f.numeric();
    f.solve();
    CHECK(strangers(Recording::seen()) == "");
    CHECK(count(Recording::seen(), Event::kernel) >= 1);
    CHECK(count(Recording::seen(), Event::allocation) == 0);
    CHECK(count(Recording::seen(), Event::fence) == 0);
  }
}

TEST_CASE("kk: a handle tells what it is, and takes theirs and SptrsvOptions") {
  enum class Theirs {
    SEQLVLSCHD_RP,
    SEQLVLSCHD_TP1,
    SEQLVLSCHD_TP1CHAIN,
    SPTRSV_CUSPARSE,
    SUPERNODAL_DAG
  };
  Fixture f;
  f.set(2);
  auto& handle = f.handle;
  handle.create_sptrsv_handle(Theirs::SEQLVLSCHD_TP1CHAIN, 300, false);
  auto* const sptrsv = handle.get_sptrsv_handle();
  CHECK(sptrsv->get_algorithm() == SPTRSVAlgorithm::SEQLVLSCHD_TP1CHAIN);
  CHECK(sptrsv->is_upper_tri());
  CHECK(sptrsv->get_nrows() == 300);
  CHECK_FALSE(sptrsv->is_symbolic_complete());
  CHECK_THROWS_WITH_AS(sptrsv->plan(), doctest::Contains("this handle has no plan"), Error);
  sptrsv->reset_chain_threshold(1);
  sptrsv->set_team_size(64);
  CHECK(f.middle() == 0.5);
  CHECK(sptrsv->is_symbolic_complete());
  CHECK(sptrsv->is_numeric_complete());
  CHECK(sptrsv->plan().scheme().format() == "sptrsv");

  handle.create_sptrsv_handle(SptrsvOptions{.diagonal = Diagonal::unit}, 300);
  CHECK(handle.is_sptrsv_lower_tri());
  CHECK(f.middle() == 1);
  HandleOf<One> moved = std::move(handle);
  CHECK(moved.get_sptrsv_handle()->is_numeric_complete());
  moved.destroy_sptrsv_handle();
  CHECK(moved.get_sptrsv_handle() == nullptr);

  CHECK_THROWS_WITH_AS(handle.create_sptrsv_handle(Theirs::SUPERNODAL_DAG, 300, true),
                       doctest::Contains("supernodal"), Error);
  CHECK_THROWS_WITH_AS(handle.create_sptrsv_handle(Theirs::SEQLVLSCHD_RP, 300, true, 2),
                       doctest::Contains("blocks of 2"), Error);
}

TEST_CASE("kk: triangles that are refused") {
  Fixture f;
  f.set(2);
  const Kokkos::View<double*, One::Space> small("heddle::test::small", 299);
  CHECK_THROWS_AS(kk::sptrsv_solve(f.exec, &f.handle, f.t.graph.row_map, f.t.graph.entries,
                                   f.t.values, small, f.x),
                  Error);
  f.handle.create_sptrsv_handle(SPTRSVAlgorithm::SEQLVLSCHD_RP, 299, true);
  CHECK_THROWS_WITH_AS(f.symbolic(), doctest::Contains("299 rows"), Error);
  CHECK_THROWS_AS(kk::sptrsv_symbolic(&f.handle, f.t.graph.row_map, f.t.graph.entries), Error);
  f.handle.create_sptrsv_handle(SPTRSVAlgorithm::SEQLVLSCHD_RP, 300, true);
  f.set(0);
  CHECK_THROWS_WITH_AS(f.symbolic(), doctest::Contains("row 0"), Error);
  f.handle.destroy_sptrsv_handle();
  CHECK_THROWS_WITH_AS(f.solve(), doctest::Contains("create_sptrsv_handle"), Error);
}

TEST_CASE("kk: several solves at once, each on an instance of its own") {
  const One::Exec exec;
  std::vector<One::Exec> instances = two_instances(exec);
  std::vector<Fixture> f(2);
  using Values = Kokkos::View<double*, One::Space>;
  std::vector<HandleOf<One>*> handles;
  std::vector<Kokkos::View<const One::Offset*, One::Space>> row_maps;
  std::vector<Kokkos::View<One::Ordinal*, One::Space>> entries;
  std::vector<Values> values, b, x;
  for (Fixture& one : f) {
    one.set(handles.empty() ? 2 : 4);
    one.symbolic();
    handles.push_back(&one.handle);
    row_maps.push_back(one.t.graph.row_map);
    entries.push_back(one.t.graph.entries);
    values.push_back(one.t.values);
    b.push_back(one.b);
    x.push_back(one.x);
  }
  kk::Experimental::sptrsv_solve_streams(instances, handles, row_maps, entries, values, b, x);
  for (const One::Exec& instance : instances) instance.fence("heddle::test::solved");
  CHECK(to_host(x[0])(200) == 0.5);
  CHECK(to_host(x[1])(200) == 0.25);
  x.pop_back();
  CHECK_THROWS_WITH_AS(
      kk::sptrsv_solve_streams(instances, handles, row_maps, entries, values, b, x),
      doctest::Contains("lists have 2 and 1 entries"), Error);
}

}  // namespace heddle::test
