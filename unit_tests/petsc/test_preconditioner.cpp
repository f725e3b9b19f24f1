// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/petsc.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

using heddle::petsc::LocalMatrix;
using Kind = heddle::petsc::PreconditionerKind;
constexpr Kind kinds[] = {Kind::multigrid, Kind::ilu, Kind::ic, Kind::gauss_seidel,
                          Kind::chebyshev};

/// Options in the database, taken out again when it ends. PETSc's prefix is "test_".
class Options {
 public:
  explicit Options(std::string text) : text_(std::move(text)) {
    OK(PetscOptionsInsertString(nullptr, text_.c_str()));
  }
  ~Options() {
    std::size_t at = 0;
    while ((at = text_.find("-test_", at)) != std::string::npos) {
      const auto end = text_.find(' ', at);
      static_cast<void>(PetscOptionsClearValue(nullptr, text_.substr(at, end - at).c_str()));
      ++at;
    }
  }
  Options(const Options&) = delete;

 private:
  std::string text_;
};

Solver make_solver(Mat A, Mat from, const char* type) {
  Solver solver;
  OK(heddle::petsc::register_preconditioner());
  OK(KSPCreate(PETSC_COMM_WORLD, &solver));
  OK(KSPSetOptionsPrefix(solver, "test_"));
  OK(KSPSetOperators(solver, A, from));
  OK(KSPSetType(solver, type));
  OK(KSPSetTolerances(solver, 1e-9, PETSC_CURRENT, PETSC_CURRENT, 1000));
  return solver;
}

/// A solver with the PC "heddle" of this kind, alone.
Solver make_solver(Mat A, Mat from, const char* type, Kind kind) {
  Solver solver = make_solver(A, from, type);
  PC pc;
  OK(KSPGetPC(solver, &pc));
  OK(PCSetType(pc, heddle::petsc::preconditioner_type));
  OK(heddle::petsc::set_kind(pc, kind));
  return solver;
}

struct Solve {
  PetscInt iterations;
  KSPConvergedReason reason;
};
Solve solve(KSP solver, Vec b, Vec x) {
  Solve result;
  OK(KSPSolve(solver, b, x));
  OK(KSPGetIterationNumber(solver, &result.iterations));
  OK(KSPGetConvergedReason(solver, &result.reason));
  return result;
}

Matrix poisson(PetscInt n, Layout layout = Layout::runs, double skew = 0) {
  Matrix A = empty_matrix(n * n, n * n, layout, layout);
  fill_poisson(A, n, 1, skew);
  return A;
}

}  // namespace

TEST_CASE("each kind preconditions CG on each layout, over the matrix and over its shell") {
  for (const Layout layout : {Layout::runs, Layout::last, Layout::none_on_first}) {
    const Matrix A = poisson(40, layout);
    Matrix shell;
    OK(heddle::petsc::create_shell(A, &shell));
    const auto [x, b] = vectors_of(A);
    fill_random(b, 3);
    Solver plain = make_solver(A, A, KSPCG);
    PC none;
    OK(KSPGetPC(plain, &none));
    OK(PCSetType(none, PCNONE));
    const PetscInt without = solve(plain, b, x).iterations;
    for (const Kind kind : kinds) {
      CAPTURE(static_cast<int>(layout));
      CAPTURE(static_cast<int>(kind));
      OK(VecSet(x, 0));
      const Solver solver = make_solver(A, A, KSPCG, kind);
      const Solve first = solve(solver, b, x);
      CHECK(first.reason > 0);
      CHECK(first.iterations < without);
      CHECK(relative_residual(A, b, x) <= 1e-7);
      const Solver by_shell = make_solver(shell, shell, KSPCG, kind);
      const Solve second = solve(by_shell, b, x);
      CHECK(second.reason > 0);
      CHECK(std::abs(second.iterations - first.iterations) <= 1);
      CHECK(relative_residual(A, b, x) <= 1e-7);
    }
  }
}

