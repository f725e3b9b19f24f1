// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel one row of blocks after the other on the host, to compare with.
#pragma once

#include "gauss_seidel.hpp"

namespace heddle::test {

/// Block sweeps on the host, each block solved with by elimination; rows of blocks in `order`.
template <class S>
class SequentialBlockSweeps {
 public:
  template <class Operator>
  SequentialBlockSweeps(const Operator& a, int size)
      : row_ptr_(to_host(a.row_ptr)),
        col_idx_(to_host(a.col_idx)),
        values_(to_host(a.values)),
        n_(static_cast<std::size_t>(a.n)),
        size_(static_cast<std::size_t>(size)),
        order_((n_ + size_ - 1) / size_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }
  /// In the order of colors of the blocks, which the graph of a matrix of blocks gives.
  template <class Exec, class Matrix>
  void take_colors(const Exec& exec, const Matrix& A) {
    const heddle::detail::gauss_seidel::Blocks<Exec, Matrix> blocks(exec, A,
                                                                    static_cast<int>(size_));
    const heddle::detail::order::Colors<Exec, int> colors(exec, blocks.graph());
    const auto rows = to_host(colors.order().iterations());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::size_t>(rows(i));
  }

  template <class B, class X>
  void run(const B& b, const X& x, GaussSeidelSweep sweep, double omega) const {
    if (sweep != GaussSeidelSweep::backward) {
      for (const std::size_t block : order_) solve(b, x, block, omega);
    }
    if (sweep == GaussSeidelSweep::forward) return;
    for (auto block = order_.rbegin(); block != order_.rend(); ++block) solve(b, x, *block, omega);
  }

 private:
  using Wide = std::conditional_t<is_complex<S>, Kokkos::complex<double>, double>;

  template <class B, class X>
  void solve(const B& b, const X& x, std::size_t block, double omega) const {
    const std::size_t first = block * size_, height = std::min(size_, n_ - first);
    std::vector<std::vector<Wide>> rows(height, std::vector<Wide>(height + 1, Wide(0)));
    for (std::size_t r = 0; r < height; ++r) {
      rows[r][height] = Wide(b(first + r));
      for (int e = row_ptr_(first + r); e < row_ptr_(first + r + 1); ++e) {
        const auto at = static_cast<std::size_t>(e);
        const auto column = static_cast<std::size_t>(col_idx_(at));
        if (column / size_ == block) {
          rows[r][column - first] += Wide(values_(at));
        } else {
          rows[r][height] -= Wide(values_(at)) * Wide(x(column));
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
      x(first + r) = S(Wide(1 - omega) * Wide(x(first + r)) + Wide(omega) * solved);
    }
  }

  HostVector<int> row_ptr_, col_idx_;
  HostVector<S> values_;
  std::size_t n_, size_;
  std::vector<std::size_t> order_;
};

/// Those schemes of sweep_schemes that have blocks.
template <ExecutionSpace Exec>
std::vector<Scheme> block_schemes() {
  auto schemes = sweep_schemes<Exec>();
  std::erase_if(schemes, [](const Scheme& s) { return s.has("split") || s.has("hand-over"); });
  return schemes;
}

}  // namespace heddle::test
