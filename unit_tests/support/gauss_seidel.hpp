// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel one row after the other on the host, to compare with; and matrices for it.
#pragma once

#include <heddle/gauss_seidel.hpp>
#include <numeric>

#include "grid_operator.hpp"
#include "vectors_check.hpp"

namespace heddle::test {

/// Far from symmetric, so that a wrong triangle shows.
template <ExecutionSpace Exec, Scalar S = double>
PlainOperator<Exec, S> lopsided_grid(int side, double shift = 0) {
  return grid_operator<Exec, S>(side, [=](int i, int j) {
    return static_cast<S>(i == j ? 4.5 + i % 2 + shift : (j > i ? -0.4 : -1.6) - 0.01 * (i % 7));
  });
}

/// Of any pattern, symmetric nowhere: columns in no order, entries that repeat, a row with every
/// column, rows with their diagonal alone, and one that all others read.
template <ExecutionSpace Exec, Scalar S>
PlainOperator<Exec, S> scattered_matrix(int n, std::uint64_t seed) {
  using Space = typename Exec::memory_space;
  Random random(seed);
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<S> values;
  for (int i = 0; i < n; ++i) {
    const auto add = [&](int j, double size) {
      col_idx.push_back(j);
      values.push_back(S(static_cast<RealOf<S>>(size)) * random.scalar<S>());
    };
    const int others = i == n / 2 ? n : (i % 5 == 0 ? 0 : 6);
    for (int e = 0; e < others; ++e) {
      add(others == n ? e : (e == 3 ? 1 % n : random.below(n)), others == n ? 0.5 / n : 0.1);
    }
    col_idx.push_back(i);
    values.push_back(S(1));
    if (i % 3 == 0) col_idx.push_back(i), values.push_back(S(static_cast<RealOf<S>>(0.7)));
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  PlainOperator<Exec, S> a;
  a.n = n;
  a.row_ptr = copy_in<Space>(row_ptr);
  a.col_idx = copy_in<Space>(col_idx);
  a.values = copy_in<Space>(values);
  return a;
}

/// Sweeps over a copy of a matrix on the host, rows in `order`.
template <Scalar S>
class SequentialSweeps {
 public:
  template <class Operator>
  explicit SequentialSweeps(const Operator& a)
      : row_ptr_(to_host(a.row_ptr)),
        col_idx_(to_host(a.col_idx)),
        values_(to_host(a.values)),
        order_(static_cast<std::size_t>(a.n)) {
    std::iota(order_.begin(), order_.end(), 0);
  }
  /// In another order.
  template <class Order>
  void take(const Order& order) {
    const auto rows = to_host(order);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = rows(i);
  }

  template <class B, class X>
  void run(const B& b, const X& x, GaussSeidelSweep sweep, double omega) const {
    if (sweep != GaussSeidelSweep::backward) {
      for (const int i : order_) row(b, x, i, omega);
    }
    if (sweep == GaussSeidelSweep::forward) return;
    for (auto i = order_.rbegin(); i != order_.rend(); ++i) row(b, x, *i, omega);
  }
  template <class B, class X>
  std::vector<S> residual(const B& b, const X& x) const {
    std::vector<S> r;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      Wide sum(b(i));
      for (int e = row_ptr_(i); e < row_ptr_(i + 1); ++e) sum -= entry(e) * Wide(x(column(e)));
      r.push_back(S(sum));
    }
    return r;
  }

 private:
  using Wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;

  std::size_t column(int e) const {
    return static_cast<std::size_t>(col_idx_(static_cast<std::size_t>(e)));
  }
  Wide entry(int e) const { return Wide(values_(static_cast<std::size_t>(e))); }

  template <class B, class X>
  void row(const B& b, const X& x, int of, double omega) const {
    const auto i = static_cast<std::size_t>(of);
    Wide sum(b(i)), diagonal(0);
    for (int e = row_ptr_(i); e < row_ptr_(i + 1); ++e) {
      if (column(e) == i) diagonal += entry(e);
      if (column(e) != i) sum -= entry(e) * Wide(x(column(e)));
    }
    x(i) = S(Wide(1 - omega) * Wide(x(i)) + Wide(omega) * sum / diagonal);
  }

  HostVector<int> row_ptr_, col_idx_;
  HostVector<S> values_;
  std::vector<int> order_;
};

/// The worst difference, over the largest number of `expected` or 1.
template <class X, class Expected>
double difference(const X& got, const Expected& expected) {
  const auto host = to_host(got);
  double worst = 0, largest = 1;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    const auto error = static_cast<double>(Kokkos::abs(host(i) - expected[i]));
    worst = error <= worst ? worst : error;  // NaN is the worst
    largest = std::max(largest, static_cast<double>(Kokkos::abs(expected[i])));
  }
  return worst / largest;
}

/// Every kernel of the schemes of a device, and values of its parameters. All threads work, however
/// small the matrix.
template <ExecutionSpace Exec>
std::vector<Scheme> sweep_schemes() {
  std::vector<Scheme> found;
  const SchemeGrammar legal = heddle::detail::gauss_seidel::grammar(backends::describe(Exec()));
  for (const Scheme& scheme : variants_of(legal)) {
    const bool of_sizes = scheme.has("grain") && scheme.value("grain") != "1";
    if (!of_sizes) found.push_back(scheme);
  }
  return found;
}

}  // namespace heddle::test
