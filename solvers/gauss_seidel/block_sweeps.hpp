// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "block_rows.hpp"
#include "sweeps.hpp"

namespace heddle::detail::gauss_seidel {

/// Sweeps whose unknowns are rows of blocks: with D_I the diagonal block of row I,
///
///     x_I = (1 - w) x_I + w D_I^-1 (b_I - the other blocks of the row times x).
template <ExecutionSpace Exec, class Matrix>
class BlockSweeps final : public Executor<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;

  /// Allocates, and waits for `exec`. No values yet.
  BlockSweeps(const Exec& exec, Blocks<Exec, Matrix> blocks, const RowOrder<O>& order,
              const GaussSeidelOptions& options, const std::optional<Scheme>& scheme)
      : blocks_(std::move(blocks)),
        sweeps_(
            {exec, blocks_, order, blocks_.matrix_rows(), options.vectors.count, options.threads},
            options, scheme) {
    exec.fence("heddle::gauss_seidel::block_rows");
    blocks_.drop_graph();
  }

  const Scheme& scheme(bool forward) const override { return sweeps_.scheme(forward); }
  int levels(bool forward) const override { return sweeps_.levels(forward); }
  bool has(bool forward) const override { return sweeps_.has(forward); }
  std::size_t bytes() const override { return blocks_.bytes() + sweeps_.bytes(); }

  void update_values(const Exec& exec, const Matrix& A, std::int64_t* bad) override {
    blocks_.update_values(exec, A, bad);
    sweeps_.update_values(exec, A, nullptr);
  }
  void run(const Exec& exec, const SweepVectors<S>& vectors, int sweeps, bool from_zero) override {
    sweeps_.run(exec, vectors, sweeps, from_zero);
  }

 private:
  Blocks<Exec, Matrix> blocks_;
  Sweeps<Exec, BlockRows<Exec, Matrix>> sweeps_;
};

}  // namespace heddle::detail::gauss_seidel
