// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's own Krylov solvers on rows that are distributed over processes: with mpi_reduction and
// an operator of the user's, and with a matrix of PETSc. The tests compute b - A x themselves.
#include <cmath>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/petsc.hpp>

#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "support.hpp"

namespace heddle::test {

namespace {

using Exec = heddle::petsc::ExecutionSpace;
using S = heddle::petsc::ScalarType;
using Values = Kokkos::View<S*, Space>;

constexpr int width = 24;  // points in a line of the grid

/// A vector of entry(i), which the host computes.
template <class T, class Entry>
Kokkos::View<T*, Space> filled(std::int64_t count, const Entry& entry) {
  const Kokkos::View<T*, Space> values("heddle::test::filled", static_cast<std::size_t>(count));
  const auto host = Kokkos::create_mirror_view(values);
  for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = entry(i);
  Kokkos::deep_copy(values, host);
  return values;
}
template <class View>
auto on_the_host(const View& values) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
}

/// The five-point stencil on lines of a grid, which the processes share out; neighbours exchange
/// one line each way. With convection if `skew` is not 0.
struct Stencil {
  int empty = 0;  ///< number of processes, the first ones, without a line
  double skew = 0;
  int first = line(process()), end = line(process() + 1);
  Values below{"heddle::test::below", width}, above{"heddle::test::above", width};

  int line(int p) const { return p <= empty ? 0 : width * (p - empty) / (processes() - empty); }
  int owner(int of_line) const {
    for (int p = 0; p < processes(); ++p) {
      if (line(p) <= of_line && of_line < line(p + 1)) return p;
    }
    return MPI_PROC_NULL;
  }
  std::int64_t rows() const { return std::int64_t{end - first} * width; }
  std::int64_t columns() const { return rows(); }

  struct Row {
    const S *x, *below, *above;
    S* y;
    int rows;
    double skew;
    KOKKOS_FUNCTION void operator()(int i) const {
      const int at = i % width;
      S sum = 4 * x[i] - (i < width ? below[at] : x[i - width]) -
              (i + width < rows ? x[i + width] : above[at]);
      if (at > 0) sum -= (1 + skew) * x[i - 1];
      if (at + 1 < width) sum -= (1 - skew) * x[i + 1];
      y[i] = sum;
    }
  };
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    exec.fence("heddle::test::own_x");
    const int down = owner(first - 1), up = owner(end);
    const auto n = static_cast<int>(rows());
    // Messages of the host: MPI may not know the memory of x.
    const auto send = [&](int line, int to, const Values& into, int from) {
      const auto received = Kokkos::create_mirror_view(into);
      Kokkos::deep_copy(received, S(0));
      S sent[width];
      const Kokkos::View<S*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> own(sent,
                                                                                             width);
      if (n > 0) Kokkos::deep_copy(own, Kokkos::subview(x, std::pair(line, line + width)));
      MPI_Sendrecv(sent, width, MPI_DOUBLE, n > 0 ? to : MPI_PROC_NULL, 0, received.data(), width,
                   MPI_DOUBLE, n > 0 ? from : MPI_PROC_NULL, 0, PETSC_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      Kokkos::deep_copy(into, received);
    };
    send(0, down, above, up);
    send(n - width, up, below, down);
    Kokkos::parallel_for("heddle::test::stencil", Kokkos::RangePolicy<Exec, int>(exec, 0, n),
                         Row{x.data(), below.data(), above.data(), y.data(), n, skew});
  }
};

/// A diagonal as a preconditioner that no solver reads by itself.
struct Scaling {
  Kokkos::View<S*, Space> factors;
  struct Entry {
    const S *factors, *b;
    S* x;
    KOKKOS_FUNCTION void operator()(int i) const { x[i] = factors[i] * b[i]; }
  };
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    Kokkos::parallel_for("heddle::test::scaling",
                         Kokkos::RangePolicy<Exec, int>(exec, 0, static_cast<int>(b.extent(0))),
                         Entry{factors.data(), b.data(), x.data()});
  }
};

