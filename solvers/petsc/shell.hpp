// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <petscsf.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "../../backends/several_devices.hpp"
#include "../../backends/stream.hpp"
#include "../../formats/plan/added_columns.hpp"
#include "../../formats/spmv.hpp"
#include "common.hpp"

/// Heddle inside programs that use PETSc. Heddle sends no messages: PETSc distributes, and Heddle
/// multiplies on each process.
namespace heddle::petsc {

/// Options of a shell.
struct ShellOptions {
  /// Options of the plans. Schemes that are pinned here are for the columns that the process owns.
  SpmvOptions plan = {};
  /// Pins the scheme of the columns that other processes own. Without it gcsr is taken if more than
  /// half of the rows have no entry there, and else what a plan chooses.
  std::optional<Scheme> remote_scheme = std::nullopt;
};

}  // namespace heddle::petsc

namespace heddle::detail::petsc {

/// A queue beside PETSc's. PetscSF copies what it sends and receives to the host and back in
/// PETSc's queue, unless MPI knows the device's memory, and would wait for a product there.
class QueueBeside {
 public:
  explicit QueueBeside(const Exec& exec)
      : queue_(backends::current_device<Exec>()), begun_(exec), ended_(queue_.exec()) {}
  const Exec& exec() const { return queue_.exec(); }
  /// Lets this queue go on after what is queued on `exec`.
  void follow(const Exec& exec) {
    begun_.record(exec);
    begun_.hold(queue_.exec());
  }
  /// Lets `exec` go on after what is queued here.
  void join(const Exec& exec) {
    ended_.record(queue_.exec());
    ended_.hold(exec);
  }

