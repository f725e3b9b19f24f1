// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/arena.hpp"
#include "../../core/multivector.hpp"

namespace heddle {

/// Lays vectors that lie apart side by side: entry r of vector c at to[r * from.count + c].
template <Scalar V>
struct PackKernel {
  using Scratch = backends::NoScratch;
  /// Rows that a subwarp takes at once.
  static constexpr int batch = 4;

  Multivector<const V> from;
  V* to;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = team.index() * (Team::subwarps * batch) + team.subwarp_index();
    for (int c = team.subwarp().lane(); c < from.count; c += Team::subwarp_width) {
      V value[batch];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const std::int64_t row = first + i * Team::subwarps;
        value[i] = backends::load(&from(row, c), row < from.rows);
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const std::int64_t row = first + i * Team::subwarps;
        if (row < from.rows) to[row * from.count + c] = value[i];
      }
    }
  }
};

/// Room in which vectors of x that lie apart are laid side by side, so that what is gathered of a
/// row of x fills whole cache lines, or sectors of a GPU's memory.
template <ExecutionSpace Exec, Scalar V>
class PackedVectors {
 public:
  PackedVectors() = default;
  /// Room for `vectors` vectors, in the order of `exec`.
  PackedVectors(const Exec& exec, std::int64_t rows, int vectors)
      : vectors_(vectors),
        arena_(exec, "heddle::spmv::packed_vectors",
               arena_bytes<V>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(vectors))),
        data_(arena_
                  .template take<V>(static_cast<std::size_t>(rows) *
                                    static_cast<std::size_t>(vectors))
                  .data()) {}

  /// Vectors that there is room for.
  int vectors() const { return vectors_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// x, of no more rows and vectors than there is room for, side by side once `exec` gets there.
  /// The next call overwrites it.
  Multivector<const V> pack(const Exec& exec, const Multivector<const V>& x) const {
    constexpr int width = 8;
    constexpr int threads = 256;
    constexpr std::int64_t rows_per_team =
        (backends::has_lanes<Exec> ? threads / width : 1) * PackKernel<V>::batch;
    backends::launch<backends::Shape<width, threads>>(exec, "heddle::spmv::pack_vectors",
                                                      ceil_div(x.rows, rows_per_team),
                                                      PackKernel<V>{x, data_});
    return {data_, x.count, 1, x.rows, x.count};
  }

 private:
  int vectors_ = 0;
  Arena<typename Exec::memory_space> arena_;
  V* data_ = nullptr;
};

}  // namespace heddle
