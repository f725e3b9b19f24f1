// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a PlainOperator on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../testing/random.hpp"

namespace heddle::test {

/// Calls visit(value, i, j) for each entry, and returns the values that it leaves.
template <class Operator, class Visit>
auto each_entry(const Operator& a, const Visit& visit) {
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto values = copy_to<Kokkos::HostSpace>(a.values);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    for (auto e = static_cast<std::size_t>(row_ptr(i)); std::cmp_less(e, row_ptr(i + 1)); ++e) {
      visit(values(e), i, static_cast<std::size_t>(col_idx(e)));
    }
  }
  return values;
}

/// The sums of magnitudes of each row, with or without the diagonal.
template <class Operator>
std::vector<double> row_sums(const Operator& a, bool with_diagonal) {
  std::vector<double> sums(static_cast<std::size_t>(a.n), 0);
  each_entry(a, [&](auto value, std::size_t i, std::size_t j) {
    if (i != j || with_diagonal) sums[i] += std::abs(static_cast<double>(value));
  });
  return sums;
}

}  // namespace heddle::test
