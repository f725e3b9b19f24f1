// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients of Belos with Heddle's product and Heddle's preconditioners, each process
// preconditioning its own rows:
//
//   mpirun -n 2 heddle_example_tpetra_belos_preconditioners 40
#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <cstdio>
#include <cstdlib>
#include <heddle/cg.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/tpetra.hpp>

#include "matrices.hpp"

namespace {

using example::Matrix;
using Teuchos::RCP;
using Teuchos::rcp;
using Vectors = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Exec = Matrix::execution_space;
using Block = heddle::tpetra::LocalBlock<Matrix>;

/// Number of iterations, or -1 if Belos did not converge.
int solve(const RCP<const Operator>& A, const RCP<const Operator>& M, const RCP<const Vectors>& b) {
  const auto x = rcp(new Vectors(A->getDomainMap(), 1));
  using Problem = Belos::LinearProblem<double, Vectors, Operator>;
  const auto problem = rcp(new Problem(A, x, b));
  if (!M.is_null()) problem->setLeftPrec(M);
  problem->setProblem();
  const auto options = Teuchos::parameterList();
  options->set("Convergence Tolerance", 1e-8);
  options->set("Maximum Iterations", 2000);
  Belos::PseudoBlockCGSolMgr<double, Vectors, Operator> solver(problem, options);
  return solver.solve() == Belos::Converged ? solver.getNumIters() : -1;
}

}  // namespace

int main(int argc, char** argv) {
  Tpetra::ScopeGuard tpetra(&argc, &argv);
  const RCP<const Matrix> A = example::poisson(argc > 1 ? std::atoi(argv[1]) : 20);
  const auto product = rcp(new heddle::tpetra::Operator(A));
  const auto b = rcp(new Vectors(A->getRangeMap(), 1));
  b->randomize();

  using Jacobi = heddle::JacobiPreconditioner<Exec, double>;
  const auto jacobi =
      rcp(new heddle::tpetra::Preconditioner<Jacobi>(A, [](const Exec& exec, const Block& block) {
        return std::make_unique<Jacobi>(exec, block);
      }));
  using Blocks = heddle::BlockJacobiPreconditioner<Exec, double>;
  const auto blocks =
      rcp(new heddle::tpetra::Preconditioner<Blocks>(A, [](const Exec& exec, const Block& block) {
        return std::make_unique<Blocks>(exec, block, 8);
      }));
  using Sweep = heddle::GaussSeidelPlan<Exec, Block>;  // symmetric, as CG requires
  const auto sweep =
      rcp(new heddle::tpetra::Preconditioner<Sweep>(A, [](const Exec& exec, const Block& block) {
        return std::make_unique<Sweep>(exec, block);
      }));
  using Multigrid = heddle::MultigridPlan<Exec, Block>;  // a hierarchy of the rows of each process
  const auto multigrid = rcp(
      new heddle::tpetra::Preconditioner<Multigrid>(A, [](const Exec& exec, const Block& block) {
        return std::make_unique<Multigrid>(exec, block);
      }));

  const int plain = solve(product, Teuchos::null, b);
  bool good = plain > 0;
  const auto report = [&](const char* name, int iterations) {
    if (A->getComm()->getRank() == 0) std::printf("%-28s %d iterations\n", name, iterations);
    good = good && iterations > 0;
    return iterations;
  };
  report("no preconditioner", plain);
  report("Jacobi", solve(product, jacobi, b));
  good = report("blocks of 8 rows", solve(product, blocks, b)) < plain && good;
  good = report("symmetric Gauss-Seidel", solve(product, sweep, b)) < plain && good;
  good = report("multigrid", solve(product, multigrid, b)) < plain && good;
  return good ? 0 : 1;
}
