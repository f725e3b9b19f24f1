// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/petsc.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

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
    if (i % n > 1) add(i - 2, -0.125);
    if (i % n < n - 2) add(i + 2, -0.125);
  });
  CHECK(solve(solver, b, x).reason > 0);
  CHECK(relative_residual(A, b, x) <= 1e-7);
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

TEST_CASE("near-nullspace vectors and block sizes of the matrix are those of multigrid") {
  // Two Poisson problems of very different near-nullspaces, interleaved: (1, 0) and (0, v).
  constexpr PetscInt n = 24;
  Matrix A;
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  const PetscInt local = 2 * local_size(Layout::runs, n * n);
  OK(MatSetSizes(A, local, local, 2 * n * n, 2 * n * n));
  OK(MatSetType(A, MATAIJ));
  OK(MatSetBlockSize(A, 2));
  OK(MatSetUp(A));
  const auto weight = [](PetscInt point) {
    return 1 + 0.9 * draw_value(9, static_cast<std::uint64_t>(point));
  };
  set_entries(A, [&](PetscInt row, const auto& add) {
    const PetscInt i = row / 2, x = i % n, y = i / n;
    const auto set = [&](PetscInt j, double value) {
      add(2 * j + row % 2, row % 2 == 0 ? value : value / (weight(i) * weight(j)));
    };
    set(i, 4);
    if (x > 0) set(i - 1, -1);
    if (x + 1 < n) set(i + 1, -1);
    if (y > 0) set(i - n, -1);
    if (y + 1 < n) set(i + n, -1);
  });
  const auto [x, b] = vectors_of(A);
  fill_random(b, 3);
  const Solver plain = make_solver(A, A, KSPCG, Kind::multigrid);
  const PetscInt without = solve(plain, b, x).iterations;
  PetscInt first, end;
  OK(MatGetOwnershipRange(A, &first, &end));
  Vec vectors[2];
  for (int k = 0; k < 2; ++k) {
    OK(MatCreateVecs(A, &vectors[k], nullptr));
    for (PetscInt row = first; row < end; ++row) {
      OK(VecSetValue(vectors[k], row,
                     row % 2 != k ? 0
                     : k == 0     ? 1
                                  : weight(row / 2),
                     INSERT_VALUES));
    }
    OK(VecAssemblyBegin(vectors[k]));
    OK(VecAssemblyEnd(vectors[k]));
    OK(VecNormalize(vectors[k], nullptr));
  }
  MatNullSpace space;
  OK(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 2, vectors, &space));
  OK(MatSetNearNullSpace(A, space));
  OK(MatNullSpaceDestroy(&space));
  for (Vec& vector : vectors) OK(VecDestroy(&vector));
  const Solver solver = make_solver(A, A, KSPCG, Kind::multigrid);
  OK(VecSet(x, 0));
  const Solve with = solve(solver, b, x);
  CHECK(with.reason > 0);
  CHECK(with.iterations < without);
  CHECK(relative_residual(A, b, x) <= 1e-7);
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
    // Good values make it good again.
    fill_poisson(A, n);
    OK(VecSet(x, 0));
    CHECK(solve(solver, b, x).reason > 0);
    CHECK(relative_residual(A, b, x) <= 1e-6);
    // Values that become bad later.
    if (process() == processes() - 1) OK(MatSetValue(A, n * n - 1, n * n - 1, 0, INSERT_VALUES));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    CHECK(solve(solver, b, x).reason == KSP_DIVERGED_PC_FAILED);
    if (nested) continue;
    solver = make_solver(A, A, KSPGMRES);
    OK(KSPSetFromOptions(solver));
    OK(KSPSetErrorIfNotConverged(solver, PETSC_TRUE));
    const Said said;
    CHECK(KSPSolve(solver, b, x) != PETSC_SUCCESS);
    CHECK(said.first() == PETSC_ERR_LIB);
    CHECK(said.text().find("diagonal") != std::string::npos);
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
    CHECK(KSPSolve(solver, b, x) == PETSC_ERR_LIB);
    CHECK(said.text().find("ops") != std::string::npos);
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
