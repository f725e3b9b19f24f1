// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../backends/launch_simd.hpp"
#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/multivector.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "../transform/features.hpp"
#include "operands.hpp"
#include "rows.hpp"

namespace heddle::detail::sptrsv {

/// Largest number of rows of a supernode: the partial sums that a kernel keeps in registers.
inline constexpr int most_supernode_rows = 8;

/// Marks the rows that start a supernode, by position in the loop, before long ones are cut.
template <Ordinal O, Offset Off>
struct FindFirstRows {
  triangle::DependencyGraph<O, Off> graph;
  O* starts;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    starts[p] = p == 0 || !shares_columns(graph, graph.row(p), graph.row(p - 1)) ? O(1) : O(0);
  }
};

/// Consecutive rows that share their columns: each needs the rows that the first of them needs, and
/// the rows between. A row that shares with none is a supernode of one row. Supernode g begins at
/// position first()[g] of the loop over the rows, in which numbers of supernodes ascend.
template <ExecutionSpace Exec, Ordinal O>
class Supernodes {
 public:
  using Space = typename Exec::memory_space;

  /// Two allocations and a launch; waits for `exec`, since the host cuts them to size.
  template <Offset Off>
  Supernodes(const Exec& exec, const triangle::DependencyGraph<O, Off>& graph)
      : memory_(exec, "heddle::sptrsv::supernode_of",
                arena_bytes<O>(static_cast<std::size_t>(graph.rows))),
        of_(memory_.template take<O>(static_cast<std::size_t>(graph.rows))) {
    static_assert(ordered::on_threads<Exec>, "the host reads what `exec` wrote");
    Kokkos::parallel_for("heddle::sptrsv::first_rows", range_policy(exec, graph.rows),
                         FindFirstRows<O, Off>{graph, of_.data()});
    exec.fence("heddle::sptrsv::first_rows");
    O rows = 0;
    for (O p = 0; p < graph.rows; ++p) {
      if (of_(p) == 1 || rows == most_supernode_rows) {
        first_.push_back(p);
        rows = 0;
      }
      ++rows;
      of_(p) = static_cast<O>(first_.size()) - 1;
    }
    first_.push_back(graph.rows);
  }

  O count() const { return static_cast<O>(first_.size()) - 1; }
  const O* first() const { return first_.data(); }
  /// The supernode at each position of the loop.
  const O* of() const { return of_.data(); }

 private:
  std::vector<O> first_;
  Arena<Space> memory_;  // the last handle waits for kernels that read first_ too
  typename Arena<Space>::template Array<O> of_;
};

/// The reads of supernode g of a triangle: the supernodes of its first row's columns.
template <Ordinal O, Offset Off>
struct SupernodeReads {
  triangle::DependencyGraph<O, Off> graph;
  const O* first;
  const O* of;

  HEDDLE_NO_EXECUTION_CHECK
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O g, const Visit& visit) const {
    const O i = graph.row(first[g]);
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (triangle::in_triangle(graph.triangle, i, j))
        visit(of[graph.row(j)]);  // the position of j
    }
  }
};

/// A triangle whose supernodes are stored in the order in which they are solved, so that a thread
/// reads memory contiguously.
///
/// The columns of supernode g begin at col_idx[column_ptr[g]]; the last is its first row. Its
/// values begin at value_ptr[g]: column by column those of all its rows, then the entries among its
/// rows, again column by column (SupernodeSlots). Its diagonal begins at place[g].
template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct SupernodeView {
  const O* place;
  const Off* column_ptr;
  const Off* value_ptr;
  const O* col_idx;
  const S* values;
  const D* diagonal;    ///< the diagonal of each row; null if it is unit
  const D* reciprocal;  ///< of each row; 0 if it is no normal number, 1 for a unit diagonal
  int step;             ///< from one row of a supernode to the next
};

/// The layout of the values of a supernode of `rows` rows that share `columns` columns.
struct SupernodeSlots {
  std::int64_t rows, columns;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t shared(std::int64_t column, std::int64_t row) const {
    return column * rows + row;
  }
  /// The slot of row `row` in the column of the earlier row `of`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t inner(std::int64_t row, std::int64_t of) const {
    return columns * rows + of * (2 * rows - of - 1) / 2 + (row - of - 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t size() const {
    return columns * rows + rows * (rows - 1) / 2;
  }
};

template <Ordinal O>
struct SupernodeRows {
  const O* first;
  ordered::PlaceOrder<O> order;

