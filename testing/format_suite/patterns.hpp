// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of the tests of SpMV in addition to those of matrices.hpp.
#pragma once

#include <stdexcept>

#include "../matrices.hpp"

namespace heddle::test {

/// Patterns around the sizes of a team, a slice or a share of equal work, and larger than many of
/// them.
inline std::vector<Pattern> share_patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, auto length) {
    all.push_back(random_pattern(name, 100 + all.size(), rows, columns, length));
  };
  for (const std::int64_t length : {255, 256, 257, 511, 512, 767, 768, 1023, 1024, 1025}) {
    // An emulated device holds 8 teams. More shares than that wait for the one before, with rows
    // that end in the middle of a share.
    const std::int64_t rows = !emulated ? 37 : length % 256 == 255 ? 24 : 5;
    add("rows of about a share", rows, 3000, [=](std::int64_t) { return length; });
    all.back().name += ", " + std::to_string(length);
  }
  add("empty rows fill shares", cut(30000), 200,
      [](std::int64_t i) { return i % cut(5000) == 7 ? 150 : 0; });
  add("huge rows among short ones", cut(12000), cut(40000),
      [](std::int64_t i) { return i % cut(3000) == 1 ? cut(30000) : i % 4; });
  add("huge rows side by side", cut(40), cut(60000),
      [](std::int64_t i) { return cut(i % 2 ? 20000 : 5000); });
  add("120,000 rows", emulated ? 3000 : 120000, emulated ? 3000 : 120000,
      [](std::int64_t i) { return 1 + i % 3; });
  return all;
}

/// Rows over many shares, so that the sums of several vectors are passed from share to share; and,
/// after rows of one share, one that is longer than what any team stages at once.
inline Pattern huge_rows() {
  return random_pattern("huge rows", 5, 16, cut(30000), [](std::int64_t i) {
    return i == 12 ? cut(20000) : i < 7 && i % 2 ? cut(9000) : 100;
  });
}

/// A few diagonals with some missing entries, and empty rows.
inline Pattern diagonals_with_holes() {
  std::int64_t i = 0;
  return with_rows_changed(banded_pattern("diagonals with holes", 230, 210, {-31, -1, 0, 1, 40}),
                           [&](std::vector<std::int64_t>& row) {
                             const auto size = static_cast<std::int64_t>(row.size());
                             if (i % 3 == 0 && size > 0) row.erase(row.begin() + i % size);
                             if (i++ % 50 == 9) row.clear();
                           });
}

/// Full diagonals, and more(i) further entries in row i at random places.
template <class More>
Pattern diagonals_with_more(std::string name, std::int64_t rows, std::int64_t columns, More more) {
  Random random(static_cast<std::uint64_t>(rows));
  std::int64_t i = 0;
  Pattern pattern =
      with_rows_changed(banded_pattern("diagonals", rows, columns, {-40, -1, 0, 1, 40}),
                        [&](std::vector<std::int64_t>& row) {
                          const auto others = random_row(random, columns, more(i++));
                          row.insert(row.end(), others.begin(), others.end());
                          std::sort(row.begin(), row.end());
                          row.erase(std::unique(row.begin(), row.end()), row.end());
                        });
  pattern.name = std::move(name);
  return pattern;
}

/// Tests use one of so many patterns of all_patterns, beginning with first_pattern: more than 1 for
/// kernels that are slow on an emulated device, each of whose widths begins with another.
inline std::size_t one_pattern_in = 1, first_pattern = 0;

/// All patterns that one vector is tested with.
inline std::vector<Pattern> all_patterns() {
  std::vector<Pattern> all = test_patterns();
  for (Pattern& pattern : share_patterns()) all.push_back(std::move(pattern));
  all.push_back(diagonals_with_holes());
  all.push_back(
      diagonals_with_more("diagonals and more", emulated ? 800 : 2000, 2100, [](std::int64_t i) {
        return i == 700 ? 1500 : i % 6 == 2 ? 3 : 0;
      }));
  std::size_t turn = first_pattern;
  std::erase_if(all, [&](const Pattern&) { return turn++ % one_pattern_in != 0; });
  return all;
}

inline Pattern pattern_named(const std::string& name) {
  for (Pattern& pattern : test_patterns()) {
    if (pattern.name == name) return std::move(pattern);
  }
  throw std::runtime_error("no pattern " + name);
}

}  // namespace heddle::test
