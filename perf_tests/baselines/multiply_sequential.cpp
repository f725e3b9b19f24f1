// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain sequential product: row by row with a dense accumulator. Source: F. G. Gustavson, "Two
// fast algorithms for sparse matrices", ACM TOMS 4, 1978.
#include <vector>

#include "../bench/multiply/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultiplyProblem<S, Off>;
using Matrix = Problem::Matrix;

class SequentialProduct {
 public:
  SequentialProduct(const Exec&, const Matrix& A, const Matrix& B)
      : A_(A), B_(B), sums_(static_cast<std::size_t>(B.columns())) {
    std::vector<Index> last(sums_.size(), -1);
    for (Index i = 0; i < A.rows(); ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(col_idx_.size());
      for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
        const Index row = A.col_idx()(k);
        for (Off l = B.row_ptr()(row); l < B.row_ptr()(row + 1); ++l) {
          const Index column = B.col_idx()(l);
          if (std::exchange(last[static_cast<std::size_t>(column)], i) != i)
            col_idx_.push_back(column);
        }
      }
      std::sort(col_idx_.begin() + begin, col_idx_.end());
      row_ptr_.push_back(static_cast<Off>(col_idx_.size()));
    }
    values_.resize(col_idx_.size());
  }

  void numeric(const Exec&) {
    for (Index i = 0; i < A_.rows(); ++i) {
      for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
        const Index row = A_.col_idx()(k);
        const S factor = A_.values()(k);
        for (Off l = B_.row_ptr()(row); l < B_.row_ptr()(row + 1); ++l)
          sums_[static_cast<std::size_t>(B_.col_idx()(l))] += factor * B_.values()(l);
      }
      const auto at = static_cast<std::size_t>(i);
      for (auto k = static_cast<std::size_t>(row_ptr_[at]);
           k < static_cast<std::size_t>(row_ptr_[at + 1]); ++k) {
        values_[k] = std::exchange(sums_[static_cast<std::size_t>(col_idx_[k])], S(0));
      }
    }
  }
  Matrix matrix() const {
    return Matrix(A_.rows(), B_.columns(), static_cast<std::int64_t>(col_idx_.size()),
                  row_ptr_.data(), col_idx_.data(), values_.data());
  }
  std::size_t bytes() const {
    return row_ptr_.size() * sizeof(Off) + col_idx_.size() * (sizeof(Index) + sizeof(S)) +
           sums_.size() * sizeof(S);
  }

 private:
  Matrix A_, B_;
  std::vector<Off> row_ptr_{0};
  std::vector<Index> col_idx_;
  std::vector<S> values_, sums_;
};

[[maybe_unused]] const bool entered =
    add_contestant<ProductsInTurn<S, Off, SequentialProduct>, Problem>(
        "program", "by rows with a dense accumulator on one thread (Gustavson)");

}  // namespace

}  // namespace heddle::bench
