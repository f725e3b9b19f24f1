// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/pack.hpp"
#include "../../backends/prefetch.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/types.hpp"
#include "../common/dot.hpp"
#include "../common/product.hpp"
#include "../common/slots/kernel.hpp"
#include "format.hpp"

namespace heddle::detail::dia {

/// A matrix in DIA as kernels see it. Diagonal d holds the entries in column row + offsets[d], that
/// of row i at d * stride + i; offsets ascend. A place without an entry is a hole
/// (backends::is_hole), and so are the rows from `rows` to `stride`.
template <Scalar S, Ordinal O>
struct View {
  using scalar_type = S;
  using ordinal_type = O;

  O rows;
  std::int64_t stride;
  int diagonals;
  const O* offsets;
  const S* values;
};

/// The sums of packs of consecutive rows of op(A) times up to Vectors vectors, on a CPU.
///
/// Row i of A has its entry of a diagonal at place i and multiplies row i + offset of x; row j of
/// the transpose has it at place j - offset, and multiplies row j - offset of x.
template <class View, class Product, ExecutionSpace Exec, int Packs, int Vectors>
struct DiaRowSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int packs = Packs;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = Packs * backends::Pack<Exec, Acc>::width;

  View A;
  Product product;
  bool transposed;

  /// Sets `sum` to the sums over all diagonals, for the packs of rows from `first` on.
  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, std::int64_t first,
                                          Pack (&sum)[Packs][Vectors]) const {
    for (int p = 0; p < Packs; ++p) {
      for (int v = 0; v < Vectors; ++v) sum[p][v] = Pack::zero();
    }
    const auto& x = product.x;
    for (int d = 0; d < A.diagonals; ++d) {
      const std::int64_t row_of_x = first + (transposed ? -A.offsets[d] : A.offsets[d]);
      const S* values = A.values + d * A.stride + (transposed ? row_of_x : first);
      // All rows but the first and last ones meet all diagonals.
      if (row_of_x < 0 || row_of_x + rows_per_lane > x.rows) {
        add_edge(values, row_of_x, sum);
        continue;
      }
      // Diagonals are more streams than the hardware prefetcher follows.
      for (int i = 0; i < rows_per_lane; i += backends::entries_per_line<S>) {
        backends::prefetch(values + i + tuning.cpu_rows_ahead);
      }
      if (x.row_stride == 1) {
        add<true>(values, x.data + row_of_x, 1, x.vector_stride, x.count, sum);
      } else {
        add<false>(values, x.data + row_of_x * x.row_stride, x.row_stride, x.vector_stride, x.count,
                   sum);
      }
    }
  }

 private:
  using V = std::remove_const_t<typename Product::vector_type>;

  /// Adds a diagonal that all rows meet, with `count` vectors of x.
  template <bool UnitStride, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add(const S* values, const V* x, std::int64_t row_stride,
                                       std::int64_t vector_stride, int count,
                                       Pack (&sum)[Packs][Vectors]) const {
    const auto all = Pack::Mask::first(Pack::width);
    backends::unrolled<Packs>([&](int p) __attribute__((always_inline)) {
      backends::PackEntries<Pack, S> entries;
      entries.load_once(values + p * Pack::width, all);
      if constexpr (is_complex<S>) {
        if (product.conjugate) entries.value = Pack::conjugate(entries.value);
      }
      backends::unrolled<Vectors>([&](int v) __attribute__((always_inline)) {
        const V* of_vector = x + (v < count ? v : 0) * vector_stride;
        const Pack factor =
            UnitStride ? Pack::load(of_vector + p * Pack::width)
                       : Pack::strided(of_vector + p * Pack::width * row_stride, row_stride, all);
        sum[p][v] = entries.multiply_add(factor, sum[p][v]);
      });
    });
  }
  /// Adds a diagonal that some rows do not meet: these have neither values nor x, and holes replace
  /// them.
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_edge(const S* values, std::int64_t row_of_x,
                                            Pack (&sum)[Packs][Vectors]) const {
    const auto& x = product.x;
    S value[rows_per_lane];
    V factor[Vectors * rows_per_lane];
    for (int i = 0; i < rows_per_lane; ++i) {
      const std::int64_t row = row_of_x + i;
      const bool meets = row >= 0 && row < x.rows;
      if (meets) {
        value[i] = values[i];
      } else {
        backends::put_hole(value + i);
      }
      for (int v = 0; v < Vectors; ++v) {
        factor[v * rows_per_lane + i] =
            meets && v < x.count ? x.data[row * x.row_stride + v * x.vector_stride] : V(0);
      }
    }
    add<true>(value, factor, 1, rows_per_lane, Vectors, sum);
  }
};

/// The sums of one row of op(A) times up to Vectors vectors, on a lane of a GPU: Batch diagonals at
/// a time, so that their loads are in flight together. It computes what DiaRowSums does, with few
/// instructions, which limit the speed on a GPU: places are counted in ordinals, and value and x
/// are zero for a diagonal that the row does not meet, so that no mask is kept.
template <class View, class Product, int Batch, int Vectors>
struct DiaLaneSums {
  using S = typename View::scalar_type;
  using O = typename View::ordinal_type;
  using Acc = typename Product::accumulator_type;

