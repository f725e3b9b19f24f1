// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "../../../backends/algorithms/each_entry.hpp"
#include "../../../backends/algorithms/marked_bits.hpp"
#include "../../../backends/algorithms/sort.hpp"
#include "../../../backends/loops.hpp"
#include "../../../backends/threads_at_once.hpp"
#include "../../../core/arena.hpp"
#include "entry_keys.hpp"
#include "panel_keys.hpp"
#include "repeats.hpp"
#include "walks.hpp"

namespace heddle::recipe {

/// Number of keys of all panels, and of panels that have a row whose keys do not ascend.
struct KeySums {
  std::int64_t keys = 0;
  std::int64_t descents = 0;
};
struct KeySumsKernel {
  using value_type = KeySums;
  const std::int64_t* counts;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.keys += other.keys;
    sums.descents += other.descents;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t panel, value_type& sums) const {
    sums.keys += counts[panel] < 0 ? 0 : counts[panel];
    sums.descents += counts[panel] < 0;
  }
};

template <class AnyEntries>
struct PutPanelKey {
  AnyEntries entries;
  std::int64_t first_key;
  std::int64_t range;
  std::int64_t stop;
  std::uint64_t* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const Point point = entries.point(row, k);
    keys[k] = static_cast<std::uint64_t>(point.taken ? point.row * range + point.column - first_key
                                                     : stop);
  }
};

/// Compaction of sorted keys: lists those that differ from the one before, except `stop`.
struct ListDifferent {
  const std::uint64_t* sorted;
  std::uint64_t stop;
  std::uint64_t* different;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool last) const {
    const std::uint64_t key = sorted[i];
    if (key == stop || (i > 0 && sorted[i - 1] == key)) return;
    if (last) different[sum] = key;
    ++sum;
  }
};

template <class Key>
struct WriteSortedKeys {
  const std::uint64_t* different;
  std::int64_t range;
  std::int64_t first_key;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(static_cast<std::int64_t>(different[i]) % range + first_key);
  }
};

template <class AnyEntries, class Pointer, class Key>
struct WriteMergedKeys {
  AnyEntries entries;
  std::int64_t panel_rows;
  std::int64_t first_key;
  const typename AnyEntries::Off* merged;
  const std::int64_t* counts;
  const Pointer* key_ptr;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const std::int64_t from = entries.begin(panel * panel_rows);
    const auto to = static_cast<std::int64_t>(key_ptr[panel]);
    for (std::int64_t i = 0; i < counts[panel]; ++i) {
      keys[to + i] = static_cast<Key>(static_cast<std::int64_t>(merged[from + i]) + first_key);
    }
  }
};

/// Exclusive prefix sum over all panels' words: writes the start of each panel's keys, and the
/// keys.
template <class Pointer, class Key>
struct WriteMarkedKeys {
  const std::uint32_t* bits;
  std::int64_t panels;
  std::int64_t words;
  std::int64_t first_key;
  Pointer* key_ptr;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t w, std::int64_t& sum, bool last) const {
    const std::int64_t panel = w / words;
    if (last && w == panel * words) key_ptr[panel] = static_cast<Pointer>(sum);
    if (panel == panels) return;
    if (last) {
      std::int64_t to = sum;
      for (int bit = 0; bit < 32; ++bit) {
        if (((bits[w] >> bit) & 1) == 0) continue;
        keys[to++] = static_cast<Key>((w - panel * words) * 32 + bit + first_key);
      }
    }
    sum += popcount(bits[w]);
  }
};

/// Most entries of a panel that one subwarp or thread walks through. On a CPU a thread walks
/// through many panels anyway, and a panel of four times its share is worth a sort.
template <ExecutionSpace Exec>
std::int64_t most_walked(const Exec& exec, std::int64_t nonzeros) {
  if constexpr (backends::has_lanes<Exec>) {
    return most_walked_by_subwarp;
  } else {
    return std::max(most_walked_by_subwarp, 4 * (nonzeros / backends::threads_at_once(exec)));
  }
}

template <class AnyEntries>
struct LongestPanelKernel {
  AnyEntries entries;
  std::int64_t panel_rows;

  KOKKOS_FUNCTION void operator()(std::int64_t panel, std::int64_t& most) const {
    const std::int64_t first = panel * panel_rows;
    const std::int64_t stop = first + panel_rows < entries.rows ? first + panel_rows : entries.rows;
    if (first < stop) most = Kokkos::max(most, entries.end(stop - 1) - entries.begin(first));
  }
};

