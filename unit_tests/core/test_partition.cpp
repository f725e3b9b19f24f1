// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "../../core/partition.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace heddle::test {

namespace {

template <class Off>
std::vector<Off> row_ptr_of(const Pattern& pattern) {
  const std::vector<std::int64_t>& row_ptr = pattern.rows.row_ptr();
  return std::vector<Off>(row_ptr.begin(), row_ptr.end());
}

/// The merge path, step by step; the end of a row counts as `row_steps` steps.
template <class Off>
std::vector<Cut<int, Off>> walked_path(const std::vector<Off>& row_ptr, int row_steps) {
  const int rows = static_cast<int>(row_ptr.size()) - 1;
  std::vector<Cut<int, Off>> path = {{0, 0}};
  while (path.back().row < rows || path.back().nonzero < row_ptr.back()) {
    Cut<int, Off> next = path.back();
    if (next.row < rows && row_ptr[static_cast<std::size_t>(next.row) + 1] == next.nonzero) {
      for (int step = 1; step < row_steps; ++step) path.push_back(next);
      ++next.row;
    } else {
      ++next.nonzero;
    }
    path.push_back(next);
  }
  return path;
}

}  // namespace

TEST_CASE("searches find what lower_bound and upper_bound do") {
  const std::vector<int> numbers = {-3, 0, 0, 4, 4, 4, 9};
  for (int count = 0; count <= 7; ++count) {
    const auto end = numbers.begin() + count;
    for (int value = -4; value <= 10; ++value) {
      const auto lower = std::lower_bound(numbers.begin(), end, value) - numbers.begin();
      const auto upper = std::upper_bound(numbers.begin(), end, value) - numbers.begin();
      CHECK(heddle::detail::first_not_below(numbers.data(), count, value) == lower);
      CHECK(heddle::detail::first_where(0, count, [&](int i) {
              return numbers[static_cast<std::size_t>(i)] > value;
            }) == upper);
      if (upper > 0)
        CHECK(heddle::detail::last_not_above(numbers.data(), 0, count, value) == upper - 1);
    }
  }
}

TEST_CASE("equal shares are all of the items, and equal within one, however many items") {
  for (const std::int64_t items : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7},
                                   std::int64_t{1000}, std::int64_t{1} << 62}) {
    for (const std::int64_t count : {1, 2, 3, 64, 1001}) {
      const EqualShares shares{items, count};
      CHECK(shares.begin(0) == 0);
      CHECK(shares.begin(count) == items);
      for (std::int64_t share = 0; share < count; ++share) {
        const std::int64_t size = shares.begin(share + 1) - shares.begin(share);
        CHECK((size == items / count || size == items / count + 1));
      }
    }
  }
}

TEST_CASE_TEMPLATE("merge_path_cut is the path walked step by step", Off, int, std::int64_t,
                   std::size_t) {
  for (const Pattern& pattern : test_patterns()) {
    const auto row_ptr = row_ptr_of<Off>(pattern);
    const int rows = static_cast<int>(pattern.rows.size());
    for (const int row_steps : {1, 2, 4}) {
      const auto path = walked_path(row_ptr, row_steps);
      CHECK(static_cast<std::int64_t>(path.size()) ==
            merge_path_steps(rows, static_cast<std::int64_t>(row_ptr.back()), row_steps) + 1);
      bool same = true;
      for (std::size_t steps = 0; steps < path.size(); ++steps) {
        const auto cut = merge_path_cut(row_ptr.data(), rows, row_ptr.back(),
                                        static_cast<std::int64_t>(steps), row_steps);
        same = same && cut.row == path[steps].row && cut.nonzero == path[steps].nonzero;
      }
      CHECK_MESSAGE(same, pattern.name, ", ", row_steps, " steps a row");
    }
  }
}

TEST_CASE("equal_nonzeros_row gives whole rows, all of them, in shares as equal as rows allow") {
  for (const Pattern& pattern : test_patterns()) {
    const auto row_ptr = row_ptr_of<std::int64_t>(pattern);
    const int rows = static_cast<int>(pattern.rows.size());
    std::int64_t longest = 0;
    for (const auto& row : pattern.rows) {
      longest = std::max(longest, static_cast<std::int64_t>(row.size()));
    }
    for (const std::int64_t shares : {1, 2, 3, 16, 1000}) {
      CHECK(equal_nonzeros_row(row_ptr.data(), rows, row_ptr.back(), 0, shares) == 0);
      CHECK(equal_nonzeros_row(row_ptr.data(), rows, row_ptr.back(), shares, shares) == rows);
      for (std::int64_t share = 0; share < shares; ++share) {
        const int begin = equal_nonzeros_row(row_ptr.data(), rows, row_ptr.back(), share, shares);
        const int end = equal_nonzeros_row(row_ptr.data(), rows, row_ptr.back(), share + 1, shares);
        REQUIRE(begin <= end);
        const auto nonzeros =
            row_ptr[static_cast<std::size_t>(end)] - row_ptr[static_cast<std::size_t>(begin)];
        CHECK(nonzeros <= row_ptr.back() / shares + 1 + longest);
      }
    }
  }
}