  KOKKOS_FUNCTION O operator()(std::int64_t g) const {
    const O supernode = order(g);
    return first[supernode + 1] - first[supernode];
  }
};

/// Number of columns of each supernode, and one for its first row.
template <Ordinal O, Offset Off>
struct SupernodeColumns {
  triangle::DependencyGraph<O, Off> graph;
  const O* first;
  ordered::PlaceOrder<O> order;

  KOKKOS_FUNCTION Off operator()(std::int64_t g) const {
    const O i = graph.row(first[order(g)]);
    Off columns = 1;
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      columns += triangle::in_triangle(graph.triangle, i, graph.col_idx[k]) ? 1 : 0;
    }
    return columns;
  }
};

template <Ordinal O, Offset Off>
struct SupernodeValues {
  const O* place;
  const Off* column_ptr;

  KOKKOS_FUNCTION Off operator()(std::int64_t g) const {
    const Off columns = column_ptr[g + 1] - column_ptr[g] - 1;
    return static_cast<Off>(SupernodeSlots{place[g + 1] - place[g], columns}.size());
  }
};

/// Calls visit(slot, k) for every entry k of row `row` of a supernode that is in the triangle, and
/// diagonal(k) for those on the diagonal. If the pattern is not the inspected one, entries without
/// a slot are left out.
template <Ordinal O, Offset Off, class Visit, class Diagonal>
KOKKOS_FORCEINLINE_FUNCTION void visit_slots(const triangle::DependencyGraph<O, Off>& graph,
                                             const SupernodeSlots& slots, O first_row, int step,
                                             std::int64_t row, const Visit& visit,
                                             const Diagonal& diagonal) {
  const O i = static_cast<O>(first_row + step * row);
  std::int64_t column = 0;
  for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
    const O j = graph.col_idx[k];
    if (j == i) {
      diagonal(k);
    } else if (triangle::in_triangle(graph.triangle, i, j)) {
      const std::int64_t of = (static_cast<std::int64_t>(j) - first_row) * step;
      if (of >= 0) {
        visit(slots.inner(row, of), k);
      } else if (column < slots.columns) {
        visit(slots.shared(column++, row), k);
      }
    }
  }
}

template <Ordinal O, Offset Off>
struct CopySupernodes {
  triangle::DependencyGraph<O, Off> graph;
  const Off* origin;  ///< entry k of the graph is entry origin[k] of the matrix; null: entry k
  const O* first;
  ordered::PlaceOrder<O> order;
  const O* place;
  const Off* column_ptr;
  const Off* value_ptr;
  int step;
  O* col_idx;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const O i = graph.row(first[order(g)]);
    Off to = column_ptr[g];
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      if (!triangle::in_triangle(graph.triangle, i, graph.col_idx[k])) continue;
      col_idx[to++] = graph.col_idx[k];
    }
    col_idx[to] = i;
    if (!origin) return;
    const SupernodeSlots slots{place[g + 1] - place[g], to - column_ptr[g]};
    for (std::int64_t row = 0; row < slots.rows; ++row) {
      visit_slots(
          graph, slots, i, step, row,
          [&](std::int64_t slot, Off k) { source[value_ptr[g] + slot] = origin[k]; }, [](Off) {});
    }
  }
};

template <Scalar S, Ordinal O, Offset Off, Scalar D>
struct UpdateSupernodes {
  triangle::DependencyGraph<O, Off> T;  ///< the matrix, and the triangle to solve with
  const S* from;
  SupernodeView<S, O, Off, D> view;
  const Off* source;  ///< the entry of T of each value; null: the order of the rows of T
  S* values;
  D* diagonal;  ///< null for a unit diagonal
  D* reciprocal;
  std::int64_t* bad_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    const Off end = view.column_ptr[g + 1] - 1;
    const SupernodeSlots slots{view.place[g + 1] - view.place[g], end - view.column_ptr[g]};
    S* const to = values + view.value_ptr[g];
    for (std::int64_t row = 0; row < slots.rows; ++row) {
      D sum(0);
      visit_slots(
          T, slots, view.col_idx[end], view.step, row,
          [&](std::int64_t slot, Off k) {
            if (!source) to[slot] = from[k];
          },
          [&](Off k) { sum += D(from[k]); });
      const std::int64_t at = view.place[g] + row;
      reciprocal[at] = diagonal ? triangle::reciprocal_or_zero(sum) : D(1);
      if (!diagonal) continue;
      diagonal[at] = sum;
      if (bad_diagonal && triangle::is_bad_diagonal(sum)) {
        triangle::mark_bad_row(bad_diagonal, view.col_idx[end] + view.step * row);
      }
    }
    if (!source) return;
    for (std::int64_t slot = 0; slot < slots.size(); ++slot) {
      to[slot] = from[source[view.value_ptr[g] + slot]];
    }
  }
};

