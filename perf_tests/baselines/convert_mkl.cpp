// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's conversion from CSR into blocks. Its conversion into the transpose's CSR is not
// timed: mkl_sparse_convert_csr renames the arrays and moves nothing.
#include "../bench/convert/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = ConvertProblem<S, Off>;
using M = mkl::Type<S>;

class MklConversion : public ConvertContestant<S> {
 public:
  MklConversion(const Exec& exec, const Problem& problem) : problem_(problem), from_(problem.A) {
    const int block = problem.block;
    if (problem.A.rows() % block != 0 || problem.A.columns() % block != 0) {
      throw Error("a product with MKL's blocks needs rows and columns in multiples of " +
                      std::to_string(block),
                  "use another --block");
    }
    run(exec);
  }
  MklConversion(const MklConversion&) = delete;
  ~MklConversion() override { release(); }

  void run(const Exec&) override {
    release();
    mkl::check(mkl_sparse_convert_bsr(from_.handle(), problem_.block, SPARSE_LAYOUT_ROW_MAJOR,
                                      mkl::plain, &made_),
               "mkl_sparse_convert_bsr");
  }

  void product(const Exec&) override {
    constexpr auto multiply =
        mkl::of_type<M>(mkl_sparse_s_mv, mkl_sparse_d_mv, mkl_sparse_c_mv, mkl_sparse_z_mv);
    mkl::check(multiply(mkl::plain, mkl::value(S(1)), made_, mkl::general(), mkl::array(problem_.x),
                        mkl::value(S(0)), mkl::array(problem_.y)),
               "mkl_sparse_mv");
  }
  bool allocates_through_kokkos() const override { return false; }

 private:
  void release() {
    if (made_) mkl_sparse_destroy(made_);
    made_ = nullptr;
  }

  Problem problem_;
  mkl::Matrix<S, Off> from_;
  sparse_matrix_t made_ = nullptr;
};

[[maybe_unused]] const bool entered =
    add_contestant<MklConversion, Problem>("mkl-bsr", "Intel MKL's mkl_sparse_convert_bsr");

}  // namespace

}  // namespace heddle::bench