TEST_CASE("on one process, factors of a matrix without fill solve at once") {
  // A tridiagonal matrix of each process: ILU(0) and IC(0) are exact, within the process.
  constexpr PetscInt n = 30;
  const Matrix A = empty_matrix(n * processes(), n * processes(), Layout::runs, Layout::runs);
  set_entries(A, [](PetscInt i, const auto& add) {
    add(i, 2.5);
    if (i % n > 0) add(i - 1, -1);
    if (i % n < n - 1) add(i + 1, -1);
  });
  const auto [x, b] = vectors_of(A);
  fill_random(b, 3);
  for (const Kind kind : {Kind::ilu, Kind::ic}) {
    const Options options(kind == Kind::ilu ? "-test_pc_heddle_transpose 1" : "");
    const Solver solver = make_solver(A, A, KSPRICHARDSON, kind);
    OK(KSPSetFromOptions(solver));
    PC pc;
    OK(KSPGetPC(solver, &pc));
    OK(PCSetOperators(pc, A, A));
    OK(PCSetUp(pc));
    OK(VecSet(x, nan));
    OK(PCApply(pc, b, x));
    CHECK(relative_residual(A, b, x) <= 1e-13);
    OK(VecSet(x, nan));
    OK(PCApplyTranspose(pc, b, x));
    CHECK(relative_residual(A, b, x) <= 1e-13);  // A is symmetric
  }
}

TEST_CASE("GMRES of an unsymmetric matrix; under block Jacobi and additive Schwarz, by options") {
  for (const Layout layout : {Layout::runs, Layout::none_on_first}) {
    const Matrix A = poisson(36, layout, 0.4);
    const auto [x, b] = vectors_of(A);
    fill_random(b, 4);
    for (const char* text :
         {"-test_pc_type heddle -test_pc_heddle_kind ilu -test_pc_heddle_fill_level 1",
          "-test_pc_type heddle -test_pc_heddle_kind gauss_seidel",
          "-test_pc_type heddle -test_pc_heddle_kind multigrid",
          "-test_pc_type bjacobi -test_sub_pc_type heddle -test_sub_pc_heddle_kind ilu",
          "-test_pc_type asm -test_pc_asm_overlap 1 -test_sub_pc_type heddle "
          "-test_sub_pc_heddle_kind ilu -test_sub_pc_heddle_single_precision 1",
          "-test_pc_type bjacobi -test_pc_bjacobi_local_blocks 2 -test_sub_pc_type heddle "
          "-test_sub_pc_heddle_kind gauss_seidel"}) {
      if (layout != Layout::runs && std::string(text).find("local_blocks") != std::string::npos) {
        continue;  // PETSc wants rows for each block
      }
      CAPTURE(static_cast<int>(layout));
      CAPTURE(std::string(text));
      const Options options(text);
      const Solver solver = make_solver(A, A, KSPGMRES);
      OK(KSPSetFromOptions(solver));
      OK(VecSet(x, 0));
      CHECK(solve(solver, b, x).reason > 0);
      CHECK(relative_residual(A, b, x) <= 1e-6);
    }
  }
}

TEST_CASE("PCSetUp takes new values, and a new pattern") {
  constexpr PetscInt n = 32;
  const Matrix A = poisson(n);
  const auto [x, b] = vectors_of(A);
  const Vector first = copy_of(b), second = copy_of(b), input = copy_of(b);
  fill_random(b, 3);
  fill_random(input, 5);
  for (const Kind kind : kinds) {
    CAPTURE(static_cast<int>(kind));
    fill_poisson(A, n, 1);
    const Solver solver = make_solver(A, A, KSPCG, kind);
    PC pc;
    OK(KSPGetPC(solver, &pc));
    OK(KSPSetUp(solver));
    OK(PCApply(pc, input, first));
    fill_poisson(A, n, 4);
    OK(PCSetUp(pc));
    OK(PCApply(pc, input, second));
    OK(VecScale(second, 4));
    CHECK(difference(first, second) <= 1e-13 * norm(first));
    CHECK(norm(first) > 0);
    CHECK(solve(solver, b, x).reason > 0);
    CHECK(relative_residual(A, b, x) <= 1e-7);
  }
  const Solver solver = make_solver(A, A, KSPCG, Kind::ilu);
  CHECK(solve(solver, b, x).reason > 0);
  OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  set_entries(A, [](PetscInt i, const auto& add) {
    if (i % n > 1) add(i - 2, 0.125);
    if (i % n < n - 2) add(i + 2, 0.125);
  });
  CHECK(solve(solver, b, x).reason > 0);
  CHECK(relative_residual(A, b, x) <= 1e-7);
}

