// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/scratch.hpp"
#include "../../core/arena.hpp"
#include "columns.hpp"
#include "symbolic.hpp"

/// R A P by rows, for a P with few entries in each row: each row is summed up in a hash table in
/// scratch, so that A P is never stored and one walk over the products finds the length, the
/// columns and the values of a row.
///
/// Products of an entry are added in the order of R's row, then of A's row. Lanes find the slots of
/// several entries of A in parallel; then the lanes of each entry have a turn to add, one entry
/// after the other. If R's row is divided into pieces, each has such a sum, and those are added in
/// order. So the order is fixed by the lengths of rows, and by nothing else.
namespace heddle::detail::matrix_product {

/// The sums of a row of a product by column, in scratch.
template <class Subwarp, Scalar S, Ordinal O>
struct SumsByColumn {
  static constexpr std::size_t bytes_per_column = 3 * sizeof(O) + 2 * sizeof(S);

  ColumnTable<Subwarp, O> columns;
  S* sums;     ///< of each slot
  O* list;     ///< columns in the order of their insertion
  int* count;  ///< number of columns, more than `most` if they do not fit
  int most;    ///< at least the width of a subwarp

  /// Clears the table, by all lanes; they must sync before an insertion.
  KOKKOS_FORCEINLINE_FUNCTION void clear(const Subwarp& subwarp) const {
    columns.clear(subwarp);
    for (int slot = subwarp.lane(); slot < columns.slots(); slot += Subwarp::width) {
      sums[slot] = S(0);
    }
    if (subwarp.lane() == 0) *count = 0;
  }
  /// The slot of a column, which is inserted if it is new; -1 if there is no room. A lane that
  /// finds the table `full` inserts no more: half of the slots have room for one column of each
  /// lane.
  KOKKOS_FORCEINLINE_FUNCTION int slot_of(O column, bool& full) const {
    if (full) return -1;
    int slot;
    if (!columns.insert(column, slot)) return slot;
    int at;
    if constexpr (Subwarp::width == 1) {
      at = (*count)++;
    } else {
      at = backends::atomic_fetch_add(count, 1);
    }
    full = at >= most;
    if (full) return -1;
    list[at] = column;
    return slot;
  }
};

/// The product, the rows to compute, and what to write: new values of C if it has a row pointer;
/// else columns and values to `room`, one row after the other in the order in which they end.
template <Scalar S, Ordinal O, Offset Off>
struct TripleRows {
  Operand<S, O, Off> R, A, P;
  PatternOperand<O, Off> C;
  S* values;          ///< of C, or of `room`
  O* columns;         ///< of `room`
  std::int64_t room;  ///< entries; what does not fit is counted and not written
  std::int64_t* begin;
  O* lengths;
  std::int64_t* used;  ///< entries of all rows
  O* overflowed;       ///< rows that the next table is for, in any order
  std::int64_t* number_overflowed;
  const O* rows = nullptr;  ///< null: all
  std::int64_t count = 0;
  int most = 0;               ///< columns of a table, a power of two
  std::int64_t longest_of_R;  ///< longer rows of R are left to the next table
  int lanes_of_A = 1;         ///< lanes for each row of A, a power of two
  int lanes_of_P = 1;         ///< lanes for each row of P, a power of two
};

/// Computes rows by `Subwarps` subwarps a team; `Pieces` of them share a row, 1 or all.
template <Scalar S, Ordinal O, Offset Off, int Width, int Subwarps, int Pieces>
struct TripleProductKernel : TripleRows<S, O, Off> {
  static_assert(Pieces == 1 || Pieces == Subwarps, "a team has one row, or each subwarp");
  using Scratch = backends::DynamicScratch;
  using Shape = backends::Shape<Width, Width * Subwarps>;

  static std::size_t scratch_bytes(int most) {
    const auto columns = static_cast<std::size_t>(Subwarps) * static_cast<std::size_t>(most);
    return backends::scratch_bytes<S, O, O, int>(2 * columns, 2 * columns, columns, Subwarps);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarps == Subwarps, "a device without lanes has one subwarp a team");
    using Sums = SumsByColumn<typename Team::subwarp_type, S, O>;
    const int most = this->most, me = team.subwarp_index();
    S* const sums = scratch.template take<S>(2 * Subwarps * most);
    O* const keys = scratch.template take<O>(2 * Subwarps * most);
    O* const lists = scratch.template take<O>(Subwarps * most);
    int* const counts = scratch.template take<int>(Subwarps);
    const std::int64_t place = Pieces == 1 ? team.index() * Subwarps + me : team.index();
    if (place >= this->count) return;
    const std::int64_t row = this->rows ? static_cast<std::int64_t>(this->rows[place]) : place;
    const std::int64_t known = this->C.row_ptr ? this->C.length(row) : most;
    const auto subwarp = team.subwarp();
    const std::int64_t first = this->R.begin(row), length = this->R.length(row);
    if (length > this->longest_of_R) leave(subwarp, row);
    if (length > this->longest_of_R || known > most) return;

