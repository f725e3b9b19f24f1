// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench multiply`.
struct MultiplyRequest : ContestOptions {
  /// The product: A A (aa), A P (ap), or R A P (rap) for a smoothed prolongation P and R = P^H.
  std::string product = "aa";
  /// Number of multiplications above which a matrix is left out.
  double most_products = 3e9;
};

/// A contestant that multiplies two or three matrices repeatedly, with the same patterns. Its
/// set-up is the symbolic phase, and run() the numeric one.
template <Scalar S, Offset Off>
class MultiplyContestant : public Contestant {
 public:
  /// The product on the host. Waits.
  virtual HostStorage<S, Off> result(const Exec& exec) = 0;
};

/// C = A B, or C = R A B. Columns of a row ascend, each once.
template <Scalar S, Offset Off>
struct MultiplyProblem : MatrixProblem<S, Off> {
  using Contestant = MultiplyContestant<S, Off>;
  using typename MatrixProblem<S, Off>::Matrix;

  Matrix B;
  std::optional<Matrix> R;
};

/// One product, or two in sequence, by a class that multiplies two matrices: Product(exec, A, B),
/// numeric(exec), matrix() and bytes().
template <Scalar S, Offset Off, class Product>
class ProductsInTurn : public MultiplyContestant<S, Off> {
 public:
  ProductsInTurn(const Exec& exec, const MultiplyProblem<S, Off>& problem)
      : first_(exec, problem.A, problem.B) {
    if (problem.R) last_.emplace(exec, *problem.R, first_.matrix());
  }

  void run(const Exec& exec) override {
    first_.numeric(exec);
    if (last_) last_->numeric(exec);
  }
  HostStorage<S, Off> result(const Exec& exec) override {
    exec.fence("heddle::bench::multiplied");
    return host_copy((last_ ? *last_ : first_).matrix());
  }
  std::size_t bytes() const override { return first_.bytes() + (last_ ? last_->bytes() : 0); }
  bool allocates_through_kokkos() const override { return false; }

 private:
  template <class Matrix>
  static HostStorage<S, Off> host_copy(const Matrix& C) {
    HostStorage<S, Off> host(Kokkos::DefaultHostExecutionSpace(), C.rows(), C.columns(),
                             static_cast<std::int64_t>(C.nonzeros()));
    Kokkos::deep_copy(host.row_ptr(), C.row_ptr());
    Kokkos::deep_copy(host.col_idx(), C.col_idx());
    Kokkos::deep_copy(host.values(), C.values());
    return host;
  }

  Product first_;
  std::optional<Product> last_;
};

}  // namespace heddle::bench
