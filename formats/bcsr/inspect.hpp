// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/loops.hpp"
#include "../common/arrays.hpp"
#include "../common/owned_executor.hpp"
#include "../common/prediction.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_values.hpp"
#include "format.hpp"
#include "kernel.hpp"
#include "view.hpp"

namespace heddle::detail::bcsr {

inline auto recipe_of(const BlockShape& shape) {
  return recipe::tile_rows(shape.rows) | recipe::tile_columns(shape.columns);
}

/// The arrays of a BCSR matrix, in one allocation. The recipe: tile rows, tile columns, compact.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Counts the blocks of A, with two readbacks and a workspace of an offset for each nonzero,
  /// which is freed; then one allocation and three launches. Throws Refusal, before that
  /// allocation, if there is too much fill-in.
  Storage(const Exec& exec, const Matrix& A, const BlockShape& shape)
      : shape_(shape), rows_(A.rows()) {
    using Map = decltype(recipe_of(shape));
    const recipe::Compact<Exec, Matrix, Map> count(exec, A, recipe_of(shape));
    blocks_ = count.keys();
    block_rows_ = count.panels();
    const std::string refusal =
        too_much_fill_in(static_cast<double>(blocks_), shape, static_cast<double>(A.nonzeros()));
    if (!refusal.empty()) throw Refusal("bcsr: " + refusal, "use csr, which holds any matrix");
    std::tie(block_ptr_, block_col_, values_) = arrays<Off, O, S>(
        arena_, exec, "heddle::spmv::bcsr", block_rows_ + 1, blocks_, places() + read_beyond);
    count.write(exec, block_ptr_, block_col_);
    update_values(exec, A);
  }

  /// Writes new values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    const recipe::BlocksByColumns layout{shape_.rows, shape_.columns, block_rows_ * shape_.rows};
    recipe::fill_values(exec, "heddle::spmv::bcsr_fill", A, recipe_of(shape_), block_ptr_,
                        block_col_, layout, values_, recipe::Holes());
  }

  /// Cuts block rows of more than `most` blocks; see BlockRowPieces.
  void cut(const Exec& exec, std::int64_t most) {
    pieces_ = BlockRowPieces<Exec, O, Off, Acc>(exec, block_ptr_, block_rows_, shape_.rows, most);
  }
  const BlockRowPieces<Exec, O, Off, Acc>& pieces() const { return pieces_; }

  template <class Size>
  View<S, O, Off, Size> view(const Size& size) const {
    return pieces_.cut(View<S, O, Off, Size>{size, rows_, static_cast<O>(block_rows_),
                                             static_cast<Off>(blocks_), block_ptr_, block_col_,
                                             values_, block_rows_, block_ptr_, nullptr});
  }
  const BlockShape& shape() const { return shape_; }
  std::int64_t blocks() const { return blocks_; }
  std::int64_t block_rows() const { return block_rows_; }
  std::size_t places() const {
    return static_cast<std::size_t>(blocks_) * static_cast<std::size_t>(shape_.places());
  }
  std::size_t bytes() const { return arena_.bytes() + pieces_.bytes(); }
  double read_bytes() const {
    return static_cast<double>(places()) * sizeof(S) + static_cast<double>(blocks_) * sizeof(O) +
           static_cast<double>(block_rows_ + 1) * sizeof(Off) + pieces_.read_bytes();
  }
  double carried_bytes() const {
    return static_cast<double>(pieces_.counts().carries) * shape_.rows * 2 * sizeof(Acc);
  }

 private:
  /// Most values that a pack of a CPU reads past the end of the last block.
  static constexpr std::size_t read_beyond = 8;

  BlockShape shape_;
  O rows_;
  std::int64_t blocks_ = 0;
  std::int64_t block_rows_ = 0;
  Arena<Space> arena_;
  Off* block_ptr_ = nullptr;
  O* block_col_ = nullptr;
  S* values_ = nullptr;
  BlockRowPieces<Exec, O, Off, Acc> pieces_;
};

/// Runs a scheme bcsr/RxC: owns a copy of the matrix. Square blocks of 2, 3, 4, 6 and 8 rows have
/// sizes known at compile time.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, tuning.most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked)
      : storage(in.exec, in.A, Parameters::shape_of(asked)) {
    auto parameters = parameters_of<Parameters>(asked, in.device);
    parameters.simd = simd = parameters.loads_or_none(asked, in.device);
    const BlockShape& shape = storage.shape();
    std::int64_t most_blocks = std::max<std::int64_t>(
        tuning.least_piece, storage.blocks() / (tuning.cpu_pieces * in.device.multiprocessors));
    if (in.device.has_lanes()) {
      const double columns = static_cast<double>(storage.blocks()) * shape.columns /
                             static_cast<double>(std::max<std::int64_t>(1, storage.block_rows()));
      if (!parameters.lanes) parameters.lanes = lanes_for(shape, columns, in.device);
      lanes = *parameters.lanes;
      most_blocks =
          ceil_div(lanes / shape.rows * tuning.batch * tuning.most_batches, shape.columns);
    }
    storage.cut(in.exec, most_blocks);
    scheme = scheme_with(asked, parameters, in.device);
  }

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    const auto [rows, columns] = storage.shape();
    const BlockSize<0, 0> any{rows, columns};
    if (rows != columns) return run<Vectors>(exec, any, product);
    switch (rows) {
      case 2: return run<Vectors>(exec, BlockSize<2, 2>(), product);
      case 3: return run<Vectors>(exec, BlockSize<3, 3>(), product);
      case 4: return run<Vectors>(exec, BlockSize<4, 4>(), product);
      case 6: return run<Vectors>(exec, BlockSize<6, 6>(), product);
      case 8: return run<Vectors>(exec, BlockSize<8, 8>(), product);
      default: return run<Vectors>(exec, any, product);
    }
  }

  template <int Vectors, class Size>
  bool run(const Exec& exec, const Size& size, const Product<V, Acc>& product) const {
    constexpr int batch = Vectors == 1 ? tuning.batch : tuning.multivector_batch;
    const auto view = storage.view(size);
    using View = std::remove_const_t<decltype(view)>;
    const BlockRowEpilogue<View, Product<V, Acc>> deliver{view, product,
                                                          storage.pieces().carries()};
    if constexpr (backends::has_lanes<Exec>) {
      using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.team_threads>;
      const int lane_bits = std::countr_zero(static_cast<unsigned>(lanes));
      backends::launch<Shape>(exec, "heddle::spmv::bcsr",
                              ceil_div<std::int64_t>(view.pieces, tuning.team_threads >> lane_bits),
                              Kernel<View, Product<V, Acc>, batch, Vectors>{deliver, lane_bits});
    } else {
      const int shares = exec.concurrency();
      backends::launch_simd<backends::Shape<1>>(
          exec, "heddle::spmv::bcsr", shares,
          BlockRowsOnThreads<View, Product<V, Acc>, Exec, Vectors>{deliver, shares}, simd);
    }
    const auto& pieces = storage.pieces();
    if (pieces.counts().cut == 0) return true;
    finish_panels(exec, "heddle::spmv::bcsr_finish", pieces.cut_panels(), pieces.counts().cut,
                  pieces.carries(), product, deliver);
    return true;
  }

  Scheme scheme;
  backends::Simd simd = backends::Simd::none;
  int lanes = 1;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::bcsr

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> BcsrFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  return std::make_unique<detail::bcsr::Executor<Exec, Matrix, V, Acc>>(in, scheme);
}

template <>
inline constexpr bool detail::is_defined<BcsrFormat> = true;

}  // namespace heddle
