// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/device.hpp>
#include <heddle/formats/choose.hpp>
#include <heddle/formats/list.hpp>
#include <optional>

namespace heddle {

/// What a user may say about a plan; every default is sensible.
struct SpmvOptions {
  /// Pins the scheme; by default `choose` takes one.
  std::optional<Scheme> scheme = std::nullopt;
  /// How often the plan will be applied: what an inspection may cost.
  std::int64_t expected_applies = 1000;
  /// The columns that x will have, for the choice of a scheme. x may have any others; but expect
  /// several that lie apart, and csr/adaptive and csr/merge keep room to lay them side by side, up
  /// to 32 at a time on a GPU and 64 on a CPU, where that takes less time.
  ExpectedColumns columns = {};
  Transpose transpose = Transpose::on_first_use;
  /// Whether to look for column indices out of range, one pass over col_idx. The row pointer is
  /// checked in any case.
  bool check = true;
};

/// One matrix, inspected once, to be applied many times: y = alpha * op(A) * x + beta * y.
///
/// The plan borrows the matrix: its arrays must outlive the plan. It belongs to the device of
/// `exec`, and applies on any execution space instance of that device. One plan applies once at a
/// time, since csr/adaptive and csr/merge keep parts of sums and packed columns in it; for
/// concurrent applies make a plan each. Moves, does not copy.
///
/// Vector is the type of x and y, Accumulator that of alpha, beta and every sum; both default to
/// the matrix's scalar and may be wider: SpmvPlan<Exec, Matrix, float, double>(exec, A).
template <ExecutionSpace Exec, class Matrix, Scalar Vector = typename Matrix::scalar_type,
          Scalar Accumulator = Vector>
class SpmvPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Matrix::memory_space>::accessible,
                "the matrix lies in a memory space that the execution space cannot reach");

  /// Inspects A on `exec` and waits for it: one launch to learn and check the shape of the rows,
  /// then what the scheme needs. Rows may be empty, columns unsorted, entries repeated.
  ///
  /// Throws Error, naming the row, if the row pointer falls or contradicts the number of nonzeros,
  /// and, if options.check, naming row and entry, if a column is out of range; and if
  /// options.scheme does not exist on this device (the message lists what exists), or
  /// options.columns is less than 1. Device memory: bytes(). csr/scalar and csr/subwarp take none.
  SpmvPlan(const Exec& exec, const Matrix& A, const SpmvOptions& options = {})
      : rows_(A.rows()), columns_(A.columns()), nonzeros_(A.nonzeros()) {
    if (options.columns.count < 1) {
      throw Error("options.columns.count is " + std::to_string(options.columns.count),
                  "give the number of columns that x will have");
    }
    Kokkos::Timer timer;
    const RowFeatures features =
        row_features(exec, A, options.check ? Check::columns : Check::rows);
    const Device device = backends::describe(exec);
    if (options.scheme) {
      choice_ = {resolve(*options.scheme, spmv_grammars(device.lanes)), "pinned by the caller"};
    } else {
      choice_ = choose(features, device, options.expected_applies, options.columns);
    }
    executor_ = make_spmv_executor<Vector, Accumulator>(exec, A, choice_.scheme, options.transpose,
                                                        options.columns);
    exec.fence("heddle::spmv::inspected");
    setup_seconds_ = timer.seconds();
  }

  /// y = alpha * A * x + beta * y. x has one row a column of A, y one row a row of A; both are of
  /// rank 1, or of rank 2 with as many columns as each other, in any layout; they do not overlap.
  ///
  /// beta == 0 overwrites y without reading it, NaN included; alpha == 0 reads neither A nor x.
  /// Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be captured
  /// in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme. Throws Error if
  /// shapes do not fit.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Accumulator alpha, const X& x, Accumulator beta, const Y& y) const {
    apply(exec, Op::none, alpha, x, beta, y);
  }

  /// y = alpha * op(A) * x + beta * y; a transposing op takes x with one row a row of A. How the
  /// transpose is applied, and at what price: Transpose.
  template <VectorView X, WritableVectorView Y>
  void apply(const Exec& exec, Op op, Accumulator alpha, const X& x, Accumulator beta,
             const Y& y) const {
    static_assert(std::same_as<typename X::non_const_value_type, Vector> &&
                      std::same_as<typename Y::value_type, Vector>,
                  "x and y hold the plan's Vector type");
    static_assert(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible &&
                      Kokkos::SpaceAccessibility<Exec, typename Y::memory_space>::accessible,
                  "x or y lies in a memory space that the execution space cannot reach");
    const auto x_columns = columns_of<const Vector>(x);
    const auto y_columns = columns_of<Vector>(y);
    check_vectors(rows_, columns_, op, x_columns, y_columns);
    if (alpha == Accumulator(0)) {
      scale<Vector, Accumulator>(exec, beta, y_columns);
    } else {
      executor_->apply(exec, op, alpha, x_columns, beta, y_columns);
    }
  }

  /// Takes the values of A, which has the pattern that was inspected; no new inspection. Its arrays
  /// are borrowed from now on. Ordered on `exec`, no wait. Throws Error if the sizes differ; a
  /// pattern of the same size that differs is not noticed and gives wrong results.
  void update_values(const Exec& exec, const Matrix& A) {
    if (A.rows() != rows_ || A.columns() != columns_ ||
        static_cast<std::int64_t>(A.nonzeros()) != nonzeros_) {
      throw Error("update_values was given a matrix of " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()) + " with " + std::to_string(A.nonzeros()) +
                      " nonzeros, and the plan is for " + std::to_string(rows_) + " x " +
                      std::to_string(columns_) + " with " + std::to_string(nonzeros_),
                  "make a new plan when the pattern changes");
    }
    executor_->update_values(exec, A);
  }

  const Scheme& scheme() const { return choice_.scheme; }
  /// Why that scheme, in a few words.
  const std::string& reason() const { return choice_.reason; }
  /// What the inspection took, in seconds.
  double setup_time() const { return setup_seconds_; }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return executor_->bytes(); }

 private:
  std::int64_t rows_, columns_, nonzeros_;
  Choice choice_;
  std::unique_ptr<SpmvExecutor<Exec, Matrix, Vector, Accumulator>> executor_;
  double setup_seconds_ = 0;
};

}  // namespace heddle