    const int room = known < Team::subwarp_width ? Team::subwarp_width : static_cast<int>(known);
    const auto table = [=](int t) {
      return Sums{{keys + 2 * t * most, table_bits(room)},
                  sums + 2 * t * most,
                  lists + t * most,
                  counts + t,
                  room};
    };
    const Sums mine = table(me);
    mine.clear(subwarp);
    subwarp.sync();
    const int piece = Pieces == 1 ? 0 : me;
    add_products(subwarp, mine, first + length * piece / Pieces,
                 first + length * (piece + 1) / Pieces);
    if constexpr (Pieces > 1) {
      add_pieces(team, table);
      if (me > 0) return;
    }
    write(subwarp, mine, row);
  }

 private:
  /// An entry of A times one of R, and its row of P.
  struct Factor {
    S value = S(0);
    std::int64_t begin = 0, end = 0;

    template <class Subwarp>
    KOKKOS_FORCEINLINE_FUNCTION Factor of_lane(const Subwarp& subwarp, int lane) const {
      return {subwarp.shuffle(value, lane), subwarp.shuffle(begin, lane),
              subwarp.shuffle(end, lane)};
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION Factor factor_of(const S& r, std::int64_t k) const {
    const std::int64_t j = this->A.col_idx[k];
    return {r * this->A.values[k], this->P.begin(j), this->P.end(j)};
  }

  /// Adds the products of entries [first, last) of R. Each lane loads an entry of A, at the end of
  /// a chain of loads: of several short rows at once, or of one row.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(const Subwarp& subwarp,
                                                const SumsByColumn<Subwarp, S, O>& table,
                                                std::int64_t first, std::int64_t last) const {
    const auto &R = this->R, &A = this->A;
    const int lanes = this->lanes_of_A, at_once = Subwarp::width / lanes;
    bool full = false;
    for (std::int64_t entry = first; entry < last && !subwarp.any(full); entry += at_once) {
      const int rows = last - entry < at_once ? static_cast<int>(last - entry) : at_once;
      const int row = subwarp.lane() / lanes;
      S r(0);
      std::int64_t begin = 0, end = 0;
      if (row < rows) {
        const std::int64_t i = R.col_idx[entry + row];
        r = R.values[entry + row];
        begin = A.begin(i);
        end = A.end(i);
      }
      if (subwarp.any(end - begin > lanes)) {
        for (int one = 0; one < rows; ++one) {
          add_row_of_A(subwarp, table, subwarp.shuffle(r, one * lanes),
                       subwarp.shuffle(begin, one * lanes), subwarp.shuffle(end, one * lanes),
                       full);
        }
        continue;
      }
      const std::int64_t k = begin + subwarp.lane() % lanes;
      add_rows_of_P(subwarp, table, k < end ? factor_of(r, k) : Factor(), rows * lanes, full);
    }
  }
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_row_of_A(const Subwarp& subwarp,
                                                const SumsByColumn<Subwarp, S, O>& table,
                                                const S& r, std::int64_t begin, std::int64_t end,
                                                bool& full) const {
    for (; begin < end; begin += Subwarp::width) {
      const std::int64_t k = begin + subwarp.lane();
      const int count =
          end - begin < Subwarp::width ? static_cast<int>(end - begin) : Subwarp::width;
      add_rows_of_P(subwarp, table, k < end ? factor_of(r, k) : Factor(), count, full);
    }
  }

