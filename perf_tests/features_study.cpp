// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// features_study [--repetitions N]: how long the features of a matrix take, launch to result on the
// host. docs/features.md says what they are.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>

#include "../formats/inspect/pattern_features.hpp"
#include "launch_timing.hpp"

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = heddle::CsrStorage<double, int, int, Kokkos::HostSpace>;

constexpr int row_length = 10;

/// Ten entries a row: side by side around the diagonal, or, scattered, evenly over all columns from
/// a start that differs from row to row.
Csr make(int rows, bool scattered) {
  const Kokkos::DefaultHostExecutionSpace host;
  Csr A(host, rows, rows, rows * row_length);
  host.fence("heddle::features_study::host");
  for (int i = 0; i < rows; ++i) {
    A.row_ptr()(i) = i * row_length;
    const int step = scattered ? rows / row_length : 1;
    const int start = scattered ? static_cast<int>(i * 2654435761u % static_cast<unsigned>(step))
                                : std::min(i, rows - row_length);
    for (int k = 0; k < row_length; ++k) {
      A.col_idx()(i * row_length + k) = start + k * step;
      A.values()(i * row_length + k) = 1;
    }
  }
  A.row_ptr()(rows) = rows * row_length;
  return A;
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = heddle::study::repetitions(argc, argv);
  Kokkos::ScopeGuard kokkos;
  const Exec exec;
  std::printf("Features on %s, launch to result, medians of %d, in microseconds\n\n", Exec::name(),
              repetitions);
  std::printf("%10s %10s %10s | %12s %16s %16s\n", "pattern", "rows", "nonzeros", "row features",
              "and columns' check", "pattern features");
  for (const bool scattered : {false, true}) {
    for (int rows = 1000; rows <= 10000000; rows *= 10) {
      const auto storage = make(rows, scattered).copy_to<typename Exec::memory_space>(exec);
      exec.fence("heddle::features_study::copied");
      const auto A = storage.matrix();
      const auto [row, checked, pattern] = heddle::study::microseconds(
          exec, repetitions, [&] { heddle::row_features(exec, A); },
          [&] { heddle::row_features(exec, A, heddle::Check::columns); },
          [&] { heddle::pattern_features(exec, A); });
      std::printf("%10s %10d %10d | %12.1f %18.1f %16.1f\n", scattered ? "scattered" : "band", rows,
                  rows * row_length, row, checked, pattern);
      std::fflush(stdout);
    }
  }
  return 0;
}
