// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/memory.hpp"
#include "../../../backends/pack.hpp"
#include "../../../backends/prefetch.hpp"
#include "../../../backends/unroll.hpp"
#include "../product.hpp"
#include "tuning.hpp"

/// Products of rows with equal numbers of slots, stored slot by slot, and vectors: the one kernel
/// of ELL, blocked ELL and the main part of HYB.
namespace heddle::detail::slots {

/// The column of a slot without an entry, if columns are 16-bit distances.
inline constexpr std::uint16_t no_delta = backends::no_distance;

/// Consecutive rows, all with the same number of slots: a matrix in ELL, or a slice of blocked ELL.
/// Slot j of row i is at j * stride + i. A slot without an entry has column -1, or no_delta, and
/// comes after those of the row's entries.
template <Scalar S, Ordinal O, class Column, class Stride>
struct Strip {
  using scalar_type = S;
  using ordinal_type = O;
  using column_type = Column;
  /// Whether columns are 16-bit distances from `base`.
  static constexpr bool narrow = !std::is_same_v<Column, O>;

  const S* values;
  const Column* columns;
  Stride stride;
  O base = O(0);

  /// The strip from row `row` on.
  KOKKOS_FORCEINLINE_FUNCTION Strip from(std::int64_t row) const {
    return {values + row, columns + row, stride, base};
  }
};

/// The sum of the first row of a strip times one vector, on a lane of a GPU: Batch slots at a time,
/// so that their loads are in flight together. It computes the same as StripSums, but is written
/// for few instructions, which limit a GPU here. Value and x are zero for a slot that does not
/// exist or has no entry.
template <class Strip, class Product, int Batch>
struct StripLaneSums {
  using S = typename Strip::scalar_type;
  using O = typename Strip::ordinal_type;
  using Column = typename Strip::column_type;
  using Acc = typename Product::accumulator_type;

  const Strip& strip;
  const Product& product;

  /// Sum over the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`.
  KOKKOS_FORCEINLINE_FUNCTION Acc add_up(int slot, int step, int stop) const {
    // This branch is uniform over a launch.
    return product.x.row_stride == 1 ? walk<true>(slot, step, stop) : walk<false>(slot, step, stop);
  }

 private:
  template <bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION Acc walk(int slot, int step, int stop) const {
    const std::int64_t first = std::int64_t{slot} * strip.stride;
    const std::int64_t stride = std::int64_t{step} * strip.stride;
    const S* values = strip.values + first;
    const Column* columns = strip.columns + first;
    Acc sum(0);
    for (int left = stop - slot; left > 0; left -= step, values += stride, columns += stride) {
      Column stored[Batch];
      S value[Batch];
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        stored[i] = backends::load_once(columns + i * strip.stride, i < left);
        value[i] = backends::load_once(values + i * strip.stride, i < left);
      }
      HEDDLE_UNROLL(Batch)
      for (int i = 0; i < Batch; ++i) {
        bool wanted = i < left;
        O column;
        if constexpr (Strip::narrow) {
          wanted = wanted && stored[i] != no_delta;
          column = strip.base + static_cast<O>(stored[i]);
        } else {
          wanted = wanted && stored[i] >= 0;
          column = stored[i];
        }
        sum +=
            Acc(product.entry(value[i])) * product.template gather<UnitStride>(column, 0, wanted);
      }
    }
    return sum;
  }
};

/// The sums of packs of consecutive rows, from the first of a strip on, times up to Vectors
/// vectors: Batch slots at a time, so that their loads are in flight together. On a CPU the packs
/// replace the batch.
template <class Strip, class Product, int Batch, int Vectors>
struct StripSums {
  using S = typename Strip::scalar_type;
  using O = typename Strip::ordinal_type;

  const Strip& strip;
  const Product& product;

  /// Sets `sum` over batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`.
  template <class Pack, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(int slot, int step, int stop,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    if constexpr (Batch > 1) {
      for (; slot < stop; slot += step) add(slot, stop, sum);
    } else if (Vectors == 1 && product.x.row_stride == 1) {
      // This branch is uniform over a launch, and saves a multiplication for each entry of x.
      for (; slot < stop; slot += step) add_slot(slot, std::int64_t{1}, sum);
    } else {
      const std::int64_t stride = product.x.row_stride;
      for (; slot < stop; slot += step) add_slot(slot, stride, sum);
    }
  }

