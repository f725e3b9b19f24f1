// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of wavefronts: a loop over the rows of a pattern, and its results.
#pragma once

#include <heddle/wavefronts.hpp>
#include <vector>

#include "copy_in.hpp"
#include "triangles.hpp"

namespace heddle::test {

/// Visits the columns of row i.
struct PatternReads {
  const std::int64_t* row_ptr;
  const std::int32_t* col_idx;

  template <class Visit>
  KOKKOS_FUNCTION void operator()(int i, const Visit& visit) const {
    for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) visit(col_idx[k]);
  }
};

inline PatternReads reads_of(const Pattern& pattern) {
  return {pattern.rows.row_ptr().data(), pattern.rows.col_idx().data()};
}

/// Computes item i from everything that iteration i reads, in whole numbers; the order of writes
/// and reads changes every later item.
struct MixItems {
  PatternReads reads;
  std::int64_t* items;

  KOKKOS_FUNCTION void operator()(int i) const {
    std::int64_t sum = i + 1;
    reads(i, [&](int j) { sum = (sum * 31 + (j == i ? 7 : items[j])) % 1000003; });
    items[i] = sum;
  }
};

/// The items of the sequential loop.
inline std::vector<std::int64_t> items_in_order(const Pattern& pattern, SweepDirection sweep) {
  const auto n = static_cast<int>(pattern.rows.size());
  std::vector<std::int64_t> items(static_cast<std::size_t>(n), 5);
  const MixItems mix{reads_of(pattern), items.data()};
  for (int p = 0; p < n; ++p) mix(sweep == SweepDirection::forward ? p : n - 1 - p);
  return items;
}

/// A pattern in memory that `Exec` can access.
template <class Exec>
struct DevicePattern {
  using Space = typename Exec::memory_space;
  explicit DevicePattern(const Pattern& pattern)
      : rows(static_cast<int>(pattern.rows.size())),
        row_ptr(copy_in<Space>(pattern.rows.row_ptr())),
        col_idx(copy_in<Space>(pattern.rows.col_idx())),
        items("heddle::test::items", pattern.rows.size()) {}

  PatternReads reads() const { return {row_ptr.data(), col_idx.data()}; }
  MixItems mix() const { return {reads(), items.data()}; }
  std::vector<std::int64_t> run(const Exec& exec, const Wavefronts<Exec>& waves) const {
    Kokkos::deep_copy(items, 5);
    waves.for_each(exec, mix());
    exec.fence("heddle::test::ran");
    return copy_out(items);
  }

  int rows;
  Kokkos::View<std::int64_t*, Space> row_ptr;
  Kokkos::View<std::int32_t*, Space> col_idx;
  Kokkos::View<std::int64_t*, Space> items;
};

/// An asymmetric pattern: rows read rows before and after them.
inline Pattern full_pattern(std::int64_t rows, std::int64_t most, std::uint64_t seed) {
  Random random(seed);
  Pattern pattern{"full", rows, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    pattern.rows.push_back(random_row(random, rows, random.below(most)));
  }
  return pattern;
}

}  // namespace heddle::test
