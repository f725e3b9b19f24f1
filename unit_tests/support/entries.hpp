// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a PlainOperator on the host, and what they leave of a right-hand side.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../testing/random.hpp"
#include "../../testing/wide.hpp"

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
    if (i != j || with_diagonal) sums[i] += static_cast<double>(Kokkos::abs(value));
  });
  return sums;
}

/// Norms of b - A x, of b, and of |A| |x| + |b|, which bounds rounding, computed on the host.
struct ResidualNorms {
  double residual, b, rounding;
};
template <class Operator, class B, class X>
ResidualNorms residual_norms(const Operator& a, const B& of_b, const X& of_x) {
  const auto b = to_host(of_b);
  const auto x = to_host(of_x);
  std::vector<detail::Wide> left;
  std::vector<long double> size;
  long double residual = 0, right = 0, rounding = 0;
  for (std::size_t i = 0; i < b.extent(0); ++i) {
    left.emplace_back(b(i));
    size.push_back(detail::magnitude(left[i]));
    right += size[i] * size[i];
  }
  each_entry(a, [&](auto value, std::size_t i, std::size_t j) {
    const detail::Wide product = detail::Wide(value) * detail::Wide(x(j));
    left[i] = left[i] - product;
    size[i] += detail::magnitude(product);
  });
  for (std::size_t i = 0; i < left.size(); ++i) {
    residual += detail::magnitude(left[i]) * detail::magnitude(left[i]);
    rounding += size[i] * size[i];
  }
  const auto root = [](long double of) { return static_cast<double>(std::sqrt(of)); };
  return {root(residual), root(right), root(rounding)};
}

/// ||b - A x|| / ||b||.
template <class Operator, class B, class X>
double relative_residual(const Operator& a, const B& b, const X& x) {
  const ResidualNorms norms = residual_norms(a, b, x);
  return norms.residual / norms.b;
}

}  // namespace heddle::test
