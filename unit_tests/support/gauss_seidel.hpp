// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequential Gauss-Seidel over rows or rows of blocks on the host, as reference; matrices for it,
// and the schemes of a device.
#pragma once

#include <heddle/gauss_seidel.hpp>
#include <numeric>

#include "../../backends/device.hpp"
#include "../../solvers/gauss_seidel/block_sweeps.hpp"
#include "../../solvers/gauss_seidel/choose.hpp"
#include "../../solvers/ordered/colors.hpp"
#include "../../testing/vectors_check.hpp"
#include "grid_operator.hpp"

namespace heddle::test {

/// A matrix that is far from symmetric, so that a wrong triangle gives wrong results.
template <ExecutionSpace Exec, Scalar S = double>
PlainOperator<Exec, S> lopsided_grid(int side, double shift = 0) {
  return grid_operator<Exec, S>(side, [=](int i, int j) {
    return static_cast<S>(i == j ? 4.5 + i % 2 + shift : (j > i ? -0.4 : -1.6) - 0.01 * (i % 7));
  });
}

/// A matrix with an asymmetric pattern: unsorted columns, repeated entries, a full row, rows with
/// the diagonal alone, and a row that all others read.
template <ExecutionSpace Exec, Scalar S>
PlainOperator<Exec, S> scattered_matrix(int n, std::uint64_t seed) {
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
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// The sweeps of given options over a copy of a matrix on the host: one row of blocks after
/// another; elimination solves each block.
template <Scalar S>
class SequentialSweeps {
 public:
  template <class Exec, class Operator>
  SequentialSweeps(const Exec& exec, const Operator& a, const GaussSeidelOptions& options)
      : row_ptr_(to_host(a.row_ptr)),
        col_idx_(to_host(a.col_idx)),
        values_(to_host(a.values)),
        n_(static_cast<std::size_t>(a.n)),
        size_(static_cast<std::size_t>(options.block_size)),
        sweep_(options.sweep),
        omega_(options.omega),
        order_((n_ + size_ - 1) / size_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (options.order == GaussSeidelOrder::multicolor) take_colors(exec, a.matrix());
  }

  template <class B, class X>
  void run(const B& b, const X& x, int sweeps = 1) const {
    for (int i = 0; i < sweeps; ++i) {
      if (sweep_ != SweepDirection::backward) {
        for (const std::size_t block : order_) solve(b, x, block);
      }
      if (sweep_ == SweepDirection::forward) continue;
      for (auto block = order_.rbegin(); block != order_.rend(); ++block) solve(b, x, *block);
    }
  }
  template <class B, class X>
  std::vector<S> residual(const B& b, const X& x) const {
    std::vector<S> r;
    for (std::size_t i = 0; i < n_; ++i) {
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

  /// Takes the order by colors of the blocks, from the graph of blocks.
  template <class Exec, class Matrix>
  void take_colors(const Exec& exec, const Matrix& A) {
    const heddle::detail::gauss_seidel::BlockGraph<Exec, Matrix> blocks(exec, A,
                                                                        static_cast<int>(size_));
    const heddle::detail::ordered::Colors<Exec, int> colors(exec, blocks.graph());
    const auto rows = to_host(colors.schedule().iterations());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::size_t>(rows(i));
  }

  template <class B, class X>
  void solve(const B& b, const X& x, std::size_t block) const {
    const std::size_t first = block * size_, height = std::min(size_, n_ - first);
    std::vector<std::vector<Wide>> rows(height, std::vector<Wide>(height + 1, Wide(0)));
    for (std::size_t r = 0; r < height; ++r) {
      rows[r][height] = Wide(b(first + r));
      for (int e = row_ptr_(first + r); e < row_ptr_(first + r + 1); ++e) {
        if (column(e) / size_ == block) {
          rows[r][column(e) - first] += entry(e);
        } else {
          rows[r][height] -= entry(e) * Wide(x(column(e)));
        }
      }
    }
    for (std::size_t c = 0; c < height; ++c) {
      const auto pivot = std::max_element(
          rows.begin() + static_cast<std::ptrdiff_t>(c), rows.end(),
          [&](const auto& p, const auto& q) { return Kokkos::abs(p[c]) < Kokkos::abs(q[c]); });
      std::swap(rows[c], *pivot);
      for (std::size_t r = 0; r < height; ++r) {
        const Wide factor = r == c ? Wide(0) : rows[r][c] / rows[c][c];
        for (std::size_t k = c; k <= height; ++k) rows[r][k] -= factor * rows[c][k];
      }
    }
    for (std::size_t r = 0; r < height; ++r) {
      const Wide solved = rows[r][height] / rows[r][r];
      x(first + r) = S(Wide(1 - omega_) * Wide(x(first + r)) + Wide(omega_) * solved);
    }
  }

  HostVector<int> row_ptr_, col_idx_;
  HostVector<S> values_;
  std::size_t n_, size_;
  SweepDirection sweep_;
  double omega_;
  std::vector<std::size_t> order_;
};

/// The largest difference, relative to the largest number of `expected` or 1.
template <class X, class Expected>
double difference(const X& got, const Expected& expected) {
  const auto host = to_host(got);
  double worst = 0, largest = 1;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    const auto error = static_cast<double>(Kokkos::abs(host(i) - expected[i]));
    worst = error <= worst ? worst : error;  // NaN counts as largest
    largest = std::max(largest, static_cast<double>(Kokkos::abs(expected[i])));
  }
  return worst / largest;
}

/// Every kernel of a device's schemes, and values of its parameters. All threads work, however
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
/// The schemes of sweep_schemes() that have blocks.
template <ExecutionSpace Exec>
std::vector<Scheme> block_schemes() {
  auto schemes = sweep_schemes<Exec>();
  std::erase_if(schemes, [](const Scheme& s) { return s.has("split") || s.has("hand-over"); });
  return schemes;
}

}  // namespace heddle::test
