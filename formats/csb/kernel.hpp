// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/unroll.hpp"
#include "../common/product.hpp"
#include "view.hpp"

namespace heddle::detail::csb {

/// The order of a sweep: by block rows, with a sum for each row; by block columns, with a sum for
/// each column; or by block rows with mirror images, for a triangle.
enum class Way { rows, columns, triangle };

/// The mirror images that a sweep of a triangle adds besides the blocks themselves, conjugated or
/// not. Mirror images of diagonal blocks add to the sums of the same panel. Those of other blocks
/// are added to y `atomically`, or left to a sweep by block columns.
struct Mirror {
  bool conjugate = false;
  bool atomically = false;
};

/// The entries [first, last) of a block, which read x from x_first on.
struct Run {
  std::int64_t block;
  std::int64_t first;
  std::int64_t last;
  std::int64_t x_first;
  bool on_diagonal;
};

/// A sweep over the blocks of a piece.
template <class AnyView, class AnySweep, class Product, Way Goes, int Vectors>
struct Walk {
  using S = typename AnyView::scalar_type;
  using O = typename AnyView::ordinal_type;
  using Off = typename AnyView::offset_type;
  using Acc = typename Product::accumulator_type;
  static constexpr int vectors = Vectors;
  static constexpr bool by_columns = Goes == Way::columns;
  /// Whether the keys of a block ascend.
  static constexpr bool ascending = !by_columns;
  static constexpr bool mirrors = Goes == Way::triangle;

  AnyView A;
  AnySweep sweep;
  Product product;
  Mirror mirror;

  /// The key of entry k is the index of its sum in the panel; its source is the index in the block
  /// of the x that it reads. They are swapped for a mirror image.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int key(std::int64_t k) const {
    return by_columns != Mirrored ? A.local_column[k] : A.local_row[k];
  }
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION int source(std::int64_t k) const {
    return key<!Mirrored>(k);
  }
  /// The factor that an entry contributes, conjugated if needed.
  template <bool Mirrored>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return multiplied(stored, Mirrored ? mirror.conjugate : product.conjugate);
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to_y(std::int64_t row, int vector, const Acc& sum) const {
    using V = typename Product::vector_type;
    backends::atomic_add(&product.y(row, vector), V(product.alpha * sum));
  }

  /// Calls add(run) for the entries of each block that belong to the piece.
  template <class Piece, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void each_block(const Piece& piece, const Add& add) const {
    Off at = piece.begin;
    for (Off place = piece.first_place; at < piece.end; ++place) {
      const Off start = sweep.start[place], stop = sweep.start[place + 1];
      if (start == stop) continue;
      const Off block = by_columns ? sweep.order[place] : place;
      const Off end = stop < piece.end ? stop : piece.end;
      const auto first = static_cast<std::int64_t>(A.list_ptr[block] + (at - start));
      const O other = by_columns ? A.block_row[block] : A.block_column[block];
      add(Run{static_cast<std::int64_t>(block), first, first + static_cast<std::int64_t>(end - at),
              static_cast<std::int64_t>(other) * A.beta, other == piece.panel});
      at = end;
    }
  }
};

/// Sums, of which that of the last key is held in a register, since each addition to memory would
/// wait for the previous one. Added values are not visible in memory until end().
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

/// Adds up a piece in a team of one thread, entry by entry. If keys ascend, the sum of a key is
/// held until the next key, for a single vector.
template <class Walk>
struct HostSums {
  using Acc = typename Walk::Acc;

  const Walk& walk;

  /// Adds up the entries of a piece and, for a triangle, their mirror images.
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
  /// Calls add_mirrored(key, source, vector, product) for the mirror image of each entry. In a
  /// diagonal block it adds to the same sums, but never to that of the entry's own row.
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

/// a * b with the same rounding in all kernels: compilers contract complex products in different
/// ways, and kernels for one vector and for several must give equal bits.
template <Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION Acc rounded_product(const Acc& a, const Acc& b) {
  if constexpr (is_complex<Acc>) {
    return {Kokkos::fma(a.real(), b.real(), -(a.imag() * b.imag())),
            Kokkos::fma(a.real(), b.imag(), a.imag() * b.real())};
  } else {
    return a * b;
  }
}

/// Adds up a piece on a GPU, without atomic additions: no two subwarps add to one place. If the
/// keys of a block ascend (by block rows), each subwarp has a share of its entries that begins and
/// ends with a key; else each reads all entries and adds those in its range of keys. Within a
/// subwarp, the products for one place are added up first, in the order of lanes. Positions have 64
/// bits, since a batch may end beyond the last entry.
template <class Walk>
struct PieceLaneSums {
  using Acc = typename Walk::Acc;
  using S = typename Walk::S;
  static constexpr int vectors = Walk::vectors;

  const Walk& walk;

