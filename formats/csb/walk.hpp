// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// By block rows, where the sums are those of rows and x is read by columns; by block columns, the
/// other way round; or by block rows with mirror images, of a triangle.
enum class Way { rows, columns, triangle };

/// What a sweep of a triangle adds beside the blocks themselves: mirror images, of a matrix of
/// which one triangle is stored, conjugated or not. Those of blocks on the diagonal have their
/// places in the same panel. Those of others are added to y `atomically`, or left to a sweep by
/// block columns.
struct Mirror {
  bool conjugate = false;
  bool atomically = false;
};

/// The entries [first, last) of a block, which read x from x_first on.
struct Run {
  std::int64_t block;
  std::int64_t first;
  std::int64_t last;
  std::int64_t x_first;
  bool on_diagonal;
};

/// A sweep over the blocks of a piece.
template <class AnyView, class AnySweep, class Product, Way Goes, int Vectors>
struct Walk {
  using S = typename AnyView::scalar_type;
  using O = typename AnyView::ordinal_type;
  using Off = typename AnyView::offset_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int vectors = Vectors;
  static constexpr bool by_columns = Goes == Way::columns;
  /// Whether the keys of a block ascend.
  static constexpr bool ascending = !by_columns;
  static constexpr bool mirrors = Goes == Way::triangle;

  AnyView A;
  AnySweep sweep;
  Product product;
  Mirror mirror;

  /// Where an entry is added to, in its panel, and where it reads x, in its block. Of a mirror
  /// image they change places.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int key(std::int64_t k) const {
    return by_columns != Mirrored ? A.local_column[k] : A.local_row[k];
  }
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int source(std::int64_t k) const {
    return key<!Mirrored>(k);
  }
  /// An entry as it is multiplied.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return multiplied(stored, Mirrored ? mirror.conjugate : product.conjugate);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to_y(std::int64_t row, int vector, const Acc& sum) const {
    using V = typename Product::vector_type;
    backends::atomic_add(&product.y(row, vector), V(product.alpha * sum));
  }

  /// Calls add(run) for the entries of each block that belong to the piece.
  template <class Piece, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void each_block(const Piece& piece, const Add& add) const {
    Off at = piece.begin;
    for (Off place = piece.first_place; at < piece.end; ++place) {
      const Off start = sweep.start[place], stop = sweep.start[place + 1];
      if (start == stop) continue;
      const Off block = by_columns ? sweep.order[place] : place;
      const Off end = stop < piece.end ? stop : piece.end;
      const auto first = static_cast<std::int64_t>(A.list_ptr[block] + (at - start));
      const O other = by_columns ? A.block_row[block] : A.block_column[block];
      add(Run{static_cast<std::int64_t>(block), first, first + static_cast<std::int64_t>(end - at),
              static_cast<std::int64_t>(other) * A.beta, other == piece.panel});
      at = end;
    }
  }
};

}  // namespace heddle::detail::csb