/// The storage of a SupernodeView: a copy of a triangle, for CPU threads.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D>
class SupernodeTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using View = SupernodeView<S, O, Off, D>;
  /// Number of values that a pack may read past the last, whatever they are.
  static constexpr std::size_t read_beyond = most_supernode_rows;

  SupernodeTriangle() = default;

  /// Copies the supernodes in `order`. Entry k of the graph is entry origin[k] of T, or k if that
  /// is null. Two allocations, with a wait between them.
  SupernodeTriangle(const Exec& exec, const Matrix& T,
                    const triangle::DependencyGraph<O, Off>& graph, const Off* origin,
                    const Supernodes<Exec, O>& supernodes, const ordered::PlaceOrder<O>& order,
                    Diagonal diagonal, const ordered::ThreadsOfPlaces& each_place)
      : count_(supernodes.count()), triangle_(graph.triangle), unit_(diagonal == Diagonal::unit) {
    table_memory_ =
        Arena<Space>(exec, "heddle::sptrsv::supernode_table", arena_array(place_, count_ + 1),
                     arena_array(column_ptr_, count_ + 1), arena_array(value_ptr_, count_ + 1));
    running_sum<O>(exec, "heddle::sptrsv::supernode_places", place_.data(), count_,
                   SupernodeRows<O>{supernodes.first(), order});
    const std::int64_t with_first_rows =
        running_sum_and_total(exec, "heddle::sptrsv::supernode_columns", column_ptr_.data(), count_,
                              SupernodeColumns<O, Off>{graph, supernodes.first(), order});
    const std::size_t columns =
        ordered::entries_with_diagonal<Off>(with_first_rows - count_, count_);
    const auto entries = static_cast<std::size_t>(running_sum_and_total<Off>(
        exec, "heddle::sptrsv::supernode_values", value_ptr_.data(), count_,
        SupernodeValues<O, Off>{place_.data(), column_ptr_.data()}));
    const auto rows = static_cast<std::size_t>(graph.rows);
    const std::size_t sources = origin ? entries : 0, diagonals = unit_ ? 0 : rows;
    memory_ =
        Arena<Space>(exec, "heddle::sptrsv::supernodes", arena_array(col_idx_, columns),
                     arena_array(source_, sources), arena_array(values_, entries + read_beyond),
                     arena_array(diagonal_, diagonals), arena_array(reciprocal_, rows));
    fill(exec, "heddle::sptrsv::no_values", values_.data() + entries, read_beyond, S(0));
    each_place(exec, "heddle::sptrsv::copy_supernodes", count_,
               CopySupernodes<O, Off>{graph, origin, supernodes.first(), order, place_.data(),
                                      column_ptr_.data(), value_ptr_.data(), step(),
                                      col_idx_.data(), source_.data()});
    update_values(exec, T, nullptr, each_place);
  }

  /// Copies the values of a matrix of the same pattern, in the order of `exec`: one launch, no
  /// allocation, no wait. The lowest row with a bad diagonal (is_bad_diagonal) is marked in
  /// *bad_diagonal, if that is given (mark_bad_row).
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal,
                     const ordered::ThreadsOfPlaces& each_place) {
    const triangle::DependencyGraph<O, Off> rows{T.row_ptr().data(), T.col_idx().data(), T.rows(),
                                                 triangle_};
    const Off* const source = source_.extent(0) > 0 ? source_.data() : nullptr;
    each_place(exec, "heddle::sptrsv::supernode_values", count_,
               UpdateSupernodes<S, O, Off, D>{rows, T.values().data(), view(), source,
                                              values_.data(), unit_ ? nullptr : diagonal_.data(),
                                              reciprocal_.data(), bad_diagonal});
  }

  View view() const {
    return {place_.data(),      column_ptr_.data(),
            value_ptr_.data(),  col_idx_.data(),
            values_.data(),     unit_ ? nullptr : diagonal_.data(),
            reciprocal_.data(), step()};
  }
  std::int64_t supernodes() const { return count_; }
  std::size_t bytes() const { return table_memory_.bytes() + memory_.bytes(); }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  int step() const { return triangle_ == Triangle::lower ? 1 : -1; }

  std::int64_t count_ = 0;
  Triangle triangle_ = Triangle::lower;
  bool unit_ = true;
  Arena<Space> table_memory_, memory_;
  Array<O> place_, col_idx_;
  Array<Off> column_ptr_, value_ptr_, source_;
  Array<S> values_;
  Array<D> diagonal_, reciprocal_;
};

