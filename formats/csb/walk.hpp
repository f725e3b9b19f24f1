// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// What is added of the blocks on the diagonal beside themselves: their mirror images, of a matrix
/// of which one triangle is stored, conjugated or not.
struct Mirror {
  bool adds = false;
  bool conjugate = false;
};

/// A sweep over the blocks of a piece: by block rows, where the sums are those of rows and x is
/// read by columns, or by block columns, the other way round.
template <class AnyView, class AnySweep, class Product, bool ByColumns, int Vectors>
struct Walk {
  using S = typename AnyView::scalar_type;
  using O = typename AnyView::ordinal_type;
  using Off = typename AnyView::offset_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int vectors = Vectors;

  AnyView A;
  AnySweep sweep;
  Product product;
  Mirror mirror;
  /// Whether the keys of a block ascend.
  bool ascending;

  /// Where an entry is added to, in its panel, and where it reads x, in its block. Of a mirror
  /// image they change places.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int key(Off k) const {
    return ByColumns != Mirrored ? A.local_column[k] : A.local_row[k];
  }
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int source(Off k) const {
    return key<!Mirrored>(k);
  }
  /// An entry as it is multiplied.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return multiplied(stored, Mirrored ? mirror.conjugate : product.conjugate);
  }

  /// Calls add(first, last, x_first, mirrors) for the entries [first, last) of each block that
  /// belong to the piece, which read x from x_first on.
  template <class Piece, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void each_block(const Piece& piece, const Add& add) const {
    Off at = piece.begin;
    for (Off place = piece.first_place; at < piece.end; ++place) {
      const Off start = sweep.start[place], stop = sweep.start[place + 1];
      if (start == stop) continue;
      const Off block = sweep.block(place);
      const Off end = stop < piece.end ? stop : piece.end;
      const Off first = A.list_ptr[block] + (at - start);
      const O other = ByColumns ? A.block_row[block] : A.block_column[block];
      add(first, first + (end - at), static_cast<std::int64_t>(other) * A.beta,
          mirror.adds && other == piece.panel);
      at = end;
    }
  }
};

}  // namespace heddle::detail::csb
