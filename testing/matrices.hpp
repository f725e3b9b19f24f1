// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that tests run over: every shape at which a kernel or an inspector could fail.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../core/matrix.hpp"
#include "backends.hpp"
#include "pattern.hpp"
#include "random.hpp"

namespace heddle::test {

/// `count` distinct columns out of `columns`, ascending.
inline std::vector<std::int64_t> random_row(Random& random, std::int64_t columns,
                                            std::int64_t count) {
  std::vector<std::int64_t> row;
  count = std::min(count, columns);
  if (2 * count > columns) {
    std::int64_t needed = count;
    for (std::int64_t j = 0; j < columns; ++j) {
      if (random.below(columns - j) < needed) {
        row.push_back(j);
        --needed;
      }
    }
    return row;
  }
  while (static_cast<std::int64_t>(row.size()) < count) {
    const auto drawn = static_cast<std::ptrdiff_t>(row.size());
    row.resize(static_cast<std::size_t>(count));
    std::generate(row.begin() + drawn, row.end(), [&] { return random.below(columns); });
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return row;
}

/// A pattern whose row i has length(i) random columns, ascending.
template <class Length>
Pattern random_pattern(std::string name, std::uint64_t seed, std::int64_t rows,
                       std::int64_t columns, Length length) {
  Pattern pattern{std::move(name), columns, {}};
  Random random(seed);
  for (std::int64_t i = 0; i < rows; ++i) {
    pattern.rows.push_back(random_row(random, columns, length(i)));
  }
  return pattern;
}

/// A pattern whose row i holds the columns i + offset that exist.
inline Pattern banded_pattern(std::string name, std::int64_t rows, std::int64_t columns,
                              const std::vector<std::int64_t>& offsets) {
  Pattern pattern{std::move(name), columns, {}};
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < rows; ++i) {
    row.clear();
    for (const std::int64_t offset : offsets) {
      if (i + offset >= 0 && i + offset < columns) row.push_back(i + offset);
    }
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Two entries a row, a dense row in the middle, and a column that every row has: most entries are
/// in one panel, or in one column.
inline Pattern crossed_pattern(std::int64_t rows, std::int64_t columns, bool row, bool column) {
  Pattern all{
      std::string("two a row") + (row ? ", a dense row" : "") + (column ? ", a dense column" : ""),
      columns,
      {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    std::set<std::int64_t> in_row{i * 7919 % columns, i * 31 % columns};
    if (column) in_row.insert(columns / 3);
    for (std::int64_t k = 0; row && i == rows / 2 && k < columns; ++k) in_row.insert(k);
    all.rows.push_back(std::vector<std::int64_t>(in_row.begin(), in_row.end()));
  }
  return all;
}

/// The pattern after change(row) on each row, a vector of its columns.
template <class Change>
Pattern with_rows_changed(const Pattern& from, Change change) {
  Pattern pattern{from.name, from.columns, {}};
  for (const auto from_row : from.rows) {
    std::vector<std::int64_t> row(from_row.begin(), from_row.end());
    change(row);
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// All test patterns, the same for the same seed. They are small (at most some 60,000 nonzeros), so
/// that each can run with every scheme and type.
inline std::vector<Pattern> test_patterns(std::uint64_t seed = 1) {
  std::vector<Pattern> all;
  const auto random = [&](const char* name, std::int64_t rows, std::int64_t columns, auto length) {
    all.push_back(random_pattern(name, seed + all.size(), rows, columns, length));
  };
  const auto none = [](std::int64_t) { return 0; };
  random("0 x 0", 0, 0, none);
  random("0 x 7", 0, 7, none);
  random("7 x 0", 7, 0, none);
  random("1 x 1 without entry", 1, 1, none);
  random("1 x 1", 1, 1, [](std::int64_t) { return 1; });
  random("all rows empty", 133, 50, none);
  random("one row", 1, 900, [](std::int64_t) { return 700; });
  random("one column", 900, 1, [](std::int64_t i) { return i % 3 == 0 ? 0 : 1; });
  all.push_back(banded_pattern("diagonal", 300, 300, {0}));
  all.push_back(banded_pattern("tridiagonal", 1000, 1000, {-1, 0, 1}));
  all.push_back(banded_pattern("five-point, rectangular", 500, 430, {-25, -1, 0, 1, 25}));
  random("dense", 33, 65, [](std::int64_t) { return 65; });
  random("wide", 40, 3000, [](std::int64_t i) { return (i * 37) % 150; });
  random("tall", cut(3000), 40, [](std::int64_t i) { return (i * 7) % 5; });
  random("many short rows", cut(20000), cut(20000),
         [](std::int64_t i) { return i * 2654435761 % 6; });
  random("every length to 80", emulated ? 81 : 240, 500, [](std::int64_t i) { return i % 81; });
  random("lengths at powers of two", emulated ? 30 : 130, 700, [](std::int64_t i) {
    return std::max<std::int64_t>(0, (std::int64_t{1} << (i % 10)) + i % 3 - 1);
  });
  random("first rows empty", 700, 300, [](std::int64_t i) { return i < 600 ? 0 : i % 9; });
  random("last rows empty", 700, 300, [](std::int64_t i) { return i > 100 ? 0 : 1 + i % 9; });
  random("long runs of empty rows", emulated ? 1100 : 2500, 800,
         [](std::int64_t i) { return i % 500 ? 0 : 300; });
  random("one huge row", 200, cut(30000),
         [](std::int64_t i) { return i == 77 ? cut(20000) : i % 4; });
  random("huge first and last row", 65, cut(9000) + 1000,
         [](std::int64_t i) { return i == 0 || i == 64 ? cut(8000) + 1000 : 1; });
  random("short and long runs", emulated ? 300 : 900, 5000,
         [](std::int64_t i) { return i / 100 % 2 ? (i % 50 ? 2 : 1800) : i % 8; });
  random("power law", cut(3000), 3000, [](std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<double>(emulated ? 1500 : 4000) /
                                     std::pow(1 + static_cast<double>(i * 7919 % 3000), 0.9));
  });

  random("one huge column", cut(4000), 50, [](std::int64_t i) { return i % 3; });
  all.back() = with_rows_changed(all.back(), [](std::vector<std::int64_t>& row) {
    if (std::find(row.begin(), row.end(), 17) == row.end()) row.push_back(17);
    std::sort(row.begin(), row.end());
  });

  random("unsorted columns with duplicates", 400, 150, [](std::int64_t i) { return i % 40; });
  Random shuffle(seed + all.size());
  all.back() = with_rows_changed(all.back(), [&](std::vector<std::int64_t>& row) {
    for (std::size_t k = 1; k < row.size(); ++k) {
      std::swap(row[k], row[static_cast<std::size_t>(shuffle.below(static_cast<int>(k) + 1))]);
    }
    if (row.size() > 3) row.push_back(row[1]);
  });

  random("dense 4 x 4 blocks", 80, 50, [](std::int64_t i) { return i % 5; });
  Pattern blocks{"dense 4 x 4 blocks", 200, {}};
  for (const auto block_row : all.back().rows) {
    std::vector<std::int64_t> row;
    for (const std::int64_t block : block_row) {
      for (std::int64_t j = 0; j < 4; ++j) row.push_back(4 * block + j);
    }
    blocks.rows.push_back(row, 4);
  }
  all.back() = std::move(blocks);
  return all;
}

/// A matrix on the host with these arrays, whose indices must fit their types, and entries
/// value(k).
template <Scalar S, Ordinal O, Offset Off, class RowPtr, class ColIdx, class Value>
CsrStorage<S, O, Off, Kokkos::HostSpace> host_matrix(std::int64_t columns, const RowPtr& row_ptr,
                                                     const ColIdx& col_idx, const Value& value) {
  const Kokkos::DefaultHostExecutionSpace host;
  CsrStorage<S, O, Off, Kokkos::HostSpace> storage(host, std::ssize(row_ptr) - 1, columns,
                                                   std::ssize(col_idx));
  host.fence("heddle::test::matrix");
  std::size_t i = 0, k = 0;
  for (const auto offset : row_ptr) storage.row_ptr()(i++) = static_cast<Off>(offset);
  for (const auto column : col_idx) {
    storage.col_idx()(k) = static_cast<O>(column);
    storage.values()(k) = value(k);
    ++k;
  }
  return storage;
}

/// The pattern as a matrix on the host, with values drawn in order.
template <Scalar S, Ordinal O, Offset Off>
CsrStorage<S, O, Off, Kokkos::HostSpace> make_matrix(const Pattern& pattern, Random values) {
  return host_matrix<S, O, Off>(pattern.columns, pattern.rows.row_ptr(), pattern.rows.col_idx(),
                                [&](std::size_t) { return values.scalar<S>(); });
}

template <Scalar S, Ordinal O, Offset Off>
CsrStorage<S, O, Off, Kokkos::HostSpace> make_matrix(const Pattern& pattern,
                                                     std::uint64_t seed = 1) {
  return make_matrix<S, O, Off>(pattern, Random(seed ^ 0x5eed));
}

template <Scalar S, Ordinal O, Offset Off>
struct NamedMatrix {
  std::string name;
  CsrStorage<S, O, Off, Kokkos::HostSpace> storage;
};

/// Every test matrix on the host; copy_to<Space>(exec) of its storage brings it to a device.
template <Scalar S, Ordinal O, Offset Off>
std::vector<NamedMatrix<S, O, Off>> test_matrices(std::uint64_t seed = 1) {
  std::vector<NamedMatrix<S, O, Off>> matrices;
  for (const Pattern& pattern : test_patterns(seed)) {
    matrices.push_back({pattern.name, make_matrix<S, O, Off>(pattern, seed)});
  }
  return matrices;
}

}  // namespace heddle::test
