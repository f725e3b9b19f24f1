// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../backends/launch.hpp"
#include "../../../backends/unroll.hpp"
#include "../../../core/scheme.hpp"
#include "../../ordered/solved_values.hpp"
#include "../select/tuning.hpp"
#include "../transform/blocked_triangle.hpp"
#include "../transform/merge.hpp"
#include "operands.hpp"

namespace heddle::detail::sptrsv {

/// Solves groups [first, stop) of a triangle on a GPU, each with Subwarps subwarps of 32 lanes.
/// Pieces are processed in chunks, one lane for each piece: a lane requests all values that its
/// piece needs at once, and the lanes repeat the request together until all values are there. The
/// first subwarp then solves with the group's dense block, which it has in registers: either by
/// substitution, each row passing its solution on by a shuffle, or as a product with the block's
/// inverse. If the product leaves a residual larger than rounding explains, the rows are solved
/// again by shuffles.
///
/// A team is one group. If a group has one subwarp, a team is four groups, each with a warp or
/// wavefront of its own, so that fewer teams take tickets and arrive.
///
/// Why it ends: a group waits only for groups of lower levels. Earlier launches have run these, or
/// they belong to teams with lower tickets or to lower warps of its team. So the lowest group that
/// has not ended waits for none.
///
/// Deterministic: a row is added up in the same pieces and in the same order every time. Sources:
/// W. Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves",
/// Euro-Par 2016; Z. Hu et al., "AG-SpTRSV", TACO 2024, for groups of rows.
///
/// A lane requests `batch` of the Piece entries of its piece at once: all of them if only one
/// vector of small numbers has to stay in registers. `ends_solve`: this launch, of `teams` teams,
/// is the last of the solve. A step of a trace is a group.
template <class Operands, int Piece, int Vectors, int Subwarps, class Trace = NoTrace>
struct BlocksKernel {
  using Scratch = backends::DynamicScratch;
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;
  using View = BlockedView<S, O, Acc>;

  static constexpr int batch = Vectors > 1 ? 2 : sizeof(Acc) > 8 ? 4 : Piece;
  static constexpr int groups_per_team = Subwarps == 1 ? 4 : 1;
  static constexpr int most_pieces = most_pieces_of(Subwarps);
  static constexpr int sums_per_group = Vectors * most_pieces;
  static constexpr int right_per_group = 2 * Vectors * most_rows;
  /// Largest accepted residual of a row, in epsilons of V times the magnitudes added up in it.
  static constexpr int most_residual = 16;

  Operands operands;
  View view;
  ordered::SolvedValues<V> solved;
  std::int64_t first, stop;
  std::int64_t teams;  ///< teams of the launch
  bool ends_solve;
  Trace trace;

  /// Number of threads of a team, if a warp or wavefront has `warp_width` lanes.
  static constexpr int threads(int warp_width) {
    return Subwarps == 1 ? groups_per_team * warp_width : Subwarps * chunk_pieces;
  }
  /// Bytes of scratch of a team; `inverts`: the plan may use inverses of blocks.
  static constexpr std::size_t scratch_bytes(bool inverts) {
    return backends::scratch_bytes<Acc, Acc, Acc>(groups_per_team * sums_per_group,
                                                  groups_per_team * right_per_group,
                                                  inverts ? groups_per_team * most_block : 0);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    static_assert(Team::subwarp_width == chunk_pieces);
    constexpr int slot_threads = Team::threads / groups_per_team;
    Acc* const sums = scratch.take<Acc>(groups_per_team * sums_per_group);
    Acc* const right = scratch.take<Acc>(groups_per_team * right_per_group);
    Acc* const block = scratch.take<Acc>(view.inverted ? groups_per_team * most_block : 0);
    const int slot = team.thread() / slot_threads;
    const int thread = team.thread() % slot_threads;
    const std::int64_t index = first + team.index() * groups_per_team + slot;
    const int set = solved.set();
    // A wavefront has twice the lanes that a group needs; the others are idle.
    if (index < stop && thread < Subwarps * chunk_pieces) {
      const Room room{sums + slot * sums_per_group, right + slot * right_per_group,
                      block + slot * most_block};
      solve(team, thread, index, set, room);
    }
    if (!ends_solve) return;
    if constexpr (groups_per_team > 1) team.barrier();
    if (team.thread() == 0) solved.end(set, teams);
  }

