// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <heddle/spmv.hpp>

namespace heddle::test {

namespace {

Device gpu(int lanes) {
  Device device;
  device.name = "a GPU";
  device.lanes = lanes;
  device.multiprocessors = 132;
  device.threads_per_multiprocessor = 2048;
  device.cache_bytes = 60 << 20;
  return device;
}

RowFeatures rows_of(std::int64_t rows, std::int64_t mean, std::int64_t longest) {
  RowFeatures features;
  features.rows = features.columns = rows;
  features.nonzeros = rows * mean;
  features.longest_row = longest;
  return features;
}

std::string chosen(const RowFeatures& rows, const Device& device,
                   const ExpectedColumns& columns = {}) {
  return choose(rows, device, 1000, columns).scheme.to_string();
}

}  // namespace

TEST_CASE("choose: the rules on a GPU") {
  CHECK(chosen(rows_of(1000000, 5, 5), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(50000, 26, 27), gpu(32)) == "csr/subwarp=8");
  CHECK(chosen(rows_of(3000, 60, 70), gpu(32)) == "csr/subwarp=16");
  CHECK(chosen(rows_of(1000000, 5, 100000), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(100, 9000, 20000), gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: csr/adaptive costs less where all wait for memory") {
  CHECK(chosen(rows_of(50000, 50, 60), gpu(32)) == "csr/subwarp=8");
  CHECK(chosen(rows_of(1000000, 50, 60), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(1000000, 9, 9), gpu(32)) == "csr/adaptive");
  CHECK(chosen(rows_of(300000, 9, 9), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(50000, 9, 9), gpu(32)) == "csr/subwarp=2");
  Device larger = gpu(32);
  larger.cache_bytes *= 4;
  CHECK(chosen(rows_of(1000000, 9, 9), larger) == "csr/scalar");
}

TEST_CASE("choose: mostly empty rows, by how many there are") {
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32)) == "csr/merge");
  CHECK(chosen(rows_of(1000000, 0, 3), gpu(32)) == "csr/scalar");
  CHECK(chosen(rows_of(1000, 0, 3), gpu(32)) == "csr/scalar");
}

TEST_CASE("choose: the spread of rows counts, not the longest alone") {
  // NotreDame_www, where csr/subwarp=2 was measured to be the fastest of all.
  RowFeatures rows = rows_of(325729, 0, 60);
  rows.nonzeros = 929849;
  rows.row_variance = 31.08;
  CHECK(chosen(rows, gpu(32)) == "csr/subwarp=2");
  // The same with a row that would hold up all others.
  rows.longest_row = 20000;
  CHECK(chosen(rows, gpu(32)) == "csr/adaptive");
}

TEST_CASE("choose: several columns") {
  const ExpectedColumns apart{8, true}, side_by_side{8, false};
  // A grid of five points, where csr/scalar was measured to be the fastest for columns apart.
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), apart) == "csr/scalar");
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), side_by_side) == "csr/adaptive");
  CHECK(chosen(rows_of(175000, 49, 159), gpu(32), apart) == "csr/adaptive");
  // Packing costs less a column if there are more: crystk01.
  CHECK(chosen(rows_of(4875, 65, 81), gpu(32), apart) == "csr/subwarp=16");
  CHECK(chosen(rows_of(4875, 65, 81), gpu(32), {32, true}) == "csr/adaptive");
  // Too few nonzeros to repay packing: hypersparse.
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32), {32, true}) == "csr/scalar");
  CHECK(chosen(rows_of(3000000, 0, 3), gpu(32), {32, false}) == "csr/merge");
  CHECK(chosen(rows_of(50000, 26, 27), gpu(32), side_by_side) == "csr/adaptive");
  CHECK(chosen(rows_of(5000, 4, 7), gpu(32), side_by_side) == "csr/subwarp=2");
  CHECK(chosen(rows_of(1440000, 5, 5), gpu(32), {1, false}) == "csr/scalar");
}

TEST_CASE("choose: a CPU balances its threads and looks for runs of rows") {
  Device cpu;
  for (const int threads : {1, 16}) {
    cpu.multiprocessors = threads;
    CHECK(chosen(rows_of(100000, 5, 5), cpu) == "csr/adaptive");
    CHECK(choose(rows_of(100000, 5, 5), cpu, 1).scheme == Scheme("csr", {{"scalar"}}));
  }
}

TEST_CASE("choose: nothing is set up for a single apply") {
  const Choice once = choose(rows_of(1000000, 5, 100000), gpu(32), 1);
  CHECK(once.scheme != Scheme("csr", {{"adaptive"}}));
  CHECK(choose(rows_of(1000000, 9, 9), gpu(32), 1).scheme == Scheme("csr", {{"scalar"}}));
  CHECK(choose(rows_of(3000000, 0, 3), gpu(32), 1).scheme == Scheme("csr", {{"scalar"}}));
}

TEST_CASE("choose: whatever the matrix, the scheme exists on the device") {
  for (const int lanes : {1, 32, 64}) {
    for (const std::int64_t rows : {0, 1, 100, 10000, 10000000}) {
      for (const std::int64_t mean : {0, 1, 7, 100, 5000}) {
        for (const std::int64_t longest : {mean, 3 * mean + 1, 100000 + mean}) {
          const Choice choice = choose(rows_of(rows, mean, longest), gpu(lanes), 1000);
          CHECK_NOTHROW(resolve(choice.scheme, spmv_grammars(lanes)));
          CHECK(!choice.reason.empty());
        }
      }
    }
  }
}

}  // namespace heddle::test
