// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/device.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/search.hpp"
#include "columns.hpp"

/// The columns of rows that are too long for scratch: a bit for each column in memory, which all
/// threads mark together, however long rows of A and B are. Bits are in order: no sort is needed.
namespace heddle::detail::matrix_product {

struct MarkedRows {
  std::uint64_t* bits;
  std::int64_t words;  ///< words of a row

  KOKKOS_FORCEINLINE_FUNCTION void mark(std::int64_t slot, std::int64_t column) const {
    const std::uint64_t bit = std::uint64_t{1} << (column % 64);
    std::uint64_t* const word = bits + slot * words + column / 64;
    if ((backends::atomic_load(word) & bit) == 0) backends::atomic_or(word, bit);
  }
};

/// Marks columns: a subwarp for each entry of A in these rows; in a second launch, each row of D.
template <Ordinal O, Offset OffA, Offset OffB>
struct MarkKernel {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  Patterns<O, OffA, OffB> patterns;
  MarkedRows marked;
  const O* rows;
  const std::int64_t* first_entry;  ///< exclusive prefix sum of the lengths of these rows of A
  std::int64_t begin, end;          ///< the rows of this batch
  bool of_D;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    if (of_D) {
      if (begin + item < end) mark(subwarp, patterns.D, rows[begin + item], item);
      return;
    }
    const std::int64_t entry = first_entry[begin] + item;
    if (entry >= first_entry[end]) return;
    const std::int64_t slot = last_not_above(first_entry, begin, end, entry);
    const std::int64_t k = patterns.A.begin(rows[slot]) + entry - first_entry[slot];
    mark(subwarp, patterns.B, patterns.A.col_idx[k], slot - begin);
  }

  template <class Subwarp, class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION void mark(const Subwarp& subwarp, const Pattern& pattern,
                                        std::int64_t row, std::int64_t slot) const {
    for (std::int64_t l = pattern.begin(row) + subwarp.lane(); l < pattern.end(row);
         l += Subwarp::width) {
      marked.mark(slot, pattern.col_idx[l]);
    }
  }
};

template <Ordinal O, Offset Off>
struct LengthsOfRows {
  const O* rows;
  PatternOperand<O, Off> A;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return A.length(rows[i]); }
};

struct BitsOfWord {
  const std::uint64_t* bits;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t word) const { return popcount(bits[word]); }
};

template <Ordinal O>
struct PutLengths {
  const O* rows;
  const std::int64_t* before;
  std::int64_t words;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    lengths[rows[slot]] = before[(slot + 1) * words] - before[slot * words];
  }
};

template <Ordinal O, Offset OffC>
struct WriteBits {
  const O* rows;
  const std::uint64_t* bits;
  const std::int64_t* before;
  std::int64_t words;
  const OffC* row_ptr;
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t word) const {
    const std::int64_t slot = word / words;
    std::int64_t to =
        static_cast<std::int64_t>(row_ptr[rows[slot]]) + before[word] - before[slot * words];
    const std::int64_t column = (word - slot * words) * 64;
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      col_idx[to++] = static_cast<O>(column + countr_zero(left));
    }
  }
};

