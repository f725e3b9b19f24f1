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
#include "../../backends/equal_lanes.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/scratch.hpp"
#include "../../core/arena.hpp"
#include "columns.hpp"
#include "symbolic.hpp"

/// R A P by rows, for a P with few entries in each row: neither R A nor A P is stored, and one walk
/// over the entries of A finds the length, the columns and the values of a row.
///
/// A subwarp sums up a row of R A in a table in scratch and, each time that this table is full and
/// at the end, adds its products with P to the row of C, in a second table. So a column of R A that
/// several rows of A share has one row of P and not several. If R's row is divided into pieces,
/// each has such a sum, and those are added in order. The order of additions depends on patterns,
/// types and the width of a warp, so that every run has the same.
namespace heddle::detail::matrix_product {

/// The sums of a row by column, in scratch; all lanes call each function together. Columns are
/// listed in the order of their first term.
template <class Subwarp, Scalar S, Ordinal O>
class SumsByColumn {
 public:
  static constexpr std::size_t bytes_per_slot = 2 * sizeof(O) + sizeof(S);
  /// The most columns of a table: the slots that are left have room for those that lanes insert
  /// at once.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int most_of(int slots) {
    return slots - (slots / 4 > Subwarp::width ? slots / 4 : Subwarp::width);
  }

  /// The table has 2^bits slots and at most `most` columns. A list has an element for each slot.
  KOKKOS_FORCEINLINE_FUNCTION SumsByColumn(O* keys, S* sums, O* list, int bits, int most, int count)
      : columns_{keys, bits}, sums_(sums), list_(list), most_(most), count_(count) {}

  KOKKOS_FORCEINLINE_FUNCTION int count() const { return count_; }
  /// Whether each lane can still insert a column.
  KOKKOS_FORCEINLINE_FUNCTION bool has_room() const { return count_ <= most_ - Subwarp::width; }
  KOKKOS_FORCEINLINE_FUNCTION bool fits() const { return count_ <= most_; }

  KOKKOS_FORCEINLINE_FUNCTION void clear(const Subwarp& subwarp) {
    subwarp.sync();
    columns_.clear(subwarp);
    count_ = 0;
    subwarp.sync();
  }
  /// Adds a term of each lane that `has` one. Terms of one column are summed first, by a tree, and
  /// added by the first of their lanes.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Subwarp& subwarp, bool has, O column, S term) {
    const std::uint64_t same =
        backends::equal_lanes(subwarp, has ? column : ColumnTable<Subwarp, O>::none);
    const std::uint64_t equal = has ? same : 0;
    const std::uint64_t below = (std::uint64_t{1} << subwarp.lane()) - 1;
    term = backends::sum_of_equal_lanes(subwarp, equal, term);
    const bool first = has && (equal & below) == 0;
    int slot = 0;
    bool is_new = false;
    if (first) {
      is_new = columns_.insert(column, slot);
      sums_[slot] = is_new ? term : sums_[slot] + term;
    }
    const std::uint64_t inserted = subwarp.ballot(is_new);
    if (is_new) list_[count_ + popcount(inserted & below)] = static_cast<O>(slot);
    count_ += popcount(inserted);
    subwarp.sync();
  }
  /// Adds another table's sums, in the order of its list, or all that fits.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Subwarp& subwarp, const SumsByColumn& other) {
    if (!other.fits()) count_ = most_ + 1;
    for (int done = 0; done < other.count() && fits(); done += Subwarp::width) {
      const int at = done + subwarp.lane();
      const bool has = at < other.count();
      add(subwarp, has, has ? other.column(at) : O(0), has ? other.sum(at) : S(0));
    }
  }
  /// The listed columns.
  KOKKOS_FORCEINLINE_FUNCTION O column(int at) const { return columns_.keys[list_[at]]; }
  KOKKOS_FORCEINLINE_FUNCTION S sum(int at) const { return sums_[list_[at]]; }
  /// The sum of a column; 0 if it has none.
  KOKKOS_FORCEINLINE_FUNCTION S sum_of(O column) const {
    const int slot = columns_.find(column);
    return slot < 0 ? S(0) : sums_[slot];
  }
  /// The columns in ascending order; the list is lost.
  KOKKOS_FORCEINLINE_FUNCTION const O* sorted(const Subwarp& subwarp) const {
    for (int at = subwarp.lane(); at < count_; at += Subwarp::width) list_[at] = column(at);
    sort_columns(subwarp, list_, count_);
    return list_;
  }

 private:
  ColumnTable<Subwarp, O> columns_;
  S* sums_;  ///< of each slot
  O* list_;  ///< slots
  int most_, count_;
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
  int slots_of_RA = 0, slots_of_C = 0;  ///< of a table, powers of two
  std::int64_t longest_of_R;            ///< longer rows of R are left to the next table
  int lanes_of_A = 1;                   ///< lanes for each row of A, a power of two
  int lanes_of_P = 1;                   ///< lanes for each row of P, a power of two
};

