// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../transform/blocked_view.hpp"
#include "../transform/pieces.hpp"
#include "solved_values.hpp"
#include "view.hpp"

namespace heddle::detail::sptrsv {

/// Groups [first, first + teams) of a triangle on a GPU, a team a group. Its subwarps of 32 lanes
/// take the pieces in chunks, a lane a piece: every lane asks for the values that its piece needs
/// at once, and lanes ask again together until all are there. The first subwarp then solves with
/// the group's dense block: a product with its inverse, whose steps do not wait for each other.
///
/// Why it ends: a group waits for groups of lower levels alone, which earlier launches have run, or
/// teams of a lower ticket; so the lowest group that has not ended waits for nobody.
///
/// Deterministic: a row is added up in the same pieces and in the same order every time. Sources:
/// W. Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves",
/// Euro-Par 2016; Z. Hu et al., "AG-SpTRSV", TACO 2024, for groups of rows.
///
/// `ends_solve` says that no launch of this solve comes after this one.
template <class Operands, int Piece, int Vectors>
struct BlocksKernel {
  /// More is asked for than is used: so few teams are resident as it leaves room for, since teams
  /// that poll for rows far ahead slow down the others.
  using Scratch = backends::DynamicScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using View = BlockedView<S, O, Acc>;
  using Mailbox = typename SolvedValues<V>::Mailbox;

  /// Values that a lane asks for at once. More vectors take more registers.
  static constexpr int batch = Vectors == 1 ? Piece : 2;

  Operands operands;
  View view;
  SolvedValues<V> solved;
  std::int64_t first;
  std::int64_t teams;  ///< of the launch
  bool ends_solve;

