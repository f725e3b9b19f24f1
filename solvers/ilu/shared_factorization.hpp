// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/device.hpp"
#include "../../backends/lanes.hpp"
#include "../ordered/rows.hpp"
#include "../sptrsv/definitions.hpp"
#include "list_updates.hpp"
#include "row.hpp"
#include "schemes.hpp"

namespace heddle::detail::ilu {

/// The rows of a triangle in the arrays of a CPU solve.
template <Scalar S, Ordinal O, Offset Off>
struct SolvedRows {
  ordered::RowsWriter<S, O, Off> triangle;
  ordered::PlaceOf<O> place;

  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> operator()(O i) const {
    const auto p = static_cast<std::int64_t>(place(i));
    const Off begin = triangle.row_ptr[p];
    return {triangle.col_idx + begin, triangle.values + begin,
            static_cast<O>(triangle.row_ptr[p + 1] - begin - 1)};
  }
  KOKKOS_FORCEINLINE_FUNCTION const S* diagonal(O i) const { return triangle.diagonal + place(i); }

  /// Writes the row without its diagonal; `last` is the entry that RowsWriter stores after it.
  KOKKOS_FORCEINLINE_FUNCTION void write(O i, const S* from, const S& last) const {
    const auto p = static_cast<std::int64_t>(place(i));
    const Off begin = triangle.row_ptr[p], end = triangle.row_ptr[p + 1] - 1;
    for (Off k = begin; k < end; ++k) triangle.values[k] = from[k - begin];
    triangle.values[end] = last;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write_with_diagonal(O i, const S* from, const S& value) const {
    triangle.diagonal[place(i)] = value;
    write(i, from, triangle::reciprocal_or_zero(value));
  }
};

/// Factors whose rows are made in the workspace of a thread and then written into the arrays of the
/// solves. So a row is read and written once, and there is no other copy of the factors.
template <Scalar S, Ordinal O, Offset Off, bool Cholesky>
struct SharedFactors {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  SolvedRows<S, O, Off> lower, upper;  ///< Cholesky factors have `lower` alone
  Pivots<S> pivots;
  Updates updates;
  S* room;   ///< workspace for one row
  O* marks;  ///< entry of the current row in each column, or -1

  KOKKOS_FORCEINLINE_FUNCTION S* row(O) const { return room; }
  KOKKOS_FORCEINLINE_FUNCTION O size(O i) const {
    return lower(i).size + 1 + (Cholesky ? O(0) : upper(i).size);
  }
  KOKKOS_FORCEINLINE_FUNCTION const S* pivot(O i) const {
    return Cholesky ? lower.diagonal(i) : upper.diagonal(i);
  }

  /// visit(p, q) as Factors do. Row i is marked; columns of `other` are within those of [first,
  /// stop).
  HEDDLE_NO_EXECUTION_CHECK
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_common(const OneLane&, O i, O first, O stop,
                                               const RowPart<S, O>& other,
                                               const Visit& visit) const {
    if (much_longer(other.size, static_cast<O>(stop - first))) {
      for (O p = first; p < stop; ++p) {
        const O q = find_column(other.columns, O(0), other.size, column(i, p));
        if (q < other.size) visit(p, q);
      }
    } else {
      for (O q = 0; q < other.size; ++q) {
        const O p = marks[other.columns[q]];
        if (p >= 0) visit(p, q);
      }
    }
  }
  /// Marks the columns of row i, or clears the marks.
  KOKKOS_FORCEINLINE_FUNCTION void mark(O i, bool set) const {
    const auto left = lower(i);
    for (O k = 0; k < left.size; ++k) marks[left.columns[k]] = set ? k : O(-1);
    if constexpr (!Cholesky) {
      const auto right = upper(i);
      marks[i] = set ? left.size : O(-1);
      for (O k = 0; k < right.size; ++k) {
        marks[right.columns[k]] = set ? left.size + 1 + k : O(-1);
      }
    }
  }
  /// Writes the row into the arrays of the solves.
  KOKKOS_FORCEINLINE_FUNCTION void write(O i) const {
    const S* const pivot = room + lower(i).size;
    if constexpr (Cholesky) {
      lower.write_with_diagonal(i, room, *pivot);
    } else {
      lower.write(i, room, S(1));
      upper.write_with_diagonal(i, pivot + 1, *pivot);
    }
  }

