// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <petsc/private/pcimpl.h>

#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>

#include "../chebyshev.hpp"
#include "../gauss_seidel.hpp"
#include "../ilu.hpp"
#include "../multigrid.hpp"
#include "common.hpp"

namespace heddle::petsc {

/// The preconditioners of a PC of type "heddle": -pc_heddle_kind.
enum class PreconditionerKind { multigrid, ilu, ic, gauss_seidel, chebyshev };

/// The type of the PC, for PCSetType and -pc_type.
inline constexpr const char* preconditioner_type = "heddle";

}  // namespace heddle::petsc

namespace heddle::detail::petsc {

/// -pc_heddle_..., those that the kind has a use for: PETSc reports others as unused.
struct PreconditionerOptions {
  heddle::petsc::PreconditionerKind kind = heddle::petsc::PreconditionerKind::multigrid;
  PetscInt fill_level = 0;
  PetscInt degree = 0;
  PetscBool single_precision = PETSC_FALSE;
  PetscBool transpose = PETSC_FALSE;
};

/// A preconditioner of the rows and columns of one process.
class LocalPreconditioner {
 public:
  using Vectors = Kokkos::View<S*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  virtual ~LocalPreconditioner() = default;
  virtual void update_values(const Exec& exec, const LocalMatrix& A) = 0;
  virtual bool has_transpose() const = 0;
  virtual void apply(const Exec& exec, bool transposed, const Vectors& b, const Vectors& x) = 0;
  virtual std::string description() const = 0;
};

template <class M>
class LocalPreconditionerOf : public LocalPreconditioner {
 public:
  LocalPreconditionerOf(M made, bool has_transpose)
      : made_(std::move(made)), has_transpose_(has_transpose) {}

  void update_values(const Exec& exec, const LocalMatrix& A) override {
    if constexpr (requires { made_.update_values(exec, A, SpectrumBounds{}); }) {
      made_.update_values(exec, A, spectrum_bounds(exec, A));
    } else {
      made_.update_values(exec, A);
    }
    made_.check_values(exec);
  }

  bool has_transpose() const override {
    if constexpr (requires { made_.asymmetry(); }) {  // multigrid measures whether A is symmetric
      return has_transpose_ && made_.symmetric();
    } else {
      return has_transpose_;
    }
  }

  void apply(const Exec& exec, bool transposed, const Vectors& b, const Vectors& x) override {
    if constexpr (requires { made_.apply(exec, Op::transpose, b, x); }) {
      made_.apply(exec, transposed ? Op::transpose : Op::none, b, x);
    } else {
      made_.apply(exec, b, x);
    }
  }

  std::string description() const override {
    if constexpr (requires { made_.levels().to_string(); }) {
      return made_.levels().to_string();
    } else {
      return std::string(made_.name()) + ", " + made_.scheme().to_string() + "\n";
    }
  }

