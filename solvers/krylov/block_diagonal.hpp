// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/lanes.hpp"
#include "../../backends/loops.hpp"
#include "../../core/multivector.hpp"
#include "../triangle/invert_blocks.hpp"

/// Products with the inverses of dense diagonal blocks, as preconditioner and as smoother.
namespace heddle::detail::krylov {

/// Inverses of the blocks on the diagonal, as triangle::InvertBlocks stores them.
template <Scalar S>
struct InverseBlocks {
  const S* inverse;
  std::int64_t rows;
  int size;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t blocks() const { return (rows + size - 1) / size; }
  KOKKOS_FORCEINLINE_FUNCTION const S* column(std::int64_t block, int c) const {
    return inverse + (block * size + c) * size;
  }
  /// The number of rows of a block, of which the last may be shorter.
  KOKKOS_FORCEINLINE_FUNCTION int rows_of(std::int64_t block) const {
    const std::int64_t left = rows - block * size;
    return left < size ? static_cast<int>(left) : size;
  }
};

/// x = factor D^-1 b, or, unless FromZero, x += factor D^-1 (b - q), with blocks D on the diagonal.
/// The factor is divided by *over if this is not null.
template <Scalar S, bool FromZero>
struct BlockStep {
  InverseBlocks<S> blocks;
  Multivector<const S> b, q;
  Multivector<S> x;
  double factor = 1;
  const double* over = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION S scale() const {
    return S(static_cast<heddle::RealOf<S>>(over ? factor / *over : factor));
  }
  KOKKOS_FORCEINLINE_FUNCTION S right_hand_side(std::int64_t row, int vector) const {
    return FromZero ? b(row, vector) : b(row, vector) - q(row, vector);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t row, int vector, const S& product) const {
    x(row, vector) = FromZero ? product : x(row, vector) + product;
  }
};

/// BlockStep for a GPU: an item is a row of one vector, so that loads are coalesced.
template <Scalar S, bool FromZero>
struct BlockStepByRows {
  BlockStep<S, FromZero> step;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto& blocks = step.blocks;
    const std::int64_t row = i % blocks.rows, block = row / blocks.size;
    const int vector = static_cast<int>(i / blocks.rows), count = blocks.rows_of(block);
    S sum(0);
    for (int c = 0; c < count; ++c) {
      sum += blocks.column(block, c)[row % blocks.size] *
             step.right_hand_side(block * blocks.size + c, vector);
    }
    step.add(row, vector, step.scale() * sum);
  }
};

/// BlockStep for a CPU: an item is a block of one vector. It reads the inverse in memory order.
template <Scalar S, bool FromZero>
struct BlockStepByBlocks {
  BlockStep<S, FromZero> step;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto& blocks = step.blocks;
    const std::int64_t block = i % blocks.blocks();
    const int vector = static_cast<int>(i / blocks.blocks()), count = blocks.rows_of(block);
    S sums[triangle::largest_block];
    for (int r = 0; r < count; ++r) sums[r] = S(0);
    for (int c = 0; c < count; ++c) {
      const S* const column = blocks.column(block, c);
      const S entry = step.right_hand_side(block * blocks.size + c, vector);
      for (int r = 0; r < count; ++r) sums[r] += column[r] * entry;
    }
    const S scale = step.scale();
    for (int r = 0; r < count; ++r) step.add(block * blocks.size + r, vector, scale * sums[r]);
  }
};

/// Queues a BlockStep: one launch.
template <ExecutionSpace Exec, Scalar S, bool FromZero>
void take_block_step(const Exec& exec, const char* label, const BlockStep<S, FromZero>& step) {
  if constexpr (backends::runs_on_host<Exec>) {
    detail::parallel_for(exec, label, step.blocks.blocks() * step.x.count,
                         BlockStepByBlocks<S, FromZero>{step});
  } else {
    detail::parallel_for(exec, label, step.x.rows * step.x.count,
                         BlockStepByRows<S, FromZero>{step});
  }
}