/// Processes long rows in batches that `workspace_bytes` can hold, at least one row: two bits for
/// each column and row. `allow(bytes)` throws if the plan may not hold that many.
template <ExecutionSpace Exec, Ordinal O, Offset OffA, Offset OffB>
class LongRowBatches {
 public:
  template <class Allow>
  LongRowBatches(const Exec& exec, const Patterns<O, OffA, OffB>& patterns, const O* rows,
                 std::int64_t count, std::size_t workspace_bytes, const Allow& allow)
      : patterns_(patterns), rows_(rows), count_(count) {
    if (count == 0) return;
    words_ = ceil_div(patterns.columns, 64);
    const auto fitting =
        static_cast<std::int64_t>(workspace_bytes / bytes_for(patterns.columns, 1));
    batch_ = std::min(count, std::max<std::int64_t>(1, fitting));
    const auto words = static_cast<std::size_t>(batch_ * words_);
    const auto starts = static_cast<std::size_t>(count) + 1;
    const std::size_t bytes =
        arena_bytes<std::uint64_t, std::int64_t, std::int64_t>(words, words + 1, starts);
    allow(bytes);
    memory_ = Arena<typename Exec::memory_space>(exec, "heddle::multiply::bits", bytes);
    bits_ = memory_.template take<std::uint64_t>(words).data();
    before_ = memory_.template take<std::int64_t>(words + 1).data();
    const auto first_entry = memory_.template take<std::int64_t>(starts);
    first_entry_ = first_entry.data();
    running_sum(exec, "heddle::multiply::entries", first_entry_, count,
                LengthsOfRows<O, OffA>{rows, patterns.A});
    exec.fence("heddle::multiply::entries");
    const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first_entry,
                                                          "heddle::multiply::entries");
    first_entry_here_.assign(here.data(), here.data() + starts);
  }

  /// Workspace that holds so many rows at a time.
  static std::size_t bytes_for(std::int64_t columns, std::int64_t rows) {
    return static_cast<std::size_t>(ceil_div(columns, 64) * rows) * 2 * sizeof(std::uint64_t);
  }
  std::size_t bytes() const { return memory_.bytes(); }

  /// Sets lengths[row] for each of them.
  void count(const Exec& exec, std::int64_t* lengths) {
    for (std::int64_t begin = 0; begin < count_; begin += batch_) {
      const std::int64_t rows = mark(exec, begin);
      parallel_for(exec, "heddle::multiply::lengths", rows,
                   PutLengths<O>{rows_ + begin, before_, words_, lengths});
    }
  }
  /// Writes their columns in ascending order, at row_ptr.
  template <Offset OffC>
  void write(const Exec& exec, const OffC* row_ptr, O* col_idx) {
    for (std::int64_t begin = 0; begin < count_; begin += batch_) {
      const std::int64_t rows = batch_ < count_ ? mark(exec, begin) : count_;
      parallel_for(exec, "heddle::multiply::bits", rows * words_,
                   WriteBits<O, OffC>{rows_ + begin, bits_, before_, words_, row_ptr, col_idx});
    }
  }

 private:
  /// Marks the rows of the batch from `begin` on, and counts them.
  std::int64_t mark(const Exec& exec, std::int64_t begin) {
    using Kernel = MarkKernel<O, OffA, OffB>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    const std::int64_t end = std::min(count_, begin + batch_);
    const std::int64_t rows = end - begin;
    fill(exec, "heddle::multiply::clear", bits_, rows * words_, 0);
    Kernel kernel{patterns_, {bits_, words_}, rows_, first_entry_, begin, end, false};
    const std::int64_t entries = first_entry_here_[static_cast<std::size_t>(end)] -
                                 first_entry_here_[static_cast<std::size_t>(begin)];
    backends::launch<typename Kernel::Shape>(exec, "heddle::multiply::mark",
                                             ceil_div(entries, Team::subwarps), kernel);
    if (patterns_.D.row_ptr) {
      kernel.of_D = true;
      backends::launch<typename Kernel::Shape>(exec, "heddle::multiply::mark",
                                               ceil_div(rows, Team::subwarps), kernel);
    }
    running_sum(exec, "heddle::multiply::bits_before", before_, rows * words_, BitsOfWord{bits_});
    return rows;
  }

  Patterns<O, OffA, OffB> patterns_;
  const O* rows_;
  std::int64_t count_;
  std::int64_t words_ = 0;
  std::int64_t batch_ = 1;
  Arena<typename Exec::memory_space> memory_;
  std::uint64_t* bits_ = nullptr;
  std::int64_t* before_ = nullptr;
  std::int64_t* first_entry_ = nullptr;
  std::vector<std::int64_t> first_entry_here_;
};

/// Rows of a product by the size of their table in scratch: rows without one, those of four sizes,
/// and those that are too long for scratch.
enum RowGroup { empty, small, medium, middle, large, longest };
inline constexpr int row_groups = 6;

/// Maximum length of a row of each group.
struct GroupLimits {
  std::int64_t small = 32;
  std::int64_t medium = 128;
  std::int64_t middle = 512;
  std::int64_t large = 0;

  KOKKOS_FORCEINLINE_FUNCTION int group_of(std::int64_t length) const {
    return (length > 0) + (length > small) + (length > medium) + (length > middle) +
           (length > large);
  }
  /// The next limit above `length`; large + 1 if there is none.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t above(std::int64_t length) const {
    return length < medium ? medium : length < middle ? middle : length < large ? large : large + 1;
  }
};

