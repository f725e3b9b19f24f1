// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/launch.hpp"
#include "../../core/matrix.hpp"
#include "../common/arrays.hpp"
#include "../common/executor.hpp"
#include "format.hpp"
#include "kernel.hpp"

namespace heddle::detail::gcsr {

/// Finds the rows that have entries and their first entries: a compaction by a scan over all rows.
template <Ordinal O, Offset Off>
struct CompactRowsKernel {
  const Off* from;
  std::int64_t rows;
  O* row_number;
  Off* row_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t row, O& place, bool last) const {
    const bool has_entries = from[row] < from[row + 1];
    if (last && has_entries) {
      row_number[place] = static_cast<O>(row);
      row_ptr[place] = from[row];
    }
    if (has_entries) ++place;
    if (last && row == rows - 1) row_ptr[place] = from[rows];
  }
};

/// The arrays of a GCSR matrix besides the columns and values that it borrows, in one allocation.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;

  /// One allocation, two launches in the order of `exec`, no wait. A has `empty_rows` empty rows.
  template <Scalar S>
  Storage(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t empty_rows)
      : all_rows_(A.rows()), rows_(static_cast<O>(A.rows() - empty_rows)) {
    const std::int64_t words = RowBits::words_for(all_rows_);
    std::tie(row_number_, row_ptr_, bits_) = arrays<O, Off, std::uint32_t>(
        arena_, exec, "heddle::spmv::gcsr", rows_, std::int64_t{rows_} + 1, words);
    const Off* const row_ptr = A.row_ptr().data();
    Kokkos::parallel_scan("heddle::spmv::gcsr_rows", scan_policy(exec, all_rows_),
                          CompactRowsKernel<O, Off>{row_ptr, all_rows_, row_number_, row_ptr_});
    Kokkos::parallel_for("heddle::spmv::gcsr_bits", range_policy(exec, words),
                         MarkRows<EntriesBeyond<Off>>{{row_ptr, Off(0)}, all_rows_, bits_});
  }

  template <Scalar S>
  View<S, O, Off> view(const CsrMatrix<S, O, Off, Space>& A) const {
    return {all_rows_,         rows_,  row_number_, row_ptr_, A.col_idx().data(),
            A.values().data(), {bits_}};
  }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  O all_rows_;
  O rows_;
  Arena<Space> arena_;
  O* row_number_ = nullptr;
  Off* row_ptr_ = nullptr;
  std::uint32_t* bits_ = nullptr;
};

/// Runs the scheme gcsr: borrows columns and values, and owns the table of rows that have entries.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// All parameters of `scheme` are set.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, int lanes)
      : A_(in.A),
        scheme_(scheme),
        lanes_(lanes),
        storage_(in.exec, in.A, in.features.rows().empty_rows) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const View<S, O, Off> view = storage_.view(A_);
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    if constexpr (backends::has_lanes<Exec>) {
      const auto operands = operands_of(view, product);
      if (x.count == 1) return run_subwarps<1, 1>(exec, view, operands);
      run_subwarps<tuning.vector_lanes, tuning.vectors_per_lane>(exec, view, operands);
    } else {
      each_pass(product, tuning.cpu_vectors, [&](const Product<V, Acc>& pass) {
        const auto operands = operands_of(view, pass);
        if (pass.x.count == 1) return run_threads<1>(exec, view, operands);
        run_threads<tuning.cpu_vectors>(exec, view, operands);
      });
    }
  }

  void update_values(const Exec&, const Matrix& A) override { A_ = A; }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double rows = A_.rows(), columns = A_.columns();
    // Lanes of a GPU keep the entries of a row for all vectors.
    const int most = backends::has_lanes<Exec> ? std::max(1, vectors) : tuning.cpu_vectors;
    return passes_over_matrix(vectors, most) *
               (static_cast<double>(A_.nonzeros()) * (sizeof(S) + sizeof(O)) +
                static_cast<double>(storage_.bytes())) +
           vectors * static_cast<double>(sizeof(V)) * (columns + rows * (1 + with_beta));
  }

 private:
  using Operands = gcsr::GcsrOperands<S, O, Off, V, Acc>;
  static constexpr Tuning tuning = tuning_for<backends::Tag<Exec>>;

  /// Launches subwarps of lanes_ lanes for the nonzeros of a row times VectorLanes for the vectors,
  /// or of a whole warp if that is narrower.
  template <int VectorLanes, int VectorsPerLane, int Width = VectorLanes>
  void run_subwarps(const Exec& exec, const View<S, O, Off>& A, const Operands& operands) const {
    if constexpr (Width < backends::max_subwarp_width<Exec>) {
      if (lanes_ * VectorLanes > Width) {
        return run_subwarps<VectorLanes, VectorsPerLane, 2 * Width>(exec, A, operands);
      }
    }
    using Kernel =
        GpuKernel<Operands, VectorLanes, VectorsPerLane, tuning.batch, tuning.rows_per_thread>;
    using Shape =
        backends::Shape<Width, tuning.team_threads, VectorLanes == 1 ? tuning.teams_resident : 1>;
    const std::int64_t compressed = ceil_div<std::int64_t>(A.rows, tuning.team_threads / Width);
    const std::int64_t scaled = scaled_rows(A, operands);
    const std::int64_t rest =
        ceil_div<std::int64_t>(scaled, tuning.team_threads * tuning.rows_per_thread);
    const Kernel kernel{{operands}, A.has_entries, compressed, scaled};
    backends::launch<Shape>(exec, "heddle::spmv::gcsr", compressed + rest, kernel);
  }

  template <int VectorsAtOnce>
  void run_threads(const Exec& exec, const View<S, O, Off>& A, const Operands& operands) const {
    const std::int64_t shares = std::min<std::int64_t>(exec.concurrency(), A.all_rows);
    backends::launch<backends::Shape<1>>(
        exec, "heddle::spmv::gcsr", shares,
        CompressedRowsOnThreads<Operands, VectorsAtOnce>{operands, A.has_entries,
                                                         scaled_rows(A, operands), shares});
  }

  /// Number of rows to check for empty rows: all, or 0 if no row is empty, or if beta is 1 and
  /// leaves their y unchanged. An alpha that is not finite makes y NaN in an empty row.
  static std::int64_t scaled_rows(const View<S, O, Off>& A, const Operands& operands) {
    const bool stays = operands.beta == Acc(1) && operands.alpha * Acc(0) == Acc(0);
    return A.rows == A.all_rows || stays ? 0 : A.all_rows;
  }

  Matrix A_;
  Scheme scheme_;
  int lanes_;
  Storage<Exec, O, Off> storage_;
};

}  // namespace heddle::detail::gcsr

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> GcsrFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::gcsr;
  const Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), *parameters.lanes);
}

template <>
inline constexpr bool detail::is_defined<GcsrFormat> = true;

}  // namespace heddle