 private:
  template <class Pack>
  using Columns = std::conditional_t<Strip::narrow, backends::PackDistances<Pack, O>,
                                     backends::PackOrdinals<Pack, O>>;

  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Columns<Pack> columns_at(std::int64_t place, bool exists) const {
    if constexpr (Strip::narrow) {
      return Columns<Pack>::load_once(strip.columns + place, strip.base, exists);
    } else {
      return Columns<Pack>::load_once(strip.columns + place, exists);
    }
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack values_at(std::int64_t place, bool exists) const {
    const Pack value =
        Pack::load_once(strip.values + place, Pack::Mask::first(exists ? Pack::width : 0));
    if constexpr (is_complex<S>) {
      if (product.conjugate) return Pack::conjugate(value);
    }
    return value;
  }
  /// Prefetches values and columns, once a cache line. The slots of ELL are more streams than a
  /// hardware prefetcher follows; a slice of blocked ELL is contiguous.
  KOKKOS_FORCEINLINE_FUNCTION void ask_ahead(std::int64_t place, int row) const {
    if constexpr (!Strip::narrow) {
      const std::int64_t ahead = place + tuning.cpu_rows_ahead;
      if (row % backends::entries_per_line<S> == 0) backends::prefetch(strip.values + ahead);
      if (row % backends::entries_per_line<O> == 0) backends::prefetch(strip.columns + ahead);
    }
  }
  /// Vector v of x, or the first if there are fewer.
  KOKKOS_FORCEINLINE_FUNCTION auto* vector_of_x(int v) const {
    return product.x.data + (v < product.x.count ? v : 0) * product.x.vector_stride;
  }

  /// Adds slots [slot, slot + Batch) before `stop`. Rows are padded, so all rows of the packs
  /// exist. Columns and values are loaded together; a slot without an entry gathers zero.
  template <class Pack, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add(int slot, int stop, Pack (&sum)[Packs][Vectors]) const {
    Columns<Pack> column[Batch][Packs];
    Pack value[Batch][Packs];
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = slot + i < stop;
      const std::int64_t at = exists ? std::int64_t{slot + i} * strip.stride : 0;
      for (int p = 0; p < Packs; ++p) {
        column[i][p] = columns_at<Pack>(at + p * Pack::width, exists);
        value[i][p] = values_at<Pack>(at + p * Pack::width, exists);
      }
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      for (int p = 0; p < Packs; ++p) {
        const auto entries = column[i][p].lanes();
        for (int v = 0; v < Vectors; ++v) {
          const Pack factor = column[i][p].gather(vector_of_x(v), entries,
                                                  static_cast<std::int64_t>(product.x.row_stride));
          sum[p][v] = Pack::multiply_add(value[i][p], factor, sum[p][v]);
        }
      }
    }
  }
  /// Adds one slot that exists, on a CPU.
  template <class Pack, int Packs>
  KOKKOS_FORCEINLINE_FUNCTION void add_slot(int slot, std::int64_t stride,
                                            Pack (&sum)[Packs][Vectors]) const {
    const std::int64_t at = std::int64_t{slot} * strip.stride;
    backends::unrolled<Packs>([&](int p) __attribute__((always_inline)) {
      const std::int64_t place = at + p * Pack::width;
      ask_ahead(place, p * Pack::width);
      const auto column = columns_at<Pack>(place, true);
      const Pack value = values_at<Pack>(place, true);
      const auto entries = column.lanes();
      backends::unrolled<Vectors>([&](int v) __attribute__((always_inline)) {
        const Pack factor = column.gather(vector_of_x(v), entries, stride);
        sum[p][v] = Pack::multiply_add(value, factor, sum[p][v]);
      });
    });
  }
};

/// Sets `sum` to the products of the first rows of a strip, a pack each, and up to Vectors vectors:
/// sums over the batches of slots that begin at `slot`, `slot` + `step`, ..., before `stop`. On a
/// GPU one vector has a loop of its own.
template <int Batch, class Team, class Strip, class Product, class Pack, int Packs, int Vectors>
KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, const Strip& strip, const Product& product,
                                        int slot, int step, int stop, Pack (&sum)[Packs][Vectors]) {
  if constexpr (Team::threads > 1 && Vectors == 1) {
    static_assert(Packs == 1);
    sum[0][0] =
        Pack::all(StripLaneSums<Strip, Product, Batch>{strip, product}.add_up(slot, step, stop));
  } else {
    StripSums<Strip, Product, Batch, Vectors>{strip, product}.add_up(slot, step, stop, sum);
  }
}

/// Scratch for the sum of each thread of a team.
template <class Acc, int Threads>
struct LaneScratch {
  // Raw bytes, since complex types have constructors that scratch must not run.
  alignas(16) unsigned char bytes[sizeof(Acc) * Threads];
  KOKKOS_FORCEINLINE_FUNCTION Acc& sum(int thread) { return reinterpret_cast<Acc*>(bytes)[thread]; }
};