/// Lanes of a row and threads of a team, for each group; Narrow: rows of B have few entries. On a
/// CPU all groups have one shape.
template <ExecutionSpace Exec, int Group, bool Narrow>
struct ShapeOf {
  static constexpr int most = backends::max_subwarp_width<Exec>;
  using type = backends::Shape<most, most>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, small, true> {
  using type = backends::Shape<8, 128>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, small, false> {
  using type = backends::Shape<32, 128>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, medium, true> {
  using type = backends::Shape<8, 64>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, medium, false> {
  using type = backends::Shape<32, 128>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, middle, true> {
  using type = backends::Shape<16, backends::max_subwarp_width<Exec>>;
};

/// Scratch of a team, in bytes: an amount that every device has, and on a CPU what stays in caches.
template <ExecutionSpace Exec>
std::size_t scratch_budget(const Exec& exec) {
  const std::size_t most = std::size_t{backends::has_lanes<Exec> ? 48 : 256} << 10;
  return std::min(most, backends::max_scratch_bytes(exec)) - 256;
}

/// The limits for tables with `bytes_per_column` bytes for each column of a row.
template <ExecutionSpace Exec>
GroupLimits group_limits(const Exec& exec, std::size_t bytes_per_column) {
  const std::size_t columns = scratch_budget(exec) / bytes_per_column;
  const auto at_most = [&](std::int64_t limit, int subwarps) {
    const std::size_t fitting = std::bit_floor(columns / static_cast<std::size_t>(subwarps));
    return std::min(limit, static_cast<std::int64_t>(fitting));
  };
  using Medium = backends::Team<Exec, typename ShapeOf<Exec, medium, true>::type>;
  using Middle = backends::Team<Exec, typename ShapeOf<Exec, middle, true>::type>;
  GroupLimits limits;
  limits.medium = at_most(limits.medium, Medium::subwarps);
  limits.middle = at_most(limits.middle, Middle::subwarps);
  limits.large = static_cast<std::int64_t>(std::bit_floor(columns));
  return limits;
}

template <class Length>
struct PutGroup {
  std::int32_t* group;
  Length length;
  GroupLimits limits;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    group[row] = limits.group_of(length(row));
  }
};

template <Ordinal O, Offset Off>
struct LengthOfRow {
  PatternOperand<O, Off> A;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return A.length(row); }
};

/// Rows sorted by group, ascending in each. Stores an ordinal for each row; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
class RowsByLength {
 public:
  RowsByLength() = default;

  template <class Length>
  RowsByLength(const Exec& exec, std::int64_t rows, const Length& length, const GroupLimits& limits)
      : limits_(limits),
        memory_(exec, "heddle::multiply::rows", bytes_for(rows)),
        order_(memory_.template take<O>(static_cast<std::size_t>(rows)).data()) {
    const auto starts = memory_.template take<O>(row_groups + 1);
    RadixSort<Exec, std::int32_t, O> sort(exec, rows);
    parallel_for(exec, "heddle::multiply::groups", rows,
                 PutGroup<Length>{sort.room(), length, limits});
    sort.sort(exec, sort.room(), row_groups - 1, order_);
    write_starts(exec, "heddle::multiply::group_starts", starts.data(), row_groups, sort.sorted(),
                 rows);
    exec.fence("heddle::multiply::grouped");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), starts,
                                                          "heddle::multiply::group_starts");
    for (std::size_t g = 0; g <= row_groups; ++g) starts_[g] = static_cast<std::int64_t>(host(g));
  }

  const O* rows(int group) const { return order_ + starts_[static_cast<std::size_t>(group)]; }
  std::int64_t count(int group) const {
    return starts_[static_cast<std::size_t>(group) + 1] - starts_[static_cast<std::size_t>(group)];
  }
  const GroupLimits& limits() const { return limits_; }
  std::size_t bytes() const { return memory_.bytes(); }
  static std::size_t bytes_for(std::int64_t rows) {
    return arena_bytes<O, O>(static_cast<std::size_t>(rows), row_groups + 1);
  }

 private:
  GroupLimits limits_;
  Arena<typename Exec::memory_space> memory_;
  O* order_ = nullptr;
  std::array<std::int64_t, row_groups + 1> starts_ = {};
};

/// Runs a kernel for the rows of one group, a subwarp for each. `kernel` has rows, count and most,
/// the maximum columns of its table, and defines the scratch of a team.
template <class Shape, ExecutionSpace Exec, class Kernel>
void launch_group(const Exec& exec, const char* label, const Kernel& kernel) {
  using Team = backends::Team<Exec, Shape>;
  backends::launch<Shape>(exec, label, ceil_div(kernel.count, Team::subwarps), kernel,
                          Kernel::scratch_bytes(Team::subwarps, kernel.most));
}

template <int Group, ExecutionSpace Exec, Ordinal O, class Kernel>
void launch_group(const Exec& exec, const char* label, const RowsByLength<Exec, O>& rows,
                  std::int64_t most, bool narrow, Kernel kernel) {
  kernel.rows = rows.rows(Group);
  kernel.count = rows.count(Group);
  kernel.most = static_cast<int>(most);
  if (narrow) {
    launch_group<typename ShapeOf<Exec, Group, true>::type>(exec, label, kernel);
  } else {
    launch_group<typename ShapeOf<Exec, Group, false>::type>(exec, label, kernel);
  }
}

/// Runs a kernel for all groups whose tables fit into scratch.
template <ExecutionSpace Exec, Ordinal O, class Kernel>
void launch_groups(const Exec& exec, const char* label, const RowsByLength<Exec, O>& rows,
                   bool narrow, const Kernel& kernel) {
  launch_group<small>(exec, label, rows, rows.limits().small, narrow, kernel);
  launch_group<medium>(exec, label, rows, rows.limits().medium, narrow, kernel);
  launch_group<middle>(exec, label, rows, rows.limits().middle, narrow, kernel);
  launch_group<large>(exec, label, rows, rows.limits().large, false, kernel);
}

/// Sums up term(row).
template <class Term>
struct SumOf {
  Term term;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum) const { sum += term(row); }
};