TEST_CASE("a preconditioner of a shell takes new values after update_values") {
  constexpr PetscInt n = 24;
  const Matrix A = poisson(n);
  Matrix shell;
  OK(heddle::petsc::create_shell(A, &shell));
  const auto [x, b] = vectors_of(A);
  const Vector first = copy_of(b), second = copy_of(b);
  fill_random(b, 3);
  const Solver solver = make_solver(shell, shell, KSPCG, Kind::gauss_seidel);
  PC pc;
  OK(KSPGetPC(solver, &pc));
  OK(KSPSetUp(solver));
  OK(PCApply(pc, b, first));
  fill_poisson(A, n, 4);
  OK(heddle::petsc::update_values(shell));
  OK(PCApply(pc, b, second));
  OK(VecScale(second, 4));
  CHECK(difference(first, second) <= 1e-13 * norm(first));
}

TEST_CASE("blocks of block Jacobi and additive Schwarz take new values, and those of a shell do") {
  constexpr PetscInt n = 24;
  const Matrix A = poisson(n);
  Matrix shell;
  OK(heddle::petsc::create_shell(A, &shell));
  const auto [x, b] = vectors_of(A);
  const Vector first = copy_of(b), second = copy_of(b);
  fill_random(b, 3);
  struct Case {
    PCType type;
    Mat from;
  };
  for (const auto& [type, from] : {Case{PCBJACOBI, A}, Case{PCBJACOBI, shell}, Case{PCASM, A}}) {
    CAPTURE(type);
    CAPTURE(from == shell);
    fill_poisson(A, n, 1);
    OK(heddle::petsc::update_values(shell));
    const Options options("-test_sub_pc_type heddle -test_sub_pc_heddle_kind ilu");
    const Solver solver = make_solver(from, from, KSPPREONLY);
    PC pc;
    OK(KSPGetPC(solver, &pc));
    OK(PCSetType(pc, type));
    OK(KSPSetFromOptions(solver));
    OK(KSPSolve(solver, b, first));
    CHECK(norm(first) > 0);
    fill_poisson(A, n, 4);
    OK(heddle::petsc::update_values(shell));
    OK(KSPSolve(solver, b, second));
    OK(VecScale(second, 4));
    CHECK(difference(first, second) <= 1e-13 * norm(first));
  }
}

TEST_CASE("a preconditioner that is kept outlives the pattern that it was made of") {
  constexpr PetscInt n = 24;
  for (const Kind kind : kinds) {
    CAPTURE(static_cast<int>(kind));
    const Matrix A = poisson(n);
    const auto [x, b] = vectors_of(A);
    const Vector first = copy_of(b), second = copy_of(b);
    fill_random(b, 3);
    const Solver solver = make_solver(A, A, KSPCG, kind);
    PC pc;
    OK(KSPGetPC(solver, &pc));
    OK(KSPSetUp(solver));
    OK(PCApply(pc, b, first));
    OK(KSPSetReusePreconditioner(solver, PETSC_TRUE));
    OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    set_entries(A, [](PetscInt i, const auto& add) {
      for (PetscInt j = i - i % n; j < i - i % n + n; ++j) add(j, 0.125);
    });
    OK(KSPSetUp(solver));
    OK(PCApply(pc, b, second));
    CHECK(difference(first, second) == 0);
  }
}

