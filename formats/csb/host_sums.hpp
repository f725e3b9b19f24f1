// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "walk.hpp"

namespace heddle::detail::csb {

/// Sums of which that of the last key is held in a register, since each addition to memory would
/// wait for the one before it. What is added is not read elsewhere until end().
template <class Acc>
struct HeldSum {
  Acc* sums;
  int key = -1;
  Acc sum = Acc(0);

  KOKKOS_FORCEINLINE_FUNCTION void add(int to, const Acc& more) {
    if (to != key) {
      end();
      key = to;
      sum = sums[to];
    }
    sum += more;
  }
  KOKKOS_FORCEINLINE_FUNCTION void end() const {
    if (key >= 0) sums[key] = sum;
  }
};

/// Adds up a piece where a team is one thread: one entry after the other. Where keys ascend the sum
/// of a key is held until the next: of single vectors.
template <class Walk>
struct HostSums {
  using Acc = typename Walk::Acc;

  const Walk& walk;

  /// Adds up mirror images too, of a triangle.
  template <class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Piece& piece, Acc* sums) const {
    const std::int64_t panel_first = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    walk.each_block(piece, [&](const auto& run) {
      if constexpr (!Walk::mirrors) return add_block(run, sums);
      if (run.on_diagonal) {
        both(run, panel_first, sums, [&](int key, int source, int v, const Acc& product) {
          if (key != source) sums[key * Walk::vectors + v] += product;
        });
      } else if (walk.mirror.atomically) {
        both(run, panel_first, sums, [&](int key, int, int v, const Acc& product) {
          walk.add_to_y(run.x_first + key, v, product);
        });
      } else {
        add_block(run, sums);
      }
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_block(const Run& run, Acc* sums) const {
    each_entry(run, sums, [](std::int64_t) {});
  }
  /// Calls add_mirrored(key, source, vector, product) for the mirror image of each entry. On the
  /// diagonal that adds to the same sums, but never to that of the entry's own row.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void both(const Run& run, std::int64_t panel_first, Acc* sums,
                                        const Add& add_mirrored) const {
    each_entry(run, sums,
               [&](std::int64_t k) { each_product<true>(k, panel_first, add_mirrored); });
  }
  /// Adds each entry of a run, and calls also(k) for it.
  template <class Also>
  KOKKOS_FORCEINLINE_FUNCTION void each_entry(const Run& run, Acc* sums, const Also& also) const {
    if constexpr (Walk::vectors == 1 && Walk::ascending) {
      HeldSum<Acc> held{sums};
      for (std::int64_t k = run.first; k < run.last; ++k) {
        each_product<false>(k, run.x_first,
                            [&](int key, int, int, const Acc& product) { held.add(key, product); });
        also(k);
      }
      held.end();
    } else {
      for (std::int64_t k = run.first; k < run.last; ++k) {
        each_product<false>(k, run.x_first, [&](int key, int, int v, const Acc& product) {
          sums[key * Walk::vectors + v] += product;
        });
        also(k);
      }
    }
  }

  /// Calls add(key, source, vector, product) for an entry.
  template <bool Mirrored, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void each_product(std::int64_t k, std::int64_t x_first,
                                                const Add& add) const {
    const int key = walk.template key<Mirrored>(k);
    const int source = walk.template source<Mirrored>(k);
    const auto value = walk.template entry<Mirrored>(walk.A.values[k]);
    if constexpr (Walk::vectors == 1) {
      add(key, source, 0, walk.product.product(value, x_first + source, 0));
    } else {
      for (int v = 0; v < walk.product.x.count; ++v) {
        add(key, source, v, walk.product.product(value, x_first + source, v));
      }
    }
  }
};

}  // namespace heddle::detail::csb