/// The products of every stride-th row, if they fit a table of `most`; 0 of other rows.
struct SampledRow {
  const std::int64_t* bound;
  std::int64_t stride, most;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return row % stride == 0 && bound[row] <= most ? bound[row] : 0;
  }
};

/// The size of a row's table, from a bound of its length: the bound times the ratio of columns to
/// bounds of the sampled rows, times 1.5.
struct EstimateCapacity {
  std::int64_t* capacity;  ///< a bound before
  double columns_per_bound;
  std::int64_t least;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const auto estimate =
        static_cast<std::int64_t>(1.5 * columns_per_bound * static_cast<double>(capacity[row]));
    const std::int64_t wanted = estimate < least ? least : estimate;
    if (wanted < capacity[row]) capacity[row] = wanted;
  }
};

struct HasOverflowed {
  const std::int64_t* lengths;
  KOKKOS_FUNCTION bool operator()(std::int64_t row) const { return lengths[row] == overflowed; }
};
/// Rows that overflowed get a table of the next group.
struct GrowCapacity {
  std::int64_t* capacity;
  std::int64_t* lengths;
  GroupLimits limits;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (lengths[row] != overflowed) return;
    capacity[row] = limits.above(capacity[row]);
    if (capacity[row] > limits.large) lengths[row] = 0;  // no table counts it
  }
};
/// The capacity of rows that overflowed; 0 of others.
struct CapacityOfOverflowed {
  const std::int64_t* capacity;
  const std::int64_t* lengths;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return lengths[row] == overflowed ? capacity[row] : 0;
  }
};
/// The length of a row whose columns are found by a table, and not in the list; 0 of others.
struct LengthUnlessListed {
  const std::int64_t* capacity;
  const std::int64_t* lengths;
  std::int64_t most;
  const std::int32_t* before;  ///< room in the list; null: no row is listed
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    const bool listed = before && lengths[row] <= before[row + 1] - before[row];
    return capacity[row] > most || listed ? 0 : lengths[row];
  }
};

/// The symbolic phase: the numbers of products and entries, and the row pointer; then, once there
/// is memory for them, the columns. Tables are sized by an estimate from a sample of the rows: rows
/// that have more columns are counted again with larger tables.
template <ExecutionSpace Exec, Ordinal O, Offset OffA, Offset OffB>
class Symbolic {
 public:
  using Space = typename Exec::memory_space;

