// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Belos with Tpetra's operator and with Heddle's, without and with a preconditioner:
//   mpirun -n 4 heddle_example_tpetra_belos_solve [SIDE | FILE.mtx[.gz|.xz]]
// solves a Poisson problem on a cube of SIDE points to the side (40), by CG and GMRES, or a system
// with a square matrix from a file, by GMRES, without and with incomplete factors (Ifpack2's RILUK,
// and Heddle's). It prints iterations and times, and fails if the two operators differ by more than
// rounding, or the two preconditioners, or if they take different numbers of iterations.
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_RILUK.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <heddle/ifpack2.hpp>
#include <heddle/tpetra.hpp>

#include "matrices.hpp"

namespace {

using example::Matrix;
using Operator = Tpetra::Operator<double>;
using Vectors = Tpetra::MultiVector<double>;
using RowMatrix = Tpetra::RowMatrix<double>;
using Teuchos::RCP;
using Teuchos::rcp;

/// The operators that Belos gets: the same matrix and preconditioner, by one library or the other.
struct Side {
  const char* name;
  RCP<const Operator> A, preconditioner;
};

template <class RILUK>
RCP<const Operator> incomplete_factors(const RCP<const Matrix>& A) {
  const auto factors = rcp(new RILUK(Teuchos::rcp_implicit_cast<const RowMatrix>(A)));
  factors->setParameters(Teuchos::ParameterList());  // level of fill 0
  factors->initialize();
  factors->compute();
  return factors;
}

struct Solve {
  int iterations = 0;
  double seconds = 0, residual = 0;
  bool converged = false;
};

Solve solve(bool cg, const Side& side, bool preconditioned, const RCP<Vectors>& b) {
  const auto x = rcp(new Vectors(side.A->getDomainMap(), 1));
  using Problem = Belos::LinearProblem<double, Vectors, Operator>;
  const auto problem = rcp(new Problem(side.A, x, b));
  if (preconditioned && cg) problem->setLeftPrec(side.preconditioner);
  if (preconditioned && !cg) problem->setRightPrec(side.preconditioner);
  problem->setProblem();
  const auto options = Teuchos::parameterList();
  options->set("Convergence Tolerance", 1e-8);
  options->set("Maximum Iterations", 2000);
  if (!cg) options->set("Num Blocks", 60);
  using CG = Belos::PseudoBlockCGSolMgr<double, Vectors, Operator>;
  using Gmres = Belos::PseudoBlockGmresSolMgr<double, Vectors, Operator>;
  RCP<Belos::SolverManager<double, Vectors, Operator>> solver;
  if (cg) {
    solver = rcp(new CG(problem, options));
  } else {
    solver = rcp(new Gmres(problem, options));
  }

  b->getMap()->getComm()->barrier();
  const Kokkos::Timer timer;
  Solve done;
  done.converged = solver->solve() == Belos::Converged;
  done.seconds = timer.seconds();
  done.iterations = solver->getNumIters();
  Vectors r(*b, Teuchos::Copy);
  side.A->apply(*x, r, Teuchos::NO_TRANS, -1, 1);
  done.residual = r.getVector(0)->norm2() / b->getVector(0)->norm2();
  return done;
}

/// Microseconds of one apply on the slowest process, the lowest of many that all processes begin
/// together.
double apply_microseconds(const Operator& A, const Vectors& x, Vectors& y) {
  const auto comm = x.getMap()->getComm();
  double best = 1e30;
  for (int run = 0; run < 300; ++run) {
    comm->barrier();
    const Kokkos::Timer timer;
    A.apply(x, y);
    Kokkos::fence("example::applied");
    const double mine = timer.seconds() * 1e6;
    double longest = 0;
    Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(longest));
    best = std::min(best, longest);
  }
  return best;
}

/// The largest entry of y - z, in units of the largest entry of z.
double difference(const Vectors& y, const Vectors& z) {
  Vectors d(y, Teuchos::Copy);
  d.update(-1, z, 1);
  return d.getVector(0)->normInf() / z.getVector(0)->normInf();
}

/// Whether operators, preconditioners and iterations agree.
bool compare(const RCP<const Matrix>& A, bool symmetric) {
  const bool prints = A->getComm()->getRank() == 0;
  const auto heddle_a = rcp(new heddle::tpetra::Operator(A));
  const Side theirs{"Tpetra", A, incomplete_factors<Ifpack2::RILUK<RowMatrix>>(A)};
  const Side ours{"Heddle", heddle_a, incomplete_factors<heddle::tpetra::RILUK<RowMatrix>>(A)};
  if (prints) {
    std::printf("%llu rows, %llu entries, %d processes; %s\n",
                static_cast<unsigned long long>(A->getGlobalNumRows()),
                static_cast<unsigned long long>(A->getGlobalNumEntries()), A->getComm()->getSize(),
                heddle_a->description().c_str());
  }

  const auto b = rcp(new Vectors(A->getRangeMap(), 1));
  Vectors x(A->getDomainMap(), 1), y(A->getRangeMap(), 1), z(A->getRangeMap(), 1);
  x.randomize();
  theirs.A->apply(x, z);
  ours.A->apply(x, y);
  b->update(1, z, 0);  // so x is the solution
  const double apart = difference(y, z);
  theirs.preconditioner->apply(*b, z);
  ours.preconditioner->apply(*b, y);
  const double preconditioners_apart = difference(y, z);
  const double their_time = apply_microseconds(*theirs.A, x, z);
  const double our_time = apply_microseconds(*ours.A, x, y);
  if (prints) {
    std::printf("  operator: %.1f us by Tpetra, %.1f us by Heddle, apart by %.1e\n", their_time,
                our_time, apart);
    std::printf("  preconditioner: apart by %.1e; %s\n", preconditioners_apart,
                ours.preconditioner->description().c_str());
  }

  bool agrees = apart < 1e-13 && preconditioners_apart < 1e-10;
  for (const bool cg : {true, false}) {
    if (cg && !symmetric) continue;
    for (const bool preconditioned : {false, true}) {
      const Solve one = solve(cg, theirs, preconditioned, b);
      const Solve other = solve(cg, ours, preconditioned, b);
      agrees = agrees && one.iterations == other.iterations && one.converged == other.converged;
      if (!prints) continue;
      for (const auto& [name, s] : {std::pair(theirs.name, one), std::pair(ours.name, other)}) {
        std::printf("  %-5s %-5s %s: %4d iterations, %.4f s, residual %.1e%s\n",
                    cg ? "CG" : "GMRES", preconditioned ? "ILU" : "", name, s.iterations, s.seconds,
                    s.residual, s.converged ? "" : ", not converged");
      }
    }
  }
  return agrees;
}

}  // namespace

int main(int argc, char** argv) {
  Tpetra::ScopeGuard tpetra(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "40";
  const bool is_file = what.find(".mtx") != std::string::npos;
  const bool agrees = is_file ? compare(example::from_file(what), false)
                              : compare(example::poisson(std::atoi(what.c_str())), true);
  if (!agrees) std::fprintf(stderr, "Tpetra and Heddle differ by more than rounding\n");
  return agrees ? 0 : 1;
}