TEST_CASE("PCApplyTranspose is the transpose of PCApply, or an error on all processes") {
  for (const Layout layout : {Layout::runs, Layout::none_on_first}) {
    for (const double skew : {0.0, 0.4}) {
      // Only the last process has rows that are not symmetric.
      const Matrix A = poisson(24, layout, process() == processes() - 1 ? skew : 0);
      const auto [x, b] = vectors_of(A);
      const Vector a = copy_of(b), y = copy_of(b);
      fill_random(a, 3);
      fill_random(b, 4);
      for (const Kind kind : kinds) {
        if (kind == Kind::chebyshev && skew != 0) continue;  // its set-up refuses such a matrix
        CAPTURE(static_cast<int>(layout));
        CAPTURE(skew);
        CAPTURE(static_cast<int>(kind));
        const Options options(kind == Kind::ilu ? "-test_pc_heddle_transpose 1" : "");
        const Solver solver = make_solver(A, A, KSPGMRES, kind);
        PC pc;
        OK(KSPSetFromOptions(solver));
        OK(KSPGetPC(solver, &pc));
        OK(KSPSetUp(solver));
        OK(PCApply(pc, a, x));
        if (kind != Kind::gauss_seidel && (kind != Kind::multigrid || skew == 0)) {
          PetscScalar plain, transposed;
          OK(PCApplyTranspose(pc, b, y));
          OK(VecDot(x, b, &plain));
          OK(VecDot(a, y, &transposed));
          CHECK(std::abs(plain - transposed) <= 1e-12 * norm(x) * norm(b));
        } else {
          const Said said;
          CHECK(PCApplyTranspose(pc, b, y) == PETSC_ERR_SUP);
        }
      }
    }
  }
}

TEST_CASE("another kind and other options are a new set-up, and the view tells which it is") {
  const Matrix A = poisson(24);
  const auto [x, b] = vectors_of(A);
  fill_random(b, 3);
  const Solver solver = make_solver(A, A, KSPCG, Kind::ic);
  const auto view = [&] {
    return viewed([&](PetscViewer viewer) { OK(KSPView(solver, viewer)); });
  };
  const auto contains = [](const std::string& text, const char* part) {
    return process() != 0 || text.find(part) != std::string::npos;
  };
  const PetscInt without_fill = solve(solver, b, x).iterations;
  CHECK(contains(view(), "incomplete Cholesky"));
  const Options options("-test_pc_heddle_fill_level 4");
  OK(KSPSetFromOptions(solver));
  OK(VecSet(x, 0));
  CHECK(solve(solver, b, x).iterations < without_fill);
  PC pc;
  OK(KSPGetPC(solver, &pc));
  OK(heddle::petsc::set_kind(pc, Kind::multigrid));
  OK(VecSet(x, 0));
  CHECK(solve(solver, b, x).reason > 0);
  CHECK(relative_residual(A, b, x) <= 1e-7);
  CHECK(contains(view(), "level 0: "));
}

/// The number of rows of the second level, as the view of a multigrid prints it on the first
/// process.
int rows_of_second_level(KSP solver) {
  const std::string text = viewed([&](PetscViewer viewer) { OK(KSPView(solver, viewer)); });
  const auto at = text.find("level 1: ");
  return at == std::string::npos ? 0 : std::stoi(text.substr(at + 9));
}

