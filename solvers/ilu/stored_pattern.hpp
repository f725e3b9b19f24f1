// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "pattern.hpp"

namespace heddle::detail::ilu {

/// A PatternView with arrays of its own.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class StoredPattern {
 public:
  using Space = typename Exec::memory_space;
  using View = PatternView<O, Off>;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  StoredPattern() = default;

  /// Rows of as many entries as entries_of(row) says, which count() of a kernel is; the columns,
  /// and levels where these are wanted, are the caller's to write. Waits for `exec`.
  template <class EntriesOf>
  StoredPattern(const Exec& exec, std::int64_t rows, bool with_levels, const EntriesOf& entries_of)
      : StoredPattern(exec, rows) {
    entries_ = running_sum_and_total<std::int64_t>(exec, "heddle::ilu::row_ptr", row_ptr_.data(),
                                                   rows, entries_of);
    allocate(exec, with_levels);
  }

  /// The same where row_ptr() is filled, and its last entry known.
  StoredPattern(const Exec& exec, std::int64_t rows)
      : rows_(rows),
        row_ptr_memory_(exec, "heddle::ilu::row_ptr",
                        arena_bytes<Off>(static_cast<std::size_t>(rows) + 1)),
        row_ptr_(row_ptr_memory_.template take<Off>(static_cast<std::size_t>(rows) + 1)) {}
  void allocate(const Exec& exec, bool with_levels, std::int64_t entries) {
    entries_ = entries;
    allocate(exec, with_levels);
  }

  Off* row_ptr() const { return row_ptr_.data(); }
  O* col_idx() const { return col_idx_.data(); }
  int* level() const { return level_.data(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t entries() const { return entries_; }
  View view() const {
    return {row_ptr_.data(), col_idx_.data(), level_.extent(0) > 0 ? level_.data() : nullptr, rows_,
            entries_};
  }
  /// What keeps the arrays: of the row pointer, and of the rest.
  const Arena<Space>& row_ptr_memory() const { return row_ptr_memory_; }
  const Arena<Space>& memory() const { return memory_; }

 private:
  void allocate(const Exec& exec, bool with_levels) {
    if (static_cast<std::uint64_t>(entries_) >
        static_cast<std::uint64_t>(std::numeric_limits<Off>::max())) {
      throw Error("the factors have " + std::to_string(entries_) +
                      " entries, more than offsets of " + std::to_string(8 * sizeof(Off)) +
                      " bits count",
                  "take a lower fill level, or a wider offset type");
    }
    const auto entries = static_cast<std::size_t>(entries_);
    const std::size_t levels = with_levels ? entries : 0;
    memory_ = Arena<Space>(exec, "heddle::ilu::pattern", arena_bytes<O, int>(entries, levels));
    col_idx_ = memory_.template take<O>(entries);
    level_ = memory_.template take<int>(levels);
  }

  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<int> level_;
};

/// Columns of row i, which Source says by columns(i, visit), in ascending order: how many, and
/// written out.
template <class Source>
struct CountColumns {
  Source source;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    source.columns(i, [&](auto) { ++count; });
    return count;
  }
};
template <Ordinal O, Offset Off, class Source>
struct WriteColumns {
  Source source;
  const Off* row_ptr;
  O* col_idx;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off to = row_ptr[i];
    source.columns(i, [&](O column) { col_idx[to++] = column; });
  }
};

/// The pattern of such a source. `label` is of its launch. A readback, which waits for `exec`.
template <Ordinal O, Offset Off, ExecutionSpace Exec, class Source>
StoredPattern<Exec, O, Off> stored(const Exec& exec, const char* label, std::int64_t rows,
                                   const Source& source) {
  StoredPattern<Exec, O, Off> to(exec, rows, false, CountColumns<Source>{source});
  Kokkos::parallel_for(label, range_policy(exec, rows),
                       WriteColumns<O, Off, Source>{source, to.row_ptr(), to.col_idx()});
  return to;
}

/// The same rows, each of whose entries has level 0. No wait.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> without_levels(const Exec& exec, const PatternView<O, Off>& from) {
  StoredPattern<Exec, O, Off> to(exec, from.rows);
  to.allocate(exec, false, from.entries);
  if (from.rows == 0) {  // and perhaps no row pointer
    fill(exec, "heddle::ilu::row_ptr", to.row_ptr(), 1, Off(0));
    return to;
  }
  copy(exec, "heddle::ilu::row_ptr", to.row_ptr(), from.rows + 1, from.row_ptr);
  copy(exec, "heddle::ilu::columns", to.col_idx(), from.entries, from.col_idx);
  return to;
}

}  // namespace heddle::detail::ilu
