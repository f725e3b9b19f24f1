// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/make_rows.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"

/// The tentative prolongation: in each aggregate an orthonormal basis of the near-nullspace
/// vectors, by two passes of Gram-Schmidt. Source: P. Vanek, J. Mandel and M. Brezina, "Algebraic
/// multigrid by smoothed aggregation for second and fourth order elliptic problems", Computing 56,
/// 1996.
namespace heddle::detail::multigrid {

/// Near-nullspace vectors of a level: vector v of row i at data[v * rows + i].
template <Scalar S>
struct NearNullspace {
  S* data;
  std::int64_t rows;
  int vectors;

  KOKKOS_FORCEINLINE_FUNCTION S& operator()(std::int64_t row, int vector) const {
    return data[vector * rows + row];
  }
};

/// Sort keys of the rows: their aggregates; rows without one sort last.
template <Ordinal O>
struct AggregateOfRow {
  const O* aggregate;
  O count;
  int block;
  O* key;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O of = aggregate[i / block];
    key[i] = of < 0 ? count : of;
  }
};

template <Ordinal O>
struct EntriesOfRow {
  const O* key;
  O count;
  int vectors;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return key[i] < count ? vectors : 0;
  }
};

/// Columns, and values before they are made orthonormal.
template <Scalar S, Ordinal O, Offset Off>
struct PutTentative {
  const O* key;
  O count;
  NearNullspace<S> vectors;
  const Off* row_ptr;
  O* col_idx;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (key[i] >= count) return;
    for (int v = 0; v < vectors.vectors; ++v) {
      col_idx[row_ptr[i] + v] = static_cast<O>(key[i] * vectors.vectors + v);
      values[row_ptr[i] + v] = vectors(i, v);
    }
  }
};

/// Q in place of the vectors of an aggregate, and R, the vectors of the coarse level. A vector that
/// depends on those before it becomes zero.
template <Scalar S, Ordinal O, Offset Off>
struct OrthonormalBasis {
  const Off* first;  ///< of each aggregate in `rows`
  const Off* rows;
  const Off* row_ptr;
  S* values;
  NearNullspace<S> coarse;

  KOKKOS_FORCEINLINE_FUNCTION S& entry(Off place, int v) const {
    return values[row_ptr[rows[place]] + v];
  }
  KOKKOS_FUNCTION heddle::RealOf<S> norm(std::int64_t a, int v) const {
    double sum = 0;
    for (Off k = first[a]; k < first[a + 1]; ++k) {
      const double size = static_cast<double>(Kokkos::abs(entry(k, v)));
      sum += size * size;
    }
    return static_cast<heddle::RealOf<S>>(Kokkos::sqrt(sum));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t a) const {
    using Real = heddle::RealOf<S>;
    const int vectors = coarse.vectors;
    constexpr Real dependent = sizeof(Real) == 4 ? Real(1e-4) : Real(1e-10);
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t of_a = a * vectors;
      const Real before = norm(a, v);
      for (int u = 0; u < vectors; ++u) coarse(of_a + u, v) = S(0);
      for (int time = 0; time < 2; ++time) {
        for (int u = 0; u < v; ++u) {
          S dot(0);
          for (Off k = first[a]; k < first[a + 1]; ++k) dot += conjugate(entry(k, u)) * entry(k, v);
          for (Off k = first[a]; k < first[a + 1]; ++k) entry(k, v) -= dot * entry(k, u);
          coarse(of_a + u, v) += dot;
        }
      }
      const Real length = norm(a, v);
      const bool independent = length > dependent * before;
      const S scale = independent ? S(1 / length) : S(0);
      for (Off k = first[a]; k < first[a + 1]; ++k) entry(k, v) *= scale;
      coarse(of_a + v, v) = independent ? S(length) : S(0);
    }
  }
};

/// The tentative prolongation of aggregates, and the near-nullspace vectors of the coarse level.
/// Allocates, and waits.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
struct Tentative {
  using Space = typename Exec::memory_space;

  CsrStorage<S, O, Off, Space> prolongation;
  Arena<Space> memory;
  NearNullspace<S> coarse{nullptr, 0, 0};

  /// Nodes are `block` rows each.
  Tentative(const Exec& exec, const O* aggregate, O count, int block,
            const NearNullspace<S>& vectors) {
    const std::int64_t rows = vectors.rows;
    coarse = {nullptr, std::int64_t{count} * vectors.vectors, vectors.vectors};
    memory = Arena<Space>(exec, "heddle::multigrid::near_nullspace",
                          arena_array(coarse.data, coarse.rows * vectors.vectors));
    O* key = nullptr;
    Off *order = nullptr, *first = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::members", arena_array(key, rows),
                            arena_array(order, rows), arena_array(first, std::int64_t{count} + 2));
    parallel_for(exec, "heddle::multigrid::aggregate_of_row", rows,
                 AggregateOfRow<O>{aggregate, count, block, key});
    RadixSort<Exec, O, Off> sort(exec, rows);
    sort.sort(exec, key, count, order);
    write_starts(exec, "heddle::multigrid::first_member", first, std::int64_t{count} + 1,
                 sort.sorted(), rows);
    constexpr RowLabels labels{"heddle::multigrid::count_tentative",
                               "heddle::multigrid::tentative_row_ptr",
                               "heddle::multigrid::put_tentative"};
    prolongation = make_rows<S, O, Off>(exec, labels, rows, coarse.rows,
                                        EntriesOfRow<O>{key, count, vectors.vectors},
                                        [&](const auto& storage) {
                                          return PutTentative<S, O, Off>{key,
                                                                         count,
                                                                         vectors,
                                                                         storage.row_ptr().data(),
                                                                         storage.col_idx().data(),
                                                                         storage.values().data()};
                                        });
    parallel_for(exec, "heddle::multigrid::orthonormal_basis", std::int64_t{count},
                 OrthonormalBasis<S, O, Off>{first, order, prolongation.row_ptr().data(),
                                             prolongation.values().data(), coarse});
    exec.fence("heddle::multigrid::tentative");
  }
};

}  // namespace heddle::detail::multigrid