/// Number of entries of the longest panel, taken by the map or not, for panels of consecutive rows.
/// Unless there is one panel, one launch and one readback, which waits for `exec`.
template <ExecutionSpace Exec, class AnyEntries>
std::int64_t longest_panel(const Exec& exec, const AnyEntries& entries, const Extents& extents,
                           std::int64_t nonzeros) {
  std::int64_t longest = 0;
  if (extents.rows <= 1) return nonzeros;
  Kokkos::parallel_reduce("heddle::recipe::longest_panel", range_policy(exec, extents.rows),
                          LongestPanelKernel<AnyEntries>{entries, extents.inner_rows},
                          Kokkos::Max<std::int64_t>(longest));
  return std::max<std::int64_t>(longest, 0);
}

/// Marks the key of an entry, unless the entry at the same place of the row before has it. No key
/// is lost, since all entries are visited, and this avoids contention of all threads on a few words
/// for a banded matrix.
template <class AnyEntries>
struct MarkKey {
  AnyEntries entries;
  std::int64_t first_key;
  std::int64_t panel_words;
  detail::MarkedBits bits;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const Point point = entries.point(row, k);
    if (!point.taken || repeats_row_before(row, k, point)) return;
    const std::int64_t key = point.column - first_key;
    bits.mark(point.row * panel_words + key / 32, static_cast<int>(key % 32), k / 256);
  }

  /// Whether the entry at the same place of the row before is taken, with the same panel and key.
  KOKKOS_FUNCTION bool repeats_row_before(std::int64_t row, std::int64_t k,
                                          const Point& point) const {
    if (row == 0) return false;
    const std::int64_t above = entries.begin(row - 1) + (k - entries.begin(row));
    if (above >= entries.begin(row)) return false;
    const Point other = entries.point(row - 1, above);
    return other.taken && other.row == point.row && other.column == point.column;
  }
};

/// Marks the keys of all entries in a table of bits, `panel_words` words for each panel: for
/// diagonals and tall panels.
template <ExecutionSpace Exec, class AnyEntries>
void mark_keys(const Exec& exec, const AnyEntries& entries, std::int64_t nonzeros,
               std::int64_t first_key, std::int64_t panel_words, const detail::MarkedBits& bits) {
  detail::each_entry(exec, "heddle::recipe::mark", entries.row_ptr, entries.rows, nonzeros,
                     MarkKey<AnyEntries>{entries, first_key, panel_words, bits});
}

/// An end of a recipe: the outer columns (keys) that exist in each outer row (panel), ascending.
/// BCSR's block columns, DIA's diagonals, GCSR's rows.
///
/// The constructor counts, with two readbacks, which wait for `exec` (three if the keys of a row do
/// not ascend); write() then fills the format's arrays and reads no entry. If panels are
/// consecutive rows, at most 64 each, it merges the rows of each panel, or sorts all keys if a
/// panel has more than `most` entries. Else it marks keys in a table of one bit for each key of
/// each panel. Memory until it is destroyed: an offset for each nonzero, 16 bytes for each to sort,
/// or the table. Deterministic. With Repeats::refuse it throws what refuse_repeats does, before it
/// counts.
template <ExecutionSpace Exec, class Matrix, class Map>
class Compact {
 public:
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  Compact(const Exec& exec, const Matrix& A, const Map& map, Repeats repeats = Repeats::add_up)
      : Compact(exec, A, map, repeats, most_walked(exec, static_cast<std::int64_t>(A.nonzeros()))) {
  }

