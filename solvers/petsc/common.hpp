// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <petsc/private/petscimpl.h>
#include <petscmat.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>

#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#ifdef PETSC_HAVE_KOKKOS
#include <petsc_kokkos.hpp>
#endif

#if PETSC_VERSION_LT(3, 25, 0)
#error "<heddle/petsc.hpp> needs PETSc 3.25 or newer"
#endif
#if !defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_REAL_SINGLE)
#error "Heddle computes in float and double: configure PETSc --with-precision=double or single"
#endif

namespace heddle::petsc {

/// PETSc's scalar, as Heddle's plans know it.
#ifdef PETSC_USE_COMPLEX
using ScalarType = Kokkos::complex<PetscReal>;
#else
using ScalarType = PetscReal;
#endif
static_assert(sizeof(ScalarType) == sizeof(PetscScalar));
/// PETSc's integer: 64 bits if it was configured --with-64-bit-indices. Plans then need
/// HEDDLE_DEFINITIONS where there is a compiled part: docs/compile-time.md.
using Index = std::conditional_t<sizeof(PetscInt) == 8, std::int64_t, int>;
static_assert(sizeof(Index) == sizeof(PetscInt));

/// Products and preconditioners run on Kokkos' default execution space, where the arrays of
/// matrices and vectors must lie: -mat_type aijkokkos -vec_type kokkos if that is a GPU.
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
/// The rows of one process, or a part of their columns, in PETSc's own arrays.
using LocalMatrix = CsrMatrix<ScalarType, Index, Index, ExecutionSpace::memory_space>;

}  // namespace heddle::petsc