/// Adds up the sums of rows that have several lanes of a GPU each: calls store(vector, sum) on the
/// first lane of each row that `exists`, for `count` vectors. The lanes of a row are `places`
/// threads from each other, thus in different warps, so that a warp reads consecutive rows. Their
/// sums are added up in order. Called by all threads of the team.
template <class Team, class Scratch, class Pack, int Packs, int Vectors, class Store>
KOKKOS_FORCEINLINE_FUNCTION void add_up_lanes(const Team& team, Scratch& scratch,
                                              const Pack (&sum)[Packs][Vectors], int count,
                                              int places, bool exists, const Store& store) {
  HEDDLE_UNROLL(Vectors)
  for (int v = 0; v < Vectors; ++v) {
    const bool wanted = v < count;
    if (v > 0 && wanted) team.barrier();  // the sums of the vector before have been read
    if (wanted) scratch.sum(team.thread()) = sum[0][v].lane(0);
    if (wanted) team.barrier();
    if (wanted && team.thread() < places && exists) {
      auto total = sum[0][v].lane(0);
      for (int t = team.thread() + places; t < Team::threads; t += places) {
        total += scratch.sum(t);
      }
      store(v, Pack::all(total));
    }
  }
}

/// The rest of a row for formats that have none: all entries of a row are in its slots.
struct NoRest {
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack add_to(const Pack& sum, std::int64_t, int) const {
    return sum;
  }
};

/// Computes y of packs of consecutive rows, a lane a row, so that loads are coalesced: ELL, the
/// main part of HYB, and DIA. Rows computes the sums: rows.add_up(team, first, sum). Deterministic
/// if that is.
template <class Rows, class Rest = NoRest>
struct RowKernel {
  using Scratch = backends::NoScratch;
  using Acc = typename Rows::Acc;

  Rows rows;
  Rest rest = {};

  /// The first row that a team stores.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_place(std::int64_t team) const {
    return team * (std::int64_t{Team::threads} * Rows::rows_per_lane);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    run(team, team.index(), scratch);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index, Scratch&) const {
    using Pack = backends::Pack<Team, Acc>;
    const std::int64_t first = (index * Team::threads + team.thread()) * Rows::rows_per_lane;
    const std::int64_t last = rows.product.y.rows;
    if (first >= last) return;
    Pack sum[Rows::packs][Rows::vectors];
    rows.add_up(team, first, sum);
    if constexpr (Rows::rows_per_lane > 1) {  // on a CPU, where a mask costs more than the store
      if (first + Rows::rows_per_lane <= last) {
        return store(first, sum, [](std::int64_t) __attribute__((always_inline)) {
          return Pack::Mask::first(Pack::width);
        });
      }
    }
    store(first, sum, [&](std::int64_t row) __attribute__((always_inline)) {
      return Pack::Mask::first(last - row);
    });
  }

 private:
  template <class Pack, class Inside>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t first,
                                         const Pack (&sum)[Rows::packs][Rows::vectors],
                                         const Inside& inside) const {
    backends::unrolled<Rows::packs>([&](int p) __attribute__((always_inline)) {
      const std::int64_t row = first + p * Pack::width;
      for (int v = 0; v < Rows::vectors; ++v) {
        if (v < rows.product.x.count) {
          store_pack(rows.product, row, v, rest.add_to(sum[p][v], row, v), inside(row));
        }
      }
    });
  }
};

/// A matrix in ELL as kernels see it. Every row has `width` slots, and slot j of row i is at j *
/// stride + i, so that neighbouring rows are contiguous. A slot without an entry has column -1 and
/// comes after those of the row's entries; the rows from `rows` to `stride` have no entries.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t stride;
  int width;
  const O* col_idx;
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION Strip<S, O, O, std::int64_t> strip() const {
    return {values, col_idx, stride};
  }
};

/// The rows of a matrix in ELL for RowKernel, alone or as the main part of HYB: a lane handles
/// packs of consecutive rows. On a CPU the packs replace the batch: their loads are in flight
/// together.
///
/// Deterministic: a row is added up in the order of its slots. A slot without an entry (column -1,
/// value 0) adds nothing, whatever x holds. Source: N. Bell and M. Garland, "Implementing sparse
/// matrix-vector multiplication on throughput-oriented processors", SC 2009.
template <ExecutionSpace Exec, class View, class Product, int Vectors>
struct SlotRows {
  using Acc = typename Product::accumulator_type;
  static constexpr bool lanes = backends::has_lanes<Exec>;
  static constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_packs;
  static constexpr int batch = !lanes ? 1 : Vectors == 1 ? tuning.batch : tuning.multivector_batch;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = packs * backends::Pack<Exec, Acc>::width;
  static_assert(tuning.row_alignment % rows_per_lane == 0,
                "the last packs of rows end in the padding");

  View A;
  Product product;

  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, std::int64_t first,
                                          Pack (&sum)[packs][Vectors]) const {
    slots::add_up<batch>(team, A.strip().from(first), product, 0, batch, A.width, sum);
  }
};

}  // namespace heddle::detail::slots
