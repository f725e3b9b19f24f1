// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "../../../core/arena.hpp"
#include "../radix_sort.hpp"
#include "longest_panel.hpp"
#include "marked_keys.hpp"
#include "panel_keys.hpp"
#include "repeats.hpp"

namespace heddle::recipe {

/// Keys of all panels together, and panels one of whose rows has keys that do not ascend.
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

/// An end: the outer columns (keys) that exist in each outer row (panel), ascending. BCSR's block
/// columns, DIA's diagonals, GCSR's rows.
///
/// The constructor counts, with two readbacks, which wait for `exec` (three where the keys of a row
/// do not ascend); write() then fills the format's arrays and reads no entry. It takes maps whose
/// panels are runs of consecutive rows, and merges the rows of panels of up to 64 rows, or where a
/// panel has more than `most` entries sorts all keys; else it marks keys in a table of one bit for
/// each key of each panel. Memory until it is destroyed: an offset a nonzero, to sort 16 bytes, or
/// the table. Deterministic. With Repeats::refuse it throws what refuse_repeats does, before it
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
  /// Keys of all panels together: blocks of BCSR, diagonals of DIA, rows of GCSR.
  std::int64_t keys() const { return sums_.keys; }
  /// Whether some panel has more entries than one subwarp should take in turn: most_walked.
  bool has_long_panels() const { return has_long_panels_; }

  /// key_ptr of panels + 1, and the keys of panel p at key_ptr[p] .. key_ptr[p + 1]. Two launches,
  /// in the order of `exec`; no wait.
  template <class Pointer, class Key>
  void write(const Exec& exec, Pointer* key_ptr, Key* keys) const {
    const std::int64_t panels = extents_.rows, first_key = extents_.first_column;
    const auto entries = entries_;
    const Off* const merged = merged_.data();
    const std::int64_t* const counts = counts_.data();
    const std::uint32_t* const bits = bits_.data();
    const std::int64_t words = panel_words_;
    if (sorter_) {
      write_sorted(exec, key_ptr, keys);
    } else if (counts) {
      Kokkos::parallel_scan(
          "heddle::recipe::scan", range_policy(exec, panels + 1),
          KOKKOS_LAMBDA(std::int64_t p, std::int64_t& sum, bool last) {
            if (last) key_ptr[p] = static_cast<Pointer>(sum);
            if (p < panels) sum += counts[p];
          });
      const std::int64_t panel_rows = extents_.inner_rows;
      Kokkos::parallel_for(
          "heddle::recipe::keys", range_policy(exec, panels), KOKKOS_LAMBDA(std::int64_t p) {
            const std::int64_t from = entries.begin(p * panel_rows);
            const auto to = static_cast<std::int64_t>(key_ptr[p]);
            for (std::int64_t i = 0; i < counts[p]; ++i) {
              keys[to + i] =
                  static_cast<Key>(static_cast<std::int64_t>(merged[from + i]) + first_key);
            }
          });
    } else {
      Kokkos::parallel_scan(
          "heddle::recipe::scan", range_policy(exec, panels * words + 1),
          KOKKOS_LAMBDA(std::int64_t w, std::int64_t& sum, bool last) {
            const std::int64_t p = w / words;
            if (last && w == p * words) key_ptr[p] = static_cast<Pointer>(sum);
            if (p == panels) return;
            if (last) {
              std::int64_t to = sum;
              for (int bit = 0; bit < 32; ++bit) {
                if (((bits[w] >> bit) & 1) == 0) continue;
                keys[to++] = static_cast<Key>((w - p * words) * 32 + bit + first_key);
              }
            }
            sum += Kokkos::popcount(bits[w]);
          });
    }
  }

