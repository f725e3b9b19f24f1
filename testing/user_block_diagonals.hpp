// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A format that the library does not ship, made of its recipes: whole diagonals of 2 x 2 blocks.
// The code is under 40 lines, with its executor.
#pragma once
#include <heddle/recipes.hpp>

#include "user_format.hpp"
namespace user {
using namespace heddle::recipe;
template <class Exec, class Matrix, class V, class Acc>
struct BlockDiagonals final : SpmvExecutor<Exec, Matrix, V, Acc> {
  static constexpr auto map = tile_rows(2) | tile_columns(2) | skew() | permute(2);
  Scheme name{"block-diagonals"};
  StoredBlocks<Exec, Matrix, std::remove_const_t<decltype(map)>> stored;
  BlockDiagonals(const Exec& exec, const Matrix& A) : stored(exec, A, map, "heddle::bdia::a") {}
  const Scheme& scheme() const override { return name; }
  std::size_t bytes() const override { return stored.bytes(); }
  double moved_bytes(Op, int n, bool beta) const override {
    return bytes() + (1.0 + beta) * n * sizeof(V) * (stored.view().rows + stored.view().columns);
  }
  void update_values(const Exec& exec, const Matrix& A) override { stored.update_values(exec, A); }
  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    const auto A = stored.view();
    const auto apply_row = KOKKOS_LAMBDA(std::int64_t i) {
      const int row = static_cast<int>(i % y.rows), v = static_cast<int>(i / y.rows);
      Acc sum(0);
      for (std::int64_t k = 0; k < 2 * A.blocks; ++k) {
        const auto entry = product.entry(A(k / 2, row, k % 2));
        if (entry != 0.0) sum += product.product(entry, 2 * (row / 2 + A.keys[k / 2]) + k % 2, v);
      }
      product.store(row, v, sum);
    };
    Kokkos::RangePolicy<KokkosSpace<Exec>> rows(exec, 0, y.rows * y.count);
    Kokkos::parallel_for("heddle::bdia::apply", rows, apply_row);
  }
};
struct BlockDiagonalFormat : DenseFormat {
  static constexpr const char* name = "block-diagonals";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static bool applies(Op op, const Scheme&) { return !transposes(op); }
  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme&) {
    return std::make_unique<BlockDiagonals<Exec, Matrix, V, Acc>>(in.exec, in.A);
  }
};
}  // namespace user
