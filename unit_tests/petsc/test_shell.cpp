// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/petsc.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

/// Sums of forty products, in one order or another.
constexpr double rounding = 1e-13;

Matrix make_shell(Mat A, const heddle::petsc::ShellOptions& options = {}) {
  Matrix shell;
  OK(heddle::petsc::create_shell(A, &shell, options));
  return shell;
}

/// Checks that each product of the shell is that of A, and does not read what it overwrites.
void compare(Mat A, Mat shell) {
  const auto [x, y] = vectors_of(A);
  fill_random(x, 5);
  fill_random(y, 6);
  const Vector from_rows = copy_of(y), from_columns = copy_of(x);
  Vector expected = copy_of(y), found = copy_of(y);

  OK(MatMult(A, x, expected));
  OK(VecSet(found, nan));
  OK(MatMult(shell, x, found));
  CHECK(difference(expected, found) <= rounding);
  CHECK(difference(x, from_columns) == 0);

  OK(MatMultAdd(A, x, y, expected));
  OK(VecSet(found, nan));
  OK(MatMultAdd(shell, x, y, found));
  CHECK(difference(expected, found) <= rounding);
  OK(VecCopy(y, found));
  OK(MatMultAdd(shell, x, found, found));
  CHECK(difference(expected, found) <= rounding);

  expected = copy_of(x);
  found = copy_of(x);
  // conj(A^T conj(x)), since PETSc 3.25.4's own Hermitian products of aijkokkos do not transpose:
  // it gives Kokkos Kernels the mode "C", which conjugates alone.
  const auto transposed = [&](auto multiply, auto multiply_add, const auto& conjugate) {
    const Vector input = copy_of(from_rows);
    conjugate(input);
    OK(MatMultTranspose(A, input, expected));
    conjugate(expected);
    OK(VecSet(found, nan));
    OK(multiply(shell, from_rows, found));
    CHECK(difference(expected, found) <= rounding);
    OK(VecAXPY(expected, 1, x));
    OK(VecSet(found, nan));
    OK(multiply_add(shell, from_rows, x, found));
    CHECK(difference(expected, found) <= rounding);
    OK(VecCopy(x, found));
    OK(multiply_add(shell, from_rows, found, found));
    CHECK(difference(expected, found) <= rounding);
  };
  transposed(MatMultTranspose, MatMultTransposeAdd, [](Vec) {});
  transposed(MatMultHermitianTranspose, MatMultHermitianTransposeAdd,
             [](Vec vector) { OK(VecConjugate(vector)); });
}

void preallocate(Mat A) {
  OK(MatSeqAIJSetPreallocation(A, 5, nullptr));
  OK(MatMPIAIJSetPreallocation(A, 5, nullptr, 5, nullptr));
}

Mat own_part(Mat A) {
  Mat own = A;
  if (processes() > 1) OK(MatMPIAIJGetSeqAIJ(A, &own, nullptr, nullptr));
  return own;
}

}  // namespace

