// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/core/scheme.hpp>
#include <heddle/formats/csr/kernels.hpp>
#include <heddle/formats/csr/row_runs.hpp>
#include <heddle/formats/csr/tiles.hpp>
#include <heddle/formats/csr/transpose.hpp>
#include <heddle/formats/executor.hpp>
#include <heddle/formats/packed_columns.hpp>
#include <heddle/formats/scale.hpp>
#include <memory>

namespace heddle::csr {

/// Runs the csr schemes: borrows the matrix, owns the tiles and the room for packed columns
/// (csr/adaptive, csr/merge), and the transpose, if it needs one.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Executor(const Exec& exec, const Matrix& A, const Scheme& scheme, Transpose transpose,
           const ExpectedColumns& columns)
      : A_(A), columns_(columns), transpose_(transpose) {
    using Kernels = csr::Kernels<Exec, S, O, Off, V, Acc>;
    if (scheme.has("merge")) {
      tiled_label_ = "heddle::spmv::csr_merge";
      tiles_ = Tiles<Exec, O, Off, Acc>(exec, A, Kernels::merge_work(exec, A), Kernels::row_steps,
                                        Cutting::equal_work, Off(0));
    } else if (scheme.has("adaptive")) {
      tiled_label_ = "heddle::spmv::csr_adaptive";
      tiles_ = Tiles<Exec, O, Off, Acc>(exec, A, Kernels::adaptive_work(exec, A),
                                        Kernels::row_steps, Cutting::around_short_rows,
                                        static_cast<Off>(Kernels::short_row));
      if constexpr (Kernels::uses_row_hints) {
        const backends::HostVectors vectors = backends::host_vectors();
        if (vectors != backends::HostVectors::none) {
          row_runs_ = RowRuns<Exec>(exec, A);
          row_hints_ = {row_runs_.codes(),
                        row_ends(exec, A.row_ptr().data(), A.rows(), learnt_rows(vectors)),
                        Kernels::streams(exec, A)};
        }
      }
    } else if (scheme.has("subwarp")) {
      width_ = static_cast<int>(scheme.integer("subwarp"));
    }
    if (tiled_label_ && columns.apart) {
      const int room = std::min(columns.count, tile_columns<Exec>);
      if (room > 1 && Kernels::packs_columns(exec, A, room)) {
        packed_ = PackedColumns<Exec, V>(exec, A.columns(), room);
      }
    }
    if (transpose == Transpose::stored) store_transpose(exec);
  }

  void apply(const Exec& exec, Op op, Acc alpha, const Columns<const V>& x, Acc beta,
             const Columns<V>& y) override {
    const bool conjugate = conjugates(op);
    if (!transposes(op)) {
      run(exec, make_operands<V, Acc>(A_, conjugate, alpha, x, beta, y));
    } else if (transpose_ == Transpose::atomics) {
      scale<V, Acc>(exec, beta, y);
      Kernels<Exec, S, O, Off, V, Acc>::scatter(
          exec, make_operands<V, Acc>(A_, conjugate, alpha, x, beta, y));
    } else {
      if (!transposed_executor_) store_transpose(exec);
      transposed_executor_->apply(exec, conjugate ? Op::conjugate : Op::none, alpha, x, beta, y);
    }
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    A_ = A;
    if (transposed_executor_) transposed_.update_values(exec, A);
  }

  std::size_t bytes() const override {
    std::size_t bytes = tiles_.bytes() + row_runs_.bytes() + packed_.bytes();
    if (transposed_executor_) bytes += transposed_.bytes() + transposed_executor_->bytes();
    return bytes;
  }

 private:
  template <class Operands>
  void run(const Exec& exec, const Operands& operands) {
    using Kernels = csr::Kernels<Exec, S, O, Off, V, Acc>;
    if (!tiled_label_) return Kernels::subwarp(exec, operands, width_);
    const bool apart = operands.x.count > 1 && operands.x.column_stride != 1;
    if (apart && packed_.columns() > 0) {
      return each_pass(operands, packed_.columns(), [&](Operands pass) {
        pass.x = packed_.pack(exec, pass.x);
        Kernels::tiles(exec, tiled_label_, pass, tiles_.table(), row_hints_);
      });
    }
    Kernels::tiles(exec, tiled_label_, operands, tiles_.table(), row_hints_);
  }

  /// Rows of the transpose are as long as columns happen to be, so it always runs csr/adaptive.
  void store_transpose(const Exec& exec) {
    transposed_ = Transposed<Exec, S, O, Off>(exec, A_);
    transposed_executor_ =
        std::make_unique<Executor>(exec, transposed_.matrix(), Scheme("csr", {{"adaptive"}}),
                                   Transpose::on_first_use, columns_);
  }

  Matrix A_;
  const char* tiled_label_ = nullptr;  // of csr/adaptive and csr/merge
  int width_ = 1;                      // of csr/scalar and csr/subwarp
  ExpectedColumns columns_;
  Transpose transpose_;
  Tiles<Exec, O, Off, Acc> tiles_;
  RowRuns<Exec> row_runs_;
  RowHints row_hints_;
  PackedColumns<Exec, V> packed_;
  Transposed<Exec, S, O, Off> transposed_;
  std::unique_ptr<Executor> transposed_executor_;
};

}  // namespace heddle::csr