 private:
  /// Column of entry p of row i.
  KOKKOS_FORCEINLINE_FUNCTION O column(O i, O p) const {
    const auto left = lower(i);
    if (p < left.size) return left.columns[p];
    if constexpr (Cholesky) {
      return i;
    } else {
      return p == left.size ? i : upper(i).columns[p - left.size - 1];
    }
  }
};

/// Makes the rows at places first, ..., stop - 1, in order, in the workspace of thread `me`.
template <class Row, class LoadRow>
struct MakeRows {
  using S = typename Row::S;
  using O = typename Row::O;
  Row row;  ///< with the workspace of thread 0
  LoadRow load;
  heddle::RealOf<S> of_diagonal;  ///< factor of A's diagonal
  ordered::PlaceOrder<O> order;
  std::size_t room, marks;  ///< sizes for a thread; no marks if updates are listed

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int me, std::int64_t first, std::int64_t stop) const {
    Row mine = row;
    auto& factors = mine.factors;
    factors.room += static_cast<std::size_t>(me) * room;
    factors.marks += static_cast<std::size_t>(me) * marks;
    for (std::int64_t place = first; place < stop; ++place) {
      const O i = order(place);
      load(i, factors.size(i), factors.room);
      factors.room[factors.lower(i).size] *= of_diagonal;
      if (marks > 0) factors.mark(i, true);
      mine(OneLane(), i, [](O) {});
      if (marks > 0) factors.mark(i, false);
      factors.write(i);
    }
  }
};

/// The length of each row of factors. CopyShared copies columns and values from the solves.
template <class Shared>
struct SharedSizes {
  Shared factors;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return factors.size(static_cast<typename Shared::ordinal_type>(i));
  }
};
template <class Shared>
struct CopyShared {
  using O = typename Shared::ordinal_type;
  using Off = typename Shared::offset_type;
  using S = typename Shared::scalar_type;
  Shared factors;
  const Off* row_ptr;
  O* col_idx;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const auto i = static_cast<O>(row);
    Off to = copy(factors.lower(i), row_ptr[i]);
    col_idx[to] = i;
    values[to] = *factors.pivot(i);
    if (++to < row_ptr[i + 1]) copy(factors.upper(i), to);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Off copy(const RowPart<S, O>& from, Off to) const {
    for (O k = 0; k < from.size; ++k, ++to) {
      col_idx[to] = from.columns[k];
      values[to] = from.values[k];
    }
    return to;
  }
};

/// Makes factors in the arrays of the solves of a CPU (SharedFactors), by the waves of the solve
/// with L, whose rows depend on each other as those of the factorization do; or by the waves of a
/// pinned scheme.
template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
class SharedFactorization {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Solve = SptrsvPlanCore<Exec, Matrix, S, S>;
  static constexpr bool cholesky = is_cholesky<RowOf>;
  using Shared = SharedFactors<S, O, Off, cholesky>;
  using Row = RowOf<Shared>;

  /// The solves were made of this pattern, without values yet; for Cholesky factors `lower` and
  /// `upper` are one solve. Waits for `exec`. Allocates all that run() needs.
  SharedFactorization(const Exec& exec, FactorPattern<Exec, O, Off> pattern,
                      const IluOptions& options, const char* name, const Solve& lower,
                      const Solve& upper)
      : pattern_(std::move(pattern)), pivot_floor_(options.pivot_floor) {
    const AskedScheme asked(options, name, backends::describe(exec));
    const auto view = pattern_.view();
    if (asked.scheme()) {
      WavefrontsOptions of_waves;
      of_waves.threads = options.threads;
      of_waves.scheme = of_wavefronts(*asked.scheme());
      own_waves_.emplace(
          exec, static_cast<O>(view.rows),
          LowerReads<O, Off>{view.row_ptr, view.col_idx, pattern_.diagonal(), view.entries},
          of_waves);
    }
    const std::int64_t longest = pattern_.longest_row();
    const int threads = waves(lower).schedule().threads;
    allocate(exec, lower, upper, longest, threads);
    const auto marks = static_cast<std::int64_t>(marks_.extent(0));
    fill(exec, "heddle::ilu::no_marks", marks_.data(), marks, O(-1));
    exec.fence("heddle::ilu::no_marks");
    if (asked.updates != "searched") {
      updates_ =
          ListedUpdates<Exec>::by_marks(exec, Row{shared(lower, upper)}, view.rows, view.entries,
                                        longest, threads, asked.updates == "listed");
    }
    if (updates_.listed()) {
      marks_memory_ = {};
      marks_ = {};
    }
    scheme_ = with_updates(name, waves(lower).scheme(), updates_.listed());
    pattern_.forget();
  }

  /// Queues the factorization of A + growth diag(A) on `exec`: no wait, no allocation.
  void run(const Exec& exec, const Matrix& A, double growth, const Solve& lower, const Solve& upper,
           bool transposes) const {
    heddle::detail::fill(exec, "heddle::ilu::no_bad_pivot", bad(), 1, 0);
    const Wavefronts<Exec, O>& waves = this->waves(lower);
    const std::size_t marks =
        updates_.listed() ? 0 : static_cast<std::size_t>(pattern_.view().rows);
    waves.for_each_run_of_thread(
        exec, "heddle::ilu::rows",
        MakeRows<Row, LoadRow<S, O, Off>>{Row{shared(lower, upper)}, load_row(A, pattern_),
                                          static_cast<heddle::RealOf<S>>(1 + growth),
                                          waves.place_order(), room_of_thread_, marks});
    if (!transposes) return;
    const auto transpose = [&](const Solve& solve, const ordered::PlaceOf<O>& place) {
      solve.part(Op::transpose)
          .rows()
          .triangle()
          .take_transposed(exec, solve.part(Op::none).rows().triangle(), place);
    };
    transpose(lower, places(lower, lower_place_));
    if constexpr (!cholesky) transpose(upper, places(upper, upper_place_));
  }

