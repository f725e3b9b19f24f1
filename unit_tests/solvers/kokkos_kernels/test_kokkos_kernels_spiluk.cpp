// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk::spiluk_symbolic and spiluk_numeric against those of Kokkos Kernels, on the same
// matrices.
#include <doctest/doctest.h>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <heddle/kokkos_kernels.hpp>

#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"

namespace heddle::test {

namespace {

using T = Types<Kokkos::DefaultHostExecutionSpace, double, Indices<std::int32_t, std::int32_t>>;
using Space = T::Space;
using Device = Kokkos::Device<T::Exec, Space>;
using Ours = kk::KokkosKernelsHandle<int, int, double, T::Exec, Space, Space>;
using Theirs =
    KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, T::Exec, Space, Space>;

/// A triangle in the user's arrays.
struct Part {
  Kokkos::View<int*, Device> row_map, entries;
  Kokkos::View<double*, Device> values;

  Part(std::size_t rows, std::size_t room)
      : row_map("heddle::test::row_map", rows + 1),
        entries("heddle::test::entries", room),
        values("heddle::test::values", room) {}
};
struct BothFactors {
  Part lower, upper;
};

template <class Handle, class Symbolic, class Numeric>
BothFactors factors_of(std::size_t rows, std::size_t room, Symbolic symbolic, Numeric numeric) {
  using KokkosSparse::Experimental::SPILUKAlgorithm;
  BothFactors both{Part(rows, room), Part(rows, room)};
  Handle handle;
  handle.create_spiluk_handle(SPILUKAlgorithm::SEQLVLSCHD_TP1, static_cast<int>(rows),
                              static_cast<int>(room), static_cast<int>(room));
  symbolic(&handle, both.lower, both.upper);
  for (Part* part : {&both.lower, &both.upper}) {
    const int entries = part->row_map(rows);
    Kokkos::resize(part->entries, static_cast<std::size_t>(entries));
    Kokkos::resize(part->values, static_cast<std::size_t>(entries));
    fill_with_poison(part->values);
  }
  for (int times = 0; times < 2; ++times) numeric(&handle, both.lower, both.upper);
  Kokkos::fence("heddle::test::factored");
  return both;
}

}  // namespace

TEST_CASE("ours and theirs have the same factors") {
  for (const int n : {1, 2, 120}) {
    for (const int level : {0, 1, 3}) {
      CAPTURE(n);
      CAPTURE(level);
      const OwnedMatrix<T> a(ascending(random_rows<double>(n, n > 2 ? 3 : 0, false, 1)));
      const Kokkos::View<int*, Device> row_map(a.row_ptr), entries(a.col_idx);
      const Kokkos::View<double*, Device> values(a.values);
      const auto rows = static_cast<std::size_t>(n), room = rows * rows;
      const auto ours = factors_of<Ours>(
          rows, room,
          [&](auto* handle, auto& l, auto& u) {
            kk::spiluk_symbolic(handle, level, row_map, entries, l.row_map, l.entries, u.row_map,
                                u.entries);
            CHECK(handle->get_spiluk_handle()->get_nnzL() == l.row_map(rows));
            CHECK(handle->get_spiluk_handle()->get_nnzU() == u.row_map(rows));
          },
          [&](auto* handle, auto& l, auto& u) {
            kk::spiluk_numeric(handle, level, row_map, entries, values, l.row_map, l.entries,
                               l.values, u.row_map, u.entries, u.values);
          });
      const auto theirs = factors_of<Theirs>(
          rows, room,
          [&](auto* handle, auto& l, auto& u) {
            KokkosSparse::Experimental::spiluk_symbolic(handle, level, row_map, entries, l.row_map,
                                                        l.entries, u.row_map, u.entries);
          },
          [&](auto* handle, auto& l, auto& u) {
            KokkosSparse::Experimental::spiluk_numeric(handle, level, row_map, entries, values,
                                                       l.row_map, l.entries, l.values, u.row_map,
                                                       u.entries, u.values);
          });
      for (const auto part : {&BothFactors::lower, &BothFactors::upper}) {
        const Part &mine = ours.*part, &other = theirs.*part;
        REQUIRE(bits_of(mine.row_map) == bits_of(other.row_map));
        for (std::size_t i = 0; i < rows; ++i) {
          for (int k = mine.row_map(i); k < mine.row_map(i + 1); ++k) {
            // Kokkos Kernels may have the fill of a row in another order.
            double found = std::nan("");
            for (int q = other.row_map(i); q < other.row_map(i + 1); ++q) {
              if (other.entries(q) == mine.entries(k)) found = other.values(q);
            }
            CHECK(std::fabs(mine.values(k) - found) < 1e-12);
          }
        }
      }
    }
  }
}

TEST_CASE("what a handle refuses") {
  const OwnedMatrix<T> a(ascending(random_rows<double>(20, 3, false, 1)));
  Part l(20, 5), u(20, 200);
  Ours handle;
  const auto symbolic = [&](const auto& row_map) {
    kk::spiluk_symbolic(&handle, 0, row_map, a.col_idx, l.row_map, l.entries, u.row_map, u.entries);
  };
  CHECK_THROWS_WITH_AS(symbolic(a.row_ptr), doctest::Contains("create_spiluk_handle"), Error);
  handle.create_spiluk_handle(kk::SPILUKAlgorithm::SEQLVLSCHD_TP1, 20, 5, 200);
  CHECK_THROWS_WITH_AS(kk::spiluk_numeric(&handle, 0, a.row_ptr, a.col_idx, a.values, l.row_map,
                                          l.entries, l.values, u.row_map, u.entries, u.values),
                       doctest::Contains("spiluk_symbolic"), Error);
  CHECK_THROWS_WITH_AS(symbolic(a.row_ptr), doctest::Contains("room for 5 entries"), Error);
  CHECK_THROWS_WITH_AS(symbolic(Kokkos::View<int*, Space>("heddle::test::row_map", 4)),
                       doctest::Contains("20 rows"), Error);
  handle.create_spiluk_handle(kk::SPILUKAlgorithm::SEQLVLSCHD_TP1, 20, 400, 400);
  Part lower(20, 400), upper(20, 400);
  kk::spiluk_symbolic(&handle, 0, a.row_ptr, a.col_idx, lower.row_map, lower.entries, upper.row_map,
                      upper.entries);
  const OwnedMatrix<T> more(ascending(random_rows<double>(20, 5, false, 1)));
  CHECK_THROWS_WITH_AS(
      kk::spiluk_numeric(&handle, 0, more.row_ptr, more.col_idx, more.values, lower.row_map,
                         lower.entries, lower.values, upper.row_map, upper.entries, upper.values),
      doctest::Contains("spiluk_numeric was given a matrix of 20 x 20"), Error);
}

}  // namespace heddle::test
