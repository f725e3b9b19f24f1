// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../core/arena.hpp"
#include "../column_order.hpp"
#include "fill_lists.hpp"

namespace heddle::recipe {

/// The bits of two numbers of 16 bits in turn, those of the row above: Morton's order, in which all
/// entries of a quadrant of a block come before those of the next, and so on inside.
struct Morton {
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t code(std::uint32_t row, std::uint32_t column) {
    return spread(row) << 1 | spread(column);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t row(std::uint32_t code) {
    return gather(code >> 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t column(std::uint32_t code) {
    return gather(code);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t spread(std::uint32_t bits) {
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t gather(std::uint32_t bits) {
    bits &= 0x55555555u;
    bits = (bits | bits >> 1) & 0x33333333u;
    bits = (bits | bits >> 2) & 0x0f0f0f0fu;
    bits = (bits | bits >> 4) & 0x00ff00ffu;
    return (bits | bits >> 8) & 0x0000ffffu;
  }
};

/// Puts the Morton code of an entry, and behind it the low half of its place, which tells entries
/// of one code apart; and its number in the matrix.
template <class Off>
struct PutMortonKeys {
  std::uint64_t* keys;
  Off* entries;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, const Point& point,
                                              std::int64_t k) const {
    const std::uint32_t code = Morton::code(static_cast<std::uint32_t>(point.inner_row),
                                            static_cast<std::uint32_t>(point.inner_column));
    keys[place] = std::uint64_t{code} << 32 | static_cast<std::uint32_t>(place);
    entries[place] = static_cast<Off>(k);
  }
};

/// Sorts the keys of each list, a team a list, and puts its entries in that order.
template <class Off, class Put>
struct MortonKernel {
  using Scratch = backends::NoScratch;

  const Off* list_ptr;
  std::uint64_t* keys;
  const Off* entries;
  Put put;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto begin = static_cast<std::int64_t>(list_ptr[team.index()]);
    const auto length = static_cast<std::int64_t>(list_ptr[team.index() + 1]) - begin;
    sort(team, keys + begin, length);
    team.barrier();
    for (std::int64_t i = team.thread(); i < length; i += Team::threads) {
      const std::uint64_t key = keys[begin + i];
      const auto code = static_cast<std::uint32_t>(key >> 32);
      const auto from = static_cast<std::uint32_t>(key) - static_cast<std::uint32_t>(begin);
      Point point{0, 0, 0};
      point.inner_row = Morton::row(code);
      point.inner_column = Morton::column(code);
      put(begin + i, point, static_cast<std::int64_t>(entries[begin + from]));
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void sort(const Team& team, std::uint64_t* keys,
                                               std::int64_t length) {
    if constexpr (backends::runs_on_host<typename Team::execution_space>) {
      std::sort(keys, keys + length);
    } else {
      detail::LongColumns<std::uint64_t>::sort(team, keys, length);
    }
  }
};

/// fill_lists, with the entries of a block in Morton order: calls put(place, point, k), of whose
/// point only the inner coordinates are there, for each entry k that is taken. For blocks of at
/// most 2^16 rows and columns, and lists of fewer than 2^32 entries; those of one place keep the
/// order of fill_lists. Three launches; a workspace of 8 bytes and an offset a nonzero, for which
/// it waits. Deterministic.
template <ExecutionSpace Exec, class Matrix, class Map, class Pointer, class Key, class Put>
void fill_morton_lists(const Exec& exec, const char* label, const Matrix& A, const Map& map,
                       std::int64_t blocks, const Pointer* key_ptr, const Key* keys,
                       const typename Matrix::offset_type* list_ptr,
                       typename Matrix::offset_type* next, const Put& put) {
  using Off = typename Matrix::offset_type;
  const auto nonzeros = static_cast<std::size_t>(A.nonzeros());
  Arena<typename Exec::memory_space> work(exec, "heddle::recipe::morton",
                                          arena_bytes<std::uint64_t, Off>(nonzeros, nonzeros));
  const auto codes = work.template take<std::uint64_t>(nonzeros);
  const auto entries = work.template take<Off>(nonzeros);
  fill_lists(exec, "heddle::recipe::morton_codes", A, map, blocks, key_ptr, keys, list_ptr, next,
             PutMortonKeys<Off>{codes.data(), entries.data()});
  backends::launch<backends::Shape<1, 128>>(
      exec, label, blocks, MortonKernel<Off, Put>{list_ptr, codes.data(), entries.data(), put});
  exec.fence("heddle::recipe::morton_filled");  // the workspace goes
}

}  // namespace heddle::recipe