 private:
  M made_;
  bool has_transpose_;
};

template <class M>
std::unique_ptr<LocalPreconditioner> local_preconditioner(M made, bool has_transpose) {
  return std::make_unique<LocalPreconditionerOf<M>>(std::move(made), has_transpose);
}

/// Near-nullspace vectors of this process, column by column; empty if there are none. May throw.
using NearNullspace = Kokkos::View<S**, Kokkos::LayoutLeft, Exec::memory_space>;
inline PetscErrorCode near_nullspace_of(Mat A, PetscInt rows, NearNullspace& vectors) {
  MatNullSpace space;
  PetscBool has_constant;
  PetscInt count;
  const Vec* vecs;

  PetscCall(MatGetNearNullSpace(A, &space));
  if (!space) {  // a shell has those of its matrix
    PetscObject matrix;
    PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(A), matrix_of_shell, &matrix));
    if (matrix) PetscCall(MatGetNearNullSpace(reinterpret_cast<Mat>(matrix), &space));
  }
  if (!space) return PETSC_SUCCESS;
  PetscCall(MatNullSpaceGetVecs(space, &has_constant, &count, &vecs));
  const PetscInt constant = has_constant ? 1 : 0;
  vectors = NearNullspace("heddle::petsc::near_nullspace", static_cast<std::size_t>(rows),
                          static_cast<std::size_t>(count + constant));
  const auto host = Kokkos::create_mirror_view(vectors);
  for (PetscInt i = 0; i < constant * rows; ++i) host(i, 0) = S(1);
  for (PetscInt v = 0; v < count; ++v) {
    const PetscScalar* entries;
    PetscInt length;
    PetscCall(VecGetLocalSize(vecs[v], &length));
    PetscCheck(length == rows, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "a near-nullspace vector has %" PetscInt_FMT
               " rows on this process, and the matrix "
               "%" PetscInt_FMT,
               length, rows);
    PetscCall(VecGetArrayRead(vecs[v], &entries));
    for (PetscInt i = 0; i < rows; ++i) {
      host(i, v + constant) = *reinterpret_cast<const S*>(entries + i);
    }
    PetscCall(VecRestoreArrayRead(vecs[v], &entries));
  }
  Kokkos::deep_copy(vectors, host);
  return PETSC_SUCCESS;
}

/// The data of a PC of type "heddle". A template only so that sources that register none do not
/// compile the solvers.
template <class Matrix>
class Preconditioner {
 public:
  static PetscErrorCode create(PC pc) {
    PetscFunctionBegin;
    PetscCall(initialize_kokkos());
    pc->data = new (std::nothrow) Preconditioner();
    PetscCheck(pc->data, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for a PC of type heddle");
    pc->ops->setup = set_up;
    pc->ops->apply = apply_plain;
    pc->ops->applytranspose = apply_transposed;
    pc->ops->setfromoptions = set_from_options;
    pc->ops->reset = reset;
    pc->ops->destroy = destroy;
    pc->ops->view = view;
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "heddle_set_kind_C",
                                         set_kind));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  using Kind = heddle::petsc::PreconditionerKind;

  static Preconditioner& of(PC pc) { return *static_cast<Preconditioner*>(pc->data); }

