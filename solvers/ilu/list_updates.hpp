// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pattern.hpp"
#include "updates.hpp"

namespace heddle::detail::ilu {

/// Of a pattern, what EliminateRow::common and CholeskyRow::common read.
template <Ordinal O, Offset Off>
struct PatternOfRows {
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;
};

/// The numbers that the updates of a row are listed in.
template <class Row>
struct CountUpdates {
  using O = typename Row::O;
  using Off = typename Row::Off;
  PatternOfRows<O, Off> pattern;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for (Off k = pattern.row_ptr[i]; k < pattern.diagonal[i]; ++k) {
      const auto common = Row::common(pattern, static_cast<O>(i), k, pattern.col_idx[k]);
      ++count;
      each_common(OneLane(), pattern.col_idx, common.first, common.stop, common.from, common.end,
                  [&](Off, Off) { count += 2; });
    }
    return count;
  }
};

template <class Row>
struct WriteUpdates {
  using O = typename Row::O;
  using Off = typename Row::Off;
  PatternOfRows<O, Off> pattern;
  const std::int64_t* begin;
  std::uint16_t* list;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint16_t* next = list + begin[i];
    for (Off k = pattern.row_ptr[i]; k < pattern.diagonal[i]; ++k) {
      const auto common = Row::common(pattern, static_cast<O>(i), k, pattern.col_idx[k]);
      std::uint16_t* const count = next++;
      each_common(OneLane(), pattern.col_idx, common.first, common.stop, common.from, common.end,
                  [&](Off p, Off q) {
                    *next++ = static_cast<std::uint16_t>(p - common.base);
                    *next++ = static_cast<std::uint16_t>(q - common.other_base);
                  });
      *count = static_cast<std::uint16_t>((next - count - 1) / 2);
    }
  }
};

template <Offset Off>
struct LongestRow {
  const Off* row_ptr;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& longest) const {
    const auto length = static_cast<std::int64_t>(row_ptr[i + 1] - row_ptr[i]);
    if (length > longest) longest = length;
  }
};

/// Rows up to which updates can be listed: their places take 16 bits.
inline constexpr std::int64_t longest_listed_row = 65535;
/// Where the scheme leaves it open, updates are listed that take up to so many bytes for each entry
/// of the factors, eight times what an entry of double with its column does. One thread factored
/// crystk01, at 46 bytes, 13 times as fast by the list as by the search: docs/ilu.md.
inline constexpr std::int64_t most_listed_bytes_per_entry = 96;

/// The updates of a factorization by Row.
template <ExecutionSpace Exec, class Row>
class ListedUpdates {
 public:
  using O = typename Row::O;
  using Off = typename Row::Off;

  ListedUpdates() = default;

  /// Lists them, or does not where they are too many and `asked` is not said. Waits for `exec`.
  /// Throws Error if they are asked for and rows are too long.
  ListedUpdates(const Exec& exec, const FactorPattern<Exec, O, Off>& pattern, bool asked) {
    const auto view = pattern.view();
    std::int64_t longest = 0;
    Kokkos::parallel_reduce("heddle::ilu::longest_row", range_policy(exec, view.rows),
                            LongestRow<Off>{view.row_ptr}, Kokkos::Max<std::int64_t>(longest));
    if (longest > longest_listed_row) {
      if (!asked) return;
      throw Error("a row of the factors has " + std::to_string(longest) + " entries, and up to " +
                      std::to_string(longest_listed_row) + " can be listed",
                  "let updates be searched");
    }
    const auto rows = static_cast<std::size_t>(view.rows);
    const PatternOfRows<O, Off> of_rows{view.row_ptr, view.col_idx, pattern.diagonal()};
    begin_memory_ =
        Arena<Space>(exec, "heddle::ilu::update_begin", arena_bytes<std::int64_t>(rows + 1));
    updates_begin_ = begin_memory_.template take<std::int64_t>(rows + 1);
    const auto count = running_sum_and_total<std::int64_t>(exec, "heddle::ilu::count_updates",
                                                           updates_begin_.data(), view.rows,
                                                           CountUpdates<Row>{of_rows});
    const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(std::uint16_t));
    if (!asked && bytes > most_listed_bytes_per_entry * view.entries) {
      begin_memory_ = {};
      return;
    }
    const auto numbers = static_cast<std::size_t>(count);
    memory_ = Arena<Space>(exec, "heddle::ilu::updates", arena_bytes<std::uint16_t>(numbers + 1));
    list_ = memory_.template take<std::uint16_t>(numbers + 1);
    Kokkos::parallel_for("heddle::ilu::list_updates", range_policy(exec, view.rows),
                         WriteUpdates<Row>{of_rows, updates_begin_.data(), list_.data()});
    exec.fence("heddle::ilu::listed");
  }

  bool listed() const { return list_.extent(0) > 0; }
  Updates updates() const {
    return listed() ? Updates{list_.data(), updates_begin_.data()} : Updates{};
  }
  std::size_t bytes() const { return begin_memory_.bytes() + memory_.bytes(); }

 private:
  using Space = typename Exec::memory_space;
  Arena<Space> begin_memory_, memory_;
  typename Arena<Space>::template Array<std::int64_t> updates_begin_;
  typename Arena<Space>::template Array<std::uint16_t> list_;
};

}  // namespace heddle::detail::ilu