  const FactorPattern<Exec, O, Off>& pattern() const { return pattern_; }
  const Scheme& scheme() const { return scheme_; }
  /// 0, or one more than the lowest row with a bad pivot.
  std::int64_t* bad() const { return bad_.data(); }
  std::size_t bytes() const {
    return pattern_.bytes() + updates_.bytes() + memory_.bytes() + marks_memory_.bytes() +
           (own_waves_ ? own_waves_->bytes() : 0);
  }

  /// A copy of the factors, combined, with ascending columns. Allocates, waits for `exec`.
  CsrStorage<S, O, Off, typename Exec::memory_space> copy(const Exec& exec, const Solve& lower,
                                                          const Solve& upper) const {
    const auto view = pattern_.view();
    const Shared factors = shared(lower, upper);
    CsrStorage<S, O, Off, typename Exec::memory_space> to(exec, view.rows, view.rows, view.entries);
    running_sum(exec, "heddle::ilu::row_ptr", to.row_ptr().data(), view.rows,
                SharedSizes<Shared>{factors});
    Kokkos::parallel_for(
        "heddle::ilu::copy", range_policy(exec, view.rows),
        CopyShared<Shared>{factors, to.row_ptr().data(), to.col_idx().data(), to.values().data()});
    exec.fence("heddle::ilu::copied");
    return to;
  }

 private:
  using Space = typename Exec::memory_space;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  const Wavefronts<Exec, O>& waves(const Solve& lower) const {
    return own_waves_ ? *own_waves_ : lower.part(Op::none).rows().waves();
  }
  static ordered::PlaceOrder<O> order_of(const Solve& solve) {
    return solve.part(Op::none).rows().waves().place_order();
  }
  static ordered::PlaceOf<O> places(const Solve& solve, const Array<O>& place) {
    const ordered::PlaceOrder<O> order = order_of(solve);
    return {order.iterations ? place.data() : nullptr, order.count, order.sweep};
  }

  void allocate(const Exec& exec, const Solve& lower, const Solve& upper, std::int64_t longest,
                int threads) {
    const auto n = static_cast<std::size_t>(pattern_.view().rows);
    constexpr std::size_t apart = arena_alignment_bytes / sizeof(S);  // threads share no cache line
    room_of_thread_ = ceil_div(static_cast<std::size_t>(longest), apart) * apart;
    const std::size_t room = room_of_thread_ * static_cast<std::size_t>(threads);
    const std::size_t of_lower = order_of(lower).iterations ? n : 0;
    const std::size_t of_upper = !cholesky && order_of(upper).iterations ? n : 0;
    memory_ = Arena<Space>(exec, "heddle::ilu::room", arena_array(room_, room),
                           arena_array(lower_place_, of_lower), arena_array(upper_place_, of_upper),
                           arena_array(bad_, 1));
    find_places(exec, lower, lower_place_);
    find_places(exec, upper, upper_place_);
    const std::size_t marks = n * static_cast<std::size_t>(threads);
    marks_memory_ = Arena<Space>(exec, "heddle::ilu::marks", arena_array(marks_, marks));
  }
  static void find_places(const Exec& exec, const Solve& solve, const Array<O>& place) {
    if (place.extent(0) == 0) return;
    Kokkos::parallel_for("heddle::ilu::places", range_policy(exec, place.extent(0)),
                         ordered::PlaceOfIterations<O>{order_of(solve).iterations, place.data()});
  }

  Shared shared(const Solve& lower, const Solve& upper) const {
    using Real = heddle::RealOf<S>;
    return {{lower.part(Op::none).rows().triangle().writer(), places(lower, lower_place_)},
            {upper.part(Op::none).rows().triangle().writer(), places(upper, upper_place_)},
            {static_cast<Real>(pivot_floor_), bad()},
            updates_.updates(),
            room_.data(),
            marks_.data()};
  }

  FactorPattern<Exec, O, Off> pattern_;
  double pivot_floor_;
  ListedUpdates<Exec> updates_;
  Scheme scheme_;
  std::optional<Wavefronts<Exec, O>> own_waves_;
  std::size_t room_of_thread_ = 0;
  Arena<Space> memory_, marks_memory_;
  Array<S> room_;
  Array<O> lower_place_, upper_place_, marks_;
  Array<std::int64_t> bad_;
};

}  // namespace heddle::detail::ilu
