// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../core/arena.hpp"
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

/// An end: the outer columns (keys) that exist in each outer row (panel), ascending. BCSR's block
/// columns, DIA's diagonals, GCSR's rows.
///
/// The constructor counts, with one readback, which waits for `exec` (two where the keys of a row
/// do not ascend); write() then fills the format's arrays and reads no entry. It takes maps whose
/// panels are runs of consecutive rows, and merges the rows of panels of up to 64 rows; else it
/// marks keys in a table of one bit for each key of each panel. Memory until it is destroyed: an
/// offset a nonzero, or the table. Deterministic. With Repeats::refuse it throws what
/// refuse_repeats does, before it counts.
template <ExecutionSpace Exec, class Matrix, class Map>
class Compact {
 public:
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  Compact(const Exec& exec, const Matrix& A, const Map& map, Repeats repeats = Repeats::add_up)
      : entries_(A, map), extents_(map(extents_of(A))) {
    if (repeats == Repeats::refuse) refuse_repeats(exec, A, map);
    if (extents_.inner_rows <= most_merged_rows &&
        extents_.rows * extents_.inner_rows >= A.rows()) {
      merge(exec, static_cast<std::size_t>(A.nonzeros()));
    } else {
      mark(exec);
    }
  }

  const Extents& extents() const { return extents_; }
  std::int64_t panels() const { return extents_.rows; }
  /// Keys of all panels together: blocks of BCSR, diagonals of DIA, rows of GCSR.
  std::int64_t keys() const { return sums_.keys; }

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
    if (counts) {
      Kokkos::parallel_scan(
          "heddle::recipe::scan", policy(exec, panels + 1),
          KOKKOS_LAMBDA(std::int64_t p, std::int64_t& sum, bool last) {
            if (last) key_ptr[p] = static_cast<Pointer>(sum);
            if (p < panels) sum += counts[p];
          });
      const std::int64_t panel_rows = extents_.inner_rows;
      Kokkos::parallel_for(
          "heddle::recipe::keys", policy(exec, panels), KOKKOS_LAMBDA(std::int64_t p) {
            const std::int64_t from = entries.begin(p * panel_rows);
            const auto to = static_cast<std::int64_t>(key_ptr[p]);
            for (std::int64_t i = 0; i < counts[p]; ++i) {
              keys[to + i] =
                  static_cast<Key>(static_cast<std::int64_t>(merged[from + i]) + first_key);
            }
          });
    } else {
      Kokkos::parallel_scan(
          "heddle::recipe::scan", policy(exec, panels * words + 1),
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
      Kokkos::parallel_reduce("heddle::recipe::count", policy(exec, extents_.rows),
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
        "heddle::recipe::clear", policy(exec, static_cast<std::int64_t>(words)),
        KOKKOS_LAMBDA(std::int64_t w) { bits(w) = 0; });
    mark_keys(exec, entries_, extents_.first_column, panel_words_, bits_.data());
    Kokkos::parallel_reduce(
        "heddle::recipe::count", policy(exec, static_cast<std::int64_t>(words)),
        KOKKOS_LAMBDA(std::int64_t w, std::int64_t& sum) { sum += Kokkos::popcount(bits(w)); },
        sums_.keys);
  }

  void clear(const Exec& exec) const {
    const auto counts = counts_;
    Kokkos::parallel_for(
        "heddle::recipe::clear", policy(exec, extents_.rows),
        KOKKOS_LAMBDA(std::int64_t p) { counts(p) = 0; });
  }

 private:
  static auto policy(const Exec& exec, std::int64_t n) {
    return Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>(
        kokkos_space(exec), 0, n);
  }

  Entries<Matrix, Map> entries_;
  Extents extents_;
  KeySums sums_;
  std::int64_t panel_words_ = 0;
  Arena<Space> work_;
  typename Arena<Space>::template Array<std::int64_t> counts_;
  typename Arena<Space>::template Array<Off> merged_;
  typename Arena<Space>::template Array<std::uint32_t> bits_;
};

}  // namespace heddle::recipe
