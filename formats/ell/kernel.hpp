// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "../../backends/pack_ordinals.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "../common/store_pack.hpp"
#include "view.hpp"

namespace heddle::detail::ell {

/// y = alpha * A * x + beta * y for A in ELL, on every backend: a lane takes Packs packs of
/// consecutive rows, Batch slots of each at a time, so that their loads are in flight together, and
/// up to Vectors vectors.
///
/// Deterministic: a row is added up in the order of its slots. A slot without an entry (column -1,
/// value 0) does not touch x, so what is infinite there does not get in. Source: N. Bell and M.
/// Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
/// SC 2009.
template <class View, class Product, ExecutionSpace Exec, int Packs, int Batch, int Vectors>
struct Kernel {
  using Scratch = backends::NoScratch;
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int rows_per_lane = Packs * backends::Pack<Exec, Acc>::width;

  View A;
  Product product;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (team.index() * Team::threads + team.thread()) * rows_per_lane;
    if (first >= A.rows) return;
    Pack sum[Packs][Vectors];
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    for (int slot = 0; slot < A.width; slot += Batch) add(first, slot, sum);
    for (int p = 0; p < Packs; ++p) {
      const std::int64_t row = first + p * Pack::width;
      const auto inside = Pack::Mask::first(A.rows - row);
      for (int v = 0; v < Vectors; ++v) {
        if (v < product.x.count) store_pack(product, row, v, sum[p][v], inside);
      }
    }
  }

 private:
  /// Adds slots [slot, slot + Batch) that exist. Rows are padded, so those of the packs all exist.
  /// Columns and values are asked for together; a slot without an entry holds a zero.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t first, int slot,
                                       Pack (&sum)[Packs][Vectors]) const {
    using Ordinals = backends::PackOrdinals<Pack, O>;
    Ordinals column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < A.width;
      const std::int64_t at = exists ? (slot + i) * A.stride + first : 0;
      for (int p = 0; p < Packs; ++p) {
        const auto all_lanes = Pack::Mask::first(exists ? Pack::width : 0);
        column[i][p] = Ordinals::load_once(A.col_idx + at + p * Pack::width, exists);
        value[i][p] = Pack::load_once(A.values + at + p * Pack::width, all_lanes);
        if constexpr (is_complex<S>) {
          if (product.conjugate) value[i][p] = Pack::conjugate(value[i][p]);
        }
      }
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      for (int p = 0; p < Packs; ++p) {
        const auto entries = column[i][p].lanes();
        for (int v = 0; v < Vectors; ++v) {
          const auto* x = product.x.data + (v < product.x.count ? v : 0) * product.x.vector_stride;
          const Pack factor =
              column[i][p].gather(x, entries, static_cast<std::int64_t>(product.x.row_stride));
          sum[p][v] = Pack::multiply_add(value[i][p], factor, sum[p][v]);
        }
      }
    }
  }
};

}  // namespace heddle::detail::ell