  static PetscErrorCode set_kind(PC pc, Kind kind) {
    PetscFunctionBegin;
    if (of(pc).options_.kind != kind) PetscCall(reset(pc));
    of(pc).options_.kind = kind;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode set_from_options(PC pc, PetscOptionItems PetscOptionsObject) {
    PreconditionerOptions options = of(pc).options_;
    PetscBool is_set = PETSC_FALSE;

    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, "Heddle's preconditioners");
    const char* const kinds[] = {
        "multigrid", "ilu",  "ic", "gauss_seidel", "chebyshev", "heddle::petsc::PreconditionerKind",
        "",          nullptr};
    PetscEnum kind = static_cast<PetscEnum>(options.kind);
    PetscCall(PetscOptionsEnum("-pc_heddle_kind", "The preconditioner of each process's rows",
                               "heddle::petsc::set_kind", kinds, kind, &kind, &is_set));
    options.kind = static_cast<Kind>(kind);
    const bool is_factors = options.kind == Kind::ilu || options.kind == Kind::ic;
    if (is_factors) {
      PetscCall(PetscOptionsBoundedInt("-pc_heddle_fill_level", "The k of ILU(k) and IC(k)",
                                       nullptr, options.fill_level, &options.fill_level, nullptr,
                                       0));
    }
    if (options.kind == Kind::ilu) {
      PetscCall(PetscOptionsBool("-pc_heddle_transpose", "Whether PCApplyTranspose is needed",
                                 nullptr, options.transpose, &options.transpose, nullptr));
    }
    if (options.kind == Kind::multigrid || options.kind == Kind::chebyshev) {
      PetscCall(PetscOptionsBoundedInt("-pc_heddle_degree",
                                       "The degree of the polynomial, or of the smoother's",
                                       nullptr, options.degree, &options.degree, nullptr, 0));
    }
    if (is_factors || options.kind == Kind::multigrid) {
      PetscCall(PetscOptionsBool("-pc_heddle_single_precision",
                                 "Whether factors or the hierarchy are stored in float", nullptr,
                                 options.single_precision, &options.single_precision, nullptr));
    }
    PetscOptionsHeadEnd();
    const PreconditionerOptions& had = of(pc).options_;
    if (options.kind != had.kind || options.fill_level != had.fill_level ||
        options.degree != had.degree || options.single_precision != had.single_precision ||
        options.transpose != had.transpose) {
      PetscCall(reset(pc));
    }
    of(pc).options_ = options;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Inspects the local diagonal block at first and when its pattern has changed, else takes its
  /// new values. A matrix that the method cannot take is no error of the program: PETSc's reason
  /// for it ends the solve on all processes, unless failures are to be errors.
  static PetscErrorCode set_up(PC pc) {
    const auto comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
    Preconditioner& self = of(pc);
    Failure failure;

    PetscFunctionBegin;
    self.failure_.clear();
    PetscCall(agreed(comm, [&] { return self.make_or_update(pc); }, failure));
    pc->failedreason = PC_NOERROR;
    if (failure.code) {
      PetscCall(reset_matrix(pc));
      self.failure_ = failure.text;
      pc->failedreason = PC_FACTOR_OTHER;
      const bool is_error = failure.code != PETSC_ERR_LIB || pc->erroriffailure;
      if (is_error) pc->setupcalled = PETSC_FALSE;
      PetscCheck(!is_error, comm, failure.code, "%s", failure.text);
      PetscCall(PetscInfo(pc, "%s\n", failure.text));
    }
    const int has_transpose = !self.made_ || self.made_->has_transpose();
    PetscCallMPI(MPI_Allreduce(&has_transpose, &self.has_transpose_, 1, MPI_INT, MPI_MIN, comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// May throw.
  PetscErrorCode make_or_update(PC pc) {
    const Exec exec = execution_space();
    Mat block;
    PetscObjectState pattern;
    Matrix A;

    PetscCall(MatGetDiagonalBlock(pc->pmat, &block));
    PetscCall(borrow(block, A));
    PetscCheck(A.rows() == A.columns(), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "the diagonal block of a process is %" PetscInt_FMT " x %" PetscInt_FMT
               "; a preconditioner needs as many rows as columns",
               static_cast<PetscInt>(A.rows()), static_cast<PetscInt>(A.columns()));
    PetscCall(MatGetNonzeroState(block, &pattern));
    if (made_ && block == block_ && pattern == pattern_) {
      made_->update_values(exec, with_own_pattern(A));
      return PETSC_SUCCESS;
    }
    made_.reset();
    PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(block)));
    PetscCall(MatDestroy(&block_));
    block_ = block;
    pattern_ = pattern;
    if (A.rows() > 0) {
      copy_pattern(exec, A);
      PetscCall(make(exec, pc->pmat, with_own_pattern(A)));
    }
    exec.fence("heddle::petsc::set_up");
    return PETSC_SUCCESS;
  }

  /// Plans borrow the pattern, and PETSc frees its own when entries are added, though the next
  /// set-up may never come: KSPSetReusePreconditioner.
  void copy_pattern(const Exec& exec, const Matrix& A) {
    const auto copy = [&](const std::string& label, const auto& from, auto& to) {
      to = std::decay_t<decltype(to)>(
          Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing, label),
          from.extent(0));
      Kokkos::deep_copy(kokkos_space(exec), to, from);
    };
    copy("heddle::petsc::row_ptr", A.row_ptr(), row_ptr_);
    copy("heddle::petsc::col_idx", A.col_idx(), col_idx_);
  }
  Matrix with_own_pattern(const Matrix& A) const {
    return Matrix(A.rows(), A.columns(), A.nonzeros(), row_ptr_.data(), col_idx_.data(),
                  A.values().data());
  }

  /// May throw.
  PetscErrorCode make(const Exec& exec, Mat whole, const Matrix& A) {
    if (options_.kind == Kind::multigrid) {
      MultigridOptions options;
      NearNullspace vectors;
      PetscInt block_size;
      PetscCall(MatGetBlockSize(whole, &block_size));
      PetscCall(near_nullspace_of(whole, A.rows(), vectors));
      options.block_size = static_cast<int>(block_size);
      options.degree = static_cast<int>(options_.degree);
      if (options_.single_precision) options.values = MultigridValues::single_precision;
      made_ = local_preconditioner(vectors.extent(1) > 0
                                       ? MultigridPlan<Exec, Matrix>(exec, A, vectors, options)
                                       : MultigridPlan<Exec, Matrix>(exec, A, options),
                                   !is_complex<S>);
    } else if (options_.kind == Kind::ilu || options_.kind == Kind::ic) {
      IluOptions options;
      options.fill_level = static_cast<int>(options_.fill_level);
      if (options_.single_precision) options.factor_values = FactorValues::single_precision;
      if (options_.transpose) options.ops = {Op::transpose};
      made_ = options_.kind == Kind::ilu
                  ? local_preconditioner(IluPlan<Exec, Matrix>(exec, A, options),
                                         options_.transpose == PETSC_TRUE)
                  : local_preconditioner(IcPlan<Exec, Matrix>(exec, A, options), true);
    } else if (options_.kind == Kind::gauss_seidel) {  // as symmetric as A, which nothing measures
      made_ = local_preconditioner(GaussSeidelPlan<Exec, Matrix>(exec, A), false);
    } else {  // spectrum_bounds() takes a symmetric A alone
      const int degree = options_.degree > 0 ? static_cast<int>(options_.degree) : 3;
      made_ = local_preconditioner(
          ChebyshevPlan<Exec, Matrix>(exec, A, spectrum_bounds(exec, A), degree), !is_complex<S>);
    }
    return PETSC_SUCCESS;
  }

  static PetscErrorCode apply(PC pc, bool transposed, Vec b, Vec x) {
    Preconditioner& self = of(pc);
    BorrowedVector from, to;

    PetscFunctionBegin;
    if (!self.made_) {  // without rows there is nothing to do, and without a set-up no result
      PetscInt rows;
      PetscCall(VecGetLocalSize(x, &rows));
      PetscCall(VecFlag(x, rows > 0));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(from.get(b, Access::read));
    PetscCall(to.get(x, Access::write));
    const Failure failure = caught([&]() -> PetscErrorCode {
      const Exec exec = execution_space();
      PetscCall(from.check());
      PetscCall(to.check());
      self.made_->apply(exec, transposed, from.view(), to.view());
      complete(exec);
      return PETSC_SUCCESS;
    });
    PetscCall(to.restore(x, Access::write));
    PetscCall(from.restore(b, Access::read));
    PetscCheck(!failure.code, PETSC_COMM_SELF, failure.code, "%s", failure.text);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode apply_plain(PC pc, Vec b, Vec x) {
    PetscFunctionBegin;
    PetscCall(apply(pc, false, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode apply_transposed(PC pc, Vec b, Vec x) {
    PetscFunctionBegin;
    PetscCheck(of(pc).has_transpose_, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
               PETSC_ERR_SUP,
               "the preconditioner has no transpose; take a method that needs none, such as gmres, "
               "or -pc_heddle_kind ilu with -pc_heddle_transpose");
    PetscCall(apply(pc, true, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode view(PC pc, PetscViewer viewer) {
    const Preconditioner& self = of(pc);
    PetscBool is_text;

    PetscFunctionBegin;
    PetscCall(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
    if (!is_text) PetscFunctionReturn(PETSC_SUCCESS);
    if (!self.failure_.empty()) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "  failed: %s\n", self.failure_.c_str()));
    }
    if (self.made_) {
      std::istringstream text(self.made_->description());
      for (std::string line; std::getline(text, line);) {  // the viewer indents each call's first
        PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", line.c_str()));
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode reset_matrix(PC pc) {
    PetscFunctionBegin;
    of(pc).made_.reset();
    of(pc).row_ptr_ = {};
    of(pc).col_idx_ = {};
    PetscCall(MatDestroy(&of(pc).block_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode reset(PC pc) {
    PetscFunctionBegin;
    PetscCall(reset_matrix(pc));
    of(pc).failure_.clear();
    pc->setupcalled = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode destroy(PC pc) {
    PetscFunctionBegin;
    PetscCall(reset_matrix(pc));
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "heddle_set_kind_C",
                                         nullptr));
    delete &of(pc);
    pc->data = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PreconditionerOptions options_;
  std::unique_ptr<LocalPreconditioner> made_;  ///< null without rows, and if the set-up failed
  int has_transpose_ = 1;                      ///< on all processes
  Mat block_ = nullptr;                        ///< held, so that another one has another address
  PetscObjectState pattern_ = 0;
  Kokkos::View<Index*, Exec::memory_space> row_ptr_, col_idx_;  ///< that made_ borrows
  std::string failure_;
};

}  // namespace heddle::detail::petsc

namespace heddle::petsc {

/// Registers the PC type "heddle", after PetscInitialize. -pc_type heddle, or
/// PCSetType(pc, heddle::petsc::preconditioner_type), then preconditions by a MultigridPlan,
/// IluPlan, IcPlan, GaussSeidelPlan or ChebyshevPlan of the rows and columns that each process
/// owns: block Jacobi over the processes, without messages. It takes matrices of type aij and
/// aijkokkos, and shells of create_shell; under PCBJACOBI and PCASM (-sub_pc_type heddle) their
/// blocks. A shell has none but that of all rows of a process, for PCBJACOBI. Multigrid uses the
/// block size and the near-nullspace of the matrix; blocks have no near-nullspace.
///
/// PCSetUp takes new values of the same pattern without a new inspection. If the matrix is none for
/// the method (a pivot is zero, a diagonal entry is missing), KSPSolve ends on all processes with
/// KSP_DIVERGED_PC_FAILED; PCView and -info have the text of the heddle::Error, and with
/// -ksp_error_if_not_converged it is the text of a PETSC_ERR_LIB. Other errors are errors of
/// PCSetUp on all processes of the PC: PETSC_ERR_SUP for other types of matrices,
/// PETSC_ERR_ARG_INCOMP if the matrix is not where Kokkos runs, PETSC_ERR_ARG_SIZ for a block that
/// is not square, PETSC_ERR_MEM. An apply allocates nothing. Device memory: that of the plan, and a
/// copy of the pattern.
///
/// PCApplyTranspose works for ic; for ilu with -pc_heddle_transpose; and for multigrid if the rows
/// of each process are symmetric. Otherwise it is PETSC_ERR_SUP on all processes.
template <class Matrix = LocalMatrix>
PetscErrorCode register_preconditioner() {
  PetscFunctionBegin;
  PetscCall(PCRegister(preconditioner_type, detail::petsc::Preconditioner<Matrix>::create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets what -pc_heddle_kind sets. PETSC_ERR_ARG_WRONG if pc is not of type "heddle".
inline PetscErrorCode set_kind(PC pc, PreconditionerKind kind) {
  PetscErrorCode (*set)(PC, PreconditionerKind) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(pc), "heddle_set_kind_C", &set));
  PetscCheck(set, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_WRONG,
             "set_kind is for a PC of type heddle; call PCSetType before it");
  PetscCall(set(pc, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