  template <class Pointer, class Key>
  void write_sorted(const Exec& exec, Pointer* key_ptr, Key* keys) const {
    const std::int64_t range = extents_.columns, first_key = extents_.first_column;
    const std::int64_t count = sums_.keys;
    const std::uint64_t* const different = sorter_->room();
    Kokkos::parallel_for(
        "heddle::recipe::key_ptr", range_policy(exec, extents_.rows + 1),
        KOKKOS_LAMBDA(std::int64_t p) {
          key_ptr[p] = static_cast<Pointer>(detail::first_not_below(different, count, p * range));
        });
    Kokkos::parallel_for(
        "heddle::recipe::keys", range_policy(exec, count), KOKKOS_LAMBDA(std::int64_t i) {
          keys[i] = static_cast<Key>(static_cast<std::int64_t>(different[i]) % range + first_key);
        });
  }

  /// Of panels and keys together, panels first; what is not taken comes last. Different ones are
  /// left in the sort's room.
  void sort(const Exec& exec) {
    sorter_.emplace(exec, nonzeros_, false);
    const std::int64_t stop = extents_.rows * extents_.columns;
    detail::each_entry(exec, "heddle::recipe::panel_keys", entries_.row_ptr, entries_.rows,
                       nonzeros_,
                       PutPanelKey<Entries<Matrix, Map>>{entries_, extents_.first_column,
                                                         extents_.columns, stop, sorter_->room()});
    sorter_->sort(exec, sorter_->room(), static_cast<std::uint64_t>(stop), nullptr);
    const std::uint64_t* const sorted = sorter_->sorted();
    std::uint64_t* const different = sorter_->room();
    Kokkos::parallel_scan(
        "heddle::recipe::count", range_policy(exec, nonzeros_),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t& sum, bool last) {
          const std::uint64_t key = sorted[i];
          if (key == static_cast<std::uint64_t>(stop) || (i > 0 && sorted[i - 1] == key)) return;
          if (last) different[sum] = key;
          ++sum;
        },
        sums_.keys);
  }

  void merge(const Exec& exec, std::size_t entries) {
    const auto panels = static_cast<std::size_t>(extents_.rows);
    work_ = Arena<Space>(exec, "heddle::recipe::panel_keys",
                         arena_bytes<std::int64_t, Off>(panels, entries));
    counts_ = work_.template take<std::int64_t>(panels);
    merged_ = work_.template take<Off>(entries);
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
    Arena<Space> sorted(exec, "heddle::recipe::row_keys", arena_bytes<Off>(entries));
    const auto row_keys = sorted.template take<Off>(entries);
    sort_row_keys(exec, entries_, mapped, row_keys.data());
    merge_by(StoredKeys<Off>{row_keys.data()});
  }

  void mark(const Exec& exec) {
    panel_words_ = std::max<std::int64_t>(1, ceil_div<std::int64_t>(extents_.columns, 32));
    const auto words = static_cast<std::size_t>(panel_words_ * extents_.rows);
    work_ = Arena<Space>(exec, "heddle::recipe::key_bits", arena_bytes<std::uint32_t>(words));
    bits_ = work_.template take<std::uint32_t>(words);
    if (words == 0) return;
    const auto bits = bits_;
    Kokkos::parallel_for(
        "heddle::recipe::clear", range_policy(exec, static_cast<std::int64_t>(words)),
        KOKKOS_LAMBDA(std::int64_t w) { bits(w) = 0; });
    mark_keys(exec, entries_, nonzeros_, extents_.first_column, panel_words_, bits_.data());
    Kokkos::parallel_reduce(
        "heddle::recipe::count", range_policy(exec, static_cast<std::int64_t>(words)),
        KOKKOS_LAMBDA(std::int64_t w, std::int64_t& sum) { sum += Kokkos::popcount(bits(w)); },
        sums_.keys);
  }

  void clear(const Exec& exec) const {
    const auto counts = counts_;
    Kokkos::parallel_for(
        "heddle::recipe::clear", range_policy(exec, extents_.rows),
        KOKKOS_LAMBDA(std::int64_t p) { counts(p) = 0; });
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