/// The diagonal blocks that InvertDefiniteBlocks could not invert.
struct BadBlocks {
  std::int64_t first;  ///< 0, or one more than the first row of the lowest one
  std::int64_t count;
  std::int64_t negative;  ///< as `first`, of blocks with a negative pivot
};

struct ClearBadBlocks {
  BadBlocks* bad;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { *bad = {0, 0, 0}; }
};

/// Inverts the dense blocks on A's diagonal without row exchanges, an item for each block: a
/// positive definite block needs none, and a pivot that is not positive shows that a block is not.
/// A pivot that is only rounding, by the magnitude of the diagonal entries that it was made of, is
/// not positive. Of such a block the diagonal entries alone are inverted, and *bad counts it.
template <class Matrix>
struct InvertDefiniteBlocks {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* inverse;               ///< as triangle::InvertBlocks stores it
  const double* magnitude;  ///< of the diagonal entries
  double rounding;          ///< relative to a magnitude
  BadBlocks* bad;
  const bool* hermitian;  ///< if A is not, no pivot counts as negative
  int size;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    S* const block = inverse + k * size * size;
    const triangle::DenseBlock<S> of{block, size};
    load(of, k);
    double sizes[triangle::largest_block];
    for (int r = 0; r < size; ++r) {
      const std::int64_t row = k * size + r;
      sizes[r] = row < A.rows() ? magnitude[row] : 1;
    }
    for (int c = 0; c < size; ++c) {
      const auto pivot = static_cast<double>(real_part(of(c, c)));
      if (!(pivot > rounding * sizes[c])) {
        // Rounding that is larger than expected does not make a matrix indefinite.
        return use_diagonal(of, k, *hermitian && pivot < -100 * rounding * sizes[c]);
      }
      for (int r = c + 1; r < size; ++r) {
        const double factor = static_cast<double>(Kokkos::abs(of(r, c))) / pivot;
        sizes[r] += factor * factor * sizes[c];
      }
      of.eliminate(c);
    }
    for (int e = 0; e < size * size; ++e) {
      if (!triangle::is_finite(block[e])) return use_diagonal(of, k, false);
    }
  }

 private:
  KOKKOS_FUNCTION void load(const triangle::DenseBlock<S>& of, std::int64_t k) const {
    of.load(A.row_ptr().data(), A.col_idx().data(), A.values().data(),
            static_cast<std::int64_t>(A.rows()), k);
  }
  KOKKOS_FUNCTION void use_diagonal(const triangle::DenseBlock<S>& of, std::int64_t k,
                                    bool negative) const {
    load(of, k);
    for (int c = 0; c < size; ++c) {
      for (int r = 0; r < size; ++r) {
        if (r != c) of(r, c) = S(0);
      }
      const S reciprocal = S(1) / of(c, c);
      const bool good =
          static_cast<double>(real_part(reciprocal)) > 0 && triangle::is_finite(reciprocal);
      of(c, c) = good ? reciprocal : S(1);
    }
    triangle::mark_bad_row(&bad->first, k * size);
    if (negative) triangle::mark_bad_row(&bad->negative, k * size);
    backends::atomic_add(&bad->count, 1);
  }
};

/// Inverts the diagonal blocks of A. No wait, no allocation.
template <ExecutionSpace Exec, class Matrix>
void invert_definite_blocks(const Exec& exec, const InvertDefiniteBlocks<Matrix>& kernel) {
  detail::parallel_for(exec, "heddle::spectrum::clear_bad_blocks", 1, ClearBadBlocks{kernel.bad});
  detail::parallel_for(exec, "heddle::spectrum::invert_blocks",
                       ceil_div(std::int64_t{kernel.A.rows()}, std::int64_t{kernel.size}), kernel);
}

/// Copies what was found to the host. Waits.
template <ExecutionSpace Exec>
BadBlocks read_bad_blocks(const Exec& exec, const BadBlocks* from) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  BadBlocks bad;
  Kokkos::deep_copy(kokkos_space(exec), bad,
                    Kokkos::View<const BadBlocks, typename Exec::memory_space, Unmanaged>(from));
  exec.fence("heddle::spectrum::read_bad_blocks");
  return bad;
}

}  // namespace heddle::detail::krylov