  /// Adds the rows of P of the first `count` lanes, in the order of these lanes.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_rows_of_P(const Subwarp& subwarp,
                                                 const SumsByColumn<Subwarp, S, O>& table,
                                                 const Factor& of_lanes, int count,
                                                 bool& full) const {
    const auto& P = this->P;
    const int lanes = this->lanes_of_P, groups = Subwarp::width / lanes;
    const int group = subwarp.lane() / lanes, in_group = subwarp.lane() % lanes;
    for (int done = 0; done < count; done += groups) {
      const Factor factor = of_lanes.of_lane(subwarp, done + group);
      std::int64_t l = factor.begin + in_group;
      int slot = -1;
      S term(0);
      if (l < factor.end) {
        slot = table.slot_of(P.col_idx[l], full);
        term = factor.value * P.values[l];
      }
      const int turns = count - done < groups ? count - done : groups;
      for (int turn = 0; turn < turns; ++turn) {
        if (turn == group) {
          while (l < factor.end) {
            if (slot >= 0) table.sums[slot] += term;
            l += lanes;
            if (l >= factor.end) break;
            slot = table.slot_of(P.col_idx[l], full);
            term = factor.value * P.values[l];
          }
        }
        subwarp.sync();
      }
    }
  }

  /// Adds the sums of pieces to those of the first one, in their order.
  template <class Team, class Table>
  KOKKOS_FORCEINLINE_FUNCTION void add_pieces(const Team& team, const Table& table) const {
    const auto sums = table(0);
    for (int piece = 1; piece < Pieces; ++piece) {
      const auto other = table(piece);
      team.barrier();
      // All threads read both counts between two barriers, so that they agree.
      const int count = *other.count;
      const bool fits = *sums.count <= sums.most && count <= sums.most;
      team.barrier();
      if (!fits) {
        if (team.thread() == 0) *sums.count = sums.most + 1;
        break;
      }
      bool full = false;
      for (int at = team.thread(); at < count; at += Team::threads) {
        const O column = other.list[at];
        const int slot = sums.slot_of(column, full);
        if (slot >= 0) sums.sums[slot] += other.sums[other.columns.find(column)];
      }
    }
    team.barrier();
  }

  /// Lists a row for the next table, unless the lists are known.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void leave(const Subwarp& subwarp, std::int64_t row) const {
    if (this->C.row_ptr || subwarp.lane() > 0) return;
    this->overflowed[backends::atomic_fetch_add(this->number_overflowed, 1)] = static_cast<O>(row);
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Subwarp& subwarp,
                                         const SumsByColumn<Subwarp, S, O>& table,
                                         std::int64_t row) const {
    subwarp.sync();
    const auto& C = this->C;
    if (C.row_ptr) {
      for (std::int64_t p = C.begin(row) + subwarp.lane(); p < C.end(row); p += Subwarp::width) {
        const int slot = table.columns.find(C.col_idx[p]);
        this->values[p] = slot < 0 ? S(0) : table.sums[slot];
      }
      return;
    }
    const int length = *table.count;
    if (length > table.most) return leave(subwarp, row);
    std::int64_t begin = 0;
    if (subwarp.lane() == 0) {
      begin = backends::atomic_fetch_add(this->used, length);
      this->begin[row] = begin;
      this->lengths[row] = static_cast<O>(length);
    }
    begin = subwarp.broadcast(begin, 0);
    if (begin + length > this->room) return;
    sort_columns(subwarp, table.list, length);
    for (int at = subwarp.lane(); at < length; at += Subwarp::width) {
      const O column = table.list[at];
      this->columns[begin + at] = column;
      this->values[begin + at] = table.sums[table.columns.find(column)];
    }
  }
};

/// A subwarp copies a row from the room to C.
template <Scalar S, Ordinal O, Offset Off>
struct CopyRowFromRoom {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  const std::int64_t* begin;
  const O* columns;
  const S* values;
  const Off* row_ptr;
  O* col_idx;
  S* to;
  std::int64_t rows;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= rows) return;
    const auto first = static_cast<std::int64_t>(row_ptr[row]);
    const std::int64_t length = static_cast<std::int64_t>(row_ptr[row + 1]) - first;
    for (std::int64_t at = team.subwarp().lane(); at < length; at += Team::subwarp_width) {
      col_idx[first + at] = columns[begin[row] + at];
      to[first + at] = values[begin[row] + at];
    }
  }
};

