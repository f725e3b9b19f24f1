// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/make_rows.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"
#include "../../core/search.hpp"
#include "../krylov/lanczos.hpp"
#include "aggregates.hpp"

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

/// Sort keys of the rows: their aggregates; rows without an aggregate sort last.
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

/// Columns, and values before orthonormalization.
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

/// Orthonormalizes the vectors of an aggregate: Q replaces them, and R is the near-nullspace of the
/// coarse level. A vector that depends on those before it becomes zero.
template <Scalar S, Ordinal O, Offset Off>
struct OrthonormalBasis {
  const Off* first;  ///< first of each aggregate in `rows`
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

/// The rows of each aggregate, ascending: members[first[a]] to members[first[a + 1] - 1].
template <ExecutionSpace Exec, Ordinal O, Offset Off>
struct Members {
  Off *members = nullptr, *first = nullptr;
  Arena<typename Exec::memory_space> memory;

  /// Sets key[row] to the row's aggregate, or `count` if it has none. Allocates.
  Members(const Exec& exec, const O* aggregate, O count, int block, std::int64_t rows, O* key) {
    memory = Arena<typename Exec::memory_space>(exec, "heddle::multigrid::members",
                                                arena_array(members, rows),
                                                arena_array(first, std::int64_t{count} + 2));
    parallel_for(exec, "heddle::multigrid::aggregate_of_row", rows,
                 AggregateOfRow<O>{aggregate, count, block, key});
    RadixSort<Exec, O, Off> sort(exec, rows);
    sort.sort(exec, key, count, members);
    write_starts(exec, "heddle::multigrid::first_member", first, std::int64_t{count} + 1,
                 sort.sorted(), rows);
    exec.fence("heddle::multigrid::members");
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

  /// Makes it of nodes of `block` rows each.
  Tentative(const Exec& exec, const O* aggregate, O count, int block,
            const NearNullspace<S>& vectors) {
    const std::int64_t rows = vectors.rows;
    coarse = {nullptr, std::int64_t{count} * vectors.vectors, vectors.vectors};
    memory = Arena<Space>(exec, "heddle::multigrid::near_nullspace",
                          arena_array(coarse.data, coarse.rows * vectors.vectors));
    O* key = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::members", arena_array(key, rows));
    const Members<Exec, O, Off> members(exec, aggregate, count, block, rows, key);
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
    parallel_for(
        exec, "heddle::multigrid::orthonormal_basis", std::int64_t{count},
        OrthonormalBasis<S, O, Off>{members.first, members.members, prolongation.row_ptr().data(),
                                    prolongation.values().data(), coarse});
    exec.fence("heddle::multigrid::tentative");
  }
};

// The matrix that smooths a prolongation, of strong entries.

using spectrum::SpectrumNumbers;

/// Whether an entry of A is kept: nodes have `block` rows, and entries within a node and between
/// strong neighbours are kept.
template <class Matrix>
struct IsKept {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const O* col_idx;
  StrongGraph<O, Off> graph;  ///< columns ascend, unless a node is a row
  int block;
  const unsigned char* strong;  ///< marks of the entries of A, if a node is a row; else null

