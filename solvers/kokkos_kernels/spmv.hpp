// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/interop/kokkos_kernels.hpp"
#include "../../formats/spmv.hpp"
#include "algorithms.hpp"

namespace heddle::kk {

/// The counterpart of KokkosSparse::SPMVHandle: made without a matrix, it inspects the one that the
/// first spmv passes, and serves the later ones. It holds an SpmvPlan.
///
/// A handle belongs to one matrix, whose arrays must outlive it, and serves any vectors and
/// execution space instances. It can be neither copied nor moved. Unlike in Kokkos Kernels, one
/// handle multiplies once at a time: calls on two streams that may overlap need one each.
///
/// Made from an algorithm, it reads A's values at each call, as Kokkos Kernels does: only schemes
/// that borrow them are chosen, and a transposing product adds atomically. Made from SpmvOptions,
/// it is a plan with those options. Unless options.values_in_place, any scheme may be chosen, also
/// one that copies the values; transposing products use a stored transpose; and after A's values
/// change update_values must be called.
///
/// Device is a Kokkos::Device or an execution space; AMatrix is a KokkosSparse::CrsMatrix or has
/// its members; XVector and YVector are Views of one value type, in which sums are kept. FormatList
/// is the list of formats that are compiled and chosen from.
template <class Device, class AMatrix, class XVector, class YVector,
          class FormatList = DefaultFormats>
class SPMVHandle {
  template <class D>
  struct ExecOf {
    using type = typename D::execution_space;
  };
  template <ExecutionSpace D>
  struct ExecOf<D> {
    using type = D;
  };

 public:
  static_assert(KokkosKernelsMatrix<AMatrix>,
                "A is in compressed rows: a KokkosSparse::CrsMatrix, and no BsrMatrix");
  static_assert(VectorView<XVector> && WritableVectorView<YVector>,
                "x and y are Views of rank 1 or 2, and y is not const");
  static_assert(XVector::rank() == YVector::rank(), "x and y have the same rank");
  static_assert(std::same_as<typename XVector::non_const_value_type, typename YVector::value_type>,
                "x and y hold the same type");

  using AMatrixType = AMatrix;
  using XVectorType = XVector;
  using YVectorType = YVector;
  using ExecutionSpaceType = typename ExecOf<Device>::type;
  /// The types of its vectors, its matrix and its plan.
  using Vector = typename YVector::value_type;
  using Matrix = typename detail::KokkosKernelsTypes<AMatrix>::Matrix;
  using Plan = SpmvPlan<ExecutionSpaceType, Matrix, Vector, Vector, FormatList>;

  /// Takes an algorithm of Heddle or Kokkos Kernels. Throws Error for one of block rows.
  template <AnySPMVAlgorithm E = SPMVAlgorithm>
  SPMVHandle(E algorithm = E::SPMV_DEFAULT) : algorithm_(algorithm_of(algorithm)) {
    options_.values_in_place = true;
    const bool merge = algorithm_ == SPMV_MERGE_PATH || algorithm_ == SPMV_NATIVE_MERGE_PATH;
    if (merge) options_.scheme = Scheme("csr", {{"merge"}});
  }
  /// Takes the options of an SpmvPlan.
  explicit SPMVHandle(const SpmvOptions& options) : options_(options), vectors_given_(true) {}

  SPMVHandle(const SPMVHandle&) = delete;
  SPMVHandle& operator=(const SPMVHandle&) = delete;

  SPMVAlgorithm get_algorithm() const { return algorithm_; }

  /// Takes the values of A, which has the inspected pattern, ordered on `exec`. Before the first
  /// product it does nothing, since that product reads them. Throws Error for a matrix of another
  /// size.
  void update_values(const ExecutionSpaceType& exec, const AMatrix& A) {
    if (!plan_) return;
    A_ = csr_matrix(A);
    plan_->update_values(exec, A_);
  }

  /// The plan, for its scheme, bytes and ranking. Throws Error before the first product, and for
  /// SPMV_FAST_SETUP, which makes none.
  const Plan& plan() const {
    if (plan_) return *plan_;
    throw Error("this handle has no plan",
                "ask after the first spmv, and of a handle whose algorithm is not SPMV_FAST_SETUP");
  }

  /// The product of spmv().
  template <VectorView X, WritableVectorView Y>
  void apply(const ExecutionSpaceType& exec, Op op, Vector alpha, const Matrix& A, const X& x,
             Vector beta, const Y& y) {
    if (algorithm_ == SPMV_FAST_SETUP) return heddle::spmv(exec, op, alpha, A, x, beta, y);
    if (plan_) {
      check_same(exec, A);
    } else {
      inspect(exec, A, x);
    }
    if (transposes(op) && !FormatList::applies(op, plan_->scheme())) {
      if (options_.values_in_place) return heddle::spmv(exec, op, alpha, A, x, beta, y);
      if (!transpose_stored_) plan_->prepare(exec, op);
      transpose_stored_ = true;
    }
    plan_->apply(exec, op, alpha, x, beta, y);
  }

  /// The tuning parameters of Kokkos Kernels' kernels, so that programs which set them compile.
  /// Without effect: SpmvOptions::scheme says what is run.
  int team_size = -1, vector_length = -1;
  std::int64_t rows_per_thread = -1;
  bool force_static_schedule = false, force_dynamic_schedule = false;

