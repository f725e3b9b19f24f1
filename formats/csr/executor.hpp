// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>

#include "../../backends/loops.hpp"
#include "../common/equal_work.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/packed_vectors.hpp"
#include "../common/scale.hpp"
#include "kernels.hpp"
#include "learned_lanes.hpp"
#include "parameters.hpp"

namespace heddle::detail::csr {

/// Runs the csr schemes: borrows the matrix, and owns the shares (csr/adaptive, csr/merge unless it
/// searches for them) or blocks of rows (csr/blocks), the room for packed vectors, and what a CPU's
/// variant knows of the rows.
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

  /// Of csr/blocks, of rows that threads of a GPU search for, and where a second launch finishes
  /// rows that are cut it comes after the product.
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
    // Scattered, y is scaled, and then read and written by atomic additions.
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
  using Operands = csr::Operands<S, O, Off, V, Acc>;
  using Shares = EqualWork<Exec, O, Off, Acc>;
  using Blocks = RowBlocks<Exec, O, Off>;

  /// Of `vectors` vectors, laid out as the plan expects them; packed ones lie side by side.
  int vectors_per_pass(int vectors) const {
    const bool packed = lays_side_by_side(vectors);
    const int most =
        Kernels::vectors_per_pass(vectors, apart_ && !packed, parameters_.has_shares(), variant_);
    return packed ? std::min(most, packed_.vectors()) : most;
  }

  bool lays_side_by_side(int vectors) const {
    return apart_ && vectors > 1 && packed_.vectors() > 0;
  }

  /// Whether there was room for the dot, if one is wanted.
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

  /// Of csr/blocks: whether a model says the lanes, where nobody else does.
  void learn(const Inspection<Exec, Matrix>& in) {
    if (parameters_.learned == Wanted::yes) {
      if (!in.lanes) {
        throw Refusal("csr/blocks,learned=yes without a model of the lanes of blocks",
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
