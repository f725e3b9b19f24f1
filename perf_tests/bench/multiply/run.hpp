// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/device.hpp"
#include "../common/contest.hpp"
#include "check.hpp"
#include "heddle_contestants.hpp"
#include "prolongation.hpp"
#include "request.hpp"

namespace heddle::bench {

/// Multiplies the matrix of one source with one pair of types: load, make the other factors,
/// verify, time.
template <Scalar S, Offset Off>
class MultiplyRun {
 public:
  MultiplyRun(const MultiplyRequest& request, const Source& source, Progress& progress)
      : request_(request), progress_(progress), contest_(exec_, progress_, result_) {
    A_ = load_into(result_, source, progress_, [&] { return sorted(source); });
    if (A_.rows() != A_.columns()) {
      throw Error(result_.name + " is " + std::to_string(A_.rows()) + " x " +
                      std::to_string(A_.columns()) + "; its product with itself needs a square one",
                  "use another matrix");
    }
    const bool with_P = request_.product != "aa";
    B_ = with_P ? smoothed_prolongation<S, Off>(A_.matrix()) : A_;
    count_products();
    if (request_.product == "rap") R_ = adjoint(B_);
    problem_.A = on_device(A_, device_A_);
    problem_.B = with_P ? on_device(B_, device_B_) : problem_.A;
    if (request_.product == "rap") problem_.R = on_device(R_, device_R_);
    exec_.fence("heddle::bench::copied");
    result_.rows = row_features(exec_, problem_.A);
    result_.apply_bytes = result_.csr_bytes;
  }

  MatrixResult run() {
    contest_.enter("auto", true,
                   [&] { return std::make_unique<PlannedMultiply<S, Off>>(exec_, problem_); });
    contest_.enter_baselines(problem_, request_);
    if (request_.verify()) verify_all();
    contest_.time_all(request_);
    return std::move(result_);
  }

 private:
  using Contestant = MultiplyContestant<S, Off>;
  using Device = CsrStorage<S, Index, Off, Space>;
  using Serial = Kokkos::DefaultHostExecutionSpace;

  /// The matrix with ascending columns, each once, which other libraries need.
  HostStorage<S, Off> sorted(const Source& source) const {
    const auto loaded = load<S, Off>(source, request_.matrices.seed).matrix;
    return add_up_repeats(Serial(), loaded.matrix()).storage();
  }
  HostStorage<S, Off> adjoint(const HostStorage<S, Off>& P) const {
    return transpose(Serial(), P.matrix(), Op::conjugate_transpose).storage();
  }
  typename Device::Matrix on_device(const HostStorage<S, Off>& host, Device& device) {
    device = host.template copy_to<Space>(exec_);
    return device.matrix();
  }

  /// Counts the multiplications of the first product; throws Error if they are too many.
  void count_products() {
    for (Off k = 0; k < A_.nonzeros(); ++k) {
      const auto row = static_cast<std::size_t>(A_.col_idx()(static_cast<std::size_t>(k)));
      products_ += static_cast<double>(B_.row_ptr()(row + 1) - B_.row_ptr()(row));
    }
    if (products_ > request_.most_products) {
      throw Error(result_.name + " needs " + std::to_string(static_cast<std::int64_t>(products_)) +
                      " multiplications",
                  "raise --most-products");
    }
    result_.choice_reason = std::to_string(static_cast<std::int64_t>(products_)) +
                            " multiplications by a B of " + std::to_string(B_.columns()) +
                            " columns and " + std::to_string(B_.nonzeros()) + " entries";
  }

  void verify_all() {
    using Matrix = CsrMatrix<S, Index, Off, Kokkos::HostSpace>;
    const Matrix A = A_.matrix(), B = B_.matrix(), R = R_.matrix();
    contest_.verify([&](Contestant& contestant, const ContestantResult&) {
      const auto C = contestant.result(exec_);
      const Matrix& left = problem_.R ? R : A;
      const bool fits = C.rows() == left.rows() && C.columns() == B.columns();
      return fits ? product_error(C.matrix(), problem_.R ? &R : nullptr, A, B, products_)
                  : std::numeric_limits<double>::infinity();
    });
  }

  MultiplyRequest request_;
  Progress& progress_;
  Exec exec_;
  HostStorage<S, Off> A_, B_, R_;
  Device device_A_, device_B_, device_R_;
  double products_ = 0;
  MultiplyProblem<S, Off> problem_;
  MatrixResult result_;
  Contest<Contestant> contest_;
};

}  // namespace heddle::bench