 private:
  template <class X>
  void inspect(const ExecutionSpaceType& exec, const Matrix& A, const X& x) {
    SpmvOptions options = options_;
    if (!vectors_given_) {
      const auto vectors = multivector_of<const Vector>(x);
      options.vectors = {std::max(vectors.count, 1), vectors.vector_stride != 1};
    }
    plan_.emplace(exec, A, options);
    A_ = A;
  }

  /// A matrix with the arrays of the first one is assumed to be that one: its entries are not
  /// checked.
  void check_same(const ExecutionSpaceType& exec, const Matrix& A) {
    const bool same = A.row_ptr().data() == A_.row_ptr().data() &&
                      A.col_idx().data() == A_.col_idx().data() && A.rows() == A_.rows() &&
                      A.columns() == A_.columns() && A.nonzeros() == A_.nonzeros();
    if (!same) {
      throw Error("this handle was given another matrix before",
                  "make a handle for each matrix, which is Kokkos Kernels' rule too");
    }
    if (A.values().data() == A_.values().data()) return;
    if (!options_.values_in_place) {
      throw Error("the values of A are in another array than before",
                  "call update_values of the handle when the values have changed");
    }
    A_ = A;
    plan_->update_values(exec, A_);
  }

  SPMVAlgorithm algorithm_ = SPMV_DEFAULT;
  SpmvOptions options_;
  bool vectors_given_ = false;  // whether the user's options give them
  Matrix A_;
  std::optional<Plan> plan_;
  bool transpose_stored_ = false;
};

/// Whether T is an SPMVHandle.
template <class T>
inline constexpr bool is_spmv_handle = false;
template <class... T>
inline constexpr bool is_spmv_handle<SPMVHandle<T...>> = true;

/// The op of a mode, of which the first letter counts: "N" none, "T" transpose, "C" conjugate (not
/// transposed), "H" conjugate transpose, in capitals or not. Throws Error for any other.
inline Op op_of(const char mode[]) {
  switch (mode[0]) {
    case 'N':
    case 'n': return Op::none;
    case 'T':
    case 't': return Op::transpose;
    case 'C':
    case 'c': return Op::conjugate;
    case 'H':
    case 'h': return Op::conjugate_transpose;
    default: break;
  }
  throw Error("mode is '" + std::string(mode) + "'",
              "give N, T, C (conjugate) or H (conjugate transpose)");
}

/// y = alpha * op(A) * x + beta * y, with the op of `mode` (op_of). x and y are both of rank 1, or
/// of rank 2 with equal numbers of vectors, in any layout; alpha and beta are converted to y's
/// value type. beta == 0 overwrites y without reading it; alpha == 0 reads neither A nor x.
///
/// The first call of a handle inspects A: it allocates, and waits for `exec`. If the handle uses a
/// stored transpose, so does the first transposing call, unless SpmvOptions::ops names the op. All
/// other calls are queued on `exec`: no allocation, no copy, no fence. Bitwise reproducible, except
/// for transposing products of a handle without a stored transpose, which add atomically.
///
/// Throws Error if shapes do not fit, for an unknown mode, for an invalid matrix (first call), and
/// for another matrix than that of the first call.
template <ExecutionSpace Exec, class Handle, class Alpha, class AMatrix, VectorView X, class Beta,
          WritableVectorView Y>
  requires is_spmv_handle<Handle>
void spmv(const Exec& exec, Handle* handle, const char mode[], const Alpha& alpha, const AMatrix& A,
          const X& x, const Beta& beta, const Y& y) {
  using V = typename Handle::Vector;
  static_assert(std::same_as<Exec, typename Handle::ExecutionSpaceType>,
                "the handle is of another execution space");
  static_assert(std::same_as<AMatrix, typename Handle::AMatrixType>,
                "the handle is of another type of matrix");
  static_assert(X::rank() == Y::rank(), "x and y have the same rank");
  handle->apply(exec, op_of(mode), static_cast<V>(alpha), csr_matrix(A), x, static_cast<V>(beta),
                y);
}

/// spmv with a handle, on the default instance of the handle's execution space.
template <class Handle, class Alpha, class AMatrix, VectorView X, class Beta, WritableVectorView Y>
  requires is_spmv_handle<Handle>
void spmv(Handle* handle, const char mode[], const Alpha& alpha, const AMatrix& A, const X& x,
          const Beta& beta, const Y& y) {
  kk::spmv(typename Handle::ExecutionSpaceType(), handle, mode, alpha, A, x, beta, y);
}

/// spmv without a handle: no inspection, no allocation, no wait, and only shapes are checked. See
/// heddle::spmv.
template <ExecutionSpace Exec, class Alpha, KokkosKernelsMatrix AMatrix, VectorView X, class Beta,
          WritableVectorView Y>
void spmv(const Exec& exec, const char mode[], const Alpha& alpha, const AMatrix& A, const X& x,
          const Beta& beta, const Y& y) {
  using V = typename Y::value_type;
  static_assert(X::rank() == Y::rank(), "x and y have the same rank");
  heddle::spmv(exec, op_of(mode), static_cast<V>(alpha), csr_matrix(A), x, static_cast<V>(beta), y);
}

/// spmv without a handle, on the default instance of the matrix's execution space.
template <class Alpha, KokkosKernelsMatrix AMatrix, VectorView X, class Beta, WritableVectorView Y>
void spmv(const char mode[], const Alpha& alpha, const AMatrix& A, const X& x, const Beta& beta,
          const Y& y) {
  using Exec = typename detail::KokkosKernelsTypes<AMatrix>::execution_space;
  kk::spmv(Exec(), mode, alpha, A, x, beta, y);
}

}  // namespace heddle::kk
