// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov loops over cuSPARSE (SpMV, SpSV, csrilu02, csric02) and cuBLAS: with scalars on the host,
// and with scalars on the device, recorded as graphs.
#include "../bench/solve/problem.hpp"
#include "cusparse_bicgstab.hpp"
#include "cusparse_cg.hpp"
#include "cusparse_gmres.hpp"

namespace heddle::bench {

namespace {

using cusparse::With;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SolveProblem<S, Off>;

/// cuSPARSE and cuBLAS as the kernels of krylov_loops.hpp.
class CusparseKernels {
 public:
  using Vector = Kokkos::View<S*, Space>;

  CusparseKernels(const Exec& exec, const Problem& problem, With with)
      : exec_(exec), rows_(problem.x.extent(0)), system_(exec, problem, with) {}

  Vector vector(const char* label) const { return Vector(std::string(label), rows_); }
  void product(const Vector& x, const Vector& y) const { system_.product(x, y); }
  void precondition(const Vector& r, const Vector& z) const { system_.precondition(r, z); }
  S dot(const Vector& x, const Vector& y) const {
    S result(0);
    system_.blas().dot(x, y, &result);
    return result;
  }
  void axpby(S a, const Vector& x, S b, const Vector& y) const {
    if (b == S(1)) return system_.blas().axpy(&a, x, y);
    if (b == S(0) && a == S(1)) return Kokkos::deep_copy(exec_, y, x);
    if (b == S(0) && a == S(0)) return Kokkos::deep_copy(exec_, y, S(0));
    system_.blas().axpby(&a, x, &b, y);
  }
  bool updates() const { return system_.preconditions(); }
  void update_values() { system_.update_values(); }
  std::size_t bytes() const { return system_.bytes(); }

 private:
  Exec exec_;
  std::size_t rows_;
  cusparse::System<S> system_;
};

std::unique_ptr<SolveContestant<S>> record(const Exec& exec, const Problem& problem, With with) {
  switch (problem.request.method()) {
    case Method::cg: return std::make_unique<cusparse::GraphCg<S, Off>>(exec, problem, with);
    case Method::minres:
      throw Error("the recorded loops over cuSPARSE have no MINRES",
                  "take one that is not recorded");
    case Method::bicgstab:
      return std::make_unique<cusparse::GraphBicgstab<S, Off>>(exec, problem, with);
    case Method::gmres: break;
  }
  return std::make_unique<cusparse::GraphGmres<S, Off>>(exec, problem, with);
}

bool enter(const std::string& of, const std::string& description, With with) {
  add_contestant<LoopSolve<S, Off, CusparseKernels>, Problem>("cusparse-" + of, description, with);
  return add_baseline<Problem>(
      {"cusparse-graph-" + of, description + ", numbers on the device, recorded",
       [with](const Exec& exec, const Problem& problem) { return record(exec, problem, with); }});
}

[[maybe_unused]] const bool none = enter("none", "a loop over cuSPARSE and cuBLAS", With::none);
[[maybe_unused]] const bool jacobi =
    enter("jacobi", "a loop over cuSPARSE and cuBLAS, the diagonal", With::jacobi);
[[maybe_unused]] const bool ssor =
    enter("ssor", "a loop over cuSPARSE and cuBLAS, a symmetric sweep by SpSV", With::ssor);
[[maybe_unused]] const bool ilu0 =
    enter("ilu0", "a loop over cuSPARSE and cuBLAS, csrilu02 and SpSV", With::ilu0);
[[maybe_unused]] const bool ic0 =
    enter("ic0", "a loop over cuSPARSE and cuBLAS, csric02 and SpSV", With::ic0);

}  // namespace

}  // namespace heddle::bench