/// The right-hand side of the rows of this process: the same entries on any number of processes.
Values right_hand_side(const Stencil& a) {
  return filled<S>(a.rows(), [&](std::size_t i) {
    return draw_value(7, static_cast<std::uint64_t>(a.first * width) + i);
  });
}

double sum_over_processes(double number) {
  double sum;
  MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return sum;
}
template <class View>
double norm_of(const View& v) {
  double square = 0;
  const auto host = on_the_host(v);
  for (std::size_t i = 0; i < host.extent(0); ++i) square += host(i) * host(i);
  return std::sqrt(sum_over_processes(square));
}
/// |b - A x| / |b|
double left_over(const Stencil& a, const Values& b, const Values& x) {
  const Values r("heddle::test::r", b.extent(0));
  a.apply(Exec(), x, r);
  Exec().fence("heddle::test::residual");
  const auto of_b = on_the_host(b), left = on_the_host(r);
  for (std::size_t i = 0; i < left.extent(0); ++i) left(i) = of_b(i) - left(i);
  return norm_of(left) / norm_of(of_b);
}

/// Whether a number is the same on all processes, to the last bit. NaN equals NaN.
bool is_everywhere(double number) {
  int nans = std::isnan(number) ? 1 : 0, processes;
  MPI_Allreduce(MPI_IN_PLACE, &nans, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Comm_size(PETSC_COMM_WORLD, &processes);
  if (nans > 0) return nans == processes;
  double least, most;
  MPI_Allreduce(&number, &least, 1, MPI_DOUBLE, MPI_MIN, PETSC_COMM_WORLD);
  MPI_Allreduce(&number, &most, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return least == most;
}
void check_agreement(const KrylovResult& result) {
  CHECK(is_everywhere(static_cast<double>(result.outcome)));
  CHECK(is_everywhere(result.iterations));
  CHECK(is_everywhere(result.residual));
  CHECK(is_everywhere(result.restarts));
}

/// The iterations of one process, which solves the whole system without a reduction.
template <class Solver, class Set>
int iterations_alone(const KrylovOptions& options, double skew, const Set& set) {
  struct Whole {
    PetscInt n = width;
    double skew;
    Values zero{"heddle::test::zero", width};
    std::int64_t rows() const { return n * n; }
    std::int64_t columns() const { return n * n; }
    void apply(const Exec& exec, const ConstSolverVector<Exec, S>& x,
               const SolverVector<Exec, S>& y) const {
      const auto rows = static_cast<int>(n * n);
      Kokkos::parallel_for("heddle::test::stencil", Kokkos::RangePolicy<Exec, int>(exec, 0, rows),
                           Stencil::Row{x.data(), zero.data(), zero.data(), y.data(), rows, skew});
    }
  };
  Whole a{.skew = skew};
  const Values b = filled<S>(a.rows(), [](std::size_t i) { return draw_value(7, i); });
  const Values x("heddle::test::x", b.extent(0));
  Solver solver(Exec(), a.rows(), options);
  return set(solver, a, b, x).iterations;
}

enum class With { none, jacobi, scaling };

/// Solves for this process, and as one process would. Returns the result of the distributed solve.
template <class Solver>
void check_solver(const KrylovOptions& given, double skew, int empty, With with) {
  const auto solve = [&](Solver& solver, const auto& a, const Values& b, const Values& x) {
    const Exec exec;
    if (with == With::none) return solver.solve(exec, a, b, x);
    const auto n = static_cast<int>(a.rows());
    const Values factors("heddle::test::factors", b.extent(0));
    Kokkos::deep_copy(factors, 0.25);
    if (with == With::scaling) return solver.solve(exec, a, b, x, Scaling{factors});
    const auto number = [](std::size_t i) { return static_cast<int>(i); };
    const auto row_ptr = filled<int>(n + 1, number), col_idx = filled<int>(n, number);
    const auto values = filled<S>(n, [](std::size_t) { return S(4); });
    const JacobiPreconditioner<Exec, S> jacobi(
        exec, CsrMatrix<S, int, int, Space>(n, n, row_ptr, col_idx, values));
    return solver.solve(exec, a, b, x, jacobi);
  };
  const Stencil a{.empty = processes() > empty ? empty : 0, .skew = skew};
  KrylovOptions options = given;
  options.reduction = mpi_reduction(PETSC_COMM_WORLD);
  Solver solver(Exec(), a.rows(), options);
  const Values b = right_hand_side(a), x("heddle::test::x", b.extent(0));
  const KrylovResult result = solve(solver, a, b, x);
  check_agreement(result);
  CHECK(result.converged());
  CHECK(left_over(a, b, x) <= 1.0001e-8);
  CHECK(std::abs(left_over(a, b, x) - result.relative_residual()) <= 1e-12);
  const int alone = iterations_alone<Solver>(given, skew, solve);
  CAPTURE(alone);
  CAPTURE(result.iterations);
  CHECK(std::abs(result.iterations - alone) <= 1);
}

}  // namespace

TEST_CASE("conjugate gradients on a distributed grid take the iterations of one process") {
  OK(detail::petsc::initialize_kokkos());
  for (const int empty : {0, 1}) {
    CAPTURE(empty);
    for (const With with : {With::none, With::jacobi, With::scaling}) {
      CAPTURE(int(with));
      check_solver<CgSolver<Exec, S>>({}, 0, empty, with);
      KrylovOptions flexible;
      flexible.flexible = true;
      check_solver<CgSolver<Exec, S>>(flexible, 0, empty, with);
    }
  }
}

TEST_CASE("gmres on a distributed grid takes the iterations of one process") {
  OK(detail::petsc::initialize_kokkos());
  for (const int empty : {0, 1}) {
    CAPTURE(empty);
    for (const With with : {With::none, With::jacobi}) {
      CAPTURE(int(with));
      KrylovOptions options;
      options.restart = 20;  // a cycle is longer than a part with few rows
      check_solver<GmresSolver<Exec, S>>(options, 0.4, empty, with);
      options.restart = width * width;
      check_solver<GmresSolver<Exec, S>>(options, 0.4, empty, with);
    }
  }
}

TEST_CASE("limits of one process end the solve on all") {
  OK(detail::petsc::initialize_kokkos());
  const Stencil a;
  const Values b = right_hand_side(a), x("heddle::test::x", b.extent(0));
  const auto solve = [&](KrylovOptions options) {
    options.reduction = mpi_reduction(PETSC_COMM_WORLD);
    options.check_every = 2;
    CgSolver<Exec, S> cg(Exec(), a.rows(), options);
    const KrylovResult result = cg.solve(Exec(), a, b, x);
    check_agreement(result);
    return result;
  };
  KrylovOptions in_no_time, stopped;
  if (process() == processes() - 1) {
    in_no_time.max_seconds = 0;
    stopped.callback = [](int iterations, double) { return iterations < 4; };
  }
  CHECK(solve(in_no_time).outcome == Outcome::out_of_time);
  CHECK(solve(stopped).outcome == Outcome::stopped_by_user);
  CHECK(solve({.max_iterations = 5}).outcome == Outcome::iteration_limit);
  if (process() == 0 && b.extent(0) > 0) Kokkos::deep_copy(Kokkos::subview(b, 0), nan);
  CHECK(solve({}).outcome == Outcome::not_a_number);
}

TEST_CASE("b of a wrong length on one process is an error on all") {
  OK(detail::petsc::initialize_kokkos());
  const Stencil a;
  const std::size_t wrong = process() == processes() - 1 ? 1 : 0;
  const Values b("heddle::test::b", static_cast<std::size_t>(a.rows()) + wrong),
      x("heddle::test::x", b.extent(0));
  KrylovOptions options;
  options.reduction = mpi_reduction(PETSC_COMM_WORLD);
  GmresSolver<Exec, S> gmres(Exec(), a.rows(), options);
  CHECK_THROWS_AS(gmres.solve(Exec(), a, b, x), Error);
}

TEST_CASE("a matrix of PETSc is an operator") {
  OK(detail::petsc::initialize_kokkos());
  for (const Layout layout : {Layout::runs, Layout::last, Layout::none_on_first}) {
    CAPTURE(int(layout));
    constexpr PetscInt n = 20;
    const Matrix A = empty_matrix(n * n, n * n, layout, layout);
    fill_poisson(A, n);
    const auto vectors = vectors_of(A);
    const Vec x = vectors.first, b = vectors.second;
    fill_random(b, 3);
    const heddle::petsc::MatOperator product(A);
    KrylovOptions options;
    options.reduction = heddle::petsc::reduction(A);
    const auto solve = [&]<class Method>(std::type_identity<Method>) {
      OK(VecSet(x, 0));
      Method solver(Exec(), product.rows(), options);
      detail::petsc::BorrowedVector from, to;
      OK(from.get(b, detail::petsc::Access::read));
      OK(to.get(x, detail::petsc::Access::read_write));
      const KrylovResult result = solver.solve(Exec(), product, from.view(), to.view());
      OK(to.restore(x, detail::petsc::Access::read_write));
      OK(from.restore(b, detail::petsc::Access::read));
      check_agreement(result);
      CHECK(result.converged());
      CHECK(relative_residual(A, b, x) <= 1.0001e-8);
      return result.iterations;
    };
    const int of_cg = solve(std::type_identity<CgSolver<Exec, S>>());
    // PETSc's own conjugate gradients count the same steps, up to its norm and its first residual.
    Solver ksp;
    PetscInt of_petsc;
    PC pc;
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetType(ksp, KSPCG));
    OK(KSPCGSetType(ksp, KSP_CG_SYMMETRIC));
    OK(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCNONE));
    OK(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    OK(KSPSolve(ksp, b, x));
    OK(KSPGetIterationNumber(ksp, &of_petsc));
    CHECK(std::abs(of_cg - static_cast<int>(of_petsc)) <= 1);
    solve(std::type_identity<GmresSolver<Exec, S>>());
  }
}

