// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's conversions from CSR: into blocks, and into the CSR of the transpose.
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
  MklConversion(const Exec& exec, const Problem& problem, bool blocks)
      : problem_(problem), from_(problem.A), blocks_(blocks) {
    const int block = problem.block;
    if (blocks && (problem.A.rows() % block != 0 || problem.A.columns() % block != 0)) {
      throw Error("a product with MKL's blocks needs rows and columns in multiples of " +
                      std::to_string(block),
                  "use another --block");
    }
    convert(exec);
  }
  MklConversion(const MklConversion&) = delete;
  ~MklConversion() override { release(); }

  void convert(const Exec&) override {
    release();
    if (blocks_) {
      mkl::check(mkl_sparse_convert_bsr(from_.handle(), problem_.block, SPARSE_LAYOUT_ROW_MAJOR,
                                        SPARSE_OPERATION_NON_TRANSPOSE, &made_),
                 "mkl_sparse_convert_bsr");
    } else {
      mkl::check(mkl_sparse_convert_csr(from_.handle(), SPARSE_OPERATION_TRANSPOSE, &made_),
                 "mkl_sparse_convert_csr");
    }
  }

  void product(const Exec&) override {
    constexpr auto multiply =
        mkl::of_type<M>(mkl_sparse_s_mv, mkl_sparse_d_mv, mkl_sparse_c_mv, mkl_sparse_z_mv);
    matrix_descr general{};
    general.type = SPARSE_MATRIX_TYPE_GENERAL;
    mkl::check(multiply(blocks_ ? SPARSE_OPERATION_NON_TRANSPOSE : SPARSE_OPERATION_TRANSPOSE,
                        mkl::value(S(1)), made_, general, mkl::array(problem_.x), mkl::value(S(0)),
                        mkl::array(problem_.y)),
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
  bool blocks_;
};

bool enter(const char* name, const char* description, bool blocks) {
  return add_baseline<Problem>(
      {name, description, [blocks](const Exec& exec, const Problem& problem) {
         mkl::share_threads(exec);
         return std::make_unique<MklConversion>(exec, problem, blocks);
       }});
}

[[maybe_unused]] const bool blocks = enter("mkl-bsr", "Intel MKL's mkl_sparse_convert_bsr", true);
[[maybe_unused]] const bool columns =
    enter("mkl-csc", "Intel MKL's mkl_sparse_convert_csr, transposed", false);

}  // namespace

}  // namespace heddle::bench