/// C = R A P of matrices whose rows of P have distinct columns. The constructor makes the pattern
/// and the values; `numeric` makes new values for the same patterns. Columns of C ascend.
template <ExecutionSpace Exec, class Matrix>
class TripleProduct {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// Allocates, and waits. Makes nothing if a row of C is too long for scratch: made() is false.
  TripleProduct(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P) {
    choose_tables(exec, R, A, P);
    const std::int64_t rows = R.rows();
    std::int64_t *begin = nullptr, *counters = nullptr;
    O *lengths = nullptr, *lists = nullptr;
    const Arena<Space> work(exec, "heddle::galerkin::lengths", arena_array(begin, rows),
                            arena_array(counters, 1 + tables), arena_array(lengths, rows),
                            arena_array(lists, tables * rows));
    // Few coarse matrices have more entries than A; one that does is computed again.
    auto room = static_cast<std::int64_t>(A.nonzeros());
    while (true) {
      O* columns = nullptr;
      S* values = nullptr;
      const Arena<Space> rows_as_they_end(exec, "heddle::galerkin::room",
                                          arena_array(columns, room), arena_array(values, room));
      Rows triple = product(R, A, P);
      triple.values = values;
      triple.columns = columns;
      triple.room = room;
      triple.begin = begin;
      triple.lengths = lengths;
      triple.used = counters;
      const std::int64_t entries = walk_all(exec, triple, counters, lists, rows);
      if (entries < 0) return;
      if (entries > room) {
        room = entries;
        continue;
      }
      compress(exec, triple, rows, P.columns(), entries);
      break;
    }
    keep_lists(exec, lists, rows);
    exec.fence("heddle::galerkin::made");
    made_ = true;
  }

  bool made() const { return made_; }

  /// Computes the values. No wait, no allocation; may be recorded in a graph.
  void numeric(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P) const {
    Rows triple = product(R, A, P);
    triple.C = {C_.row_ptr().data(), C_.col_idx().data()};
    triple.values = C_.values().data();
    for (int table = first_; table < tables; ++table) {
      triple.rows = lists_[table];
      triple.count = counts_[table];
      walk(exec, "heddle::galerkin::new_values", table, triple);
    }
  }
  Matrix matrix() const& { return C_.matrix(); }
  const CsrStorage<S, O, Off, Space>& storage() const& { return C_; }
  std::size_t bytes() const { return C_.bytes() + lists_memory_.bytes(); }

 private:
  using Rows = TripleRows<S, O, Off>;
  static constexpr bool lanes = backends::has_lanes<Exec>;
  static constexpr int width = backends::max_subwarp_width<Exec>;
  static constexpr std::size_t bytes_per_column =
      SumsByColumn<backends::Subwarp<Exec, width>, S, O>::bytes_per_column;
  /// Rows are tried with tables of growing size, and those of few entries of A by a subwarp first.
  static constexpr int tables = lanes ? 4 : 2;

  Rows product(const Matrix& R, const Matrix& A, const Matrix& P) const {
    Rows triple{};
    triple.R = operand(R);
    triple.A = operand(A);
    triple.P = operand(P);
    triple.lanes_of_A = lanes_of_A_;
    triple.lanes_of_P = lanes_of_P_;
    return triple;
  }

