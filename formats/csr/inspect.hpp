// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "../../backends/lanes.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/memory.hpp"
#include "../../backends/unroll.hpp"
#include "../../core/arena.hpp"
#include "../../core/multivector.hpp"
#include "../common/equal_work.hpp"
#include "../common/executor.hpp"
#include "../common/scale.hpp"
#include "../model/model.hpp"
#include "format.hpp"
#include "launches.hpp"
#include "parameters.hpp"
#include "row_blocks.hpp"

namespace heddle {

/// Packs vectors into row-major order: entry r of vector c is at to[r * from.count + c].
template <Scalar V>
struct PackKernel {
  using Scratch = backends::NoScratch;
  /// Rows that a subwarp packs at once.
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

/// Workspace for packed, row-major vectors of x, so that a gather from a row of x fills whole cache
/// lines, or sectors of a GPU's memory.
template <ExecutionSpace Exec, Scalar V>
class PackedVectors {
 public:
  PackedVectors() = default;
  /// Allocates room for `vectors` vectors, in the order of `exec`.
  PackedVectors(const Exec& exec, std::int64_t rows, int vectors)
      : vectors_(vectors),
        arena_(exec, "heddle::spmv::packed_vectors",
               arena_bytes<V>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(vectors))),
        data_(arena_
                  .template take<V>(static_cast<std::size_t>(rows) *
                                    static_cast<std::size_t>(vectors))
                  .data()) {}