  /// Adds up the entries of a piece and, for a triangle, their mirror images.
  template <class Team, class Piece>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, const Piece& piece,
                                              Acc* sums) const {
    const std::int64_t panel_first = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    walk.each_block(piece, [&](const Run& run) {
      add_entries<false>(team.subwarp(), of_stored(team, run, sums));
      if constexpr (Walk::ascending) team.barrier();  // entries are shared differently below
      if constexpr (Walk::mirrors) {
        if (run.on_diagonal) {
          add_entries<true>(team.subwarp(),
                            of_all(run, team.subwarp_index(), Team::subwarps, panel_first, sums));
          team.barrier();
        } else if (walk.mirror.atomically) {
          add_to_y(team, run, panel_first);
        }
      }
    });
  }

 private:
  /// A subwarp's share of a block: of the entries [from, to), or their mirror images, those with a
  /// key in [low, high).
  struct Share {
    std::int64_t from;
    std::int64_t to;
    std::int64_t x_first;
    Acc* sums;
    int low;
    int high;
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Share of_stored(const Team& team, const Run& run, Acc* sums) const {
    const int mine = team.subwarp_index();
    if constexpr (Walk::ascending) {
      Share share{run.first, run.last, run.x_first, sums, 0, walk.A.beta};
      HEDDLE_UNROLL(1)
      for (int edge = 0; edge < 2; ++edge) {
        share.from = share.to;
        share.to = cut(team.subwarp(), run.first, run.last, mine + edge, Team::subwarps);
      }
      return share;
    } else {
      return of_all(run, mine, Team::subwarps, run.x_first, sums);
    }
  }
  /// The share with all entries, and the subwarp's range of keys.
  KOKKOS_FORCEINLINE_FUNCTION Share of_all(const Run& run, int subwarp, int subwarps,
                                           std::int64_t x_first, Acc* sums) const {
    const int range = ceil_div(walk.A.beta, subwarps);
    return {run.first, run.last, x_first, sums, range * subwarp, range * (subwarp + 1)};
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_to_y(const Team& team, const Run& run,
                                            std::int64_t panel_first) const {
    for (std::int64_t k = run.first + team.thread(); k < run.last; k += Team::threads) {
      const S value = walk.template entry<true>(walk.A.values[k]);
      const std::int64_t to = run.x_first + walk.template key<true>(k);
      const std::int64_t from = panel_first + walk.template source<true>(k);
      for (int v = 0; v < walk.product.x.count; ++v) {
        walk.add_to_y(to, v, walk.product.product(value, from, v));
      }
    }
  }

  template <bool Mirrored, class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(const Subwarp& subwarp, const Share& share) const {
    for (std::int64_t batch = share.from; batch < share.to; batch += Subwarp::width) {
      const std::int64_t k = batch + subwarp.lane();
      bool wanted = k < share.to;
      int key = wanted ? walk.template key<Mirrored>(k) : -1;
      const int source = wanted ? walk.template source<Mirrored>(k) : 0;
      wanted = wanted && key >= share.low && key < share.high && !(Mirrored && key == source);
      if (!wanted) key = -1;
      if (!subwarp.any(wanted)) continue;
      const S value = walk.template entry<Mirrored>(backends::load_once(walk.A.values + k, wanted));
      Acc product[vectors];
      for (int v = 0; v < vectors; ++v) {
        const int vector = v < walk.product.x.count ? v : 0;  // vectors beyond count are not stored
        const Acc x(backends::load(&walk.product.x(share.x_first + source, vector), wanted));
        product[v] = rounded_product(Acc(value), x);
      }
      add(subwarp, key, product, share.sums);
      subwarp.sync();
    }
  }

  /// First entry of share i of the entries [first, last): the first of a key.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t cut(const Subwarp& subwarp, std::int64_t first,
                                               std::int64_t last, int i, int shares) const {
    if (i == shares) return last;
    std::int64_t at = first + (last - first) * i / shares;
    if (at == first) return first;
    for (; at < last; at += Subwarp::width) {
      const std::int64_t k = at + subwarp.lane();
      const bool begins =
          k < last && walk.template key<false>(k) != walk.template key<false>(k - 1);
      const std::uint64_t votes = subwarp.ballot(begins);
      if (votes != 0) return at + countr_zero(votes);
    }
    return last;
  }