/// Computes rows by `Subwarps` subwarps a team; `Pieces` of them share a row, 1 or all.
template <Scalar S, Ordinal O, Offset Off, int Width, int Subwarps, int Pieces>
struct TripleProductKernel : TripleRows<S, O, Off> {
  static_assert(Pieces == 1 || Pieces == Subwarps, "a team has one row, or each subwarp");
  using Scratch = backends::DynamicScratch;
  using Shape = backends::Shape<Width, Width * Subwarps>;

  static std::size_t scratch_bytes(int slots_of_RA, int slots_of_C) {
    const int slots = Subwarps * (slots_of_RA + slots_of_C);
    return backends::scratch_bytes<S, O, O, int>(slots, slots, slots, Subwarps);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarps == Subwarps, "a device without lanes has one subwarp a team");
    using Sums = SumsByColumn<typename Team::subwarp_type, S, O>;
    const int slots_of_RA = this->slots_of_RA, slots_of_C = this->slots_of_C;
    const int slots = slots_of_RA + slots_of_C, me = team.subwarp_index();
    S* const sums = scratch.template take<S>(Subwarps * slots);
    O* const keys = scratch.template take<O>(Subwarps * slots);
    O* const lists = scratch.template take<O>(Subwarps * slots);
    int* const counts = scratch.template take<int>(Subwarps);
    const std::int64_t place = Pieces == 1 ? team.index() * Subwarps + me : team.index();
    if (place >= this->count) return;
    const std::int64_t row = this->rows ? static_cast<std::int64_t>(this->rows[place]) : place;
    // The table ends a row that has more columns than are known.
    const std::int64_t most = Sums::most_of(slots_of_C);
    const std::int64_t known = this->C.row_ptr ? this->C.length(row) : most;
    const auto subwarp = team.subwarp();
    const std::int64_t first = this->R.begin(row), length = this->R.length(row);
    if (length > this->longest_of_R) leave(subwarp, row);
    if (length > this->longest_of_R || known > most) return;