  /// Sizes depend on types and on an amount of scratch that every device has, but for the last one:
  /// its rows have one piece, so that sums have the same order whatever its size.
  void choose_tables(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P) {
    const auto mean = [](std::int64_t entries, std::int64_t rows) {
      return rows > 0 ? ceil_div(entries, rows) : std::int64_t{1};
    };
    const auto nonzeros = [](const Matrix& M) { return static_cast<std::int64_t>(M.nonzeros()); };
    const auto lanes_of = [&](const Matrix& M) {
      const std::int64_t length = std::clamp<std::int64_t>(mean(nonzeros(M), M.rows()), 1, width);
      return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(length)));
    };
    lanes_of_A_ = lanes_of(A);
    lanes_of_P_ = lanes_of(P);
    if constexpr (lanes) {
      longest_of_R_ =
          (many_entries_of_A - 1) / std::max<std::int64_t>(1, mean(nonzeros(A), A.rows()));
      first_ = mean(nonzeros(R), R.rows()) > longest_of_R_ ? 1 : 0;
    }
    const auto columns = [&](std::size_t bytes, std::size_t of_a_team, std::size_t most) {
      return static_cast<int>(
          std::min(most, std::bit_floor((bytes - 64) / of_a_team / bytes_per_column)));
    };
    const std::size_t budget = scratch_budget(exec);
    const auto largest =
        columns(lanes ? backends::max_scratch_bytes(exec) - 256 : budget, 1, std::size_t{1} << 15);
    if constexpr (lanes) {
      const int least = columns(budget, subwarps_of_team, 128);
      most_ = {least, least, columns(budget, 2, 512), largest};
    } else {
      most_ = {512, largest};
    }
  }

  /// Computes all rows; returns the entries of C, or -1 if the tables are too small. Waits.
  std::int64_t walk_all(const Exec& exec, Rows triple, std::int64_t* counters, O* lists,
                        std::int64_t rows) {
    fill(exec, "heddle::galerkin::no_entries", counters, 1 + tables, 0);
    lists_[first_] = nullptr;
    counts_[first_] = rows;
    for (int table = first_; table < tables; ++table) {
      O* const next = lists + table * rows;
      triple.rows = lists_[table];
      triple.count = counts_[table];
      triple.overflowed = next;
      triple.number_overflowed = counters + 1 + table;
      walk(exec, "heddle::galerkin::rows", table, triple);
      const auto read =
          ordered::copied_to_host(exec, "heddle::galerkin::entries", counters, 1 + tables);
      const std::int64_t left = read[static_cast<std::size_t>(1 + table)];
      if (left == 0) return read.front();
      if (table + 1 < tables) {
        lists_[table + 1] = next;
        counts_[table + 1] = left;
      }
    }
    return -1;
  }

  void compress(const Exec& exec, const Rows& made, std::int64_t rows, O columns,
                std::int64_t entries) {
    C_ = CsrStorage<S, O, Off, Space>(exec, rows, columns, entries);
    running_sum(exec, "heddle::galerkin::row_ptr", C_.row_ptr().data(), rows,
                Terms<O>{made.lengths});
    using Kernel = CopyRowFromRoom<S, O, Off>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    backends::launch<typename Kernel::Shape>(
        exec, "heddle::galerkin::compress", ceil_div(rows, std::int64_t{Team::subwarps}),
        Kernel{made.begin, made.columns, made.values, C_.row_ptr().data(), C_.col_idx().data(),
               C_.values().data(), rows});
  }

  /// Keeps the lists of rows that need larger tables, for new values.
  void keep_lists(const Exec& exec, const O* lists, std::int64_t rows) {
    std::int64_t all = 0;
    for (int table = first_ + 1; table < tables; ++table) all += counts_[table];
    O* to = nullptr;
    if (all > 0) {
      lists_memory_ = Arena<Space>(exec, "heddle::galerkin::long_rows", arena_array(to, all));
    }
    for (int table = first_ + 1; table < tables; ++table) {
      if (counts_[table] == 0) continue;
      copy(exec, "heddle::galerkin::long_rows", to, counts_[table], lists + (table - 1) * rows);
      lists_[table] = to;
      to += counts_[table];
    }
  }

  void walk(const Exec& exec, const char* label, int table, Rows rows) const {
    if (rows.count == 0) return;
    rows.most = most_[static_cast<std::size_t>(table)];
    rows.longest_of_R = std::numeric_limits<std::int64_t>::max();
    if constexpr (lanes) {
      if (table == 0) {
        rows.longest_of_R = longest_of_R_;
        return launch<4, 1>(exec, label, rows);
      }
      if (table == 1) return launch<subwarps_of_team, subwarps_of_team>(exec, label, rows);
      if (table == 2) return launch<2, 2>(exec, label, rows);
    }
    launch<1, 1>(exec, label, rows);
  }
  template <int Subwarps, int Pieces>
  static void launch(const Exec& exec, const char* label, const Rows& rows) {
    using Kernel = TripleProductKernel<S, O, Off, width, Subwarps, Pieces>;
    backends::launch<typename Kernel::Shape>(
        exec, label, Pieces == 1 ? ceil_div(rows.count, std::int64_t{Subwarps}) : rows.count,
        Kernel{rows}, Kernel::scratch_bytes(rows.most));
  }

  /// A row of C with so many entries of A or more, by their mean row, is a team's.
  static constexpr std::int64_t many_entries_of_A = 1024;
  static constexpr int subwarps_of_team = 8;

  CsrStorage<S, O, Off, Space> C_;
  Arena<Space> lists_memory_;
  std::array<int, tables> most_ = {};
  const O* lists_[tables] = {};  ///< rows of each size of table; null: all
  std::int64_t counts_[tables] = {};
  int lanes_of_A_ = 1, lanes_of_P_ = 1;
  int first_ = 0;  ///< the first table
  std::int64_t longest_of_R_ = 0;
  bool made_ = false;
};

}  // namespace heddle::detail::matrix_product