TEST_CASE("an operator of PETSc is applied again after a product that failed") {
  static bool fails;
  static PetscInt locks;  // of x: a kokkos vector that is locked cannot be written
  Matrix A;
  OK(MatCreateShell(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &A));
  const auto multiply = +[](Mat, Vec x, Vec y) -> PetscErrorCode {
    OK(VecLockGet(x, &locks));
    return fails ? PETSC_ERR_USER : VecCopy(x, y);
  };
  OK(MatShellSetOperation(A, MATOP_MULT, reinterpret_cast<PetscErrorCodeFn*>(multiply)));
  OK(MatShellSetVecType(A, vector_type));  // a shell's vectors are in host memory by default
  const heddle::petsc::MatOperator product(A);
  const Values x("heddle::test::x", 3), y("heddle::test::y", 3);
  const std::string expected = "MatMult of heddle::petsc::MatOperator returned the code " +
                               std::to_string(static_cast<int>(PETSC_ERR_USER));
  for (const bool failing : {true, false, true, false}) {
    fails = failing;
    const Said said;
    Kokkos::deep_copy(x, S(7));
    Kokkos::deep_copy(y, S(0));
    if (fails) {
      CHECK_THROWS_WITH_AS(product.apply(Exec(), x, y), doctest::Contains(expected.c_str()), Error);
      CHECK(locks == 1);
      continue;
    }
    product.apply(Exec(), x, y);
    CHECK(locks == 1);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t i = 0; i < 3; ++i) CHECK(host(i) == S(7));
  }
}

}  // namespace heddle::test
