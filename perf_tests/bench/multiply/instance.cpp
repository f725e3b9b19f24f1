// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../../../matrices/galerkin.hpp"
#include "../common/contest.hpp"
#include "check.hpp"
#include "problem.hpp"
#include "prolongation.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultiplyProblem<S, Off>;
using Matrix = Problem::Matrix;

/// A MultiplyPlan, or a GalerkinPlan of three matrices.
class PlannedMultiply : public MultiplyContestant<S, Off> {
 public:
  PlannedMultiply(const Exec& exec, const Problem& problem) : problem_(problem) {
    if (problem.R) {
      triple_ = GalerkinPlan<Exec, Matrix>(exec, *problem.R, problem.A, problem.B);
    } else {
      product_ = MultiplyPlan<Exec, Matrix>(exec, problem.A, problem.B);
    }
  }

  void run(const Exec& exec) override {
    if (problem_.R) {
      triple_.numeric(exec, *problem_.R, problem_.A, problem_.B);
    } else {
      product_.numeric(exec, problem_.A, problem_.B);
    }
  }
  HostStorage<S, Off> result(const Exec& exec) override {
    const auto& made = problem_.R ? triple_.storage() : product_.storage();
    const auto host = made.template copy_to<Kokkos::HostSpace>(exec);
    exec.fence("heddle::bench::multiplied");
    return host;
  }
  std::size_t bytes() const override { return problem_.R ? triple_.bytes() : product_.bytes(); }

 private:
  Problem problem_;
  MultiplyPlan<Exec, Matrix> product_;
  GalerkinPlan<Exec, Matrix> triple_;
};

/// Multiplies the matrix of one source: load, make the other factors, verify, time.
class Run : public Contest<MultiplyRequest, Problem> {
 public:
  Run(const MultiplyRequest& request, const Source& source, Progress& progress)
      : Contest(request, source, progress) {
    take_matrix([](const auto& loaded) {  // other libraries need each column once
      return add_up_repeats(Serial(), loaded.matrix.matrix()).storage();
    });
    const HostStorage<S, Off>& A = problem_.host;
    if (A.rows() != A.columns()) {
      throw Error(result_.name + " is " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()) + "; its product with itself needs a square one",
                  "use another matrix");
    }
    const bool with_P = request.product != "aa", with_R = request.product == "rap";
    B_ = with_P ? smoothed_prolongation<S, Off>(A.matrix()) : A;
    count_products();
    problem_.B = with_P ? on_device(B_, device_B_) : problem_.A;
    if (with_R) {
      R_ = transpose(Serial(), B_.matrix(), Op::conjugate_transpose).storage();
      problem_.R = on_device(R_, device_R_);
    }
    exec_.fence("heddle::bench::copied");
  }

  MatrixResult run() {
    enter("auto", true, [&] { return std::make_unique<PlannedMultiply>(exec_, problem_); });
    race([&] {
      return [&](MultiplyContestant<S, Off>& contestant, const ContestantResult&) {
        const auto C = contestant.result(exec_);
        const auto A = problem_.host.matrix(), B = B_.matrix(), R = R_.matrix();
        const bool fits = C.rows() == (problem_.R ? R : A).rows() && C.columns() == B.columns();
        return fits ? product_error(C.matrix(), problem_.R ? &R : nullptr, A, B, products_)
                    : std::numeric_limits<double>::infinity();
      };
    });
    return std::move(result_);
  }

 private:
  using Device = CsrStorage<S, Index, Off, Space>;
  using Serial = Kokkos::DefaultHostExecutionSpace;

  Matrix on_device(const HostStorage<S, Off>& host, Device& device) {
    device = host.copy_to<Space>(exec_);
    return device.matrix();
  }

  /// Counts the multiplications of the first product; throws Error if they are too many.
  void count_products() {
    const auto count = [](auto number) {
      return std::to_string(static_cast<std::int64_t>(number));
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(problem_.host.rows()); ++i) {
      each_entry(problem_.host, i, [&](std::size_t j, const S&) {
        products_ += static_cast<double>(B_.row_ptr()(j + 1) - B_.row_ptr()(j));
      });
    }
    if (products_ > request_.most_products) {
      throw Error(result_.name + " needs " + count(products_) + " multiplications",
                  "raise --most-products");
    }
    result_.choice_reason = count(products_) + " multiplications by a B of " + count(B_.columns()) +
                            " columns and " + count(B_.nonzeros()) + " entries";
  }

  HostStorage<S, Off> B_, R_;
  Device device_B_, device_R_;
  double products_ = 0;
};

[[maybe_unused]] const bool entered = enter_instance<Run>(HEDDLE_BENCH_SCALAR_NAME);

}  // namespace

}  // namespace heddle::bench