/// x = alpha * op(T)^-1 * b for a run of supernodes, by one CPU thread. The values that a supernode
/// needs are solved before it, and are read from x.
///
/// The rows of a supernode are the lanes of packs, so that a column and its value of x are read
/// once for all rows. A pack wider than a supernode reads into the next column; the sums of those
/// lanes are dropped.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct SupernodesKernel {
  using Scratch = backends::NoScratch;
  using D = triangle::DiagonalOf<S, V>;

  SupernodeView<S, O, Off, D> T;
  bool conjugate;
  Acc alpha;
  Multivector<const V> b;
  Multivector<V> x;
  std::int64_t first, stop;  ///< supernodes of the run

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team&, Scratch&) const {
    if constexpr (is_complex<S>) {
      if (conjugate) return solve_all<Team, true>();
    }
    solve_all<Team, false>();
  }

 private:
  template <class Team, bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION void solve_all() const {
    for (std::int64_t g = first; g < stop;) g = solve_alike<Team, Conjugate, 1>(g);
  }

  /// Solves the supernodes from g on that have as many rows as g; returns the next. Each number of
  /// rows has a loop of its own, so that sums and pointers stay in registers.
  template <class Team, bool Conjugate, int Rows>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t solve_alike(std::int64_t g) const {
    if constexpr (Rows < most_supernode_rows) {
      if (rows_of(g) != Rows) return solve_alike<Team, Conjugate, Rows + 1>(g);
    }
    do {
      for (int vector = 0; vector < x.count; ++vector) solve<Team, Conjugate, Rows>(g, vector);
      ++g;
    } while (g < stop && rows_of(g) == Rows);
    return g;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t rows_of(std::int64_t g) const {
    return T.place[g + 1] - T.place[g];
  }

  template <class Team, bool Conjugate, int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void solve(std::int64_t g, int vector) const {
    const O* const columns = T.col_idx + T.column_ptr[g];
    const std::int64_t count = T.column_ptr[g + 1] - T.column_ptr[g] - 1;
    const S* const values = T.values + T.value_ptr[g];
    const std::int64_t row = columns[count];
    Acc difference[Rows];
    for (int m = 0; m < Rows; ++m) difference[m] = alpha * Acc(b(row + m * T.step, vector));
    V* const to = x.data + vector * x.vector_stride;
    const auto known = [&](std::int64_t column) {
      return Acc(to[static_cast<std::int64_t>(columns[column]) * x.row_stride]);
    };
    if constexpr (Rows == 1) {
      difference[0] = row_difference(
          difference[0], std::int64_t{0}, count,
          [&](std::int64_t column) { return value<Conjugate>(values[column]) * known(column); });
    } else {
      subtract_shared<backends::Pack<Team, Acc>, Conjugate>(values, count, known, difference);
    }
    const S* inner = values + count * Rows;
    for (int m = 0; m < Rows; ++m) {
      const V solved = quotient<Conjugate>(difference[m], T.place[g] + m);
      to[(row + m * T.step) * x.row_stride] = solved;
      for (int later = m + 1; later < Rows; ++later) {
        difference[later] -= value<Conjugate>(*inner++) * Acc(solved);
      }
    }
  }

  template <bool Conjugate, Scalar Entry>
  KOKKOS_FORCEINLINE_FUNCTION static Acc value(const Entry& entry) {
    return Acc(Conjugate ? heddle::conjugate(entry) : entry);
  }

  /// Subtracts from each row its products with the known values of the shared columns. They are
  /// added up in several independent sums, to hide the latency of additions. The last columns,
  /// which in a lower triangle are solved last, are added last.
  template <class Pack, bool Conjugate, int Rows, class Known>
  KOKKOS_FORCEINLINE_FUNCTION static void subtract_shared(const S* values, std::int64_t count,
                                                          const Known& known,
                                                          Acc (&difference)[Rows]) {
    constexpr int packs = (Rows + Pack::width - 1) / Pack::width;
    constexpr int chains = packs < 4 ? 4 / packs : 1;
    Pack sum[chains][packs];
    for (int c = 0; c < chains; ++c) {
      for (int p = 0; p < packs; ++p) sum[c][p] = Pack::zero();
    }
    const auto add = [&](int chain, std::int64_t column) {
      const Pack all = Pack::all(known(column));
      for (int p = 0; p < packs; ++p) {
        Pack entries = Pack::load(values + column * Rows + p * Pack::width);
        if constexpr (Conjugate) entries = Pack::conjugate(entries);
        sum[chain][p] = Pack::multiply_add(entries, all, sum[chain][p]);
      }
    };
    std::int64_t column = 0;
    for (; column < count % chains; ++column) add(0, column);
    for (; column < count; column += chains) {
      for (int c = 0; c < chains; ++c) add(c, column + c);
    }
    for (int p = 0; p < packs; ++p) {
      for (int c = 1; c < chains; ++c) sum[0][p] = Pack::add(sum[0][p], sum[c][p]);
      for (int i = 0; i < Pack::width && p * Pack::width + i < Rows; ++i) {
        difference[p * Pack::width + i] -= sum[0][p].lane(i);
      }
    }
  }

  /// Returns difference / diagonal of the row at a place.
  template <bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION V quotient(const Acc& difference, std::int64_t place) const {
    const Acc reciprocal = value<Conjugate>(T.reciprocal[place]);
    if (reciprocal == Acc(0)) {
      return static_cast<V>(difference / value<Conjugate>(T.diagonal[place]));
    }
    return static_cast<V>(difference * reciprocal);
  }
};

