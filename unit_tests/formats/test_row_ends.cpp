// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include "../../formats/csr/row_runs.hpp"
#include "../../testing/random.hpp"

namespace heddle::test {

namespace {

using heddle::detail::csr::RowEnds;
using Host = Kokkos::DefaultHostExecutionSpace;

constexpr std::int64_t learnt_rows = 40000;

/// Ends of rows of length(i).
template <class Length>
RowEnds ends_of(std::int64_t rows, Length length) {
  std::vector<int> row_ptr(static_cast<std::size_t>(rows) + 1);
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    row_ptr[i + 1] = row_ptr[i] + static_cast<int>(length(static_cast<std::int64_t>(i)));
  }
  return heddle::detail::csr::row_ends(Host(), row_ptr.data(), rows, learnt_rows);
}

}  // namespace

TEST_CASE("row ends: what repeats is foreseen") {
  CHECK(ends_of(0, [](std::int64_t) { return 0; }) == RowEnds::foreseen);
  CHECK(ends_of(1, [](std::int64_t) { return 9; }) == RowEnds::foreseen);
  CHECK(ends_of(5000, [](std::int64_t) { return 7; }) == RowEnds::foreseen);
  CHECK(ends_of(5000, [](std::int64_t i) { return 1 + i % 5; }) == RowEnds::foreseen);
  // One row in fifty has another length.
  Random random(1);
  CHECK(ends_of(5000, [&](std::int64_t) { return random.below(50) ? 5 : 1 + random.below(9); }) ==
        RowEnds::foreseen);
}

TEST_CASE("row ends: random lengths are not foreseen, fours of short rows are") {
  Random random(2);
  const auto up_to_four = [&](std::int64_t) { return 1 + random.below(4); };
  const auto up_to_twenty = [&](std::int64_t) { return 1 + random.below(20); };
  // A predictor learns only the rows of its thread.
  const std::int64_t threads = backends::threads_at_once(Host());
  CHECK(ends_of(20000 * threads, up_to_four) == RowEnds::unforeseen);
  CHECK(ends_of(20000 * threads, up_to_twenty) == RowEnds::unforeseen);
  CHECK(ends_of(learnt_rows * threads, up_to_twenty) == RowEnds::unforeseen);
  // More rows than a predictor learns.
  CHECK(ends_of((learnt_rows + 1) * threads, up_to_four) == RowEnds::unforeseen);
  CHECK(ends_of((learnt_rows + 1) * threads, up_to_twenty) == RowEnds::unpredictable);
}

TEST_CASE("row ends: random lengths of few rows of each thread are known by heart") {
  Random random(3);
  const std::int64_t threads = backends::threads_at_once(Host());
  for (const std::int64_t longest : {4, 20}) {
    const auto length = [&](std::int64_t) { return 1 + random.below(longest); };
    CHECK(ends_of(500 * threads, length) == RowEnds::foreseen);
    CHECK(ends_of(2 * threads, length) == RowEnds::foreseen);
  }
}

TEST_CASE("row ends: mostly empty rows are sparse") {
  CHECK(ends_of(5000, [](std::int64_t) { return 0; }) == RowEnds::sparse);
  CHECK(ends_of(5000, [](std::int64_t i) { return i % 3 == 0; }) == RowEnds::sparse);
  CHECK(ends_of(5000, [](std::int64_t i) { return i % 2; }) == RowEnds::foreseen);
}

}  // namespace heddle::test