  KOKKOS_FORCEINLINE_FUNCTION bool are_neighbours(O node, O other) const {
    const O* const columns = graph.col_idx + graph.row_ptr[node];
    const Off count = graph.row_ptr[node + 1] - graph.row_ptr[node];
    const Off place = first_not_below(columns, count, static_cast<std::int64_t>(other));
    return place < count && columns[place] == other;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t i, std::int64_t k) const {
    return strong ? strong[k] != 0 : are_neighbours(static_cast<O>(i / block), col_idx[k] / block);
  }
};

/// Values of I - omega D^-1 A in the kept places, with omega = 4 / 3 over the bound of the
/// spectrum. Weak entries are added to the diagonal, unless that would remove most of it: so the
/// product with a near-nullspace vector is unchanged. The vector is the largest one in the row.
template <class Matrix>
struct SmoothingValues {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  Matrix A;
  const unsigned char* kept;
  const Off* row_ptr;
  S* values;
  NearNullspace<S> vectors;
  const SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION int largest_vector(std::int64_t i) const {
    int largest = 0;
    for (int v = 1; v < vectors.vectors; ++v) {
      if (Kokkos::abs(vectors(i, v)) > Kokkos::abs(vectors(i, largest))) largest = v;
    }
    return largest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Off begin = A.row_ptr().data()[i], end = A.row_ptr().data()[i + 1];
    const auto* const col_idx = A.col_idx().data();
    const S* const from = A.values().data();
    const int vector = largest_vector(i);
    S diagonal(0), weak(0);
    for (Off k = begin; k < end; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == i) {
        diagonal += from[k];
      } else if (!kept[k]) {
        weak += from[k] * vectors(col_idx[k], vector);
      }
    }
    const S own = vectors(i, vector);
    const S lumped = own == S(0) ? diagonal : diagonal + weak / own;
    if (real_part(lumped) > heddle::RealOf<S>(0.1) * real_part(diagonal)) diagonal = lumped;
    if (spectrum::is_bad(diagonal)) diagonal = S(1);
    const auto omega = static_cast<heddle::RealOf<S>>(4 / (3 * numbers->bound));
    const S factor = S(-omega) / diagonal;
    S of_diagonal = S(1 - omega);  // written once if diagonal entries repeat
    Off to = row_ptr[i];
    for (Off k = begin; k < end; ++k) {
      if (static_cast<std::int64_t>(col_idx[k]) == i) {
        values[to++] = of_diagonal;
        of_diagonal = S(0);
      } else if (kept[k]) {
        values[to++] = factor * from[k];
      }
    }
  }
};

/// The matrix that smooths the prolongation of a level. The constructor makes its pattern,
/// allocates and waits; update_values sets its values.
template <ExecutionSpace Exec, class Matrix>
class SmoothingMatrix {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  SmoothingMatrix(const Exec& exec, const Matrix& A, const StrongNodes<Exec, Matrix>& nodes)
      : memory_(exec, "heddle::multigrid::kept", arena_array(kept_, A.nonzeros())) {
    constexpr RowLabels labels{"heddle::multigrid::keep_strong", "heddle::multigrid::kept_row_ptr",
                               "heddle::multigrid::put_kept"};
    storage_ = keep_rows<S>(exec, labels, A, kept_,
                            IsKept<Matrix>{A.col_idx().data(), nodes.graph(), nodes.block(),
                                           nodes.block() == 1 ? nodes.marks() : nullptr});
  }

  void update_values(const Exec& exec, const Matrix& A, const NearNullspace<S>& vectors,
                     const SpectrumNumbers* numbers) {
    parallel_for(exec, "heddle::multigrid::smoothing_values", A.rows(),
                 SmoothingValues<Matrix>{A, kept_, storage_.row_ptr().data(),
                                         storage_.values().data(), vectors, numbers});
  }
  Matrix matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return memory_.bytes() + storage_.bytes(); }

 private:
  unsigned char* kept_ = nullptr;
  Arena<Space> memory_;
  CsrStorage<S, O, Off, Space> storage_;
};

// The product of the smoothing matrix and a tentative prolongation, each of whose rows has the
// columns of one aggregate. So a row of the product is found from the few aggregates in it, without
// a general SpGEMM.

/// Sorted, unique numbers of at most as many as `most`: by insertion, or for a long row by heap
/// sort, so that no row costs the square of its length.
template <Ordinal O, Offset Off>
struct AscendingList {
  static constexpr Off longest_by_insertion = 64;
  O* numbers;
  Off count = 0;
  bool by_insertion;

  KOKKOS_FORCEINLINE_FUNCTION AscendingList(O* to, Off most)
      : numbers(to), by_insertion(most <= longest_by_insertion) {}

  KOKKOS_FUNCTION void add(O number) {
    Off place = count;
    if (by_insertion) {
      while (place > 0 && numbers[place - 1] > number) --place;
      if (place > 0 && numbers[place - 1] == number) return;
      for (Off k = count; k > place; --k) numbers[k] = numbers[k - 1];
    }
    numbers[place] = number;
    ++count;
  }
  KOKKOS_FUNCTION void finish() {
    if (by_insertion) return;
    for (Off root = count / 2; root-- > 0;) sink(root, count);
    for (Off end = count; --end > 0;) {
      swap(0, end);
      sink(0, end);
    }
    Off kept = 0;
    for (Off k = 0; k < count; ++k) {
      if (kept == 0 || numbers[kept - 1] != numbers[k]) numbers[kept++] = numbers[k];
    }
    count = kept;
  }