/// Runs sptrsv/supernodes: wavefronts of a loop over supernodes, on CPU threads.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class SupernodesExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  SupernodesExecutor() = default;

  SupernodesExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : SupernodesExecutor(in, scheme, Supernodes<Exec, O>(in.exec, in.graph)) {}

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return waves_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + waves_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal, waves_.threads_of_places());
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    waves_.for_each_run(exec, "heddle::sptrsv::supernodes", kernel(conjugate, alpha, b, x));
  }

  /// Solves a run of supernodes.
  struct Run {
    SupernodesKernel<S, O, Off, V, Acc> kernel;
    backends::Simd simd;

    void operator()(std::int64_t first, std::int64_t stop) const {
      auto part = kernel;
      part.first = first;
      part.stop = stop;
      backends::run_simd<Exec>(part, simd);
    }
  };
  Run kernel(bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) const {
    return {{triangle_.view(), conjugate, alpha, b, x, 0, triangle_.supernodes()}, simd_};
  }
  const Wavefronts<Exec, O>& waves() const { return waves_; }
  const auto& triangle() const { return triangle_; }

 private:
  using Waves = Wavefronts<Exec, O>;
  using Copy = SupernodeTriangle<Exec, S, O, Off, triangle::DiagonalOf<S, V>>;

  SupernodesExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme,
                     const Supernodes<Exec, O>& supernodes)
      : waves_(schedule(in, scheme, supernodes)),
        triangle_(in.exec, in.T, in.graph, in.origin, supernodes, waves_.place_order(), in.diagonal,
                  waves_.threads_of_places()),
        scheme_(as_supernodes(waves_.scheme())),
        simd_(backends::best_simd()) {}

  static Waves schedule(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme,
                        const Supernodes<Exec, O>& supernodes) {
    const std::optional<Scheme> pinned = wavefronts_of_supernodes(scheme);
    if (pinned && pinned->has("sequential")) return Waves::in_order(in.exec, supernodes.count());
    const SupernodeReads<O, Off> reads{in.graph, supernodes.first(), supernodes.of()};
    return Waves(in.exec, supernodes.count(), reads,
                 {.scheme = pinned, .threads = in.threads, .least_gain = least_gain});
  }

  Waves waves_;
  Copy triangle_;
  Scheme scheme_;
  backends::Simd simd_ = backends::Simd::none;
};

}  // namespace heddle::detail::sptrsv
