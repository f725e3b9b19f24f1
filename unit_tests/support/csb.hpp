// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of CSB: its schemes, and matrices that store one triangle.
#pragma once

#include "../../testing/format_suite/check.hpp"
#include "symmetric.hpp"

namespace heddle::test {

inline Scheme csb_scheme(int beta, const char* sweep = nullptr) {
  std::vector<SchemeTerm> terms{{"beta", std::to_string(beta)}};
  if (sweep) terms.emplace_back("sweep", std::string(sweep));
  return Scheme("csb", terms);
}

inline Pattern triangle_of(const Pattern& pattern, bool lower) {
  std::int64_t i = 0;
  return with_rows_changed(pattern, [&](std::vector<std::int64_t>& row) {
    std::erase_if(row, [&](std::int64_t j) { return lower ? j > i : j < i; });
    ++i;
  });
}

/// A lower triangle of scattered entries; some of its blocks of 256 x 256 are nearly full, also
/// some of a heavy block row.
inline Pattern blocks_of_every_weight() {
  if (emulated) {
    return random_pattern("blocks of every weight", 7, 600, 600, [](std::int64_t i) {
      return i / 32 == 17 ? 500 : i / 32 == 9 ? 150 : 1 + i % 5;
    });
  }
  return random_pattern("blocks of every weight", 7, 3000, 3000, [](std::int64_t i) {
    return i / 256 == 8 ? 2000 : i / 128 == 5 ? 1200 : 1 + i % 5;
  });
}

template <class T, class Plan>
std::string problem_of_vectors(const typename T::Exec& exec, Plan& plan,
                               const DeviceMatrix<T>& full) {
  using S = typename T::Scalar;
  const auto x = random_vectors<S>(full.rows_of_x(), 5, false, 3);
  const auto y = random_vectors<S>(full.rows_of_y(), 5, true, 4);
  const auto x_device = x.template in<typename T::Space>();
  const auto y_device = y.template in<typename T::Space>();
  plan.apply(exec, S(2), x_device.view(), S(0.5), y_device.view());
  exec.fence("heddle::test::applied");
  return mismatch(reference_of(full, Op::none, S(2), x, S(0.5), y),
                  y_device.template in<Kokkos::HostSpace>().view());
}

}  // namespace heddle::test