  Compact(const Exec& exec, const Matrix& A, const Map& map, Repeats repeats, std::int64_t most)
      : entries_(A, map),
        extents_(map(extents_of(A))),
        nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    if (repeats == Repeats::refuse) refuse_repeats(exec, A, map);
    const bool runs = extents_.rows * extents_.inner_rows >= A.rows();
    if (runs) longest_ = longest_panel(exec, entries_, extents_, nonzeros_);
    has_long_panels_ = longest_ > most;
    if (!runs || extents_.inner_rows > most_merged_rows) {
      mark(exec);
    } else if (has_long_panels_ && keys_fit_a_word()) {
      sort(exec);
    } else {
      merge(exec, static_cast<std::size_t>(nonzeros_));
    }
  }

  const Extents& extents() const { return extents_; }
  std::int64_t panels() const { return extents_.rows; }
  /// Number of keys of all panels: blocks of BCSR, diagonals of DIA, rows of GCSR.
  std::int64_t keys() const { return sums_.keys; }
  /// Whether some panel has more entries than one subwarp should walk through: most_walked.
  bool has_long_panels() const { return has_long_panels_; }

  /// Writes key_ptr, of length panels + 1, and the keys: those of panel p are at [key_ptr[p],
  /// key_ptr[p + 1]). Two launches, in the order of `exec`; no wait.
  template <class Pointer, class Key>
  void write(const Exec& exec, Pointer* key_ptr, Key* keys) const {
    const std::int64_t panels = extents_.rows, first_key = extents_.first_column;
    if (sorter_) {
      const std::uint64_t* const different = sorter_->room();
      detail::write_starts(exec, "heddle::recipe::key_ptr", key_ptr, panels, different, sums_.keys,
                           extents_.columns);
      Kokkos::parallel_for("heddle::recipe::keys", range_policy(exec, sums_.keys),
                           WriteSortedKeys<Key>{different, extents_.columns, first_key, keys});
    } else if (counts_.data()) {
      detail::running_sum(exec, "heddle::recipe::scan", key_ptr, panels,
                          detail::Terms<std::int64_t>{counts_.data()});
      Kokkos::parallel_for("heddle::recipe::keys", range_policy(exec, panels),
                           WriteMergedKeys<Entries<Matrix, Map>, Pointer, Key>{
                               entries_, extents_.inner_rows, first_key, merged_.data(),
                               counts_.data(), key_ptr, keys});
    } else {
      Kokkos::parallel_scan("heddle::recipe::scan", scan_policy(exec, panels * panel_words_ + 1),
                            WriteMarkedKeys<Pointer, Key>{bits_.data(), panels, panel_words_,
                                                          first_key, key_ptr, keys});
    }
  }

  /// Sorts the keys of all panels together, by panel first; entries that are not taken sort last.
  /// Leaves the different keys in the sorter's workspace.
  void sort(const Exec& exec) {
    sorter_.emplace(exec, nonzeros_, false);
    const std::int64_t stop = extents_.rows * extents_.columns;
    detail::each_entry(exec, "heddle::recipe::panel_keys", entries_.row_ptr, entries_.rows,
                       nonzeros_,
                       PutPanelKey<Entries<Matrix, Map>>{entries_, extents_.first_column,
                                                         extents_.columns, stop, sorter_->room()});
    sorter_->sort(exec, sorter_->room(), static_cast<std::uint64_t>(stop), nullptr);
    Kokkos::parallel_scan(
        "heddle::recipe::count", scan_policy(exec, nonzeros_),
        ListDifferent{sorter_->sorted(), static_cast<std::uint64_t>(stop), sorter_->room()},
        sums_.keys);
  }

  void merge(const Exec& exec, std::size_t entries) {
    const auto panels = static_cast<std::size_t>(extents_.rows);
    work_ = Arena<Space>(exec, "heddle::recipe::panel_keys", arena_array(counts_, panels),
                         arena_array(merged_, entries));
    using Mapped = MappedKeys<Entries<Matrix, Map>>;
    const Mapped mapped{entries_, extents_.first_column};
    const auto merge_by = [&](const auto& key_of) {
      merge_rows(exec, entries_, key_of, static_cast<int>(extents_.inner_rows), extents_.rows,
                 merged_.data(), counts_.data());
      Kokkos::parallel_reduce("heddle::recipe::count", range_policy(exec, extents_.rows),
                              KeySumsKernel{counts_.data()}, sums_);
    };
    if (entries == 0 || panels == 0) return clear(exec);
    merge_by(mapped);
    if (sums_.descents == 0) return;
    Off* row_keys = nullptr;
    const Arena<Space> sorted(exec, "heddle::recipe::row_keys", arena_array(row_keys, entries));
    sort_row_keys(exec, entries_, mapped, row_keys);
    merge_by(StoredKeys<Off>{row_keys});
  }

  void mark(const Exec& exec) {
    panel_words_ = std::max<std::int64_t>(1, ceil_div<std::int64_t>(extents_.columns, 32));
    const std::int64_t words = panel_words_ * extents_.rows;
    const std::int64_t copies = detail::copies_of_bits<Exec>(words, nonzeros_);
    work_ = Arena<Space>(exec, "heddle::recipe::key_bits", arena_array(bits_, words * copies));
    if (words == 0) return;
    detail::fill(exec, "heddle::recipe::clear", bits_.data(), words * copies, 0);
    const detail::MarkedBits bits{bits_.data(), words, copies};
    mark_keys(exec, entries_, nonzeros_, extents_.first_column, panel_words_, bits);
    sums_.keys = detail::unite_and_count(exec, "heddle::recipe::count", bits);
  }

  void clear(const Exec& exec) const {
    detail::fill(exec, "heddle::recipe::clear", counts_.data(), extents_.rows, 0);
  }

 private:
  bool keys_fit_a_word() const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return extents_.columns <= most / std::max<std::int64_t>(1, extents_.rows);
  }

  Entries<Matrix, Map> entries_;
  Extents extents_;
  std::int64_t nonzeros_;
  std::int64_t longest_ = 0;
  bool has_long_panels_ = false;
  KeySums sums_;
  std::optional<detail::RadixSort<Exec, std::uint64_t, Off>> sorter_;
  std::int64_t panel_words_ = 0;
  Arena<Space> work_;
  typename Arena<Space>::template Array<std::int64_t> counts_;
  typename Arena<Space>::template Array<Off> merged_;
  typename Arena<Space>::template Array<std::uint32_t> bits_;
};

}  // namespace heddle::recipe
