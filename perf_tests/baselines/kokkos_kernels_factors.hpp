// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' factors and their solves by level sets.
#pragma once

#include <KokkosSparse_spiluk.hpp>
#include <cstddef>

#include "../../core/matrix.hpp"
#include "kokkos_kernels_library.hpp"

namespace heddle::bench::kokkos_kernels {

/// A triangular factor and its solve.
template <Scalar S, Offset Off>
struct Triangle {
  using Vector = Kokkos::View<S*, Space>;

  Kokkos::View<Off*, Space> row_ptr;
  Kokkos::View<Index*, Space> col_idx;
  Vector values;
  Handle<S, Off> handle;

  explicit Triangle(std::size_t rows) : row_ptr("heddle::bench::row_ptr", rows + 1) {}
  Triangle(const Triangle&) = delete;
  ~Triangle() { handle.destroy_sptrsv_handle(); }

  void make_room(std::size_t entries) {
    Kokkos::resize(col_idx, entries);
    values = Vector("heddle::bench::values", entries);
  }
  void inspect(Index rows, bool lower) {
    handle.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1, rows,
                                lower);
    sparse::sptrsv_symbolic(&handle, row_ptr, col_idx, values);
  }
  void solve(const Vector& b, const Vector& x) {
    sparse::sptrsv_solve(&handle, row_ptr, col_idx, values, b, x);
  }
};

/// ILU(level) by spiluk, and both solves. Columns of a row ascend; L has its diagonal of ones.
template <Scalar S, Offset Off>
class Spiluk {
 public:
  using Vector = Kokkos::View<S*, Space>;
  using Matrix = CsrMatrix<S, Index, Off, Space>;

  /// `most_fill`: bound that the library is given on the entries of both factors, per entry of A.
  Spiluk(const Matrix& A, Index level, double most_fill)
      : A_(A),
        level_(level),
        lower_(static_cast<std::size_t>(A.rows())),
        upper_(static_cast<std::size_t>(A.rows())),
        middle_("heddle::bench::middle", A.rows()) {
    const auto rows = static_cast<std::size_t>(A.rows());
    const auto most =
        static_cast<std::size_t>(most_fill * static_cast<double>(A.nonzeros())) + rows;
    handle_.create_spiluk_handle(KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1, rows,
                                 most, most);
    lower_.make_room(most);
    upper_.make_room(most);
    auto row_ptr = A.row_ptr();  // the library needs it non-const
    auto col_idx = A.col_idx();
    sparse::spiluk_symbolic(&handle_, level, row_ptr, col_idx, lower_.row_ptr, lower_.col_idx,
                            upper_.row_ptr, upper_.col_idx);
    const auto& found = *handle_.get_spiluk_handle();
    lower_.make_room(found.get_nnzL());
    upper_.make_room(found.get_nnzU());
    factor();
    lower_.inspect(A.rows(), true);
    upper_.inspect(A.rows(), false);
  }
  Spiluk(const Spiluk&) = delete;
  ~Spiluk() { handle_.destroy_spiluk_handle(); }

  void factor() {
    auto row_ptr = A_.row_ptr();
    auto col_idx = A_.col_idx();
    auto values = A_.values();
    sparse::spiluk_numeric(&handle_, level_, row_ptr, col_idx, values, lower_.row_ptr,
                           lower_.col_idx, lower_.values, upper_.row_ptr, upper_.col_idx,
                           upper_.values);
  }
  void solve(const Vector& b, const Vector& x) {
    lower_.solve(b, middle_);
    upper_.solve(middle_, x);
  }
  const Triangle<S, Off>& lower() const { return lower_; }
  const Triangle<S, Off>& upper() const { return upper_; }

 private:
  Matrix A_;
  Index level_;
  Handle<S, Off> handle_;
  Triangle<S, Off> lower_, upper_;
  Vector middle_;
};

}  // namespace heddle::bench::kokkos_kernels