  /// Adds each lane's products to the place of its key; a key of -1 adds nothing.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Subwarp& subwarp, int key,
                                       const Acc (&product)[vectors], Acc* sums) const {
    constexpr int width = Subwarp::width;
    const int lane = subwarp.lane();
    int highest = key;  // highest key of this and lower lanes
    HEDDLE_UNROLL(1)
    for (int distance = 1; distance < width; distance *= 2) {
      const int below = subwarp.shuffle_up(highest, distance);
      if (lane >= distance && below > highest) highest = below;
    }
    if (subwarp.all(key < 0 || key == highest)) {
      const int before = subwarp.shuffle_up(highest, 1), after = subwarp.shuffle_down(highest, 1);
      const bool head = lane == 0 || before != highest;
      const bool tail = highest >= 0 && (lane == width - 1 || after != highest);
      Acc sum[vectors];
      for (int v = 0; v < vectors; ++v) sum[v] = product[v];
      bool reached = head;
      HEDDLE_UNROLL(1)
      for (int distance = 1; distance < width; distance *= 2) {
        const bool below_reached = subwarp.shuffle_up(static_cast<int>(reached), distance) != 0;
        const bool adds = lane >= distance && !reached;
        for (int v = 0; v < vectors; ++v) {
          const Acc below = subwarp.shuffle_up(sum[v], distance);
          if (adds) sum[v] += below;
        }
        if (adds) reached = below_reached;
      }
      for (int v = 0; tail && v < vectors; ++v) sums[highest * vectors + v] += sum[v];
      return;
    }
    bool lowest = key >= 0;
    Acc sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = Acc(0);
    HEDDLE_UNROLL(1)
    for (int from = 0; from < width; ++from) {
      const bool same = subwarp.shuffle(key, from) == key;
      if (same && from < lane) lowest = false;
      for (int v = 0; v < vectors; ++v) {
        const Acc other = subwarp.shuffle(product[v], from);
        if (same) sum[v] += other;
      }
    }
    if (!lowest) return;
    for (int v = 0; v < vectors; ++v) sums[key * vectors + v] += sum[v];
  }
};

/// y = alpha * A * x + beta * y by block rows, or for A transposed by block columns: a team for
/// each piece. It adds up in scratch, a place for each row of the panel, and at the end stores y,
/// or stores partial sums for the FinishKernel if the panel has several pieces.
///
/// On a CPU a team is a thread, which gets pieces from the tickets until none is left.
/// Deterministic: pieces are fixed, and any thread may run one. Not deterministic if mirror images
/// are added to y atomically, since the sums are added so too.
///
/// Source: A. Buluc, J. Fineman, M. Frigo, J. Gilbert and C. Leiserson, "Parallel sparse
/// matrix-vector and matrix-transpose-vector multiplication using compressed sparse blocks", SPAA
/// 2009.
template <class Walk, bool Deals>
struct Kernel {
  using Scratch = backends::DynamicScratch;
  using Acc = typename Walk::Acc;

  Walk walk;
  /// Destination of the sums in scratch, or memory to add them up in if there is no scratch.
  Acc* partials;
  backends::Tickets tickets;
  std::uint32_t tickets_a_launch;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto places = static_cast<std::size_t>(walk.A.beta) * Walk::vectors;
    Acc* const own = scratch.bytes() > 0 ? scratch.template take<Acc>(places) : nullptr;
    if constexpr (Deals) {
      for (std::int64_t piece = tickets.take(tickets_a_launch); piece < walk.sweep.piece_count;
           piece = tickets.take(tickets_a_launch)) {
        run(team, piece, own);
      }
    } else {
      run(team, team.index(), own);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, std::int64_t index, Acc* own) const {
    const auto& piece = walk.sweep.pieces[index];
    const std::int64_t first_row = static_cast<std::int64_t>(piece.panel) * walk.A.beta;
    const std::int64_t left = walk.product.y.rows - first_row;
    const int rows = static_cast<int>(left < walk.A.beta ? left : walk.A.beta);
    Acc* const partial =
        piece.partial < 0 ? nullptr : partials + piece.partial * walk.A.beta * Walk::vectors;
    Acc* const sums = own ? own : partial;
    for (int i = team.thread(); i < rows * Walk::vectors; i += Team::threads) sums[i] = Acc(0);
    team.barrier();
    if constexpr (Team::threads == 1) {
      HostSums<Walk>{walk}(piece, sums);
    } else {
      PieceLaneSums<Walk>{walk}(team, piece, sums);
    }
    team.barrier();
    if (!partial) {
      for (int i = team.thread(); i < rows; i += Team::threads) {
        for (int v = 0; v < walk.product.x.count; ++v) {
          const Acc& sum = sums[i * Walk::vectors + v];
          if (Walk::mirrors && walk.mirror.atomically) {
            walk.add_to_y(first_row + i, v, sum);
          } else {
            walk.product.store(first_row + i, v, sum);
          }
        }
      }
    } else if (own) {
      for (int i = team.thread(); i < rows * Walk::vectors; i += Team::threads) {
        partial[i] = own[i];
      }
    }
  }
};

/// Stores y for the panels whose pieces stored partial sums, adding these in the order of the
/// pieces; one item for each row of y.
template <class Sweep, class Product, int Vectors>
struct FinishKernel {
  using Acc = typename Product::accumulator_type;

  Sweep sweep;
  Product product;
  int beta;
  const Acc* partials;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t panel = row / beta;
    const std::int64_t first = sweep.partial_ptr[panel], last = sweep.partial_ptr[panel + 1];
    if (first == last) return;
    const int local = static_cast<int>(row - panel * beta);
    for (int v = 0; v < product.x.count; ++v) {
      Acc sum = partials[(first * beta + local) * Vectors + v];
      for (std::int64_t p = first + 1; p < last; ++p) {
        sum += partials[(p * beta + local) * Vectors + v];
      }
      product.store(row, v, sum);
    }
  }
};

}  // namespace heddle::detail::csb
