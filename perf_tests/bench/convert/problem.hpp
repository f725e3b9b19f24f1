// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../spmv/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench convert`.
struct ConvertRequest : ContestOptions {
  /// Rows and columns of the blocks that other libraries convert to, and Heddle too.
  int block = 4;
  /// Whether a plan checks for columns out of range, which other libraries do not.
  bool check = false;
};

/// A contestant that converts one matrix from CSR into another form: run() releases the last result
/// and converts again, from the CSR arrays on the device. The work is enqueued on `exec`, or waited
/// for.
template <Scalar S>
class ConvertContestant : public Contestant {
 public:
  /// y = A x by the result, to verify it: problem.y from problem.x, both of one column. Waits.
  virtual void product(const Exec& exec) = 0;
};

/// A matrix with vectors for verification.
template <Scalar S, Offset Off>
struct ConvertProblem : SpmvProblem<S, Off> {
  using Contestant = ConvertContestant<S>;

  /// The other matrix of sums: random values in the pattern of the transpose of A, or of A if that
  /// is not square. Empty if no sum was asked for.
  CsrMatrix<S, Index, Off, Space> B;

  /// Rows and columns of the blocks of a blocked form.
  int block = 4;
};

/// Whether the contestant of that name makes A + B; all others make A in another form.
inline bool makes_sum(const std::string& name) {
  return name == "op-add" || name.ends_with("-sum");
}

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// To verify a conversion by plain loops: waits for it, copies its arrays and x to
/// the host, calls add_to(y, row_ptr, col_idx, values, x) with y zero, and copies y to problem.y.
template <class Problem, class RowPtr, class ColIdx, class Values, class AddTo>
void product_on_host(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                     const ColIdx& col_idx, const Values& values, const AddTo& add_to) {
  exec.fence("heddle::bench::converted");
  const auto y = Kokkos::create_mirror(Kokkos::HostSpace(), problem.y);
  Kokkos::deep_copy(y, 0);
  add_to(y, on_host(row_ptr), on_host(col_idx), on_host(values), on_host(problem.x));
  Kokkos::deep_copy(problem.y, y);
}

/// y += C x on the host, where C is given by its CSR arrays.
inline constexpr auto add_rows = [](const auto& y, const auto& begin, const auto& columns,
                                    const auto& entries, const auto& x) {
  for (std::size_t row = 0; row + 1 < begin.extent(0); ++row) {
    for (auto k = begin(row); k < begin(row + 1); ++k) y(row) += entries(k) * x(columns(k));
  }
};

/// y = C x for problem.y and problem.x.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_rows(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                     const ColIdx& col_idx, const Values& values) {
  product_on_host(exec, problem, row_ptr, col_idx, values, add_rows);
}

/// y = T' x for problem.y and problem.x, where T is a stored transpose of the problem's matrix.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_transpose(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                          const ColIdx& col_idx, const Values& values) {
  product_on_host(exec, problem, row_ptr, col_idx, values,
                  [](const auto& y, const auto& begin, const auto& columns, const auto& entries,
                     const auto& x) {
                    for (std::size_t row = 0; row + 1 < begin.extent(0); ++row) {
                      for (auto k = begin(row); k < begin(row + 1); ++k)
                        y(columns(k)) += entries(k) * x(row);
                    }
                  });
}

/// y = B x for problem.y and problem.x, where B has blocks of block x block, each stored by rows.
/// Entries of a block beyond the edges of the matrix must be zero.
template <class Problem, class RowPtr, class ColIdx, class Values>
void product_by_blocks(const Exec& exec, const Problem& problem, const RowPtr& row_ptr,
                       const ColIdx& col_idx, const Values& values) {
  const auto block = static_cast<std::size_t>(problem.block);
  product_on_host(exec, problem, row_ptr, col_idx, values,
                  [block](const auto& y, const auto& begin, const auto& columns,
                          const auto& entries, const auto& x) {
                    for (std::size_t i = 0; i < y.extent(0); ++i) {
                      for (auto b = begin(i / block); b < begin(i / block + 1); ++b) {
                        const auto first = static_cast<std::size_t>(columns(b)) * block;
                        const auto row = (static_cast<std::size_t>(b) * block + i % block) * block;
                        for (std::size_t j = 0; j < block; ++j) {
                          if (first + j < x.extent(0)) y(i) += entries(row + j) * x(first + j);
                        }
                      }
                    }
                  });
}

}  // namespace heddle::bench
