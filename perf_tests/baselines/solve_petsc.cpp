// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PETSc's Krylov methods and preconditioners, in one process.
#include <petscksp.h>

#include "../bench/solve/problem.hpp"

namespace heddle::bench {

namespace {

/// A mutable pointer to an array, which PETSc needs even for arrays that it only reads.
template <class T, class... Properties>
std::remove_const_t<T>* array(const Kokkos::View<T*, Properties...>& view) {
  return const_cast<std::remove_const_t<T>*>(view.data());
}

void check(PetscErrorCode code, const char* what) {
  if (code == PETSC_SUCCESS) return;
  throw Error(std::string(what) + " failed with code " + std::to_string(static_cast<int>(code)),
              "leave this baseline out for this problem");
}

void start() {
  static const PetscErrorCode code = [] {
    const PetscErrorCode begun = PetscInitializeNoArguments();
    PetscPopSignalHandler();
    PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
    return begun;
  }();
  check(code, "PetscInitialize");
}

/// A PETSc solve of a problem that has the types that this PETSc was built for.
class PetscSolve : public SolveContestant<::PetscScalar> {
 public:
  PetscSolve(const SolveProblem<::PetscScalar, PetscInt>& problem, PCType with) {
    start();
    const PetscInt rows = problem.A.rows();
    check(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, array(problem.A.row_ptr()),
                                    array(problem.A.col_idx()), array(problem.A.values()), &A_),
          "MatCreateSeqAIJWithArrays");
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, array(problem.b), &b_), "VecCreate");
    check(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, array(problem.x), &x_), "VecCreate");
    check(KSPCreate(PETSC_COMM_SELF, &solver_), "KSPCreate");
    check(KSPSetOperators(solver_, A_, A_), "KSPSetOperators");
    take_method(problem.request);
    PC preconditioner;
    check(KSPGetPC(solver_, &preconditioner), "KSPGetPC");
    check(PCSetType(preconditioner, with), "PCSetType");
    if (std::string(with) == PCSOR) {
      check(PCSORSetSymmetric(preconditioner, SOR_LOCAL_SYMMETRIC_SWEEP), "PCSORSetSymmetric");
    }
    if (std::string(with) == PCGAMG) give_coordinates(preconditioner, problem);
    check(KSPSetUp(solver_), "KSPSetUp");
  }
  PetscSolve(const PetscSolve&) = delete;
  ~PetscSolve() override {
    KSPDestroy(&solver_);
    VecDestroy(&residual_);
    VecDestroy(&x_);
    VecDestroy(&b_);
    MatDestroy(&A_);
  }

 private:
  /// Gives GAMG the nodes of an elastic body, from which it computes rigid body modes.
  static void give_coordinates(PC preconditioner,
                               const SolveProblem<::PetscScalar, PetscInt>& problem) {
    const auto nodes = static_cast<PetscInt>(problem.coordinates.extent(0));
    if (nodes == 0) return;
    const auto d = static_cast<PetscInt>(problem.coordinates.extent(1));
    std::vector<PetscReal> places;
    for (PetscInt node = 0; node < nodes; ++node) {
      for (PetscInt k = 0; k < d; ++k) places.push_back(problem.coordinates(node, k));
    }
    Mat A;
    check(PCGetOperators(preconditioner, &A, nullptr), "PCGetOperators");
    check(MatSetBlockSize(A, d), "MatSetBlockSize");
    check(PCSetCoordinates(preconditioner, d, nodes, places.data()), "PCSetCoordinates");
  }
  /// Stops by the norm of b - A x, as all contestants do.
  void take_method(const SolveRequest& request) {
    const Method method = request.method();
    const KSPType type = method == Method::cg       ? KSPCG
                         : method == Method::minres ? KSPMINRES
                         : method == Method::gmres  ? KSPGMRES
                                                    : KSPBCGS;
    per_iteration_ = method == Method::bicgstab ? 2 : 1;
    check(KSPSetType(solver_, type), "KSPSetType");
    if (method == Method::gmres) check(KSPGMRESSetRestart(solver_, request.restart), "Restart");
    check(KSPSetPCSide(solver_, is_symmetric(method) ? PC_LEFT : PC_RIGHT), "KSPSetPCSide");
    check(KSPSetTolerances(solver_, request.limits.tolerance, 0, PETSC_DEFAULT,
                           request.limits.max_iterations / per_iteration_),
          "KSPSetTolerances");
    if (method != Method::minres) {
      check(KSPSetNormType(solver_, KSP_NORM_UNPRECONDITIONED), "KSPSetNormType");
      return;
    }
    // PETSc's MINRES supports no other norm than the preconditioned one.
    tolerance_ = request.limits.tolerance;
    check(VecDuplicate(b_, &residual_), "VecDuplicate");
    check(KSPSetNormType(solver_, KSP_NORM_PRECONDITIONED), "KSPSetNormType");
    check(KSPSetConvergenceTest(solver_, is_solved, this, nullptr), "KSPSetConvergenceTest");
  }

  /// PETSc's convergence test for MINRES, by |b - A x| <= tolerance |b|. `norm` is the residual's
  /// norm in the inner product of the preconditioner, times a constant factor. This
  /// test computes b - A x only if `norm` is at most next_: first ten times the tolerance times the
  /// first norm, then the norm at which both norms, falling alike, are expected to meet the
  /// tolerance. So few products are added.
  static PetscErrorCode is_solved(KSP, PetscInt iteration, PetscReal norm,
                                  KSPConvergedReason* reason, void* context) {
    auto& self = *static_cast<PetscSolve*>(context);
    *reason = KSP_CONVERGED_ITERATING;
    if (PetscIsInfOrNanReal(norm)) {
      *reason = KSP_DIVERGED_NANORINF;
    } else if (iteration == 0) {
      PetscCall(VecNorm(self.b_, NORM_2, &self.norm_of_b_));
      self.next_ = 10 * self.tolerance_ * norm;
      if (self.norm_of_b_ == 0) *reason = KSP_CONVERGED_ATOL;
    } else if (norm <= self.next_) {
      PetscReal residual = 0;
      PetscCall(MatMult(self.A_, self.x_, self.residual_));
      PetscCall(VecAYPX(self.residual_, -1, self.b_));
      PetscCall(VecNorm(self.residual_, NORM_2, &residual));
      const PetscReal allowed = self.tolerance_ * self.norm_of_b_;
      if (residual <= allowed) *reason = KSP_CONVERGED_RTOL;
      self.next_ = norm * allowed / residual;
    }
    return PETSC_SUCCESS;
  }

  Solved solve(const Exec& exec) override {
    exec.fence("heddle::bench::petsc");
    check(KSPSolve(solver_, b_, x_), "KSPSolve");
    KSPConvergedReason reason;
    PetscInt iterations = 0;
    check(KSPGetConvergedReason(solver_, &reason), "KSPGetConvergedReason");
    check(KSPGetIterationNumber(solver_, &iterations), "KSPGetIterationNumber");
    return {reason > 0, static_cast<int>(iterations) * per_iteration_,
            KSPConvergedReasons[static_cast<int>(reason)]};
  }

  Mat A_ = nullptr;
  Vec b_ = nullptr, x_ = nullptr, residual_ = nullptr;
  KSP solver_ = nullptr;
  int per_iteration_ = 1;
  PetscReal tolerance_ = 0, norm_of_b_ = 0, next_ = 0;
};

template <class S, class Off>
bool enter() {
  if constexpr (std::same_as<S, ::PetscScalar> && std::same_as<Off, PetscInt>) {
    using Problem = SolveProblem<S, Off>;
    const auto add = [](const char* name, const char* description, PCType with) {
      add_contestant<PetscSolve, Problem>(name, description, with);
    };
    add("petsc-none", "PETSc, one process", PCNONE);
    add("petsc-jacobi", "PETSc, one process, the diagonal", PCJACOBI);
    add("petsc-ssor", "PETSc, one process, a symmetric sweep (PCSOR)", PCSOR);
    add("petsc-ilu0", "PETSc, one process, ILU(0)", PCILU);
    add("petsc-ic0", "PETSc, one process, IC(0)", PCICC);
    add("petsc-multigrid-gamg", "PETSc, one process, its smoothed aggregation (GAMG)", PCGAMG);
    add("petsc-multigrid-hypre", "PETSc, one process, hypre's BoomerAMG", PCHYPRE);
  }
  return true;
}

[[maybe_unused]] const bool entered = enter<HEDDLE_BENCH_SCALAR, HEDDLE_BENCH_OFFSET>();

}  // namespace

}  // namespace heddle::bench
