// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules by which CSR's kernels are chosen on a GPU.
#include <doctest/doctest.h>

#include "../support/choose_csr.hpp"

namespace heddle::test {

namespace {

/// Lanes a row of csr/scalar and csr/subwarp; 0 for other schemes.
std::int64_t lanes_of(const std::string& text) {
  const Scheme scheme = Scheme::parse(text);
  return scheme.has("scalar") ? 1 : scheme.has("subwarp") ? scheme.integer("subwarp") : 0;
}

}  // namespace

TEST_CASE("choose: the rules on a GPU") {
  for (const std::int64_t rows : {3000, 50000, 300000}) {
    std::int64_t before = 1;
    for (const std::int64_t mean : {1, 2, 5, 9, 26, 60, 150}) {
      CAPTURE(rows);
      CAPTURE(mean);
      const std::string scheme = chosen(rows_of(rows, mean, mean + 1), gpu(32));
      // With one vector the layout of several does not matter.
      CHECK(chosen(rows_of(rows, mean, mean + 1), gpu(32), {1, false}) == scheme);
      const std::int64_t lanes = lanes_of(scheme);
      if (lanes == 0) continue;  // csr/adaptive
      CHECK(lanes >= before);    // longer rows get more lanes
      CHECK(lanes < 2 * mean);   // most lanes have an entry
      before = lanes;
    }
    if (rows <= 50000) CHECK(before > 1);  // csr/adaptive is not chosen for all
  }
  // A subwarp would finish this row long after the others.
  CHECK(chosen(rows_of(1000000, 5, 100000), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(100, 9000, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/adaptive costs less where all wait for memory") {
  /// The lowest number of rows for which csr/adaptive is chosen.
  const auto adaptive_from = [](std::int64_t mean, const Device& device, std::int64_t applies) {
    std::int64_t first = -1;
    for (std::int64_t rows = 1000; rows < 100000000; rows *= 2) {
      const bool adaptive =
          chosen(rows_of(rows, mean, mean + 1), device, {}, applies) == "csr/adaptive";
      if (first < 0 && adaptive) first = rows;
      CHECK((adaptive || first < 0));  // it stays chosen for more rows
    }
    return first;
  };
  Device larger = gpu(32);
  larger.cache_bytes *= 4;
  for (const std::int64_t mean : {9, 50}) {
    CAPTURE(mean);
    const std::int64_t often = adaptive_from(mean, gpu(32), 100000);
    CHECK(often > 0);
    // Larger than the cache: indices and values, row pointer and both vectors.
    CHECK(often * (12 * mean + 20) > 60 << 20);
    CHECK(adaptive_from(mean, larger, 100000) > often);
    // With few applies its set-up counts.
    const std::int64_t seldom = adaptive_from(mean, gpu(32), 100);
    CHECK((seldom < 0 || seldom >= often));
  }
}

TEST_CASE("choose: a row that would hold up all others counts, whatever their spread") {
  RowFeatures rows = rows_of(325729, 0, 60);
  rows.nonzeros = 929849;
  rows.row_variance = 31.08;
  CHECK(lanes_of(chosen(rows, gpu(32))) > 0);
  rows.longest_row = 20000;
  CHECK(chosen(rows, gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: where the long rows stand counts, if somebody counted") {
  // One row of 60 in every 32 rows of two: each warp of csr/scalar waits for one, which the
  // variance does not show.
  constexpr std::int64_t slices = 20000;
  RowFeatures guessed = rows_of(32 * slices, 0, 60);
  guessed.nonzeros = slices * (31 * 2 + 60);
  guessed.row_variance = 58.0 * 58.0 * 31 / 32 / 32;
  RowFeatures counted = guessed;
  const auto slots = [](int group) { return slices * (60 + 2 * (32 / group - 1)) * group; };
  counted.group_slots = {slots(2), slots(4), slots(8), slots(16)};
  counted.slice_slots = slots(32);
  CHECK(guessed.mean_longest_of_groups(32) == 0);
  CHECK(counted.mean_longest_of_groups(32) == 60);
  CHECK(counted.mean_longest_of_groups(1) == counted.mean_row());
  const Device device = gpu(32);
  const heddle::detail::csr::GpuTuning tuning;
  const auto cost = [&](const RowFeatures& rows, int lanes) {
    return heddle::detail::csr::GpuCosts(rows, device, Sizes(), tuning).subwarp(lanes);
  };
  CHECK(cost(counted, 1) > 2 * cost(guessed, 1));
  CHECK(cost(counted, 32) == cost(guessed, 32));
}

}  // namespace heddle::test