namespace heddle::detail::petsc {

using Exec = heddle::petsc::ExecutionSpace;
using S = heddle::petsc::ScalarType;
using Index = heddle::petsc::Index;
using LocalMatrix = heddle::petsc::LocalMatrix;

inline constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;

/// The instance that PETSc's own kernels run on, so that nothing has to wait for anything.
inline Exec execution_space() {
#ifdef PETSC_HAVE_KOKKOS
  return PetscGetKokkosExecutionSpace();
#else
  return {};
#endif
}

/// PETSc reads vectors in host memory as soon as a function returns.
inline void complete(const Exec& exec) {
  if constexpr (on_host) exec.fence("heddle::petsc::complete");
}

/// The name under which a shell has the matrix that it multiplies by.
inline constexpr const char* matrix_of_shell = "heddle_matrix";

inline PetscErrorCode finalize_kokkos() {
  if (Kokkos::is_initialized()) Kokkos::finalize();
  return PETSC_SUCCESS;
}

/// Initializes Kokkos if neither the program nor PETSc did, until PetscFinalize.
inline PetscErrorCode initialize_kokkos() {
  PetscFunctionBegin;
#ifdef PETSC_HAVE_KOKKOS
  PetscCall(PetscKokkosInitializeCheck());
#endif
  if (!Kokkos::is_initialized()) {
    PetscCheck(!Kokkos::is_finalized(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Kokkos is finalized; finalize it after the last use of Heddle");
    PetscCallCXX(Kokkos::initialize());
    PetscCall(PetscRegisterFinalize(finalize_kokkos));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A failure, with the error code that PETSc has for it.
struct Failure {
  PetscErrorCode code = PETSC_SUCCESS;
  char text[512] = "";

  void set(PetscErrorCode error, const char* what) {
    code = error;
    PetscCallVoid(PetscStrncpy(text, what, sizeof(text)));
  }
};

/// Runs step(), which may throw and may return an error code. What throws has no
/// PetscFunctionBegin: an exception would leave it on PETSc's stack, which debug builds of PETSc
/// check.
template <class Step>
Failure caught(const Step& step) {
  Failure failure;
  try {
    if (const PetscErrorCode error = step()) {
      const char* text = nullptr;  // that of PetscCheck
      static_cast<void>(PetscErrorMessage(error, nullptr, &text));
      failure.set(error, text ? text : "");
    }
  } catch (const OutOfMemory& error) {
    failure.set(PETSC_ERR_MEM, error.what());
  } catch (const std::bad_alloc& error) {
    failure.set(PETSC_ERR_MEM, error.what());
  } catch (const std::exception& error) {
    failure.set(PETSC_ERR_LIB, error.what());
  } catch (...) {
    failure.set(PETSC_ERR_LIB, "an exception that is no std::exception");
  }
  return failure;
}

/// Runs step() on every process of comm, and gives all of them the failure of the first process on
/// which it failed: otherwise the others would wait for that one for ever, in the next message.
/// step() sends nothing. Collective: one reduction, and a broadcast if it failed.
template <class Step>
PetscErrorCode agreed(MPI_Comm comm, const Step& step, Failure& failure) {
  PetscMPIInt rank, size, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  failure = caught(step);
  const PetscMPIInt mine = failure.code ? rank : size;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  if (size > 1) {
    int code = failure.code;
    char said[sizeof(failure.text) + 32];
    PetscCallMPI(MPI_Bcast(&code, 1, MPI_INT, first, comm));
    PetscCallMPI(MPI_Bcast(failure.text, sizeof(failure.text), MPI_CHAR, first, comm));
    std::snprintf(said, sizeof(said), "process %d: %s", first, failure.text);
    failure.set(static_cast<PetscErrorCode>(code), said);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs step() so, and ends with an error of PETSc's if it failed.
template <class Step>
PetscErrorCode agreed(MPI_Comm comm, const Step& step) {
  Failure failure;

  PetscFunctionBegin;
  PetscCall(agreed(comm, step, failure));
  PetscCheck(!failure.code, comm, failure.code, "%s", failure.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Arrays of host memory are of no use to a device.
inline PetscErrorCode check_memory(PetscMemType type, const char* what) {
  PetscFunctionBegin;
  PetscCheck(on_host == PetscMemTypeHost(type), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s is in %s memory, and Heddle runs on %s; -mat_type aijkokkos -vec_type kokkos put "
             "both where Kokkos runs",
             what, PetscMemTypeHost(type) ? "host" : "device", Exec::name());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The memory that our own arrays are in, for PetscSF.
inline constexpr PetscMemType own_memory = on_host ? PETSC_MEMTYPE_HOST : PETSC_MEMTYPE_KOKKOS;

/// Borrows the arrays of a sequential AIJ matrix where they lie. May throw.
inline PetscErrorCode borrow(Mat A, LocalMatrix& matrix) {
  PetscBool is_aij;
  const char* type_name;
  PetscInt rows, columns;
  const PetscInt *row_ptr, *col_idx;
  PetscScalar* values;
  PetscMemType type;
  MatInfo info;

  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQAIJ, &is_aij));
  PetscCall(MatGetType(A, &type_name));
  PetscCheck(is_aij, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "the rows of a process are a matrix of type %s; Heddle takes aij and aijkokkos",
             type_name);
  PetscCall(MatGetSize(A, &rows, &columns));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &row_ptr, &col_idx, &values, &type));
  PetscCall(check_memory(type, "the matrix"));
  const auto entries = rows > 0 ? static_cast<Index>(info.nz_used) : 0;
  matrix = LocalMatrix(rows, columns, entries,
                       rows > 0 ? reinterpret_cast<const Index*>(row_ptr) : nullptr,
                       reinterpret_cast<const Index*>(col_idx), reinterpret_cast<S*>(values));
  return PETSC_SUCCESS;
}

/// A vector of this process, where PETSc has it. Entries that are not to be read are not brought to
/// where it is written.
enum class Access { read, write, read_write };
class BorrowedVector {
 public:
  PetscErrorCode get(Vec vec, Access access) {
    PetscInt rows;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(vec, &rows));
    rows_ = rows;
    if (access == Access::read) {
      PetscCall(VecGetArrayReadAndMemType(vec, const_cast<const PetscScalar**>(&data_), &type_));
    } else if (access == Access::write) {
      PetscCall(VecGetArrayWriteAndMemType(vec, &data_, &type_));
    } else {
      PetscCall(VecGetArrayAndMemType(vec, &data_, &type_));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode check() const { return check_memory(type_, "a vector"); }
  PetscErrorCode restore(Vec vec, Access access) {
    PetscFunctionBegin;
    if (access == Access::read) {
      PetscCall(VecRestoreArrayReadAndMemType(vec, const_cast<const PetscScalar**>(&data_)));
    } else if (access == Access::write) {
      PetscCall(VecRestoreArrayWriteAndMemType(vec, &data_));
    } else {
      PetscCall(VecRestoreArrayAndMemType(vec, &data_));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscScalar* data() const { return data_; }
  PetscMemType type() const { return type_; }
  auto view() const {
    return Kokkos::View<S*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<S*>(data_), static_cast<std::size_t>(rows_));
  }

 private:
  PetscScalar* data_ = nullptr;
  PetscMemType type_ = PETSC_MEMTYPE_HOST;
  PetscInt rows_ = 0;
};

}  // namespace heddle::detail::petsc