  static constexpr int packs = 1;
  static constexpr int vectors = Vectors;
  static constexpr int rows_per_lane = 1;

  View A;
  Product product;
  bool transposed;

  /// Sets `sum` to the sums over all diagonals.
  template <class Team, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team&, std::int64_t row,
                                          Pack (&sum)[1][Vectors]) const {
    Acc of_row[Vectors];
    for (int v = 0; v < Vectors; ++v) of_row[v] = Acc(0);
    add_up(static_cast<O>(row), of_row);
    for (int v = 0; v < Vectors; ++v) sum[0][v] = Pack::all(of_row[v]);
  }

 private:
  /// Unsigned, so that an index before the first row exceeds the last row.
  using Row = std::make_unsigned_t<O>;

  KOKKOS_FORCEINLINE_FUNCTION void add_up(O row, Acc (&sum)[Vectors]) const {
    // The branch is uniform in the launch, and saves a multiplication for each entry.
    if (product.x.row_stride == 1) {
      for (int d = 0; d < A.diagonals; d += Batch) add<true>(row, d, sum);
    } else {
      for (int d = 0; d < A.diagonals; d += Batch) add<false>(row, d, sum);
    }
  }

  /// The row of x at which `row` meets a diagonal.
  KOKKOS_FORCEINLINE_FUNCTION Row row_of_x(O row, O offset) const {
    return transposed ? static_cast<Row>(row) - static_cast<Row>(offset)
                      : static_cast<Row>(row) + static_cast<Row>(offset);
  }

  template <bool UnitStride>
  KOKKOS_FORCEINLINE_FUNCTION void add(O row, int first, Acc (&sum)[Vectors]) const {
    S value[Batch];
    Row at[Batch];
    Acc factor[Batch];
    const auto rows_of_x = static_cast<Row>(product.x.rows);
    const S* diagonal = A.values + first * A.stride;
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool exists = first + i < A.diagonals;
      at[i] = row_of_x(row, backends::load(A.offsets + first + i, exists));
      const bool inside = exists && at[i] < rows_of_x;
      value[i] =
          backends::load_once(diagonal + (transposed ? at[i] : static_cast<Row>(row)), inside);
      factor[i] = product.template gather<UnitStride>(at[i], 0, inside);
      diagonal += A.stride;
    }
    HEDDLE_UNROLL(Batch)
    for (int i = 0; i < Batch; ++i) {
      const bool present = !backends::is_hole(value[i]);
      const Acc entry(product.entry(value[i]));
      if (present) sum[0] += entry * factor[i];
      for (int v = 1; v < Vectors; ++v) {
        const bool inside = first + i < A.diagonals && at[i] < rows_of_x;
        if (present) sum[v] += entry * product.template gather<UnitStride>(at[i], v, inside);
      }
    }
  }
};

template <int Vectors>
inline constexpr int packs_of = Vectors == 1 ? tuning.cpu_packs : 1;

/// The sums of a lane's rows: on a GPU Batch diagonals at a time; on a CPU packs of rows instead,
/// whose loads are in flight together.
///
/// Deterministic: a row is added up in the order of its diagonals. Holes do not change the sum.
/// Source: Y. Saad, "Krylov subspace methods on supercomputers", SIAM J. Sci. Stat. Comput. 10,
/// 1989.
template <ExecutionSpace Exec, int Batch, int Vectors, class View, class Product>
using Sums =
    std::conditional_t<backends::has_lanes<Exec>, DiaLaneSums<View, Product, Batch, Vectors>,
                       DiaRowSums<View, Product, Exec, packs_of<Vectors>, Vectors>>;

/// Computes y for all rows by RowKernel, for up to Vectors vectors. Returns false if the workspace
/// is too small for the dot product that was asked for, which is possible for one vector.
template <int Vectors, ExecutionSpace Exec, class View, class Product>
bool run(const Exec& exec, const View& view, const Product& product, bool transposed,
         backends::Simd simd,
         [[maybe_unused]] const team_sums::Dot<typename Product::accumulator_type>& dot = {}) {
  using Sums = dia::Sums<Exec, tuning.batch, Vectors, View, Product>;
  static_assert(tuning.row_alignment % Sums::rows_per_lane == 0,
                "the last packs of rows end in the padding");
  const Sums sums{view, product, transposed};
  constexpr int threads = backends::has_lanes<Exec> ? tuning.team_threads : 1;
  using Shape = backends::Shape<1, tuning.team_threads>;
  const std::int64_t teams = ceil_div<std::int64_t>(product.y.rows, Sums::rows_per_lane * threads);
  const char* const label = "heddle::spmv::dia";
  if constexpr (Vectors == 1) {
    if (dot.result) {
      // With a number of resident teams nvcc gives this kernel 96 registers, without 32, and an
      // iteration of CG takes two thirds of the time.
      using DotShape = backends::Shape<1, tuning.team_threads, 0>;
      return team_sums::launch_with_dot<DotShape>(exec, label, teams, slots::RowKernel<Sums>{sums},
                                                  product.x, product.y, dot, simd);
    }
  }
  backends::launch_simd<Shape>(exec, label, teams, slots::RowKernel<Sums>{sums}, simd);
  return true;
}

}  // namespace heddle::detail::dia