 private:
  DeviceQueue<Exec> queue_;
  DeviceEvent<Exec> begun_, ended_;
};

/// The context of a shell. A template only so that sources that make no shell do not compile
/// plans.
template <class Matrix>
class Product {
 public:
  static PetscErrorCode make(Mat A, const heddle::petsc::ShellOptions& options, Mat* shell) {
    const auto comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
    PetscBool is_aij, is_distributed, is_assembled;
    PetscInt m, n, M, N;
    MatType type;
    VecType vec_type;
    std::unique_ptr<Product> product;
    struct Made {
      Mat shell = nullptr;
      ~Made() { static_cast<void>(MatDestroy(&shell)); }
    } made;

    PetscFunctionBegin;
    const auto object = reinterpret_cast<PetscObject>(A);
    PetscCall(PetscObjectBaseTypeCompare(object, MATSEQAIJ, &is_aij));
    PetscCall(PetscObjectBaseTypeCompare(object, MATMPIAIJ, &is_distributed));
    PetscCall(MatGetType(A, &type));
    PetscCheck(is_aij || is_distributed, comm, PETSC_ERR_SUP,
               "a shell over a matrix of type %s; Heddle takes aij and aijkokkos",
               type ? type : "(none)");
    PetscCall(MatAssembled(A, &is_assembled));
    PetscCheck(is_assembled, comm, PETSC_ERR_ARG_WRONGSTATE,
               "the matrix of a shell is not assembled; call MatAssemblyBegin and MatAssemblyEnd");
    PetscCheck(options.plan.symmetry == Symmetry::none, comm, PETSC_ERR_ARG_INCOMP,
               "plan.symmetry is given for a distributed matrix; fill both triangles of it");
    PetscCall(initialize_kokkos());
    PetscCall(agreed(comm, [&]() -> PetscErrorCode {
      product.reset(new Product(A, is_distributed, options));
      return PETSC_SUCCESS;
    }));
    PetscCall(product->inspect());
    PetscCall(MatGetLocalSize(A, &m, &n));
    PetscCall(MatGetSize(A, &M, &N));
    PetscCall(MatCreateShell(comm, m, n, M, N, product.get(), &made.shell));
    // A shell that is scaled or shifted would scale the local block of A in MatGetDiagonalBlock.
    PetscCall(MatShellSetManageScalingShifts(made.shell));
    PetscCall(MatShellSetContextDestroy(made.shell, destroy));
    product.release();  // destroy() deletes it
    PetscCall(MatSetBlockSizesFromMats(made.shell, A, A));
    PetscCall(MatGetVecType(A, &vec_type));
    PetscCall(MatShellSetVecType(made.shell, vec_type));
    const auto set = [&](MatOperation operation, auto* function) {
      return MatShellSetOperation(made.shell, operation,
                                  reinterpret_cast<PetscErrorCodeFn*>(function));
    };
    PetscCall(set(MATOP_MULT, mult<Op::none>));
    PetscCall(set(MATOP_MULT_ADD, mult_add<Op::none>));
    PetscCall(set(MATOP_MULT_TRANSPOSE, mult<Op::transpose>));
    PetscCall(set(MATOP_MULT_TRANSPOSE_ADD, mult_add<Op::transpose>));
    constexpr Op adjoint = is_complex<S> ? Op::conjugate_transpose : Op::transpose;
    PetscCall(set(MATOP_MULT_HERMITIAN_TRANSPOSE, mult<adjoint>));
    PetscCall(set(MATOP_MULT_HERMITIAN_TRANS_ADD, mult_add<adjoint>));
    PetscCall(set(MATOP_GET_DIAGONAL, get_diagonal));
    PetscCall(set(MATOP_GET_DIAGONAL_BLOCK, get_diagonal_block));
    PetscCall(set(MATOP_VIEW, view));
    const auto made_object = reinterpret_cast<PetscObject>(made.shell);
    PetscCall(PetscObjectCompose(made_object, matrix_of_shell, object));
    PetscCall(PetscObjectComposeFunction(made_object, "heddle_update_values_C", update_values));
    *shell = std::exchange(made.shell, nullptr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  ~Product() {
    static_cast<void>(PetscSFDestroy(&exchange_));
    static_cast<void>(pattern_.release());
    static_cast<void>(MatDestroy(&A_));
  }

  static PetscErrorCode update_values(Mat shell) {
    Product* product;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    PetscCall(product->update());
    PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(shell)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  using Plan = SpmvPlan<Exec, Matrix>;

  /// No two patterns of a process have all of these in common. The nonzero state of the whole
  /// matrix does not suffice: it adds up those of its parts, and a new preallocation makes new
  /// parts.
  struct Pattern {
    Mat own = nullptr, remote = nullptr;
    const PetscInt* remote_columns = nullptr;
    PetscObjectState own_state = 0, remote_state = 0;

    bool operator==(const Pattern&) const = default;
    /// References keep another part from having the address of one that is gone.
    PetscErrorCode hold() const {
      PetscFunctionBegin;
      PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(own)));
      if (remote) PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(remote)));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscErrorCode release() {
      PetscFunctionBegin;
      PetscCall(MatDestroy(&own));
      PetscCall(MatDestroy(&remote));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  };

  Product(Mat A, bool is_distributed, const heddle::petsc::ShellOptions& options)
      : A_(A), is_distributed_(is_distributed), options_(options) {
    static_cast<void>(PetscObjectReference(reinterpret_cast<PetscObject>(A)));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  static PetscErrorCode destroy(PetscCtxRt context) {
    PetscFunctionBegin;
    delete *static_cast<Product**>(context);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  MPI_Comm comm() const { return PetscObjectComm(reinterpret_cast<PetscObject>(A_)); }

  /// The parts of this process: columns that it owns, and those of other processes, numbered as
  /// they arrive, with their global numbers. Without others: no second part. May throw.
  PetscErrorCode parts(Matrix& own, Matrix& remote, Pattern& pattern) const {
    pattern = Pattern();
    pattern.own = A_;
    if (is_distributed_) {
      PetscCall(MatMPIAIJGetSeqAIJ(A_, &pattern.own, &pattern.remote, &pattern.remote_columns));
    }
    PetscCall(MatGetNonzeroState(pattern.own, &pattern.own_state));
    PetscCall(borrow(pattern.own, own));
    if (pattern.remote) {
      PetscCall(MatGetNonzeroState(pattern.remote, &pattern.remote_state));
      PetscCall(borrow(pattern.remote, remote));
    }
    return PETSC_SUCCESS;
  }

  /// Makes all anew from the pattern and the values that A has now.
  PetscErrorCode inspect() {
    Matrix own, remote;
    Pattern pattern;
    PetscLayout columns;
    PetscMPIInt processes;

    PetscFunctionBegin;
    values_state_ = 0;  // until all is made: no assembled matrix has this state
    PetscCall(PetscSFDestroy(&exchange_));
    PetscCall(pattern_.release());
    is_prepared_ = {};
    PetscCall(agreed(comm(), [&] { return parts(own, remote, pattern); }));
    PetscCallMPI(MPI_Comm_size(comm(), &processes));
    if (processes > 1) {
      PetscCall(MatGetLayouts(A_, nullptr, &columns));
      PetscCall(PetscSFCreate(comm(), &exchange_));
      // A reduction of this type writes to the roots only when it ends.
      PetscCall(PetscSFSetType(exchange_, PETSCSFBASIC));
      PetscCall(PetscSFSetGraphLayout(exchange_, columns, remote.columns(), nullptr,
                                      PETSC_OWN_POINTER, pattern.remote_columns));
      PetscCall(PetscSFSetUp(exchange_));
    }
    PetscCall(agreed(comm(), [&]() -> PetscErrorCode {
      const Exec exec = execution_space();
      own_.emplace(exec, own, options_.plan);
      if (exchange_ && !beside_) beside_.emplace(exec);
      remote_.reset();
      x_remote_ = {};
      if (remote.columns() > 0) {
        plan_added_columns(remote_, exec, remote, options_.plan, options_.remote_scheme);
        x_remote_ = Remote(Kokkos::view_alloc(kokkos_space(exec), "heddle::petsc::remote"),
                           static_cast<std::size_t>(remote.columns()));
        exec.fence("heddle::petsc::inspected");
      }
      return PETSC_SUCCESS;
    }));
    entries_ = static_cast<PetscLogDouble>(own.nonzeros()) + remote.nonzeros();
    PetscCall(pattern.hold());
    pattern_ = pattern;
    PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A_), &values_state_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode update() {
    Matrix own, remote;
    Pattern pattern;
    int is_new, is_new_somewhere;

    PetscFunctionBegin;
    const Failure failure = caught([&] { return parts(own, remote, pattern); });
    is_new = failure.code || !(pattern == pattern_);
    PetscCallMPI(MPI_Allreduce(&is_new, &is_new_somewhere, 1, MPI_INT, MPI_MAX, comm()));
    if (is_new_somewhere) {
      PetscCall(inspect());  // which fails on all processes if parts() failed on one
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    values_state_ = 0;
    PetscCall(agreed(comm(), [&]() -> PetscErrorCode {
      const Exec exec = execution_space();
      own_->update_values(exec, own);
      if (remote_) remote_->update_values(exec, remote);
      return PETSC_SUCCESS;
    }));
    PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A_), &values_state_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Takes what A has become, and prepares op. Changes of a state are collective, as in PCSetUp.
  PetscErrorCode get_ready(Mat shell, Op op) {
    PetscObjectState values;

    PetscFunctionBegin;
    PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(A_), &values));
    if (values != values_state_) PetscCall(update_values(shell));
    if (op == Op::none || is_prepared_[static_cast<std::size_t>(op)]) {
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(agreed(comm(), [&]() -> PetscErrorCode {
      const Exec exec = execution_space();
      own_->prepare(exec, op);
      if (remote_) remote_->prepare(exec, op);
      return PETSC_SUCCESS;
    }));
    is_prepared_[static_cast<std::size_t>(op)] = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// y = op(A) x + beta y for one plan. A failure does not end the product, since other processes
  /// wait for the exchange.
  template <class X, class Y>
  static Failure multiply(const Exec& exec, const Plan& plan, Op op, const X& x, S beta,
                          const Y& y) {
    return caught([&]() -> PetscErrorCode {
      Multivector<const S> from;
      from.data = x.data();
      from.rows = static_cast<std::int64_t>(x.extent(0));
      Multivector<S> to;
      to.data = y.data();
      to.rows = static_cast<std::int64_t>(y.extent(0));
      plan.execute(exec, op, S(1), from, beta, to);
      complete(exec);
      return PETSC_SUCCESS;
    });
  }

  /// y = op(A) x + beta y.
  PetscErrorCode multiply(Mat shell, Op op, Vec x, S beta, Vec y) {
    const Access access = beta == S(0) ? Access::write : Access::read_write;
    BorrowedVector from, to;

    PetscFunctionBegin;
    PetscCall(get_ready(shell, op));
    PetscCall(from.get(x, Access::read));
    PetscCall(to.get(y, access));
    Failure failure = caught([&]() -> PetscErrorCode {
      PetscCall(from.check());
      return to.check();
    });
    if (!failure.code) {
      if (transposes(op)) {
        PetscCall(transposed(op, from, beta, to, failure));
      } else {
        PetscCall(plain(from, beta, to, failure));
      }
    }
    PetscCall(to.restore(y, access));
    PetscCall(from.restore(x, Access::read));
    PetscCheck(!failure.code, PETSC_COMM_SELF, failure.code, "%s", failure.text);
    if constexpr (on_host) {
      PetscCall(PetscLogFlops(2 * entries_));
    } else {
      PetscCall(PetscLogGpuFlops(2 * entries_));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode plain(const BorrowedVector& from, S beta, const BorrowedVector& to,
                       Failure& failure) {
    const Exec exec = execution_space();

    PetscFunctionBegin;
    if (!exchange_) {
      failure = multiply(exec, *own_, Op::none, from.view(), beta, to.view());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscSFBcastWithMemTypeBegin(exchange_, MPIU_SCALAR, from.type(), from.data(),
                                           own_memory, remote_data(), MPI_REPLACE));
    failure = caught([&] {
      beside_->follow(exec);
      return PETSC_SUCCESS;
    });
    if (!failure.code) {
      failure = multiply(beside_->exec(), *own_, Op::none, from.view(), beta, to.view());
    }
    PetscCall(PetscSFBcastEnd(exchange_, MPIU_SCALAR, from.data(), remote_data(), MPI_REPLACE));
    const Failure joined = caught([&] {
      beside_->join(exec);
      return PETSC_SUCCESS;
    });
    if (!failure.code) failure = joined;
    if (remote_ && !failure.code) {
      failure = multiply(exec, *remote_, Op::none, x_remote_, S(1), to.view());
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// All in one queue: the sums that arrive are added to y after the product of own columns.
  PetscErrorCode transposed(Op op, const BorrowedVector& from, S beta, const BorrowedVector& to,
                            Failure& failure) {
    const Exec exec = execution_space();

    PetscFunctionBegin;
    if (remote_) failure = multiply(exec, *remote_, op, from.view(), S(0), x_remote_);
    if (exchange_) {
      PetscCall(PetscSFReduceWithMemTypeBegin(exchange_, MPIU_SCALAR, own_memory, remote_data(),
                                              to.type(), to.data(), MPIU_SUM));
    }
    if (!failure.code) failure = multiply(exec, *own_, op, from.view(), beta, to.view());
    if (exchange_) {
      PetscCall(PetscSFReduceEnd(exchange_, MPIU_SCALAR, remote_data(), to.data(), MPIU_SUM));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscScalar* remote_data() const { return reinterpret_cast<PetscScalar*>(x_remote_.data()); }

  template <Op op>
  static PetscErrorCode mult(Mat shell, Vec x, Vec y) {
    Product* product;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    PetscCall(product->multiply(shell, op, x, S(0), y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// sum = y + op(A) x.
  template <Op op>
  static PetscErrorCode mult_add(Mat shell, Vec x, Vec y, Vec sum) {
    Product* product;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    if (y != sum) PetscCall(VecCopy(y, sum));
    PetscCall(product->multiply(shell, op, x, S(1), sum));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode get_diagonal(Mat shell, Vec diagonal) {
    Product* product;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    PetscCall(MatGetDiagonal(product->A_, diagonal));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode get_diagonal_block(Mat shell, Mat* block) {
    Product* product;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    PetscCall(MatGetDiagonalBlock(product->A_, block));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode view(Mat shell, PetscViewer viewer) {
    Product* product;
    PetscBool is_text;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &product));
    PetscCall(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &is_text));
    if (is_text) {
      const auto scheme_of = [](const std::optional<Plan>& plan) {
        return plan ? plan->scheme().to_string() : std::string("none");
      };
      const std::string own = scheme_of(product->own_), remote = scheme_of(product->remote_);
      PetscCall(PetscViewerASCIIPrintf(viewer, "  heddle: own columns %s, remote columns %s\n",
                                       own.c_str(), remote.c_str()));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  using Remote = Kokkos::View<S*, Exec::memory_space>;

  Mat A_;
  bool is_distributed_;
  heddle::petsc::ShellOptions options_;
  std::optional<Plan> own_, remote_;
  std::array<bool, 4> is_prepared_{};
  PetscSF exchange_ = nullptr;  ///< of the entries of x for remote columns; null for one process
  Remote x_remote_;
  std::optional<QueueBeside> beside_;  ///< for products of own columns, if there is an exchange
  Pattern pattern_;
  PetscObjectState values_state_ = 0;
  PetscLogDouble entries_ = 0;
};

}  // namespace heddle::detail::petsc

namespace heddle::petsc {

/// A MATSHELL that multiplies by Heddle's plans, over A: an assembled matrix of type aij or
/// aijkokkos. It has MatMult, MatMultAdd, their transposes (Hermitian ones too), MatGetDiagonal and
/// MatGetDiagonalBlock, so PCJACOBI, PCBJACOBI and PCHEDDLE take it in A's place.
///
/// Each process has a plan for the columns that it owns and one for those of other processes. Both
/// borrow the arrays of A, to which the shell holds a reference. A product starts the exchange of
/// x, multiplies the own columns meanwhile (on CUDA in a stream beside PETSc's, whose later work
/// begins after it), and adds the others: by gcsr, which touches only the rows that have any, if
/// more than half of the rows have none. Vectors are borrowed where they lie: in host memory, or,
/// of type kokkos, where Kokkos runs. Products allocate nothing; the first one of a transposing
/// kind prepares it, which allocates. Bitwise reproducible as SpmvPlan is, except that the order of
/// sums over processes in transposing products is PetscSF's.
///
/// A product notices that A has been assembled, scaled or otherwise changed by calls on A, and
/// takes the new values; a new pattern is inspected anew. A preconditioner that is made from the
/// shell notices that only after a product: call update_values.
///
/// Collective. An error on one process is an error on all, here and in update_values, though not in
/// a product: PETSC_ERR_SUP for another type of
/// matrix, PETSC_ERR_ARG_WRONGSTATE if A is not assembled, PETSC_ERR_ARG_INCOMP for options that do
/// not fit or a matrix that is not where Kokkos runs, PETSC_ERR_MEM, and PETSC_ERR_LIB with the
/// text of a heddle::Error, as of a scheme that is refused. Initializes Kokkos, until
/// PetscFinalize, if the program has not.
template <class Matrix = LocalMatrix>
PetscErrorCode create_shell(Mat A, Mat* shell, const ShellOptions& options = {}) {
  PetscFunctionBegin;
  PetscCall((detail::petsc::Product<Matrix>::make(A, options, shell)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Takes the values that the matrix of `shell` has now, and its pattern if that is new. Needed if
/// values were written through the arrays of its local parts, which changes no state of the matrix
/// itself, and for preconditioners that are made from `shell`: they see new values at their next
/// PCSetUp only after this call. Collective; errors as of create_shell, and PETSC_ERR_ARG_WRONG if
/// `shell` is none of create_shell's.
inline PetscErrorCode update_values(Mat shell) {
  PetscErrorCode (*update)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(shell), "heddle_update_values_C",
                                     &update));
  PetscCheck(update, PetscObjectComm(reinterpret_cast<PetscObject>(shell)), PETSC_ERR_ARG_WRONG,
             "update_values is for a shell that heddle::petsc::create_shell made");
  PetscCall(update(shell));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