  /// Number of vectors that there is room for.
  int vectors() const { return vectors_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// Packs x, which has no more rows and vectors than there is room for, in the order of `exec`.
  /// The next call overwrites the result.
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

namespace heddle::detail::csr {

/// The number of trees that vote for each of 0, 1, ... lane bits, eight bits for each number.
using LaneVotes = std::uint64_t;
static_assert(8 * (LaneForest::most_bits + 1) <= 64 && LaneForest::most_trees < 256);

KOKKOS_INLINE_FUNCTION int most_votes(LaneVotes votes) {
  int best = 0;
  for (int bits = 1; bits <= LaneForest::most_bits; ++bits) {
    if ((votes >> 8 * bits & 255) > (votes >> 8 * best & 255)) best = bits;
  }
  return best;
}

/// Chooses the lanes of blocks, a subwarp a block: its lanes first read rows, then evaluate trees.
template <Ordinal O, Offset Off>
struct LearnedLanesKernel {
  using Scratch = backends::NoScratch;
  static constexpr int width = 32;
  static constexpr int threads = 256;

  const Off* row_ptr;
  double columns;
  std::int64_t blocks;
  const O* first;
  const ModelNode* nodes;
  const int* trees;  ///< start of each tree in `nodes`
  int count;
  std::uint8_t* lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t block = team.index() * Team::subwarps + team.subwarp_index();
    if (block >= blocks) return;
    const O begin = first[block], end = first[block + 1];
    double squares = 0;
    std::int64_t longest = 0, shortfall = 0;
    const auto whole = static_cast<std::int64_t>(row_ptr[end] - row_ptr[begin]);
    for (std::int64_t row = begin + std::int64_t{subwarp.lane()}; row < end;
         row += Team::subwarp_width) {
      const auto length = static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
      squares += static_cast<double>(length) * static_cast<double>(length);
      longest = longest < length ? length : longest;
      shortfall = shortfall < whole - length ? whole - length : shortfall;
    }
    const LaneInputs inputs =
        lane_inputs(static_cast<double>(end - begin), columns, static_cast<double>(whole),
                    subwarp.sum(squares), static_cast<double>(whole - subwarp.max(shortfall)),
                    static_cast<double>(subwarp.max(longest)));
    LaneVotes votes = 0;
    for (int i = subwarp.lane(); i < count; i += Team::subwarp_width) {
      const auto bits = static_cast<int>(leaf_value(nodes + trees[i], inputs.of));
      votes += LaneVotes{1} << 8 * bits;
    }
    votes = subwarp.sum(votes);
    if (subwarp.lane() == 0) lane_bits[block] = static_cast<std::uint8_t>(most_votes(votes));
  }
};

/// Writes the lane bits that a forest predicts for blocks: copies it to the device, waits for
/// `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void learn_lanes(const Exec& exec, const LaneForest& forest, const Off* row_ptr, O columns,
                 const RowBlockTable<O, Off>& table, std::uint8_t* lane_bits) {
  using Space = typename Exec::memory_space;
  std::vector<ModelNode> nodes;
  std::vector<int> trees;
  for (const ModelTree& tree : forest.trees) {
    trees.push_back(static_cast<int>(nodes.size()));
    nodes.insert(nodes.end(), tree.begin(), tree.end());
  }
  Arena<Space> arena(exec, "heddle::spmv::csr_forest",
                     arena_bytes<ModelNode, int>(nodes.size(), trees.size()));
  const auto copied = [&]<class T>(const std::vector<T>& from) {
    const auto to = arena.template take<T>(from.size());
    Kokkos::deep_copy(kokkos_space(exec), to,
                      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          from.data(), from.size()));
    return to.data();
  };
  using Kernel = LearnedLanesKernel<O, Off>;
  const Kernel kernel{
      row_ptr,       static_cast<double>(columns),   table.blocks, table.first, copied(nodes),
      copied(trees), static_cast<int>(trees.size()), lane_bits};
  constexpr int blocks_per_team = backends::has_lanes<Exec> ? Kernel::threads / Kernel::width : 1;
  backends::launch<backends::Shape<Kernel::width, Kernel::threads>>(
      exec, "heddle::spmv::csr_learned_lanes",
      ceil_div<std::int64_t>(table.blocks, blocks_per_team), kernel);
  exec.fence("heddle::spmv::csr_forest_read");
}

/// Runs the csr schemes: borrows the matrix, and owns the shares (csr/adaptive, csr/merge unless it
/// searches for them) or blocks of rows (csr/blocks), the workspace for packed vectors, and the row
/// hints of a CPU's variant.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Dot = team_sums::Dot<Acc>;

  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme)
      : A_(in.A),
        parameters_(Parameters::resolve(scheme, in.features.rows(), in.device)),
        apart_(in.vectors.apart),
        variant_(in, scheme, parameters_) {
    switch (parameters_.way) {
      case Way::rows: break;
      case Way::adaptive:
        shares_ = Shares(
            in.exec, A_, Kernels::share_work(in.device, A_, Cutting::around_short_rows),
            Kernels::row_steps, Cutting::around_short_rows, static_cast<Off>(Kernels::short_row));
        break;
      case Way::merge:
        shares_ = Shares(in.exec, A_, Kernels::share_work(in.device, A_, Cutting::equal_work),
                         Kernels::row_steps, Cutting::equal_work, Off(0));
        break;
      case Way::searched_merge: search_ = Kernels::share_search(in.device, A_); break;
      case Way::blocks:
        learn(in);
        blocks_ = Blocks(in.exec, A_, *parameters_.rows_per_block, *parameters_.long_row,
                         parameters_.block_lanes || parameters_.learned == Wanted::yes);
        give_lanes(in);
        break;
    }
    if (parameters_.has_shares()) packed_ = room_for_packing(in);
    parameters_.packed = packed_.vectors();
    scheme_ = scheme_with(scheme, parameters_, in.device);
  }

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Operands operands =
        operands_of(view_of(A_), Product<V, Acc>{conjugates(op), alpha, beta, x, y});
    if (transposes(op)) {
      scale<V, Acc>(exec, beta, y);
      Kernels::scatter(exec, operands);
    } else if (x.count > 1 && x.vector_stride != 1 && packed_.vectors() > 0) {
      each_pass(operands, packed_.vectors(), [&](Operands pass) {
        pass.x = packed_.pack(exec, pass.x);
        run(exec, pass, Dot());
      });
    } else {
      run(exec, operands, Dot());
    }
  }

  /// Whether the product's launch computes the dot product: not in csr/blocks, in shares that a GPU
  /// searches for, or if a second launch finishes cut rows.
  bool has_dot(Op op) const override {
    if (transposes(op)) return false;
    switch (parameters_.way) {
      case Way::rows: return true;
      case Way::adaptive:
      case Way::merge: return Shares::Table::waits;
      case Way::searched_merge: return !backends::has_lanes<Exec>;
      case Way::blocks: return false;
    }
    return false;
  }
  bool apply_dot(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
                 const Multivector<V>& y, const Dot& dot) override {
    return run(exec, operands_of(view_of(A_), Product<V, Acc>{conjugates(op), alpha, beta, x, y}),
               dot);
  }

  void update_values(const Exec&, const Matrix& A) override { A_ = A; }

  std::size_t bytes() const override {
    return shares_.bytes() + blocks_.bytes() + variant_.bytes() + packed_.bytes();
  }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const auto nonzeros = static_cast<double>(A_.nonzeros());
    const double rows = A_.rows(), columns = A_.columns();
    const double x = transposes(op) ? rows : columns, y = transposes(op) ? columns : rows;
    // A scatter scales y, then reads and writes it with atomic additions.
    const double y_times = transposes(op) ? 3 + with_beta : 1 + with_beta;
    const double x_times = lays_side_by_side(vectors) ? 3 : 1;
    const int passes = transposes(op) ? 1 : passes_over_matrix(vectors, vectors_per_pass(vectors));
    return passes *
               (nonzeros * (sizeof(S) + sizeof(O)) + (rows + 1) * sizeof(Off) +
                shares_.read_bytes() + static_cast<double>(blocks_.bytes() + variant_.bytes())) +
           vectors * ((transposes(op) ? 0 : shares_.carried_bytes()) +
                      static_cast<double>(sizeof(V)) * (x * x_times + y * y_times));
  }

 private:
  using Kernels = csr::Kernels<Exec, S, O, Off, V, Acc>;
  using Operands = csr::CsrOperands<S, O, Off, V, Acc>;
  using Shares = EqualWork<Exec, O, Off, Acc>;
  using Blocks = RowBlocks<Exec, O, Off>;

  /// Vectors that one pass serves, of `vectors` in the layout that the plan expects.
  int vectors_per_pass(int vectors) const {
    const bool packed = lays_side_by_side(vectors);
    const int most =
        Kernels::vectors_per_pass(vectors, apart_ && !packed, parameters_.has_shares(), variant_);
    return packed ? std::min(most, packed_.vectors()) : most;
  }

  bool lays_side_by_side(int vectors) const {
    return apart_ && vectors > 1 && packed_.vectors() > 0;
  }

  /// Returns whether there was room for the dot product, if one is wanted.
  bool run(const Exec& exec, const Operands& operands, const Dot& dot) const {
    const auto shares = [&](const char* label) {
      return Kernels::shares(exec, label, operands, shares_.table(), variant_, dot);
    };
    switch (parameters_.way) {
      case Way::rows: return Kernels::rows(exec, operands, *parameters_.lanes, variant_, dot);
      case Way::adaptive: return shares("heddle::spmv::csr_adaptive");
      case Way::merge: return shares("heddle::spmv::csr_merge");
      case Way::searched_merge:
        return Kernels::searched_shares(exec, operands, search_, variant_, dot);
      case Way::blocks: Kernels::blocks(exec, operands, blocks_.table(), variant_); return true;
    }
    return true;
  }

  /// For csr/blocks: uses a model for the lanes if there is one and no parameter sets them.
  void learn(const Inspection<Exec, Matrix>& in) {
    if (parameters_.learned == Wanted::yes) {
      if (!in.lanes) {
        throw Refusal("csr/blocks,learned=yes needs a model of the lanes of blocks",
                      "give options.model one, learned on this device for such plans");
      }
      if (parameters_.block_lanes) {
        throw Refusal(
            "csr/blocks has learned=yes, and lanes=" + std::to_string(*parameters_.block_lanes),
            "leave one of them out");
      }
    } else if (backends::has_lanes<Exec> && in.lanes && !parameters_.block_lanes &&
               !parameters_.learned) {
      parameters_.learned = Wanted::yes;
    }
  }
  void give_lanes(const Inspection<Exec, Matrix>& in) {
    if constexpr (backends::has_lanes<Exec>) {
      if (parameters_.learned == Wanted::yes) {
        learn_lanes(in.exec, *in.lanes, A_.row_ptr().data(), A_.columns(), blocks_.table(),
                    blocks_.lane_bits().data());
      } else if (parameters_.block_lanes) {
        const auto lanes = static_cast<unsigned>(*parameters_.block_lanes);
        fill(in.exec, "heddle::spmv::csr_lanes_of_blocks", blocks_.lane_bits().data(),
             blocks_.table().blocks, static_cast<std::uint8_t>(std::countr_zero(lanes)));
      }
    }
  }

  PackedVectors<Exec, V> room_for_packing(const Inspection<Exec, Matrix>& in) const {
    int room = 0;
    if (parameters_.packed) {
      room = *parameters_.packed;
    } else if (in.vectors.several_apart() && parameters_.has_table()) {
      room = std::min(in.vectors.count, vectors_per_launch<Exec>);
      if (!Kernels::repays_packing(in.exec, A_, room, variant_)) room = 0;
    }
    return room ? PackedVectors<Exec, V>(in.exec, A_.columns(), room) : PackedVectors<Exec, V>();
  }

  Matrix A_;
  Scheme scheme_;
  Parameters parameters_;
  ShareSearch search_;
  bool apart_;
  typename Kernels::Variant variant_;
  Shares shares_;
  Blocks blocks_;
  PackedVectors<Exec, V> packed_;
};

}  // namespace heddle::detail::csr

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> CsrFormat::inspect(
    const Inspection<Exec, Matrix>& inspection, const Scheme& scheme) {
  return std::make_unique<detail::csr::Executor<Exec, Matrix, V, Acc>>(inspection, scheme);
}

template <>
inline constexpr bool detail::is_defined<CsrFormat> = true;

}  // namespace heddle