  /// Counts; waits for `exec`. `narrow`: rows of B have few entries. `lists`: if `workspace_bytes`
  /// hold the columns of all tables, columns are listed at once, not found twice. `allow(bytes)`
  /// throws if the plan may not hold that many; it is called before they are allocated.
  template <class Allow>
  Symbolic(const Exec& exec, const Patterns<O, OffA, OffB>& patterns, bool narrow,
           std::size_t workspace_bytes, bool lists, const Allow& allow)
      : patterns_(patterns), narrow_(narrow) {
    const auto n = static_cast<std::size_t>(patterns.rows);
    const std::size_t bytes = arena_bytes<std::int64_t, std::int64_t>(n, n);
    const std::size_t with_rows = bytes + RowsByLength<Exec, O>::bytes_for(patterns.rows);
    allow(with_rows);
    memory_ = Arena<Space>(exec, "heddle::multiply::lengths", bytes);
    capacity_ = memory_.template take<std::int64_t>(n).data();
    lengths_ = memory_.template take<std::int64_t>(n).data();
    limits_ = group_limits(exec, Columns<int>::bytes_per_column);
    count_products(exec);
    estimate(exec);
    fill(exec, "heddle::multiply::no_entries", lengths_, patterns.rows, 0);
    rows_ = by_length(exec, Terms<std::int64_t>{capacity_});
    if (lists) {
      const std::size_t taken =
          LongRowBatches<Exec, O, OffA, OffB>::bytes_for(patterns.columns, rows_.count(longest));
      make_room(exec, workspace_bytes - std::min(taken, workspace_bytes));
    }
    Columns<std::int32_t> count{patterns, capacity_, lengths_, before_, listed_};
    launch_groups(exec, "heddle::multiply::count_columns", rows_, narrow, count);
    count.col_idx = nullptr;
    all_listed_ = listed_ != nullptr;
    bool again = false;
    while (overflows(exec)) {
      again = true;
      all_listed_ = false;
      parallel_for(exec, "heddle::multiply::grow", patterns.rows,
                   GrowCapacity{capacity_, lengths_, limits_});
      rows_ = by_length(exec, CapacityOfOverflowed{capacity_, lengths_});
      launch_groups(exec, "heddle::multiply::count_columns", rows_, narrow, count);
    }
    if (again) rows_ = by_length(exec, Terms<std::int64_t>{capacity_});
    const std::size_t left = workspace_bytes - std::min(list_memory_.bytes(), workspace_bytes);
    long_rows_.emplace(exec, patterns, rows_.rows(longest), rows_.count(longest), left,
                       [&](std::size_t more) { allow(with_rows + more); });
    long_rows_->count(exec, lengths_);
    Kokkos::parallel_reduce("heddle::multiply::entries", range_policy(exec, patterns.rows),
                            SumOf<Terms<std::int64_t>>{{lengths_}}, entries_);
  }

  std::int64_t products() const { return products_; }
  std::int64_t entries() const { return entries_; }
  const std::int64_t* lengths() const { return lengths_; }
  std::size_t bytes() const {
    return memory_.bytes() + rows_.bytes() + long_rows_->bytes() + before_memory_.bytes() +
           list_memory_.bytes() + (all_listed_ ? 0 : rows_.bytes());
  }

  template <Offset OffC>
  void write(const Exec& exec, OffC* row_ptr, O* col_idx) {
    running_sum(exec, "heddle::multiply::row_ptr", row_ptr, patterns_.rows,
                Terms<std::int64_t>{lengths_});
    if (listed_) {
      using Copies = CopyListedColumns<O, OffC>;
      using Team = backends::Team<Exec, typename Copies::Shape>;
      backends::launch<typename Copies::Shape>(
          exec, "heddle::multiply::copy_columns",
          ceil_div(patterns_.rows, std::int64_t{Team::subwarps}),
          Copies{before_, listed_, row_ptr, col_idx, patterns_.rows});
    }
    if (!all_listed_) {
      const LengthUnlessListed length{capacity_, lengths_, limits_.large,
                                      listed_ ? before_ : nullptr};
      launch_groups(exec, "heddle::multiply::write_columns", by_length(exec, length), narrow_,
                    Columns<OffC>{patterns_, lengths_, nullptr, row_ptr, col_idx});
    }
    long_rows_->write(exec, row_ptr, col_idx);
  }