TEST_CASE("multigrid takes the near-nullspace and the block size of the matrix") {
  constexpr PetscInt n = 72;
  const Matrix A = poisson(n);
  const auto [x, b] = vectors_of(A);
  fill_random(b, 3);
  const Solver plain = make_solver(A, A, KSPCG, Kind::multigrid);
  CHECK(solve(plain, b, x).reason > 0);
  // Constants, and the coordinate of each point in its row: twice as many unknowns an aggregate.
  PetscInt first, end;
  Vector coordinate;
  MatNullSpace space;
  OK(MatGetOwnershipRange(A, &first, &end));
  OK(MatCreateVecs(A, &coordinate, nullptr));
  for (PetscInt i = first; i < end; ++i) {
    OK(VecSetValue(coordinate, i, (i % n) - 0.5 * (n - 1), INSERT_VALUES));
  }
  OK(VecAssemblyBegin(coordinate));
  OK(VecAssemblyEnd(coordinate));
  OK(VecNormalize(coordinate, nullptr));
  Vec vectors[] = {coordinate};
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 1, vectors, &space));
  OK(MatSetNearNullSpace(A, space));
  OK(MatNullSpaceDestroy(&space));
  const Solver with = make_solver(A, A, KSPCG, Kind::multigrid);
  OK(VecSet(x, 0));
  CHECK(solve(with, b, x).reason > 0);
  CHECK(relative_residual(A, b, x) <= 1e-7);
  Matrix shell;
  OK(heddle::petsc::create_shell(A, &shell));
  const Solver by_shell = make_solver(shell, shell, KSPCG, Kind::multigrid);
  OK(KSPSetUp(by_shell));
  const int rows = rows_of_second_level(plain), rows_with = rows_of_second_level(with);
  const int rows_by_shell = rows_of_second_level(by_shell);
  if (process() == 0) CHECK(rows > 0);
  if (process() == 0) CHECK(rows_with > 3 * rows / 2);
  CHECK(rows_by_shell == rows_with);
}

TEST_CASE("unknowns of a block of the matrix stay together in multigrid") {
  // Two unknowns a point, coupled more strongly than points are: alone they would be aggregated.
  constexpr PetscInt n = 48;
  const auto rows_of_level = [](PetscInt block_size) {
    Matrix A;
    const PetscInt local = 2 * local_size(Layout::runs, n * n);
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, local, local, 2 * n * n, 2 * n * n));
    OK(MatSetType(A, aij));
    OK(MatSetBlockSize(A, block_size));
    OK(MatSetUp(A));
    set_entries(A, [&](PetscInt row, const auto& add) {
      const PetscInt i = row / 2, x = i % n, y = i / n;
      add(row, 24);
      add(row % 2 == 0 ? row + 1 : row - 1, -19);
      if (x > 0) add(row - 2, -1);
      if (x + 1 < n) add(row + 2, -1);
      if (y > 0) add(row - 2 * n, -1);
      if (y + 1 < n) add(row + 2 * n, -1);
    });
    const auto [x, b] = vectors_of(A);
    fill_random(b, 3);
    const Solver solver = make_solver(A, A, KSPCG, Kind::multigrid);
    CHECK(solve(solver, b, x).reason > 0);
    CHECK(relative_residual(A, b, x) <= 1e-7);
    Mat own;
    LocalMatrix local_matrix;
    MultigridOptions options;
    OK(MatGetDiagonalBlock(A, &own));
    OK(heddle::detail::petsc::borrow(own, local_matrix));
    options.block_size = static_cast<int>(block_size);
    const MultigridPlan<heddle::petsc::ExecutionSpace, LocalMatrix> plan(
        heddle::petsc::ExecutionSpace(), local_matrix, options);
    const auto levels = plan.levels().levels;
    REQUIRE(levels.size() > 1);
    const int rows = rows_of_second_level(solver);
    if (process() == 0) CHECK(rows == levels[1].rows);
    return levels[1].rows;
  };
  const auto apart = rows_of_level(1), together = rows_of_level(2);
  if (process() == 0) CHECK(together != apart);
}