 private:
  KOKKOS_FUNCTION void swap(Off a, Off b) {
    const O number = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = number;
  }
  KOKKOS_FUNCTION void sink(Off root, Off end) {
    while (2 * root + 1 < end) {
      Off child = 2 * root + 1;
      if (child + 1 < end && numbers[child] < numbers[child + 1]) ++child;
      if (numbers[root] >= numbers[child]) return;
      swap(root, child);
      root = child;
    }
  }
};

/// Lists the first column of each aggregate in a row of the product, from the begin of that row of
/// the smoothing matrix on, and returns the number of entries of the row.
template <class Matrix>
struct ListAggregates {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  Matrix smoothing, tentative;
  int vectors;
  O* list;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const Off begin = smoothing.row_ptr().data()[i], end = smoothing.row_ptr().data()[i + 1];
    AscendingList<O, Off> found(list + begin, end - begin);
    for (Off k = begin; k < end; ++k) {
      const auto j = smoothing.col_idx().data()[k];
      const Off first = tentative.row_ptr().data()[j];
      if (first < tentative.row_ptr().data()[j + 1]) found.add(tentative.col_idx().data()[first]);
    }
    found.finish();
    return static_cast<std::int64_t>(found.count) * vectors;
  }
};

template <class Matrix>
struct PutProlongation {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* begin_of_list;
  const O* list;
  const Off* row_ptr;
  O* col_idx;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O* from = list + begin_of_list[i];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++from) {
      for (int v = 0; v < vectors; ++v) col_idx[k++] = *from + static_cast<O>(v);
    }
  }
};

/// Sums up each entry in the order of the smoothing matrix's row, starting from zero.
template <class Matrix>
struct SumProlongation {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  Matrix smoothing, tentative, product;
  S* values;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Off begin = product.row_ptr().data()[i];
    const Off count = product.row_ptr().data()[i + 1] - begin;
    const auto* const columns = product.col_idx().data() + begin;
    S* const sums = values + begin;
    for (Off k = 0; k < count; ++k) sums[k] = S(0);
    for (Off k = smoothing.row_ptr().data()[i]; k < smoothing.row_ptr().data()[i + 1]; ++k) {
      const auto j = smoothing.col_idx().data()[k];
      const Off first = tentative.row_ptr().data()[j];
      if (first == tentative.row_ptr().data()[j + 1]) continue;
      const Off place = first_not_below(columns, count, tentative.col_idx().data()[first]);
      const S weight = smoothing.values().data()[k];
      for (int v = 0; v < vectors; ++v) {
        sums[place + v] += weight * tentative.values().data()[first + v];
      }
    }
  }
};

/// The constructor makes the pattern, allocates and waits; numeric sets the values.
template <ExecutionSpace Exec, class Matrix>
class SmoothedProlongation {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// A row of `tentative` has `vectors` entries, or none.
  SmoothedProlongation(const Exec& exec, const Matrix& smoothing, const Matrix& tentative,
                       int vectors)
      : vectors_(vectors) {
    O* list = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::aggregates_of_rows",
                            arena_array(list, smoothing.nonzeros()));
    constexpr RowLabels labels{"heddle::multigrid::list_aggregates",
                               "heddle::multigrid::prolongation_row_ptr",
                               "heddle::multigrid::put_prolongation"};
    storage_ = make_rows<S, O, Off>(
        exec, labels, smoothing.rows(), tentative.columns(),
        ListAggregates<Matrix>{smoothing, tentative, vectors, list}, [&](const auto& storage) {
          return PutProlongation<Matrix>{smoothing.row_ptr().data(), list, storage.row_ptr().data(),
                                         storage.col_idx().data(), vectors};
        });
  }

  /// Computes the values. No wait, no allocation.
  void numeric(const Exec& exec, const Matrix& smoothing, const Matrix& tentative) {
    parallel_for(exec, "heddle::multigrid::sum_prolongation", std::int64_t{smoothing.rows()},
                 SumProlongation<Matrix>{smoothing, tentative, matrix(), storage_.values().data(),
                                         vectors_});
  }
  Matrix matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return storage_.bytes(); }

 private:
  int vectors_;
  CsrStorage<S, O, Off, Space> storage_;
};

}  // namespace heddle::detail::multigrid