TEST_CASE("cuts, runs and first rows of every test matrix are those of their definitions") {
  for (const Pattern& pattern : test_patterns()) {
    const auto row_ptr = row_ptr_of<int>(pattern);
    const int rows = static_cast<int>(pattern.rows.size());
    const auto begin = [&](int row) { return row_ptr[static_cast<std::size_t>(row)]; };
    const auto length = [&](int row) { return begin(row + 1) - begin(row); };
    bool right = true;
    for (const int threshold : {0, 3, 256}) {
      const auto moved = [&](int row, int nonzero) {
        return cut_outside_short_rows(row_ptr.data(), rows, Cut<int, int>{row, nonzero}, threshold);
      };
      for (int row = 0; row < rows; ++row) {
        for (const int into : {0, 1, length(row) / 2, length(row)}) {
          if (into > length(row)) continue;
          const auto cut = moved(row, begin(row) + into);
          const bool moves = into > 0 && length(row) <= threshold;
          right = right && cut.row == (moves ? row + 1 : row) &&
                  cut.nonzero == (moves ? begin(row + 1) : begin(row) + into);
        }
        int end = row;
        while (end < rows && (length(end) > threshold) == (length(row) > threshold)) ++end;
        right = right && run_end(row_ptr.data(), rows, row, threshold) == end;
      }
      const auto last = moved(rows, row_ptr.back());
      right = right && last.row == rows && last.nonzero == row_ptr.back() &&
              run_end(row_ptr.data(), rows, rows, threshold) == rows;
    }
    for (int k = 0; k <= row_ptr.back(); ++k) {
      const auto first = std::lower_bound(row_ptr.begin(), row_ptr.end() - 1, k) - row_ptr.begin();
      right = right && first_row_from(row_ptr.data(), rows, k) == first;
    }
    CHECK_MESSAGE(right, pattern.name);
  }
}

namespace {

/// Partitions that one item of a launch finds for itself, all at once.
struct FoundByThread {
  const int* row_ptr;
  int rows;
  int nonzeros;
  std::int64_t work;
  int* found;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto cut = merge_path_cut(row_ptr, rows, nonzeros, i < work ? i : work);
    const auto outside = cut_outside_short_rows(row_ptr, rows, cut, 8);
    found[5 * i] = cut.row;
    found[5 * i + 1] = outside.row;
    found[5 * i + 2] = outside.nonzero;
    found[5 * i + 3] = equal_nonzeros_row(row_ptr, rows, nonzeros, i, work);
    found[5 * i + 4] = run_end(row_ptr, rows, cut.row, 3);
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a device finds the same cuts as the host", T, cuts_on_device) {
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto row_ptr = row_ptr_of<int>(pattern);
    const int rows = static_cast<int>(pattern.rows.size());
    if (rows > 5000 || pattern.name == "all rows empty") continue;
    const std::int64_t work = rows + row_ptr.back();
    const auto size = static_cast<std::size_t>(5 * (work + 1));
    const Kokkos::View<int*, typename T::Space> on_device("heddle::test::row_ptr", row_ptr.size());
    Kokkos::deep_copy(on_device,
                      Kokkos::View<const int*, Kokkos::HostSpace>(row_ptr.data(), row_ptr.size()));
    const Kokkos::View<int*, typename T::Space> found("heddle::test::found", size);
    Kokkos::parallel_for("heddle::test::find",
                         Kokkos::RangePolicy<typename T::Exec>(exec, 0, work + 1),
                         FoundByThread{on_device.data(), rows, row_ptr.back(), work, found.data()});
    exec.fence("heddle::test::find");
    const auto device_found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    std::vector<int> host_found(size);
    const FoundByThread host{row_ptr.data(), rows, row_ptr.back(), work, host_found.data()};
    for (std::int64_t i = 0; i <= work; ++i) host(i);
    bool same = true;
    for (std::size_t i = 0; i < size; ++i) same = same && device_found(i) == host_found[i];
    CHECK_MESSAGE(same, pattern.name);
  }
}
using CutTypes = Every<std::tuple<double>, UsualIndices>;
TEST_CASE_TEMPLATE_APPLY(cuts_on_device, CutTypes);

}  // namespace heddle::test