 private:
  template <Offset OffC>
  using Columns = ColumnsKernel<O, OffA, OffB, OffC>;

  bool overflows(const Exec& exec) const {
    std::int64_t rows = 0;
    Kokkos::parallel_reduce("heddle::multiply::overflowed", range_policy(exec, patterns_.rows),
                            SumOf<HasOverflowed>{{lengths_}}, rows);
    return rows > 0;
  }

  template <class Length>
  RowsByLength<Exec, O> by_length(const Exec& exec, const Length& length) const {
    return RowsByLength<Exec, O>(exec, patterns_.rows, length, limits_);
  }

  /// Capacities that no row exceeds, and all products.
  void count_products(const Exec& exec) {
    const std::int64_t rows = patterns_.rows;
    if constexpr (backends::runs_on_host<Exec>) {
      parallel_for(exec, "heddle::multiply::products", rows,
                   CountProductsOfRow<O, OffA, OffB>{patterns_, capacity_});
    } else {
      fill(exec, "heddle::multiply::no_products", capacity_, rows, 0);
      each_entry(exec, "heddle::multiply::products", patterns_.A.row_ptr, rows,
                 patterns_.entries_of_A,
                 AddLengthOfB<O, OffA, OffB>{patterns_.A, patterns_.B, capacity_});
    }
    Kokkos::parallel_reduce("heddle::multiply::bounds", range_policy(exec, rows),
                            BoundRow<O, OffA, OffB>{patterns_, capacity_}, products_);
  }

  /// Smaller capacities, where rows have so many products that tables for all of them would leave
  /// scratch for few rows at a time. Waits.
  void estimate(const Exec& exec) {
    constexpr std::int64_t least = 64;  // no subwarp is wider
    constexpr std::int64_t most_sampled = 1024;
    if (products_ <= least * patterns_.rows) return;
    const SampledRow sampled{capacity_, ceil_div(patterns_.rows, most_sampled), limits_.large};
    std::int64_t bounds = 0, columns = 0;
    Kokkos::parallel_reduce("heddle::multiply::sampled", range_policy(exec, patterns_.rows),
                            SumOf<SampledRow>{sampled}, bounds);
    if (bounds == 0) return;
    fill(exec, "heddle::multiply::no_entries", lengths_, patterns_.rows, 0);
    launch_groups(exec, "heddle::multiply::sample_columns", by_length(exec, sampled), narrow_,
                  Columns<std::int32_t>{patterns_, capacity_, lengths_});
    Kokkos::parallel_reduce("heddle::multiply::sampled", range_policy(exec, patterns_.rows),
                            SumOf<Terms<std::int64_t>>{{lengths_}}, columns);
    const double per_bound = static_cast<double>(columns) / static_cast<double>(bounds);
    parallel_for(exec, "heddle::multiply::estimate", patterns_.rows,
                 EstimateCapacity{capacity_, per_bound, least});
  }

  /// Allocates the list of columns, if it is small enough. Waits for `exec`.
  void make_room(const Exec& exec, std::size_t workspace_bytes) {
    before_memory_ =
        Arena<Space>(exec, "heddle::multiply::room", arena_array(before_, patterns_.rows + 1));
    const std::int64_t all =
        running_sum_and_total(exec, "heddle::multiply::room", before_, patterns_.rows,
                              RoomOfRow{capacity_, limits_.large});
    if (!std::in_range<std::int32_t>(all) ||
        static_cast<std::size_t>(all) > workspace_bytes / sizeof(O)) {
      before_memory_ = {};
      before_ = nullptr;
      return;
    }
    list_memory_ = Arena<Space>(exec, "heddle::multiply::columns", arena_array(listed_, all));
  }

  Patterns<O, OffA, OffB> patterns_;
  bool narrow_;
  Arena<Space> memory_;
  std::int64_t* capacity_ = nullptr;
  std::int64_t* lengths_ = nullptr;
  GroupLimits limits_;
  RowsByLength<Exec, O> rows_;
  std::optional<LongRowBatches<Exec, O, OffA, OffB>> long_rows_;
  Arena<Space> before_memory_, list_memory_;
  std::int32_t* before_ = nullptr;
  O* listed_ = nullptr;
  bool all_listed_ = false;
  std::int64_t products_ = 0;
  std::int64_t entries_ = 0;
};

}  // namespace heddle::detail::matrix_product