  /// Pieces that a group of several rows may have, where a team has so many subwarps.
  static constexpr int most_pieces(int subwarps) {
    return (subwarps == 1 ? 3 : 2) * subwarps * chunk_pieces;
  }
  /// Entries that such a group may have for that: a row's last piece need not be full.
  static constexpr std::int64_t most_entries(int subwarps) {
    return (most_pieces(subwarps) - most_rows) * Piece;
  }
  static constexpr std::size_t scratch_bytes(int subwarps) {
    return backends::scratch_bytes<Acc, Acc>(Vectors * most_pieces(subwarps), Vectors * most_rows);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarp_width == chunk_pieces);
    constexpr int sums_a_vector = (Team::subwarps == 1 ? 3 : 2) * Team::threads;
    Acc* const sums = scratch.take<Acc>(Vectors * sums_a_vector);
    Acc* const right = scratch.take<Acc>(Vectors * most_rows);
    const std::int64_t index = first + team.index();
    const Group group = view.groups[index];
    const bool inverted = view.inverted[index] != 0;
    const int set = solved.set();
    const Row row = row_of(group, team.thread());
    // Before the wait, as all that depends on no other group.
    if (row.awaited) empty(row.place, set);
    Acc block_row[most_rows];
    load(group, inverted ? row.inside : 0u, row.lane, block_row);
    for (int v = 0; v < solved.vectors; v += Vectors) {
      Acc left[Vectors];  // of the right-hand side, once others are subtracted
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) {
        const bool reads = row.exists && v + c < solved.vectors;
        left[c] = reads ? operands.right_hand_side(row.row, v + c) : Acc(0);
      }
      if (v > 0) team.barrier();  // until the sums before are read
      subtract_pieces<sums_a_vector>(team, group, row, set, v, sums, left);
      if (team.subwarp_index() > 0) continue;
      if (inverted) {
        multiply(team.subwarp(), row, block_row, right, left);
      } else {
        substitute(team.subwarp(), group, row, left);
      }
      store(row, left, set, v);
    }
    if (ends_solve && team.thread() == 0) solved.end(set, teams);
  }

 private:
  /// The row that a lane of the first subwarp finishes.
  struct Row {
    int lane;
    bool exists;
    bool awaited;
    std::int64_t place;
    O row;
    std::uint32_t inside;
  };

  KOKKOS_FORCEINLINE_FUNCTION Row row_of(const Group& group, int thread) const {
    Row row{thread, thread < group.rows, false, group.first + thread, O(0), 0u};
    if (!row.exists) return row;
    row.awaited = (group.awaited >> thread & 1u) != 0;
    row.row = operands.T.row[row.place];
    row.inside = view.inside[row.place];
    return row;
  }

  /// What the solve before this one left full.
  KOKKOS_FORCEINLINE_FUNCTION void empty(std::int64_t place, int set) const {
    const int vectors = solved.vectors_to_empty(set);
    for (int v = 0; v < vectors; ++v) solved.sets[1 - set].clear(solved.at(place, v));
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc inner(const Acc& entry) const {
    return operands.conjugate ? heddle::conjugate(entry) : entry;
  }
  /// A row of the group's inverse; nothing is read where the pattern has a zero.
  KOKKOS_FORCEINLINE_FUNCTION void load(const Group& group, std::uint32_t inside, int lane,
                                        Acc (&block_row)[most_rows]) const {
    const Acc* const block = view.blocks + group.first_block + lane;
    HEDDLE_UNROLL(most_rows)
    for (int j = 0; j < most_rows; ++j) {
      const bool wanted = (inside >> j & 1u) != 0;
      block_row[j] = wanted ? block[block_column(j, group.rows)] : Acc(0);
    }
  }

  template <int SumsAVector, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_pieces(const Team& team, const Group& group,
                                                   const Row& row, int set, int v, Acc* sums,
                                                   Acc (&left)[Vectors]) const {
    const auto subwarp = team.subwarp();
    const int lane = subwarp.lane();
    const std::int64_t begin = view.first_piece[group.first];
    const std::int64_t pieces = view.first_piece[group.first + group.rows] - begin;
    const bool one_row = pieces > SumsAVector;
    Acc sum[Vectors];
    for (int c = 0; c < Vectors; ++c) sum[c] = Acc(0);
    for (std::int64_t chunk = team.subwarp_index() * chunk_pieces; chunk < pieces;
         chunk += Team::threads) {
      const std::int64_t rest = pieces - chunk;
      const int width = static_cast<int>(rest < chunk_pieces ? rest : chunk_pieces);
      add_chunk(subwarp, (begin + chunk) * Piece, width, set, v, sum);
      if (group.piece_a_row || one_row || lane >= width) continue;
      for (int c = 0; c < Vectors; ++c) {
        sums[c * SumsAVector + chunk + lane] = sum[c];
        sum[c] = Acc(0);
      }
    }
    if (group.piece_a_row) {
      for (int c = 0; c < Vectors; ++c) left[c] -= sum[c];
      return;
    }
    if (one_row) {
      for (int c = 0; c < Vectors; ++c) sums[c * SumsAVector + team.thread()] = sum[c];
    }
    team.barrier();
    if (!row.exists) return;
    const auto first_sum = one_row ? 0 : view.first_piece[row.place] - begin;
    const auto end_sum = one_row ? Team::threads : view.first_piece[row.place + 1] - begin;
    for (auto s = first_sum; s < end_sum; ++s) {
      for (int c = 0; c < Vectors; ++c) left[c] -= sums[c * SumsAVector + s];
    }
  }

  /// Adds to each lane's sums what its piece of a chunk comes to.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_chunk(const Subwarp& subwarp, std::int64_t begin, int width,
                                             int set, int v, Acc (&sum)[Vectors]) const {
    const bool works = subwarp.lane() < width;
    HEDDLE_UNROLL(Piece / batch)
    for (int e = 0; e < Piece; e += batch) {
      O needed[batch];
      S value[batch];
      V seen[batch][Vectors];
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const std::int64_t slot = begin + (e + i) * width + subwarp.lane();
        needed[i] = works ? backends::load_once(view.needed + slot, true) : View::nowhere;
        value[i] = backends::load_once(view.values + slot, works);
        for (int c = 0; c < Vectors; ++c) {
          const bool wanted = needed[i] != View::nowhere && v + c < solved.vectors;
          seen[i][c] = wanted ? Mailbox::not_posted() : V(0);
        }
      }
      while (subwarp.any(look(needed, set, v, seen))) {
      }
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        // Where there is no entry both are zero.
        for (int c = 0; c < Vectors; ++c) sum[c] += operands.value(value[i]) * Acc(seen[i][c]);
      }
    }
  }

  /// Looks at once for all that is not there yet; whether something still is not.
  KOKKOS_FORCEINLINE_FUNCTION bool look(const O (&needed)[batch], int set, int v,
                                        V (&seen)[batch][Vectors]) const {
    bool missing = false;
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) {
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) {
        solved.sets[set].look(solved.at(needed[i], v + c), 0, seen[i][c]);
      }
    }
    HEDDLE_UNROLL(batch)
    for (int i = 0; i < batch; ++i) {
      for (int c = 0; c < Vectors; ++c) missing |= !Mailbox::posted(seen[i][c]);
    }
    return missing;
  }

  /// left = inverse * left, handed round in scratch. What a row does not need has a coefficient of
  /// zero, and must not get into its sum where it is not finite.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Subwarp& subwarp, const Row& row,
                                            const Acc (&block_row)[most_rows], Acc* right,
                                            Acc (&left)[Vectors]) const {
    bool finite = true;
    HEDDLE_UNROLL(Vectors)
    for (int c = 0; c < Vectors; ++c) {
      right[c * most_rows + row.lane] = left[c];
      finite &= is_finite(left[c]);
    }
    subwarp.sync();
    if (subwarp.all(finite)) {
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) left[c] = dot(block_row, right + c * most_rows);
    } else {
      for (int c = 0; c < Vectors; ++c) {
        Acc sum(0);
        HEDDLE_UNROLL(most_rows)
        for (int j = 0; j < most_rows; ++j) {
          if (row.inside >> j & 1u) sum += inner(block_row[j]) * right[c * most_rows + j];
        }
        left[c] = sum;
      }
    }
    subwarp.sync();  // before it is overwritten
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc dot(const Acc (&block_row)[most_rows], const Acc* right) const {
    constexpr int sums = 4;  // that do not wait for each other
    Acc sum[sums] = {Acc(0), Acc(0), Acc(0), Acc(0)};
    HEDDLE_UNROLL(most_rows)
    for (int j = 0; j < most_rows; ++j) sum[j % sums] += inner(block_row[j]) * right[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// left = block^-1 * left, row after row.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void substitute(const Subwarp& subwarp, const Group& group,
                                              const Row& row, Acc (&left)[Vectors]) const {
    const Acc* const block = view.blocks + group.first_block + row.lane;
    const Acc factor = row.exists ? operands.factor(row.place) : Acc(1);
    for (int j = 0; j < group.rows; ++j) {
      const bool needs = row.lane > j && (row.inside >> j & 1u) != 0;
      const Acc entry = needs ? inner(block[block_column(j, group.rows)]) : Acc(0);
      for (int c = 0; c < Vectors; ++c) {
        if (row.lane == j) {
          left[c] = Acc(static_cast<V>(operands.quotient(left[c], factor, row.place)));
        }
        const Acc solved_row = subwarp.shuffle(left[c], j);
        if (needs) left[c] -= entry * solved_row;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Row& row, const Acc (&left)[Vectors], int set,
                                         int v) const {
    if (!row.exists) return;
    for (int c = 0; c < Vectors; ++c) {
      if (v + c >= solved.vectors) continue;
      const V value = static_cast<V>(left[c]);
      if (row.awaited) solved.sets[set].post(solved.at(row.place, v + c), 0, value);
      operands.x(row.row, v + c) = value;
    }
  }
};

}  // namespace heddle::detail::sptrsv
