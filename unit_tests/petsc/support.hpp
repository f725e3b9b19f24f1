// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed matrices and vectors for the tests, the same on any number of processes.
#pragma once

#include <doctest/doctest.h>
#include <petscksp.h>

#include <algorithm>
#include <cstdio>
#include <heddle/petsc.hpp>
#include <limits>
#include <string>
#include <vector>

namespace heddle::test {

/// Inside a test PETSc's errors are exceptions, which end the test.
#define OK(...) heddle::test::require_success((__VA_ARGS__), #__VA_ARGS__)
inline void require_success(PetscErrorCode error, const char* call) {
  if (error) FAIL(call << " returned " << static_cast<int>(error));
}

template <class T>
PetscObject object(T handle) {
  return reinterpret_cast<PetscObject>(handle);
}

/// A handle of PETSc's that is destroyed with its scope.
template <class T, PetscErrorCode (*destroy)(T*)>
struct Handle {
  T value = nullptr;

  Handle() = default;
  Handle(Handle&& other) noexcept : value(std::exchange(other.value, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  ~Handle() { static_cast<void>(destroy(&value)); }
  operator T() const { return value; }
  T* operator&() { return &value; }
};
using Matrix = Handle<Mat, MatDestroy>;
using Vector = Handle<Vec, VecDestroy>;
using Solver = Handle<KSP, KSPDestroy>;

/// Collects PETSc's error messages while it lives; PETSc then prints none.
class Said {
 public:
  Said() { OK(PetscPushErrorHandler(handle, this)); }
  ~Said() { static_cast<void>(PetscPopErrorHandler()); }
  Said(const Said&) = delete;
  const std::string& text() const { return text_; }
  PetscErrorCode first() const { return first_; }

 private:
  static PetscErrorCode handle(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                               PetscErrorType type, const char* text, void* said) {
    if (type == PETSC_ERROR_INITIAL) {
      static_cast<Said*>(said)->text_ += std::string(text) + "\n";
      if (!static_cast<Said*>(said)->first_) static_cast<Said*>(said)->first_ = code;
    }
    return code;
  }
  std::string text_;
  PetscErrorCode first_ = PETSC_SUCCESS;
};

/// A random number in [-1, 1) that depends on its arguments, and not on the process.
inline std::uint64_t draw(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  std::uint64_t bits = a * 0x9e3779b97f4a7c15 + b * 0xbf58476d1ce4e5b9 + c * 0x94d049bb133111eb;
  for (int round = 0; round < 3; ++round) bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
  return bits ^ (bits >> 32);
}
inline double draw_value(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  return static_cast<double>(draw(a, b, c) >> 11) * 0x1p-52 - 1;
}

inline int processes() {
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}
inline int process() {
  PetscMPIInt rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/// n rows on the processes: in equal runs, all on the last process, or none on the first.
enum class Layout { runs, last, none_on_first };
inline PetscInt local_size(Layout layout, PetscInt n) {
  const PetscInt size = processes(), rank = process();
  const auto run = [&](PetscInt of, PetscInt k) { return (k + 1) * n / of - k * n / of; };
  if (layout == Layout::last) return rank == size - 1 ? n : 0;
  if (layout == Layout::runs || size == 1) return run(size, rank);
  return rank == 0 ? 0 : run(size - 1, rank - 1);
}

/// Columns of row i: none to a dozen, in some rows forty.
inline std::vector<PetscInt> columns_of_row(PetscInt i, PetscInt columns) {
  std::vector<PetscInt> row;
  const auto length = draw(i, 1) % 7 == 0 ? 40 : draw(i, 2) % 13;
  for (std::uint64_t k = 0; k < length && columns > 0; ++k) {
    const bool near = draw(i, 3, k) % 3 > 0;
    const PetscInt j =
        near ? i + static_cast<PetscInt>(draw(i, 4, k) % 9) - 4
             : static_cast<PetscInt>(draw(i, 5, k) % static_cast<std::uint64_t>(columns));
    row.push_back(std::clamp<PetscInt>(j, 0, columns - 1));
  }
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
  return row;
}

/// Calls entries(i, add) for each row of this process; add(j, value) sets an entry.
template <class Entries>
void set_entries(Mat A, const Entries& entries) {
  PetscInt first, end;
  OK(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    entries(i,
            [&](PetscInt j, PetscScalar value) { OK(MatSetValue(A, i, j, value, INSERT_VALUES)); });
  }
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

/// Types of matrices and vectors whose values lie in the memory that Heddle reads.
using Space = heddle::petsc::ExecutionSpace::memory_space;
inline constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible;
inline constexpr const char* vector_type = on_host ? VECSTANDARD : VECKOKKOS;
inline constexpr const char* aij = on_host ? MATAIJ : MATAIJKOKKOS;
inline constexpr const char* distributed_aij = on_host ? MATMPIAIJ : MATMPIAIJKOKKOS;
inline constexpr const char* sequential_aij = on_host ? MATSEQAIJ : MATSEQAIJKOKKOS;

/// An empty matrix of one of these types.
inline Matrix empty_matrix(PetscInt rows, PetscInt columns, Layout row, Layout column,
                           const char* type = aij) {
  Matrix A;
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  OK(MatSetSizes(A, local_size(row, rows), local_size(column, columns), rows, columns));
  OK(MatSetType(A, type));
  OK(MatSetUp(A));
  return A;
}

inline void fill(Mat A, PetscInt columns, std::uint64_t seed) {
  set_entries(A, [=](PetscInt i, const auto& add) {
    for (const PetscInt j : columns_of_row(i, columns)) {
      add(j, draw_value(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
    }
  });
}

/// A Poisson matrix on n x n points, with convection if `skew` is not 0.
inline void fill_poisson(Mat A, PetscInt n, double scale = 1, double skew = 0) {
  set_entries(A, [=](PetscInt i, const auto& add) {
    const PetscInt x = i % n, y = i / n;
    add(i, scale * 4);
    if (x > 0) add(i - 1, scale * (-1 - skew));
    if (x + 1 < n) add(i + 1, scale * (-1 + skew));
    if (y > 0) add(i - n, -scale);
    if (y + 1 < n) add(i + n, -scale);
  });
}

/// Changes the first entries of an array in the memory that Heddle reads, unseen by PETSc.
template <class T, class Change>
void change_entries(T* entries, std::size_t count, const Change& change) {
  const Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> array(entries, count);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  for (std::size_t i = 0; i < count; ++i) change(host(i));
  Kokkos::deep_copy(array, host);
}

inline void fill_random(Vec x, std::uint64_t seed) {
  PetscInt first, end;
  PetscScalar* values;
  OK(VecGetOwnershipRange(x, &first, &end));
  OK(VecGetArrayWrite(x, &values));
  for (PetscInt i = first; i < end; ++i) {
    values[i - first] = draw_value(seed, static_cast<std::uint64_t>(i));
  }
  OK(VecRestoreArrayWrite(x, &values));
}

/// Vectors that A multiplies, and those that it makes.
inline std::pair<Vector, Vector> vectors_of(Mat A) {
  std::pair<Vector, Vector> vectors;
  OK(MatCreateVecs(A, &vectors.first, &vectors.second));
  return vectors;
}
inline Vector copy_of(Vec x) {
  Vector copy;
  OK(VecDuplicate(x, &copy));
  OK(VecCopy(x, copy));
  return copy;
}

/// The largest difference between entries, on all processes; NaN if one is.
inline double difference(Vec a, Vec b) {
  const Vector d = copy_of(a);
  PetscReal largest;
  OK(VecAXPY(d, -1, b));
  OK(VecNorm(d, NORM_INFINITY, &largest));
  return largest;
}
inline double norm(Vec a) {
  PetscReal norm;
  OK(VecNorm(a, NORM_2, &norm));
  return norm;
}

/// |b - A x| / |b|, by PETSc's own product.
inline double relative_residual(Mat A, Vec b, Vec x) {
  const Vector r = copy_of(b);
  OK(MatMult(A, x, r));
  OK(VecAYPX(r, -1, b));
  return norm(r) / norm(b);
}

/// The text that a viewer prints, on the first process.
template <class View>
std::string viewed(const View& view) {
  FILE* const file = process() == 0 ? std::tmpfile() : nullptr;
  PetscViewer viewer;
  OK(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  view(viewer);
  OK(PetscViewerDestroy(&viewer));
  std::string text;
  if (file) {
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
  }
  return text;
}

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace heddle::test
