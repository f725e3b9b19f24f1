// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/lanes.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/version.hpp"
#include "../triangle/check_triangle.hpp"
#include "../triangle/invert_blocks.hpp"
#include "../vectors/operands.hpp"

namespace heddle {

namespace detail::krylov {

/// What an error says of a diagonal block that cannot be inverted; it names its first row.
inline constexpr triangle::DiagonalWords block_words = {
    "the diagonal block that begins here is singular, or it or its inverse is not finite",
    "shift the diagonal, or give another size of blocks"};

/// x = B^-1 b: a row of one vector an item, where neighbours should read neighbours.
template <Scalar S>
struct ApplyBlockRows {
  Multivector<const S> from;
  Multivector<S> to;
  const S* inverse;
  int size;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    const std::int64_t k = row / size;
    const S* const of_row = inverse + k * size * size + row % size;
    const std::int64_t left = to.rows - k * size;
    S sum(0);
    for (int c = 0; c < size && c < left; ++c) {
      sum += of_row[c * size] * from(k * size + c, vector);
    }
    to(row, vector) = sum;
  }
};

/// The same with a block of one vector an item, for a CPU: the inverse is read as it lies.
template <Scalar S>
struct ApplyBlocks {
  Multivector<const S> from;
  Multivector<S> to;
  const S* inverse;
  std::int64_t blocks;
  int size;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t k = i % blocks;
    const int vector = static_cast<int>(i / blocks);
    const std::int64_t left = to.rows - k * size;
    const int here = left < size ? static_cast<int>(left) : size;
    S sums[triangle::largest_block];
    for (int r = 0; r < size; ++r) sums[r] = S(0);
    for (int c = 0; c < here; ++c) {
      const S* const column = inverse + (k * size + c) * size;
      const S entry = from(k * size + c, vector);
      for (int r = 0; r < size; ++r) sums[r] += column[r] * entry;
    }
    for (int r = 0; r < here; ++r) to(k * size + r, vector) = sums[r];
  }
};

}  // namespace detail::krylov

/// The preconditioner x = B^-1 b with the dense blocks B on A's diagonal, of equal size from row 0
/// on, the last one shorter. The inverses are kept: an apply is a product with them, which moves
/// (size + 2) n b bytes in one launch. Moves, does not copy.
template <ExecutionSpace Exec, Scalar S>
class BlockJacobiPreconditioner {
 public:
  /// Of a square matrix A in CSR, which may go afterwards, and blocks of 1 to 32 rows. Waits for
  /// `exec`. Throws Error for another size; and, naming its first row, for a block that is singular
  /// or not finite, or whose inverse is not. Device memory: bytes(), that of the inverses.
  template <class Matrix>
  BlockJacobiPreconditioner(const Exec& exec, const Matrix& A, int size)
      : rows_(A.rows()), size_(size) {
    if (A.rows() != A.columns()) {
      throw Error("the diagonal blocks of a matrix of " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()),
                  "give a square matrix");
    }
    if (size < 1 || size > detail::triangle::largest_block) {
      throw Error("blocks of " + std::to_string(size) + " rows", "give a size from 1 to 32");
    }
    blocks_ = ceil_div(rows_, std::int64_t{size});
    const auto entries = static_cast<std::size_t>(blocks_ * size * size);
    arena_ =
        Arena<typename Exec::memory_space>(exec, "heddle::block_jacobi::inverse_blocks",
                                           arena_bytes<S, std::int64_t>(entries, std::size_t{1}));
    inverse_ = arena_.template take<S>(entries).data();
    bad_ = Bad(arena_.template take<std::int64_t>(1).data());
    update_values(exec, A);
    check_blocks(exec);
  }

  /// Takes the values of a matrix of as many rows, of any pattern; ordered on `exec`, no wait, no
  /// allocation. A block that becomes bad is not an error here: see bad_block.
  template <class Matrix>
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("BlockJacobiPreconditioner", "update_values");
    if (A.rows() != rows_ || A.columns() != rows_) {
      throw Error("a matrix of " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()) +
                      " for a preconditioner of " + std::to_string(rows_) + " rows",
                  "make a new one when the size changes");
    }
    detail::fill(exec, "heddle::block_jacobi::clear", bad_.data(), 1, 0);
    Kokkos::parallel_for("heddle::block_jacobi::invert", range_policy(exec, blocks_),
                         detail::triangle::InvertBlocks<Matrix>{
                             A.row_ptr().data(), A.col_idx().data(), A.values().data(), inverse_,
                             nullptr, bad_.data(), rows_, size_});
    version_.renew();
  }

  /// x = B^-1 b; b and x do not overlap.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("BlockJacobiPreconditioner", "apply");
    const auto from = detail::vectors::to_read(b);
    const auto to = detail::vectors::to_write(x);
    detail::vectors::check_alike("b", from, "x", to);
    detail::vectors::check_distinct("b", from, "x", to);
    if (to.rows != rows_) {
      throw Error("b has " + std::to_string(to.rows) + " rows, and the preconditioner is for " +
                      std::to_string(rows_),
                  "make it of the same matrix");
    }
    if constexpr (backends::runs_on_host<Exec>) {
      detail::parallel_for(exec, "heddle::block_jacobi::apply", blocks_ * to.count,
                           detail::krylov::ApplyBlocks<S>{from, to, inverse_, blocks_, size_});
    } else {
      detail::parallel_for(exec, "heddle::block_jacobi::apply", rows_ * to.count,
                           detail::krylov::ApplyBlockRows<S>{from, to, inverse_, size_});
    }
  }

  /// On the device, in the order of the instance that values were updated on: 0, or one more than
  /// the first row of the lowest block that is singular, or not finite, or has no finite inverse
  /// since; that block is taken to be the identity.
  Kokkos::View<const std::int64_t, typename Exec::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  bad_block() const {
    return bad_;
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_blocks(const Exec& exec) const {
    detail::triangle::check_bad_diagonal(exec, "heddle::block_jacobi::check_blocks", bad_,
                                         detail::krylov::block_words);
  }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "block Jacobi"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  using Bad = Kokkos::View<std::int64_t, typename Exec::memory_space,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  detail::MoveOnly moves_;
  std::int64_t rows_;
  std::int64_t blocks_ = 0;
  int size_;
  Arena<typename Exec::memory_space> arena_;
  S* inverse_ = nullptr;
  Bad bad_;
  Version version_;
};

}  // namespace heddle
