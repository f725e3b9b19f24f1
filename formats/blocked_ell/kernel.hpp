// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/launch_simd.hpp"
#include "../common/cut_panels.hpp"
#include "../common/slots/kernel.hpp"
#include "format.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// Epilogue of a piece: stores sums to y, or as carry-outs, which have a row for each row place.
template <class View, class Product>
struct SliceEpilogue {
  using Acc = typename Product::accumulator_type;
  using O = typename View::ordinal_type;

  View A;
  Product product;
  Carries<Acc> carries;

  /// Stores the sums of a piece for consecutive row places.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const SlicePiece& piece, int row_place, int vector,
                                              const Pack& sum) const {
    if (piece.carry >= 0) {
      Pack::store(carries.at(piece.carry, vector, row_place), sum);
      return;
    }
    const std::int64_t place = (piece.slice << A.slice_bits) + row_place;
    if (!A.row_at) {
      return store_pack(product, place, vector, sum, Pack::Mask::first(A.rows - place));
    }
    for (int i = 0; i < Pack::width; ++i) {
      if (place + i < A.rows) product.store(A.row_at[place + i], vector, sum.lane(i));
    }
  }
  /// Stores the sum of all pieces of a slice for a row place.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t slice, int row_place, int vector,
                                              const Acc& sum) const {
    const std::int64_t place = (slice << A.slice_bits) + row_place;
    if (place >= A.rows) return;
    product.store(A.row_at ? A.row_at[place] : static_cast<O>(place), vector, sum);
  }
};

/// y = alpha * A * x + beta * y for A in blocked ELL, on every backend: a lane has packs of
/// consecutive row places. On a GPU 2^lane_bits lanes share a row: they are threads of different
/// warps, each with batches of its slots in turn, and the first adds up their sums in order.
///
/// Deterministic: a row is added up in the order of its slots, or of its lanes. A slot without an
/// entry does not read x, so that infinities there do not matter. Sources: A. Monakov, A. Lokhmotov
/// and A. Avetisyan, "Automatically tuning sparse matrix-vector multiplication for GPU
/// architectures", HiPEAC 2010 (slices); M. Kreutzer et al., "A unified sparse matrix data format
/// for efficient general sparse matrix-vector multiply on modern processors with wide SIMD units",
/// SISC 2014 (windows of sigma rows).
template <class View, class Product, int Threads, int Packs, int Batch, int Vectors>
struct Kernel {
  using Acc = typename Product::accumulator_type;
  using Scratch = slots::LaneScratch<Acc, Threads>;

  SliceEpilogue<View, Product> deliver;
  int lane_bits;

  /// First row place that a team stores, if no slice is cut, and the row at a place.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return (team << (thread_bits - lane_bits)) * (Packs * backends::Pack<Team, Acc>::width);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_at(std::int64_t place) const {
    return deliver.A.row_at ? static_cast<std::int64_t>(deliver.A.row_at[place]) : place;
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Pack = backends::Pack<Team, Acc>;
    const View& A = deliver.A;
    const int place_bits = thread_bits - lane_bits;
    const int lane = team.thread() >> place_bits;
    const std::int64_t place =
        first_place<Team>(team.index()) +
        (team.thread() & ((1 << place_bits) - 1)) * std::int64_t{Packs * Pack::width};
    const std::int64_t index = place >> A.slice_bits;
    const int row_place = static_cast<int>(place & (A.slice_rows() - 1));
    const bool exists = index < A.pieces;
    if (lane_bits == 0 && !exists) return;
    Pack sum[Packs][Vectors];
    add_up(team, exists ? index : 0, exists, row_place, lane, sum);
    if (lane_bits == 0) {
      const SlicePiece piece = A.piece_at(index);
      for (int v = 0; v < Vectors; ++v) {
        if (v >= deliver.product.x.count) continue;
        for (int p = 0; p < Packs; ++p) deliver(piece, row_place + p * Pack::width, v, sum[p][v]);
      }
      return;
    }
    const auto store = [&](int v, const Pack& total) {
      deliver(A.piece_at(index), row_place, v, total);
    };
    slots::add_up_lanes(team, scratch, sum, deliver.product.x.count, 1 << place_bits, exists,
                        store);
  }

 private:
  static constexpr int thread_bits = std::countr_zero(static_cast<unsigned>(Threads));

  /// Adds up a lane's part of its row: every 2^lane_bits-th batch of slots of the piece at `index`.
  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, std::int64_t index, bool exists,
                                          int row_place, int lane,
                                          Pack (&sum)[Packs][Vectors]) const {
    constexpr int batch = Team::threads > 1 ? Batch : 1;
    const View& A = deliver.A;
    const SlicePiece piece = A.piece_at(index);
    const auto slice = A.slice[piece.slice];
    const int end = exists ? slice.width : 0;
    const int stop = end - piece.first < piece_width ? end : piece.first + piece_width;
    const int slot = piece.first + lane * batch, step = batch << lane_bits;
    // The branch is uniform in a slice.
    if (slice.base >= 0) {
      slots::add_up<batch>(team, A.narrow_strip(slice).from(row_place), deliver.product, slot, step,
                           stop, sum);
    } else {
      slots::add_up<batch>(team, A.wide_strip(slice).from(row_place), deliver.product, slot, step,
                           stop, sum);
    }
  }
};

}  // namespace heddle::detail::blocked_ell