TEST_CASE("products of a shell are those of its matrix") {
  struct Case {
    PetscInt rows, columns;
    Layout row, column;
  };
  for (const auto& [rows, columns, row, column] :
       {Case{300, 300, Layout::runs, Layout::runs}, Case{300, 170, Layout::runs, Layout::runs},
        Case{170, 300, Layout::runs, Layout::last}, Case{200, 200, Layout::last, Layout::last},
        Case{200, 200, Layout::none_on_first, Layout::none_on_first},
        Case{200, 200, Layout::none_on_first, Layout::runs}, Case{3, 3, Layout::runs, Layout::runs},
        Case{1, 1, Layout::runs, Layout::runs}, Case{0, 0, Layout::runs, Layout::runs},
        Case{40, 0, Layout::runs, Layout::runs}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const Matrix A = empty_matrix(rows, columns, row, column);
    fill(A, columns, 1);
    const Matrix shell = make_shell(A);
    compare(A, shell);
  }
}

TEST_CASE("entries in own columns alone, and in others' alone") {
  constexpr PetscInt n = 120;
  for (const bool own : {true, false}) {
    CAPTURE(own);
    const Matrix A = empty_matrix(n, n, Layout::runs, Layout::runs);
    PetscInt first, end;
    OK(MatGetOwnershipRange(A, &first, &end));
    set_entries(A, [&](PetscInt i, const auto& add) {
      for (const PetscInt j : columns_of_row(i, n)) {
        if ((j >= first && j < end) == own) {
          add(j, draw_value(2, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
        }
      }
    });
    const Matrix shell = make_shell(A);
    compare(A, shell);
  }
}

TEST_CASE("a shell over the distributed type on any number of processes, and the sequential type") {
  const Matrix A = empty_matrix(90, 90, Layout::runs, Layout::runs, distributed_aij);
  fill(A, 90, 1);
  const Matrix shell = make_shell(A);
  compare(A, shell);

  Matrix local;
  OK(MatCreate(PETSC_COMM_SELF, &local));
  OK(MatSetSizes(local, 50, 70, 50, 70));
  OK(MatSetType(local, sequential_aij));
  OK(MatSetUp(local));
  fill(local, 70, 1 + static_cast<std::uint64_t>(process()));
  const Matrix local_shell = make_shell(local);
  compare(local, local_shell);
}

TEST_CASE("pinned schemes are those that run, and the view names them") {
  const Matrix A = empty_matrix(200, 200, Layout::runs, Layout::runs);
  fill(A, 200, 1);
  heddle::petsc::ShellOptions options;
  options.plan.scheme = Scheme("coo");
  options.remote_scheme = Scheme("csr/scalar");
  const Matrix shell = make_shell(A, options);
  compare(A, shell);
  const std::string text = viewed([&](PetscViewer viewer) { OK(MatView(shell, viewer)); });
  if (process() == 0) CHECK(text.find("heddle: own columns coo") != std::string::npos);
  if (process() == 0 && processes() > 1) {
    CHECK(text.find("remote columns csr/scalar") != std::string::npos);
  }
}

TEST_CASE("few rows with columns of other processes: gcsr, unless a bound or a pin forbids it") {
  const Matrix A = empty_matrix(144, 144, Layout::runs, Layout::runs);
  const auto remote_is = [](Mat shell, const char* scheme) {
    const std::string text = viewed([&](PetscViewer viewer) { OK(MatView(shell, viewer)); });
    if (process() == 0 && processes() > 1) {
      CHECK(text.find(std::string("remote columns ") + scheme) != std::string::npos);
    }
  };
  fill_poisson(A, 12);
  const Matrix shell = make_shell(A);
  remote_is(shell, "gcsr");
  compare(A, shell);
  fill_poisson(A, 12, 3);
  compare(A, shell);

  heddle::petsc::ShellOptions pinned, bounded;
  pinned.remote_scheme = Scheme("coo");
  remote_is(make_shell(A, pinned), "coo");
  bounded.plan.max_bytes = 0;
  const Matrix in_no_bytes = make_shell(A, bounded);
  remote_is(in_no_bytes, "csr");
  const auto [x, y] = vectors_of(A);
  const Vector found = copy_of(y);
  fill_random(x, 5);
  OK(MatMult(A, x, y));
  OK(MatMult(in_no_bytes, x, found));
  CHECK(difference(y, found) <= rounding);
}

TEST_CASE("a shell has new values of its matrix, and a new pattern") {
  constexpr PetscInt n = 200;
  const Matrix A = empty_matrix(n, n, Layout::runs, Layout::runs);
  fill(A, n, 1);
  // Schemes that borrow values, and schemes that copy them.
  heddle::petsc::ShellOptions options;
  options.plan.scheme = Scheme("hyb");
  options.remote_scheme = Scheme("hyb");
  const Matrix borrows = make_shell(A), copies = make_shell(A, options);
  compare(A, borrows);
  compare(A, copies);
  fill(A, n, 2);
  compare(A, borrows);
  compare(A, copies);
  OK(MatScale(A, -3));
  compare(A, copies);

  // The arrays of the local parts change, and the state of A does not.
  Mat own = A, remote = nullptr;
  if (processes() > 1) OK(MatMPIAIJGetSeqAIJ(A, &own, &remote, nullptr));
  for (Mat part : {own, remote}) {
    if (!part) continue;
    const PetscInt *i, *j;
    PetscScalar* values;
    MatInfo info;
    OK(MatGetInfo(part, MAT_LOCAL, &info));
    OK(MatSeqAIJGetCSRAndMemType(part, &i, &j, &values, nullptr));
    change_entries(values, static_cast<std::size_t>(info.nz_used),
                   [](PetscScalar& value) { value *= 5; });
  }
  PetscObjectState before, after;
  OK(PetscObjectStateGet(object(copies.value), &before));
  OK(heddle::petsc::update_values(copies));
  OK(PetscObjectStateGet(object(copies.value), &after));
  CHECK(after > before);
  compare(A, copies);

  OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  set_entries(A, [=](PetscInt i, const auto& add) { add((7 * i + 3) % n, 2.5); });
  compare(A, borrows);
  compare(A, copies);
}

TEST_CASE("a shell has the pattern of a new preallocation, with as many entries as before") {
  constexpr PetscInt n = 4;
  const Matrix A = empty_matrix(n, n, Layout::runs, Layout::runs);
  Matrix shell;
  for (const PetscInt k : {0, 1}) {
    preallocate(A);
    set_entries(A, [&](PetscInt i, const auto& add) { add(i < n / 2 ? n / 2 + k : k, 1.0 + i); });
    if (!shell) shell = make_shell(A);
    compare(A, shell);
  }
}

TEST_CASE("an update that fails on one process fails on all, until the matrix is good again") {
  constexpr PetscInt n = 10;
  const Matrix A = empty_matrix(n * n, n * n, Layout::runs, Layout::runs);
  fill_poisson(A, n);
  const Matrix shell = make_shell(A);
  preallocate(A);
  fill_poisson(A, n);
  const PetscInt *row_ptr, *columns;
  PetscScalar* values;
  OK(MatSeqAIJGetCSRAndMemType(own_part(A), &row_ptr, &columns, &values, nullptr));
  PetscInt good = 0;
  const auto set_first_column = [&](PetscInt to) {
    change_entries(const_cast<PetscInt*>(columns), 1,
                   [&](PetscInt& column) { good = std::exchange(column, to); });
  };
  const bool fails = process() == processes() - 1;
  if (fails) set_first_column(-1);
  {
    const auto [x, y] = vectors_of(A);
    const Said said;
    CHECK(heddle::petsc::update_values(shell) == PETSC_ERR_LIB);
    CHECK(MatMult(shell, x, y) == PETSC_ERR_LIB);
    if (processes() > 1) {
      CHECK(said.text().find("process " + std::to_string(processes() - 1) + ": ") !=
            std::string::npos);
    }
  }
  const std::string text = viewed([&](PetscViewer viewer) { OK(MatView(shell, viewer)); });
  if (processes() == 1) CHECK(text.find("own columns none") != std::string::npos);
  if (fails) set_first_column(good);
  compare(A, shell);
}

TEST_CASE("a shell has the diagonal, the local block and the vectors of its matrix") {
  const Matrix A = empty_matrix(144, 144, Layout::none_on_first, Layout::none_on_first);
  fill_poisson(A, 12);
  const Matrix shell = make_shell(A);
  const auto [expected, found] = vectors_of(shell);
  OK(MatGetDiagonal(A, expected));
  OK(MatGetDiagonal(shell, found));
  CHECK(difference(expected, found) == 0);
  CHECK(norm(expected) == doctest::Approx(4 * 12));
  Mat own, same;
  OK(MatGetDiagonalBlock(A, &own));
  OK(MatGetDiagonalBlock(shell, &same));
  CHECK(own == same);
  VecType wanted, is;
  OK(MatGetVecType(A, &wanted));
  OK(MatGetVecType(shell, &is));
  CHECK(std::string(wanted) == is);
}

TEST_CASE("what is no matrix for a shell is an error on all processes") {
  Mat shell = nullptr;
  {
    Matrix dense;
    OK(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 8, 8, nullptr, &dense));
    const Said said;
    CHECK(heddle::petsc::create_shell(dense, &shell) == PETSC_ERR_SUP);
    CHECK(said.text().find("dense; Heddle takes aij") != std::string::npos);
  }
  {
    const Matrix A = empty_matrix(8, 8, Layout::runs, Layout::runs);
    const Said said;
    CHECK(heddle::petsc::create_shell(A, &shell) == PETSC_ERR_ARG_WRONGSTATE);
    CHECK(heddle::petsc::update_values(A) == PETSC_ERR_ARG_WRONG);
  }
  const Matrix A = empty_matrix(80, 80, Layout::runs, Layout::runs);
  fill(A, 80, 1);
  const auto references = [&] {
    PetscInt whole, own;
    OK(PetscObjectGetReference(object(A.value), &whole));
    OK(PetscObjectGetReference(object(own_part(A)), &own));
    return std::pair(whole, own);
  };
  const auto before = references();
  {
    heddle::petsc::ShellOptions options;
    options.plan.scheme = Scheme("no-such-scheme");
    const Said said;
    CHECK(heddle::petsc::create_shell(A, &shell, options) == PETSC_ERR_LIB);
    CHECK(said.text().find("no-such-scheme") != std::string::npos);
  }
  {
    heddle::petsc::ShellOptions options;
    options.plan.symmetry = Symmetry::symmetric;
    const Said said;
    CHECK(heddle::petsc::create_shell(A, &shell, options) == PETSC_ERR_ARG_INCOMP);
  }
  // One process alone fails; the others name it.
  {
    heddle::petsc::ShellOptions options;
    if (process() == processes() - 1) options.plan.scheme = Scheme("no-such-scheme");
    const Said said;
    CHECK(heddle::petsc::create_shell(A, &shell, options) == PETSC_ERR_LIB);
    if (processes() > 1) {
      CHECK(said.text().find("process " + std::to_string(processes() - 1) + ": ") !=
            std::string::npos);
    }
  }
  CHECK(shell == nullptr);
  CHECK(references() == before);
  OK(heddle::petsc::create_shell(A, &shell));  // all is well after an error
  CHECK(references().first > before.first);
  CHECK(references().second > before.second);
  compare(A, shell);
  OK(MatDestroy(&shell));
  CHECK(references() == before);
}

TEST_CASE("a shell keeps its matrix, and solves in its place") {
  constexpr PetscInt n = 24;
  Matrix A = empty_matrix(n * n, n * n, Layout::runs, Layout::runs);
  fill_poisson(A, n, 1, 0.3);
  const Matrix original = [&] {
    Matrix copy;
    OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    return copy;
  }();
  const Matrix shell = make_shell(A);
  A = Matrix();  // the shell holds the last reference
  const auto [x, b] = vectors_of(shell);
  fill_random(b, 3);
  for (const char* type : {KSPGMRES, KSPBICG}) {
    CAPTURE(type);
    Solver solver;
    OK(KSPCreate(PETSC_COMM_WORLD, &solver));
    OK(KSPSetOperators(solver, shell, shell));
    OK(KSPSetType(solver, type));
    OK(KSPSetTolerances(solver, 1e-9, PETSC_CURRENT, PETSC_CURRENT, 2000));
    PC pc;
    OK(KSPGetPC(solver, &pc));
    OK(PCSetType(pc, PCJACOBI));
    OK(KSPSolve(solver, b, x));
    CHECK(relative_residual(original, b, x) <= 1e-7);
  }
}

}  // namespace heddle::test
