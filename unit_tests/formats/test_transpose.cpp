// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stored transpose and its sort, against plain ones on the host.
#include <doctest/doctest.h>

#include <numeric>

#include "../../backends/algorithms/transpose.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/plan_types.hpp"

namespace heddle::test {

namespace {

/// Every backend with the usual indices; the default one with all index types.
#ifdef HEDDLE_EMULATED
using TransposeTypes = Every<std::tuple<double>, UsualIndices>;
#else
using TransposeTypes = JoinTuples<
    Every<std::tuple<double>, UsualIndices, AllBackends>,
    Every<std::tuple<Kokkos::complex<float>>,
          std::tuple<Indices<std::int32_t, std::size_t>, Indices<std::int64_t, std::int64_t>>,
          std::tuple<DefaultDevice>>>;
#endif

/// Checks that `keys` sorted into new arrays and in place, with and without order, are those of
/// std::stable_sort.
template <class T, class Key, bool DeviceSort>
void check_sort_by(const typename T::Exec& exec, const std::vector<Key>& keys, Key largest,
                   std::int64_t segment) {
  using Off = typename T::Offset;
  const auto count = static_cast<std::int64_t>(keys.size());
  CAPTURE(count);
  CAPTURE(largest);
  CAPTURE(segment);
  std::vector<std::size_t> expected(keys.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  std::ranges::stable_sort(expected, {}, [&](std::size_t i) { return keys[i]; });
  const Kokkos::View<Key*, typename T::Space> from("from", keys.size());
  const Kokkos::View<Off*, typename T::Space> order("order", keys.size());
  Kokkos::deep_copy(from, Kokkos::View<const Key*, Kokkos::HostSpace>(keys.data(), keys.size()));
  using Result = Kokkos::View<const Key*, typename T::Space>;
  for (const bool in_place : {false, true}) {
    for (const bool ordered : {false, true}) {
      heddle::detail::RadixSort<typename T::Exec, Key, Off, DeviceSort> sort(exec, count, ordered,
                                                                             segment);
      Kokkos::deep_copy(order, Off(0));
      if (in_place) {
        Kokkos::deep_copy(Kokkos::View<Key*, typename T::Space>(sort.room(), keys.size()), from);
      }
      sort.sort(exec, in_place ? sort.room() : from.data(), largest,
                ordered ? order.data() : nullptr);
      exec.fence("heddle::test::sorted");
      const auto sorted = to_host(Result(sort.sorted(), keys.size()));
      const auto places = to_host(order);
      bool same = true;
      for (std::size_t i = 0; i < keys.size(); ++i) {
        same = same && sorted(i) == keys[expected[i]];
        same = same && (!ordered || places(i) == static_cast<Off>(expected[i]));
      }
      CHECK(same);
    }
  }
}

/// Checks our sort, and the device's.
template <class T, class Key>
void check_sort(const typename T::Exec& exec, const std::vector<Key>& keys, Key largest,
                std::int64_t segment) {
  check_sort_by<T, Key, false>(exec, keys, largest, segment);
  if constexpr (backends::DeviceRadixSort<typename T::Exec>::exists) {
    check_sort_by<T, Key, true>(exec, keys, largest, segment);
  }
}

template <class Key>
std::vector<Key> random_keys(std::size_t count, Key largest) {
  Random random(count + 1);
  std::vector<Key> keys(count);
  const auto below = static_cast<std::int64_t>(std::min<std::uint64_t>(
      static_cast<std::uint64_t>(largest), std::numeric_limits<std::int64_t>::max() - 1));
  for (Key& key : keys) key = static_cast<Key>(random.below(below + 1));
  return keys;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("radix sort: stable, of any number of keys of any size", T, radix_sort) {
  using O = typename T::Ordinal;
  const typename T::Exec exec;
  std::vector<std::size_t> counts{0, 1, 31, 512, 4097};
  if (!emulated) counts.insert(counts.end(), {4096, 50000});
  for (const std::size_t count : counts) {
    for (const std::int64_t segment : {0, 96}) {  // 96: more chunks than threads
      for (const O largest : {O(0), O(1), O(200), O(256), O(65536), O(2000000000)}) {
        check_sort<T, O>(exec, random_keys<O>(count, largest), largest, segment);
      }
      const std::uint64_t word = std::numeric_limits<std::uint64_t>::max();
      for (const std::uint64_t largest : {std::uint64_t{3} << 40, word}) {
        check_sort<T, std::uint64_t>(exec, random_keys(count, largest), largest, segment);
      }
      check_sort<T, std::uint64_t>(exec, std::vector<std::uint64_t>(count, word), word, segment);
    }
  }
  constexpr auto many = static_cast<std::size_t>(cut(20000));
  std::vector<O> descending(many), one_of_all(many, O(77));
  std::iota(descending.rbegin(), descending.rend(), O(0));
  one_of_all[many / 2] = O(3);
  check_sort<T, O>(exec, descending, static_cast<O>(many - 1), 0);
  check_sort<T, O>(exec, one_of_all, O(300), 0);
}
TEST_CASE_TEMPLATE_APPLY(radix_sort, TransposeTypes);

namespace {

std::vector<Pattern> transpose_patterns() {
  std::vector<Pattern> all = test_patterns();
  all.push_back(crossed_pattern(cut(9000), cut(9000), true, false));
  all.push_back(crossed_pattern(cut(9000), cut(9000), false, true));
  all.push_back(crossed_pattern(cut(9000), cut(9000), true, true));
  all.push_back(crossed_pattern(cut(60000), 2, false, true));
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("transpose: rows in order, whatever columns are long", T, transpose) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  for (const Pattern& pattern : transpose_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern), B = to_device<T>(exec, pattern, 2);
    std::vector<std::vector<std::pair<O, Off>>> columns(static_cast<std::size_t>(pattern.columns));
    for (std::int64_t i = 0, k = 0; i < A.host.rows(); ++i) {
      for (const std::int64_t column : pattern.rows[static_cast<std::size_t>(i)]) {
        columns[static_cast<std::size_t>(column)].emplace_back(static_cast<O>(i),
                                                               static_cast<Off>(k++));
      }
    }
    heddle::detail::Transposed<typename T::Exec, S, O, Off> transposed(exec, A.matrix());
    for (const auto* values_of : {&A, &B}) {
      if (values_of == &B) transposed.update_values(exec, B.matrix());
      exec.fence("heddle::test::transposed");
      const auto matrix = transposed.matrix();
      REQUIRE(matrix.rows() == A.host.columns());
      REQUIRE(matrix.columns() == A.host.rows());
      REQUIRE(matrix.nonzeros() == A.host.nonzeros());
      const auto row_ptr = to_host(matrix.row_ptr());
      const auto col_idx = to_host(matrix.col_idx());
      const auto values = to_host(matrix.values());
      const auto source = to_host(transposed.source());
      bool same = true;
      std::size_t slot = 0;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        same = same && row_ptr(j) == static_cast<Off>(slot);
        for (const auto& [row, k] : columns[j]) {
          same = same && col_idx(slot) == row && source(slot) == k &&
                 values(slot) == values_of->host.values()(static_cast<std::size_t>(k));
          ++slot;
        }
      }
      CHECK(same);
      CHECK(row_ptr(columns.size()) == static_cast<Off>(slot));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(transpose, TransposeTypes);

}  // namespace heddle::test
