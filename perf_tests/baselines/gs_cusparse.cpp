// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel sweeps of cuSPARSE: x += (D + L)^-1 (b - A x), by a product and a triangular solve.
#include "../bench/gs/problem.hpp"
#include "cublas_library.hpp"
#include "cusparse_csr.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = GsProblem<S, Off>;
using Vector = Kokkos::View<S*, Space>;

class CusparseSweeps : public GsContestant<S> {
 public:
  CusparseSweeps(const Exec& exec, const Problem& problem)
      : problem_(checked(problem)),
        blas_(exec, problem.x.extent(0), cublas::Numbers::on_host),
        r_(vector(exec)),
        d_(vector(exec)),
        product_(exec, problem.A, r_, d_) {
    cusparse::TriangleOf upper;
    upper.fill = CUSPARSE_FILL_MODE_UPPER;
    if (problem.forward()) lower_.emplace(exec, problem.A, problem.A.values(), lower, r_, d_);
    if (problem.backward()) upper_.emplace(exec, problem.A, problem.A.values(), upper, r_, d_);
  }

  void run(const Exec& exec) override {
    bool zero = problem_.from_zero;
    for (int sweep = 0; sweep < problem_.sweeps; ++sweep) {
      if (lower_) half(exec, *lower_, zero);
      if (upper_) half(exec, *upper_, zero);
    }
  }
  std::size_t bytes() const override {
    return (r_.span() + d_.span()) * sizeof(S) + product_.bytes() + (lower_ ? lower_->bytes() : 0) +
           (upper_ ? upper_->bytes() : 0);
  }
  std::string note() const override { return "SpMV and SpSV"; }
  /// The correction form rounds in another order than the sequential sweep.
  GsNumbers numbers() const override { return GsNumbers::reordered; }

 private:
  static constexpr cusparse::TriangleOf lower{};

  static const Problem& checked(const Problem& problem) {
    if (problem.columns > 1) throw Error("several columns are not compared", "use --columns 1");
    if (problem.options.omega != 1) {
      throw Error("a triangle of A is no factor of SOR", "use --omega 1");
    }
    return problem;
  }
  Vector vector(const Exec& exec) const {
    return cusparse::allocate<S>(exec, "heddle::bench::sweep",
                                 static_cast<std::int64_t>(problem_.x.extent(0)));
  }
  void half(const Exec& exec, const cusparse::TriangleSolve<S>& triangle, bool& zero) const {
    const S one(1);
    if (zero) {
      triangle.solve(problem_.b, problem_.x);
      zero = false;
      return;
    }
    Kokkos::deep_copy(exec, r_, problem_.b);
    product_.apply(S(-1), problem_.x, S(1), r_);
    triangle.solve(r_, d_);
    blas_.axpy(&one, d_, problem_.x);
  }

  Problem problem_;
  cublas::Vectors<S> blas_;
  Vector r_, d_;
  cusparse::Product<S> product_;
  std::optional<cusparse::TriangleSolve<S>> lower_, upper_;
};

[[maybe_unused]] const bool entered =
    add_contestant<CusparseSweeps, Problem>("cusparse", "cuSPARSE, SpMV and SpSV in turns");

}  // namespace

}  // namespace heddle::bench