TEST_CASE("a matrix that a method cannot take ends the solve on all processes") {
  constexpr PetscInt n = 20;
  for (const bool nested : {false, true}) {
    CAPTURE(nested);
    const Matrix A = poisson(n);
    if (process() == processes() - 1) OK(MatSetValue(A, n * n - 1, n * n - 1, 0, INSERT_VALUES));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    const auto [x, b] = vectors_of(A);
    fill_random(b, 3);
    const Options options(nested ? "-test_pc_type bjacobi -test_sub_pc_type heddle "
                                   "-test_sub_pc_heddle_kind gauss_seidel"
                                 : "-test_pc_type heddle -test_pc_heddle_kind gauss_seidel");
    Solver solver = make_solver(A, A, KSPGMRES);
    OK(KSPSetFromOptions(solver));
    CHECK(solve(solver, b, x).reason == KSP_DIVERGED_PC_FAILED);
    if (!nested) {
      const std::string text = viewed([&](PetscViewer viewer) { OK(KSPView(solver, viewer)); });
      if (process() == 0) CHECK(text.find("failed: ") != std::string::npos);
      if (process() == 0) CHECK(text.find("diagonal") != std::string::npos);
    }
    // Good values make it good again, after KSPSetOperators. PETSc keeps the reason of blocks.
    fill_poisson(A, n);
    if (nested) {
      solver = make_solver(A, A, KSPGMRES);
      OK(KSPSetFromOptions(solver));
    } else {
      OK(KSPSetOperators(solver, A, A));
    }
    OK(VecSet(x, 0));
    CHECK(solve(solver, b, x).reason > 0);
    CHECK(relative_residual(A, b, x) <= 1e-6);
    // Values that become bad later.
    if (process() == processes() - 1) OK(MatSetValue(A, n * n - 1, n * n - 1, 0, INSERT_VALUES));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    OK(KSPSetOperators(solver, A, A));
    CHECK(solve(solver, b, x).reason == KSP_DIVERGED_PC_FAILED);
    if (nested) continue;
    fill_poisson(A, n);
    solver = make_solver(A, A, KSPGMRES);
    OK(KSPSetFromOptions(solver));
    OK(KSPSetErrorIfNotConverged(solver, PETSC_TRUE));
    OK(VecSet(x, 0));
    CHECK(solve(solver, b, x).reason > 0);
    const Vector y = copy_of(x);
    PC pc;
    OK(KSPGetPC(solver, &pc));
    if (process() == processes() - 1) OK(MatSetValue(A, n * n - 1, n * n - 1, 0, INSERT_VALUES));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    const Said said;
    CHECK(KSPSolve(solver, b, x) != PETSC_SUCCESS);
    CHECK(said.first() == PETSC_ERR_LIB);
    CHECK(said.text().find("diagonal") != std::string::npos);
    CHECK(PCApply(pc, b, y) == PETSC_ERR_LIB);  // there is nothing to apply
  }
}

TEST_CASE("other matrices and other uses are errors on all processes") {
  {
    Matrix A;
    OK(MatCreateSBAIJ(PETSC_COMM_WORLD, 1, PETSC_DECIDE, PETSC_DECIDE, 12, 12, 1, nullptr, 0,
                      nullptr, &A));
    set_entries(A, [](PetscInt i, const auto& add) { add(i, 2); });
    const auto [x, b] = vectors_of(A);
    const Solver solver = make_solver(A, A, KSPCG, Kind::ic);
    const Said said;
    CHECK(KSPSolve(solver, b, x) == PETSC_ERR_SUP);
    CHECK(said.text().find("Heddle takes aij") != std::string::npos);
  }
  const Matrix A = poisson(12, Layout::runs, 0.3);
  const auto [x, b] = vectors_of(A);
  fill_random(b, 3);
  {
    const Solver solver = make_solver(A, A, KSPBICG, Kind::ilu);  // needs the transpose
    const Said said;
    CHECK(KSPSolve(solver, b, x) == PETSC_ERR_SUP);
    CHECK(said.text().find("-pc_heddle_transpose") != std::string::npos);
  }
  {
    const Options options("-test_pc_heddle_kind no_such_kind");
    const Solver solver = make_solver(A, A, KSPCG, Kind::ilu);
    const Said said;
    CHECK(KSPSetFromOptions(solver) != PETSC_SUCCESS);
  }
  PC pc;
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetType(pc, PCJACOBI));
  {
    const Said said;
    CHECK(heddle::petsc::set_kind(pc, Kind::ilu) == PETSC_ERR_ARG_WRONG);
  }
  OK(PCDestroy(&pc));
}

}  // namespace heddle::test