 private:
  /// The row that a lane of the first subwarp finishes.
  struct Row {
    int lane;  ///< its number among all subwarps of the group
    bool exists;
    bool awaited;
    std::int64_t place;
    O row;
    std::uint32_t inside;  ///< BlockedView::inside, if the group is coupled
    Acc factor;
  };
  /// The scratch of a group.
  struct Room {
    Acc* sums;   ///< sums of pieces
    Acc* right;  ///< right-hand sides and solutions, which lanes exchange
    Acc* block;  ///< the block before its inversion, if it is inverted
  };

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Team& team, int thread, std::int64_t index, int set,
                                         const Room& room) const {
    if (thread == 0) trace.begin(index);
    const Group group = view.groups[index];
    const bool inverted = group.coupled && view.inverted && view.inverted[index] != 0;
    const Row row = row_of(group, thread);
    // This depends on no other group, so it is done before the wait.
    if (row.awaited) solved.empty(set, row.place);
    Acc block_row[most_rows];
    if (group.coupled) {
      const int size = block_size(group.rows);
      load(group, group.first_block + (inverted ? size : 0), row.lane,
           inverted ? up_to(row.lane) : row.inside, block_row);
      if (inverted && thread < chunk_pieces) stage(group, thread, size, room.block);
    }
    for (int v = 0; v < solved.vectors; v += Vectors) {
      Acc left[Vectors];  // right-hand sides less the products with known values
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) {
        const bool reads = row.exists && v + c < solved.vectors;
        left[c] = reads ? operands.right_hand_side(row.row, v + c) : Acc(0);
      }
      if (v > 0) wait_for_group(team);  // until the previous sums are read
      subtract_pieces(team, group, row, set, v, room.sums, left);
      if (thread >= chunk_pieces) continue;
      if (group.coupled) {
        for (int c = 0; c < Vectors; ++c) room.right[c * most_rows + row.lane] = left[c];
        const std::uint32_t wrong = inverted
                                        ? multiply(team, group, row, block_row, room, left)
                                        : substitute(team.subwarp(), group, row, block_row, left);
        solve_again(team.subwarp(), group, row, room.right, wrong, left);
      } else if (row.exists) {
        for (int c = 0; c < Vectors; ++c) {
          left[c] = operands.quotient(left[c], row.factor, row.place);
        }
      }
      store(row, left, set, v);
    }
    if (thread == 0) trace.end(index);
  }

  /// Synchronizes all subwarps of a group.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void wait_for_group(const Team& team) const {
    if constexpr (Subwarps == 1) {
      team.subwarp().sync();
    } else {
      team.barrier();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Row row_of(const Group& group, int thread) const {
    Row row{thread, thread < group.rows, false, group.first + thread, O(0), 0u, Acc(1)};
    if (!row.exists) return row;
    row.awaited = (group.awaited >> thread & 1u) != 0;
    row.row = operands.T.row[row.place];
    if (group.coupled) row.inside = view.inside[row.place];
    row.factor = operands.factor(row.place);
    return row;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc inner(const Acc& entry) const {
    return operands.conjugate ? heddle::conjugate(entry) : entry;
  }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t up_to(int lane) {
    return ~std::uint32_t{0} >> (most_rows - 1 - (lane < most_rows ? lane : most_rows - 1));
  }
  /// Loads a row of the block that begins at `first`. Every lane reads in every column, since 32
  /// conditions would not fit into the scalar registers of AMD's devices.
  KOKKOS_FORCEINLINE_FUNCTION void load(const Group& group, std::int64_t first, int lane,
                                        std::uint32_t columns, Acc (&block_row)[most_rows]) const {
    const int last = group.rows - 1;
    const Acc* const block = view.blocks + first + (lane < last ? lane : last);
    HEDDLE_UNROLL(most_rows)
    for (int j = 0; j < most_rows; ++j) {
      const Acc entry = block[block_column(j < last ? j : last, group.rows)];
      block_row[j] = (columns >> j & 1u) != 0 ? entry : Acc(0);
    }
  }
  /// Copies the group's block to scratch.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Group& group, int lane, int size, Acc* block) const {
    for (int e = lane; e < size; e += most_rows) {
      block[e] = backends::load_once(view.blocks + group.first_block + e, true);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void subtract_pieces(const Team& team, const Group& group,
                                                   const Row& row, int set, int v, Acc* sums,
                                                   Acc (&left)[Vectors]) const {
    const auto subwarp = team.subwarp();
    const int lane = subwarp.lane();
    const int first_chunk = row.lane - lane;
    const std::int64_t begin = view.first_piece[group.first];
    const std::int64_t pieces = view.first_piece[group.first + group.rows] - begin;
    const bool one_row = pieces > most_pieces;
    Acc sum[Vectors];
    for (int c = 0; c < Vectors; ++c) sum[c] = Acc(0);
    for (std::int64_t chunk = first_chunk; chunk < pieces; chunk += Subwarps * chunk_pieces) {
      const std::int64_t rest = pieces - chunk;
      const int width = static_cast<int>(rest < chunk_pieces ? rest : chunk_pieces);
      add_chunk(subwarp, (begin + chunk) * Piece, width, set, v, sum);
      if (group.one_piece_per_row || one_row || lane >= width) continue;
      for (int c = 0; c < Vectors; ++c) {
        sums[c * most_pieces + chunk + lane] = sum[c];
        sum[c] = Acc(0);
      }
    }
    if (group.one_piece_per_row) {
      for (int c = 0; c < Vectors; ++c) left[c] -= sum[c];
      return;
    }
    if (one_row) {
      for (int c = 0; c < Vectors; ++c) sums[c * most_pieces + row.lane] = sum[c];
    }
    wait_for_group(team);
    if (!row.exists) return;
    const auto first_sum = one_row ? 0 : view.first_piece[row.place] - begin;
    const auto end_sum =
        one_row ? Subwarps * chunk_pieces : view.first_piece[row.place + 1] - begin;
    for (auto s = first_sum; s < end_sum; ++s) {
      for (int c = 0; c < Vectors; ++c) left[c] -= sums[c * most_pieces + s];
    }
  }

  /// Adds to each lane's sums the products of its piece of a chunk.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void add_chunk(const Subwarp& subwarp, std::int64_t begin, int width,
                                             int set, int v, Acc (&sum)[Vectors]) const {
    const bool works = subwarp.lane() < width;
    ordered::EntryBatch<Operands, batch, Vectors> entries;
    HEDDLE_UNROLL(Piece / batch)
    for (int e = 0; e < Piece; e += batch) {
      HEDDLE_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const std::int64_t slot = begin + (e + i) * width + subwarp.lane();
        entries.load(i, view.needed + slot, view.values + slot, works);
        entries.want(i, solved, v, works && entries.needed[i] != View::nowhere);
      }
      while (subwarp.any(!entries.look(solved, set, v))) {
      }
      entries.add_to(sum, operands);
    }
  }

  /// left = inverse * right. The error of this product is relative to the largest row of the group.
  /// To be accurate in every row, it returns a bit for each vector: 1 if the residual of this
  /// lane's row is larger than rounding explains.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t multiply(const Team& team, const Group& group,
                                                     const Row& row,
                                                     const Acc (&block_row)[most_rows],
                                                     const Room& room, Acc (&left)[Vectors]) const {
    const auto subwarp = team.subwarp();
    Acc* const solution = room.right + Vectors * most_rows;
    subwarp.sync();
    HEDDLE_UNROLL(Vectors)
    for (int c = 0; c < Vectors; ++c) {
      left[c] = rounded(dot(block_row, room.right + c * most_rows));
      solution[c * most_rows + row.lane] = left[c];
    }
    subwarp.sync();
    using Tag = backends::Tag<typename Team::execution_space>;
    std::uint32_t wrong = 0;
    HEDDLE_UNROLL(Vectors)
    for (int c = 0; c < Vectors; ++c) {
      const bool solved_it = solves<Tag>(
          group, row, room.block, room.right + c * most_rows + row.lane, solution + c * most_rows);
      wrong |= solved_it ? 0u : 1u << c;
    }
    return wrong;
  }

  /// Whether a row of the group's block times the solution is the right-hand side, up to rounding.
  template <class Tag>
  KOKKOS_FORCEINLINE_FUNCTION bool solves(const Group& group, const Row& row, const Acc* block,
                                          const Acc* given, const Acc* solution) const {
    using Real = heddle::RealOf<Acc>;
    constexpr auto precision = Real(Kokkos::Experimental::epsilon_v<heddle::RealOf<V>>);
    constexpr int sums = 4;  // independent sums
    Acc sum[sums] = {-*given, Acc(0), Acc(0), Acc(0)};
    Real magnitudes[sums] = {magnitude(*given), Real(0), Real(0), Real(0)};
    const int last = row.exists ? row.lane : -1;
    HEDDLE_UNROLL(sizeof(Acc) > 8 ? 1 : columns_checked_at_once<Tag> / sums)
    for (int first = 0; first < most_rows; first += sums) {
      HEDDLE_UNROLL(sums)
      for (int i = 0; i < sums; ++i) {
        const int j = first + i;
        const Acc entry = j <= last ? inner(block[block_column(j, group.rows) + row.lane]) : Acc(0);
        sum[i] += entry * solution[j];
        magnitudes[i] += magnitude(entry) * magnitude(solution[j]);
      }
    }
    const Acc rest = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    const Real all = (magnitudes[0] + magnitudes[1]) + (magnitudes[2] + magnitudes[3]);
    return triangle::is_finite(rest) && magnitude(rest) <= most_residual * precision * all;
  }

  KOKKOS_FORCEINLINE_FUNCTION Acc dot(const Acc (&block_row)[most_rows], const Acc* right) const {
    constexpr int sums = 4;  // independent sums
    Acc sum[sums] = {Acc(0), Acc(0), Acc(0), Acc(0)};
    HEDDLE_UNROLL(most_rows)
    for (int j = 0; j < most_rows; ++j) sum[j % sums] += inner(block_row[j]) * right[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// left = block^-1 * left by forward substitution: each row passes its solution on by a shuffle.
  /// Returns a bit for each vector: 1 if a value is not finite, which must not reach rows that do
  /// not need it, or if the row must be divided.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t substitute(const Subwarp& subwarp, const Group& group,
                                                       const Row& row,
                                                       const Acc (&block_row)[most_rows],
                                                       Acc (&left)[Vectors]) const {
    HEDDLE_UNROLL(most_rows)
    for (int j = 0; j < most_rows; ++j) {
      if (j % 8 == 0 && j >= group.rows) break;
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) {
        // Every lane computes one, though only lane j's is needed: as fast, without a condition.
        const Acc solution = rounded(left[c] * row.factor);
        left[c] -= inner(block_row[j]) * subwarp.shuffle(solution, j);
      }
    }
    std::uint32_t wrong = row.factor == Acc(0) ? ~0u : 0u;
    HEDDLE_UNROLL(Vectors)
    for (int c = 0; c < Vectors; ++c) {
      left[c] = rounded(left[c] * row.factor);
      wrong |= triangle::is_finite(left[c]) ? 0u : 1u << c;
    }
    return wrong;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Acc rounded(const Acc& value) {
    return Acc(static_cast<V>(value));
  }

  /// Solves the vectors in which a row is wrong again, from their right-hand sides, row by row,
  /// with a check of what each row needs. Short code, since it rarely runs.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void solve_again(const Subwarp& subwarp, const Group& group,
                                               const Row& row, const Acc* right,
                                               std::uint32_t wrong, Acc (&left)[Vectors]) const {
    if (!subwarp.any(wrong != 0)) return;
    const Acc* const block = view.blocks + group.first_block + row.lane;
    Acc rest[Vectors];
    for (int c = 0; c < Vectors; ++c) rest[c] = right[c * most_rows + row.lane];
    HEDDLE_UNROLL(1)
    for (int j = 0; j < group.rows; ++j) {
      const bool needs = (row.inside >> j & 1u) != 0;
      const Acc entry = needs ? inner(block[block_column(j, group.rows)]) : Acc(0);
      HEDDLE_UNROLL(Vectors)
      for (int c = 0; c < Vectors; ++c) {
        if (row.exists && row.lane == j) {
          rest[c] = rounded(operands.quotient(rest[c], row.factor, row.place));
        }
        const Acc other = subwarp.shuffle(rest[c], j);
        if (needs) rest[c] -= entry * other;
      }
    }
    for (int c = 0; c < Vectors; ++c) {
      if (subwarp.any((wrong >> c & 1u) != 0)) left[c] = rest[c];
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

/// Runs sptrsv/blocks on a GPU: rows merged into groups that wait for each other.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class BlocksExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Triangle = BlockedTriangle<Exec, S, O, Off, Acc, triangle::DiagonalOf<S, V>>;

  BlocksExecutor() = default;

  /// Waits for `exec`.
  BlocksExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : scheme_(scheme), room_(std::min(in.vectors, most_vectors)), levels_(in.levels->count()) {
    subwarps_ = static_cast<int>(scheme_.integer("team")) / chunk_pieces;
    piece_ = static_cast<int>(scheme_.integer("piece"));
    const std::int64_t warps = scheme_.integer("warps");
    const auto by_level =
        ordered::Schedule<Exec, O>::by_level(in.exec, in.graph.rows, in.graph.sweep(), *in.levels);
    const MergedRows<Exec, O> groups = merged(in, by_level, warps);
    backends::check_teams_in_order(groups.count(),
                                   "a triangle of " + std::to_string(in.T.rows()) + " rows",
                                   "pin a scheme that merges more rows");
    triangle_ = Triangle(in.exec, in.T, in.graph, in.origin,
                         by_level.reordered(in.exec, groups.order()).order(), groups,
                         in.sums.entries, in.diagonal, piece_, scheme_.value("inner") == "inverse");
    solve_ = ordered::GpuSolve<Exec, V>(in.exec, in.T.rows(), room_);
    residency_.warps = static_cast<int>(warps);
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return levels_; }
  std::size_t bytes() const { return triangle_.bytes() + solve_.bytes(); }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, bad_diagonal);
  }

  /// Solves for all vectors of b. A trace needs one right-hand side.
  template <class Trace = NoTrace>
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x, const Trace& trace = {}) {
    for (int first = 0; first < x.count; first += room_) {
      const int vectors = std::min(room_, x.count - first);
      const Operands operands{triangle_.rows(), conjugate, alpha, b.slice(first, vectors),
                              x.slice(first, vectors)};
      if (Trace::records || vectors == 1) {
        with_kernel<1, Trace>([&]<class Kernel>() { run<Kernel>(exec, operands, trace); });
      } else {
        with_kernel<together>([&]<class Kernel>() { run<Kernel>(exec, operands, NoTrace()); });
      }
    }
  }

  const Triangle& triangle() const { return triangle_; }

 private:
  using Operands = sptrsv::SolveOperands<S, O, Off, V, Acc>;
  /// Right-hand sides that a kernel holds in registers: one of numbers larger than 8 bytes, else
  /// two, since more make kernels for gfx90a spill.
  static constexpr int together = sizeof(Acc) > 8 ? 1 : 2;
  static constexpr int warp_width = backends::max_subwarp_width<Exec>;

  /// Merges rows, in the order of their levels, into groups, and sets the launches that solve them.
  MergedRows<Exec, O> merged(const SolveInspection<Exec, Matrix>& in,
                             const ordered::Schedule<Exec, O>& by_level, std::int64_t warps) {
    const triangle::OrderedPattern<Exec, O, Off> pattern(in.exec, in.graph, nullptr,
                                                         by_level.order(), in.sums.entries);
    MergedRows<Exec, O> groups = merge(in.exec, pattern, by_level.level_begin(), merging());
    launches_ = ordered::launches_of(groups.level_begin(), least_of_own_launch(in, warps));
    return groups;
  }

  /// Smallest number of groups of a level that has a launch of its own.
  std::int64_t least_of_own_launch(const SolveInspection<Exec, Matrix>& in,
                                   std::int64_t warps) const {
    if (scheme_.value("alpha") == "inf") return std::numeric_limits<std::int64_t>::max();
    const std::int64_t working = in.device.multiprocessors * warps / subwarps_;
    return std::max<std::int64_t>(1, scheme_.integer("alpha") * working);
  }

  Merging merging() const {
    Merging merging;
    for (const auto& [name, kind] : Merging::kinds) {
      if (scheme_.value("merge") == name) merging.kind = kind;
    }
    merging.number = static_cast<int>(scheme_.integer("threshold"));
    // The last piece of a row may be partly empty.
    merging.most_entries = std::int64_t{most_pieces_of(subwarps_) - most_rows} * piece_;
    return merging;
  }

  /// Calls use.operator()<Kernel>() for the kernel of the plan's scheme.
  template <int Vectors, class Trace = NoTrace, class Use>
  void with_kernel(const Use& use) const {
    if (piece_ == 4) return with_team<Vectors, 4, Trace>(use);
    with_team<Vectors, 8, Trace>(use);
  }
  template <int Vectors, int Piece, class Trace, class Use>
  void with_team(const Use& use) const {
    if (subwarps_ == 1) {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 1, Trace>>();
    } else if (subwarps_ == 2) {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 2, Trace>>();
    } else {
      use.template operator()<BlocksKernel<Operands, Piece, Vectors, 4, Trace>>();
    }
  }

  template <class Kernel, class Trace>
  void run(const Exec& exec, const Operands& operands, const Trace& trace) {
    using Shape = backends::Shape<chunk_pieces, Kernel::threads(warp_width)>;
    const auto view = triangle_.view();
    const std::size_t bytes = Kernel::scratch_bytes(view.inverted != nullptr);
    solve_.run(exec, operands.x.count, [&](const auto& solved, const auto& tickets) {
      for (const ordered::LaunchRange& launch : launches_) {
        const auto teams =
            ceil_div<std::int64_t>(launch.stop - launch.first, Kernel::groups_per_team);
        const bool last = &launch == &launches_.back();
        const Kernel kernel{operands, view, solved, launch.first, launch.stop, teams, last, trace};
        if (launch.one_level) {
          backends::launch<Shape>(exec, "heddle::sptrsv::level", teams, kernel, bytes, residency_);
        } else {
          backends::launch_by_ticket<Shape>(exec, "heddle::sptrsv::solve", teams, kernel, tickets,
                                            bytes, residency_);
        }
      }
    });
  }

  Scheme scheme_;
  int room_ = 1;
  int levels_ = 0;
  int subwarps_ = 1;
  int piece_ = 4;
  Triangle triangle_;
  std::vector<ordered::LaunchRange> launches_;
  ordered::GpuSolve<Exec, V> solve_;
  backends::Residency residency_;
};

}  // namespace heddle::detail::sptrsv