    int bits_of_C = table_bits(known > Team::subwarp_width ? known : Team::subwarp_width);
    if (1 << bits_of_C > slots_of_C) --bits_of_C;
    const auto table = [=](int subwarp_index, int count) {
      const int at = subwarp_index * slots + slots_of_RA;
      return Sums(keys + at, sums + at, lists + at, bits_of_C, static_cast<int>(known), count);
    };
    const int at = me * slots;
    Sums row_of_RA(keys + at, sums + at, lists + at,
                   countr_zero(static_cast<unsigned>(slots_of_RA)), Sums::most_of(slots_of_RA), 0);
    Sums row_of_C = table(me, 0);
    row_of_RA.clear(subwarp);
    row_of_C.clear(subwarp);
    const int piece = Pieces == 1 ? 0 : me;
    add_products(subwarp, row_of_RA, row_of_C, first + length * piece / Pieces,
                 first + length * (piece + 1) / Pieces);
    if constexpr (Pieces > 1) {
      if (subwarp.lane() == 0) counts[me] = row_of_C.count();
      team.barrier();
      if (me > 0) return;
      for (int other = 1; other < Pieces; ++other)
        row_of_C.add(subwarp, table(other, counts[other]));
    }
    write(subwarp, row_of_C, row);
  }

 private:
  /// A factor, and a row of the next matrix.
  struct Term {
    S value = S(0);
    std::int64_t begin = 0, end = 0;
  };

  /// Calls use(has, column, term) by all lanes for the terms of `count` factors times their rows of
  /// B, in this order, until it returns false. Returns whether it never did. factor(i, row) is a
  /// factor and its row. Each lane loads a factor and the place of its row, and `lanes` of them
  /// take a row.
  template <class Subwarp, class Factor, class Use>
  KOKKOS_FORCEINLINE_FUNCTION static bool each_product(const Subwarp& subwarp, std::int64_t count,
                                                       const Factor& factor,
                                                       const Operand<S, O, Off>& B, int lanes,
                                                       const Use& use) {
    const int group = subwarp.lane() / lanes, in_group = subwarp.lane() % lanes;
    for (std::int64_t done = 0; done < count; done += Subwarp::width) {
      Term mine;
      if (done + subwarp.lane() < count) {
        std::int64_t row;
        mine.value = factor(done + subwarp.lane(), row);
        mine.begin = B.begin(row);
        mine.end = B.end(row);
      }
      const int rows =
          count - done < Subwarp::width ? static_cast<int>(count - done) : Subwarp::width;
      for (int row = 0; row < rows; row += Subwarp::width / lanes) {
        const Term term{subwarp.shuffle(mine.value, row + group),
                        subwarp.shuffle(mine.begin, row + group),
                        subwarp.shuffle(mine.end, row + group)};
        for (std::int64_t k = term.begin + in_group; subwarp.any(k < term.end); k += lanes) {
          const bool has = k < term.end;
          const O column = has ? B.col_idx[k] : O(0);
          if (!use(has, column, has ? term.value * B.values[k] : S(0))) return false;
        }
      }
    }
    return true;
  }

  /// Adds the products of entries [first, last) of R.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_products(const Subwarp& subwarp,
                                                SumsByColumn<Subwarp, S, O>& row_of_RA,
                                                SumsByColumn<Subwarp, S, O>& row_of_C,
                                                std::int64_t first, std::int64_t last) const {
    const auto& R = this->R;
    const auto multiply_by_P = [&] {
      return each_product(
          subwarp, row_of_RA.count(),
          [&](std::int64_t at, std::int64_t& row) {
            row = static_cast<std::int64_t>(row_of_RA.column(static_cast<int>(at)));
            return row_of_RA.sum(static_cast<int>(at));
          },
          this->P, this->lanes_of_P,
          [&](bool has, O column, S term) {
            row_of_C.add(subwarp, has, column, term);
            return row_of_C.fits();
          });
    };
    const bool fits = each_product(
        subwarp, last - first,
        [&](std::int64_t at, std::int64_t& row) {
          row = static_cast<std::int64_t>(R.col_idx[first + at]);
          return R.values[first + at];
        },
        this->A, this->lanes_of_A,
        [&](bool has, O column, S term) {
          if (!row_of_RA.has_room()) {
            if (!multiply_by_P()) return false;
            row_of_RA.clear(subwarp);
          }
          row_of_RA.add(subwarp, has, column, term);
          return true;
        });
    if (fits) multiply_by_P();
  }

  /// Lists a row for the next table, unless the lists are known.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void leave(const Subwarp& subwarp, std::int64_t row) const {
    if (this->C.row_ptr || subwarp.lane() > 0) return;
    this->overflowed[backends::atomic_fetch_add(this->number_overflowed, 1)] = static_cast<O>(row);
  }

  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Subwarp& subwarp,
                                         const SumsByColumn<Subwarp, S, O>& sums,
                                         std::int64_t row) const {
    if (!sums.fits()) return leave(subwarp, row);
    const auto& C = this->C;
    if (C.row_ptr) {
      for (std::int64_t p = C.begin(row) + subwarp.lane(); p < C.end(row); p += Subwarp::width) {
        this->values[p] = sums.sum_of(C.col_idx[p]);
      }
      return;
    }
    const int length = sums.count();
    std::int64_t begin = 0;
    if (subwarp.lane() == 0) {
      begin = backends::atomic_fetch_add(this->used, length);
      this->begin[row] = begin;
      this->lengths[row] = static_cast<O>(length);
    }
    begin = subwarp.broadcast(begin, 0);
    if (begin + length > this->room) return;
    const O* const columns = sums.sorted(subwarp);
    for (int at = subwarp.lane(); at < length; at += Subwarp::width) {
      this->columns[begin + at] = columns[at];
      this->values[begin + at] = sums.sum_of(columns[at]);
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
  /// Slots of a subwarp's two tables.
  struct Slots {
    int of_RA = 0, of_C = 0;
  };
  static constexpr bool lanes = backends::has_lanes<Exec>;
  static constexpr int width = backends::max_subwarp_width<Exec>;
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
    const auto fitting = [](std::size_t bytes, int subwarps, Slots slots) {
      constexpr std::size_t bytes_per_slot =
          SumsByColumn<backends::Subwarp<Exec, width>, S, O>::bytes_per_slot;
      const auto needed = [&] {
        return static_cast<std::size_t>(subwarps * (slots.of_RA + slots.of_C)) * bytes_per_slot;
      };
      while (needed() + 256 > bytes) (slots.of_RA > slots.of_C ? slots.of_RA : slots.of_C) /= 2;
      return slots;
    };
    // A row of R A has some times the entries of a row of A.
    const auto of_RA = static_cast<int>(
        std::bit_ceil(std::clamp<std::uint64_t>(8 * mean(nonzeros(A), A.rows()), 256, 1024)));
    const std::size_t budget = scratch_budget(exec);
    const Slots largest =
        fitting(lanes ? backends::max_scratch_bytes(exec) : budget, 1, {256, 1 << 16});
    if constexpr (lanes) {
      slots_ = {fitting(budget, 2, {of_RA, 256}), fitting(budget, 4, {of_RA, 256}),
                fitting(budget, 2, {of_RA, 1024}), largest};
    } else {
      slots_ = {fitting(budget, 1, {of_RA, 1024}), largest};
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
    const Slots slots = slots_[static_cast<std::size_t>(table)];
    rows.slots_of_RA = slots.of_RA;
    rows.slots_of_C = slots.of_C;
    rows.longest_of_R = std::numeric_limits<std::int64_t>::max();
    if constexpr (lanes) {
      if (table == 0) {
        rows.longest_of_R = longest_of_R_;
        return launch<2, 1>(exec, label, rows);
      }
      if (table == 1) return launch<4, 4>(exec, label, rows);
      if (table == 2) return launch<2, 2>(exec, label, rows);
    }
    launch<1, 1>(exec, label, rows);
  }
  template <int Subwarps, int Pieces>
  static void launch(const Exec& exec, const char* label, const Rows& rows) {
    using Kernel = TripleProductKernel<S, O, Off, width, Subwarps, Pieces>;
    backends::launch<typename Kernel::Shape>(
        exec, label, Pieces == 1 ? ceil_div(rows.count, std::int64_t{Subwarps}) : rows.count,
        Kernel{rows}, Kernel::scratch_bytes(rows.slots_of_RA, rows.slots_of_C));
  }

  /// A row of C with so many entries of A or more, by their mean row, is a team's.
  static constexpr std::int64_t many_entries_of_A = 2048;

  CsrStorage<S, O, Off, Space> C_;
  Arena<Space> lists_memory_;
  std::array<Slots, tables> slots_ = {};
  const O* lists_[tables] = {};  ///< rows of each size of table; null: all
  std::int64_t counts_[tables] = {};
  int lanes_of_A_ = 1, lanes_of_P_ = 1;
  int first_ = 0;  ///< the first table
  std::int64_t longest_of_R_ = 0;
  bool made_ = false;
};

}  // namespace heddle::detail::matrix_product
