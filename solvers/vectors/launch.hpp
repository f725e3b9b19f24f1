// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../core/multivector.hpp"

/// How passes over vectors are laid over teams and lanes.
namespace heddle::detail::vectors {

struct Tuning {
  int threads;                   ///< of a team
  int packs;                     ///< that a lane has under way together
  std::int64_t least_rows;       ///< of a team; fewer are not worth another one
  std::int64_t block_rows;       ///< of each vector in turn: side by side, they stay cached
  std::int64_t inner_rows;       ///< that V' W takes of all columns: they stay in the first cache
  std::int64_t product_entries;  ///< that V C takes of all columns: they stay in the second
};

template <ExecutionSpace Exec>
inline constexpr Tuning tuning_of =
    backends::has_lanes<Exec> ? Tuning{team_sums::team_threads, 4, 1024, 1024, 1024, 1 << 15}
                              : Tuning{1, 4, 4096, 1024, 256, 1 << 15};

/// Rows that V' W and V C of so many columns in all take at once on a CPU: few enough for its
/// second cache, where they are read again, and many enough for its prefetcher.
template <ExecutionSpace Exec>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::int64_t product_rows(int columns) {
  constexpr std::int64_t least = 128;
  const std::int64_t rows = tuning_of<Exec>.product_entries / (columns > 0 ? columns : 1) / 64 * 64;
  return rows > least ? rows : least;
}

/// Teams that a pass over `rows` rows is cut into, of `least_rows` each at least; as many as there
/// is room for.
template <ExecutionSpace Exec>
int teams_for(const Exec& exec, std::int64_t rows,
              std::int64_t least_rows = tuning_of<Exec>.least_rows) {
  const std::int64_t most = std::max<std::int64_t>(1, exec.concurrency() / tuning_of<Exec>.threads);
  return static_cast<int>(std::clamp<std::int64_t>(ceil_div(rows, least_rows), 1, most));
}

/// Of a GPU: a row a lane.
template <ExecutionSpace Exec>
int teams_of_lanes(const Exec& exec, std::int64_t rows) {
  return teams_for(exec, rows, tuning_of<Exec>.threads);
}

/// The rows of a team of a CPU: no two teams share 64 of them, nor a cache line.
struct ShareOfRows {
  std::int64_t first, stop;

  KOKKOS_FORCEINLINE_FUNCTION ShareOfRows(std::int64_t rows, std::int64_t team, int teams) {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = ceil_div(rows, line);
    const std::int64_t end = lines * (team + 1) / teams * line;
    first = lines * team / teams * line;
    stop = end < rows ? end : rows;
  }
};

/// The rows that a lane holds at once, of one vector. UnitStride: entries of a vector follow each
/// other. Whole: all rows of the pack are there.
template <class Pack, bool UnitStride, bool Whole>
struct Entries {
  std::int64_t row;
  int vector;
  std::int64_t rows;  ///< that are there from `row` on

  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<V>& v) const {
    const V* const from = address(v);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, v.row_stride, mask());
    }
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const Multivector<const V>& v) const {
    return load(
        Multivector<V>{const_cast<V*>(v.data), v.row_stride, v.vector_stride, v.rows, v.count});
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Multivector<V>& v, const Pack& values) const {
    V* const to = address(v);
    if constexpr (UnitStride && Whole) {
      Pack::store(to, values);
    } else if constexpr (UnitStride) {
      Pack::store(to, values, mask());
    } else {
      Pack::store_strided(to, v.row_stride, values, mask());
    }
  }
  /// The same of a vector whose first entry is at hand, in loops over many vectors.
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION Pack load(const V* first, int row_stride) const {
    const V* const from = first + row * (UnitStride ? 1 : row_stride);
    if constexpr (UnitStride && Whole) {
      return Pack::load(from);
    } else if constexpr (UnitStride) {
      return Pack::load(from, mask());
    } else {
      return Pack::strided(from, row_stride, mask());
    }
  }
  /// What is to be added up: nothing beyond the last row, whatever became of the zeros there.
  KOKKOS_FORCEINLINE_FUNCTION Pack keep(const Pack& values) const {
    if constexpr (Whole) {
      return values;
    } else {
      return Pack::keep(mask(), values);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION typename Pack::Mask mask() const {
    return Pack::Mask::first(Whole ? Pack::width : rows);
  }
  template <Scalar V>
  KOKKOS_FORCEINLINE_FUNCTION V* address(const Multivector<V>& v) const {
    return v.data + row * (UnitStride ? 1 : v.row_stride) + vector * v.vector_stride;
  }
};

/// Launches make.operator()<unit>(), a kernel for vectors whose entries follow each other, or for
/// any. Each is compiled once: on a CPU the former for AVX2 where the compiler knows that, and
/// processors without it run the latter.
template <ExecutionSpace Exec, class Make>
void launch_by_stride(const Exec& exec, const char* label, std::int64_t teams, bool unit_stride,
                      const Make& make) {
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning_of<Exec>.threads>;
  if constexpr (!backends::has_lanes<Exec>) {
    if constexpr (backends::compiles_simd && backends::runs_on_host<Exec>) {
      if (unit_stride && backends::best_simd() != backends::Simd::none) {
        return backends::launch_with_simd<Shape>(exec, label, teams,
                                                 make.template operator()<true>());
      }
    } else if (unit_stride) {
      return backends::launch_without_simd<Shape>(exec, label, teams,
                                                  make.template operator()<true>());
    }
  }
  backends::launch_without_simd<Shape>(exec, label, teams, make.template operator()<false>());
}

}  // namespace heddle::detail::vectors
