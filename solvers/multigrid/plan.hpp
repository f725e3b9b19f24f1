// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "../../core/version.hpp"
#include "../../formats/compiled.hpp"
#include "../../formats/spmv_plan.hpp"
#include "../krylov/spectrum.hpp"
#include "core.hpp"

#ifdef HEDDLE_DEFINITIONS
#include "definitions.hpp"
#endif

/// Instances of multigrid for a scalar in the compiled part (compiled.hpp).
#define HEDDLE_MULTIGRID_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MULTIGRID_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MULTIGRID_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_MULTIGRID_INSTANCE(EXTERN, EXEC, ...)                                         \
  EXTERN template std::unique_ptr<heddle::detail::multigrid::Hierarchy<EXEC, __VA_ARGS__>>   \
  heddle::detail::multigrid::make_hierarchy<EXEC, __VA_ARGS__>(                              \
      const EXEC&, const __VA_ARGS__&,                                                       \
      const ::heddle::Multivector<const typename __VA_ARGS__::scalar_type>&,                 \
      const ::heddle::MultigridOptions&, const ::heddle::MultigridParts<EXEC, __VA_ARGS__>&, \
      const heddle::detail::multigrid::FormatsOf<EXEC, __VA_ARGS__>&, bool);
/// Instances of hierarchies in float, for a matrix in double.
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_MULTIGRID_IN_FLOAT_INSTANCE(EXTERN, EXEC, ...)                              \
  EXTERN template std::unique_ptr<heddle::detail::multigrid::Hierarchy<EXEC, __VA_ARGS__>> \
  heddle::detail::multigrid::make_in_float<EXEC, __VA_ARGS__>(                             \
      const EXEC&, const __VA_ARGS__&,                                                     \
      const ::heddle::Multivector<const typename __VA_ARGS__::scalar_type>&,               \
      const ::heddle::MultigridOptions&);

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_MULTIGRID_INSTANCES, HEDDLE_EXTERN)
HEDDLE_IF_COMPILED_DOUBLE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(HEDDLE_EXTERN, double))
HEDDLE_IF_COMPILED_CDOUBLE(HEDDLE_MULTIGRID_IN_FLOAT_INSTANCES(HEDDLE_EXTERN,
                                                               ::Kokkos::complex<double>))

namespace heddle {

/// Multigrid of one matrix by smoothed or plain aggregation: a preconditioner, one V, W or K cycle
/// for each apply, symmetric (Hermitian) and positive definite if A is.
///
/// Rows that strong entries join become aggregates. Each aggregate has one unknown on the coarser
/// level for each near-nullspace vector, and coarse levels represent these vectors exactly. The
/// default is the constant vector; for elastic bodies use rigid_body_motions. docs/multigrid.md
///
/// The plan borrows the pattern of the matrix: row pointer and columns must outlive the plan, or
/// the next update_values. It copies the values, so that its cycles stay the same, with every
/// scheme, when the user's values change; options.borrow_values avoids the copy. A plan applies
/// once at a time. It can be moved, not copied. Every call on a plan that is empty or moved from
/// throws Error until another is assigned to it. FormatList: the formats for products with the
/// matrices of all levels.
///
/// Source: P. Vanek, J. Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation for
/// second and fourth order elliptic problems", Computing 56, 1996. Headers of parts name theirs.
template <ExecutionSpace Exec, class Matrix, class FormatList = DefaultFormats>
class MultigridPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// An empty plan, to be assigned to: every call on it throws Error.
  MultigridPlan() = default;

  /// Makes all levels of a square A on `exec`, and waits for it. The columns of a row may be in any
  /// order, and repeated entries add up.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, or a diagonal entry is
  /// missing, not positive (if complex: its real part) or not finite; if a Hermitian A is found to
  /// be indefinite, which is not always detected; also if options are invalid. Device memory:
  /// bytes().
  explicit MultigridPlan(const Exec& exec, const Matrix& A, const MultigridOptions& options = {},
                         FormatList = {})
      : MultigridPlan(exec, A, no_vectors<const scalar_type>, {}, options) {}
  /// Makes all levels with near-nullspace vectors: a View of rank 1 or 2 with A.rows() rows, which
  /// the plan copies. A v should be about zero for each of them, away from the boundary. They may
  /// have any unit and be linearly dependent. Throws Error, naming the vector, if one is not
  /// finite, and if all are zero.
  template <VectorView V>
  MultigridPlan(const Exec& exec, const Matrix& A, const V& near_nullspace,
                const MultigridOptions& options = {}, FormatList = {})
      : MultigridPlan(exec, A, multivector_of<const scalar_type>(near_nullspace), {}, options) {}
  /// Makes all levels with your own parts: a smoother, aggregates or prolongations. Throws Error if
  /// they do not fit A, and for an option that has no effect with them.
  template <std::same_as<MultigridParts<Exec, SignedOffsets<Matrix>>> P>  // {} means options
  MultigridPlan(const Exec& exec, const Matrix& A, const P& parts,
                const MultigridOptions& options = {}, FormatList = {})
      : MultigridPlan(exec, A, no_vectors<const scalar_type>, parts, options) {}
  /// Makes all levels with near-nullspace vectors and parts, except parts.prolongation.
  template <VectorView V>
  MultigridPlan(const Exec& exec, const Matrix& A, const V& near_nullspace,
                const MultigridParts<Exec, SignedOffsets<Matrix>>& parts,
                const MultigridOptions& options = {}, FormatList = {})
      : MultigridPlan(exec, A, multivector_of<const scalar_type>(near_nullspace), parts, options) {}
  /// The constructor on the default instance, as every function without `exec`.
  explicit MultigridPlan(const Matrix& A, const MultigridOptions& options = {})
      : MultigridPlan(Exec{}, A, options) {}

  /// x = M b, about A^-1 b: a cycle from zero. x is written before it is read and does not
  /// overlap b. Both are of rank 1, or of rank 2 with any number of vectors: one read of each level
  /// serves options.vectors.count of them. Returns once the work is queued on `exec`: no
  /// allocation, no copy, no fence. Bitwise reproducible on one device and number of threads.
  /// Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    static_assert(std::same_as<typename B::non_const_value_type, scalar_type> &&
                      std::same_as<typename X::value_type, scalar_type>,
                  "b and x hold the matrix's scalar");
    hierarchy("apply").apply_from(exec, 0, multivector_of<const scalar_type>(b),
                                  multivector_of<scalar_type>(x));
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec{}, b, x);
  }

  /// The cycle of `level` and the coarser ones; 0 is the finest. b and x have the rows of that
  /// level. For measurements of levels.
  template <VectorView B, WritableVectorView X>
  void apply_from(const Exec& exec, int level, const B& b, const X& x) const {
    hierarchy("apply_from")
        .apply_from(exec, level, multivector_of<const scalar_type>(b),
                    multivector_of<scalar_type>(x));
  }

  /// Copies the values of A, which has the inspected pattern, and borrows A's pattern from this
  /// call on. Aggregates and patterns of all levels stay, as do the choice of strong entries and
  /// the near-nullspace vectors. Ordered on `exec`: no wait, no allocation. Throws Error if the
  /// sizes differ. A diagonal that becomes bad is not an error here: see check_values.
  void update_values(const Exec& exec, const Matrix& A) {
    hierarchy("update_values").update_values(exec, with_signed_offsets(A));
    version_.renew();
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }

  /// Throws Error, naming level and row, if a diagonal entry of the last values is missing, not
  /// positive or not finite, A is not finite, or a Hermitian A is found to be indefinite. M is
  /// then no preconditioner; M b is finite if A is. Waits for `exec`.
  void check_values(const Exec& exec) const { hierarchy("check_values").check_values(exec); }

  /// Reserves memory for `vectors` vectors at once, if there is less: solvers with several
  /// right-hand sides or eigenpairs call it before they iterate, so that each level is read once
  /// for all of them (Gauss-Seidel: once for options.vectors.count). If there was less, allocates,
  /// waits for `exec`, and renews version(); never frees. Does nothing if options.max_bytes is set.
  void reserve(const Exec& exec, int vectors) {
    if (hierarchy("reserve").reserve(exec, vectors)) version_.renew();
  }

  /// The interface of a preconditioner for solvers.
  static constexpr bool takes_several_vectors = true;
  /// Whether A is symmetric (Hermitian), within options.symmetry_tolerance, with its last values.
  /// The first call after update_values waits for the instance that this ran on, unless
  /// check_values was called.
  bool symmetric() const { return hierarchy("symmetric").symmetric(); }
  /// Whether M differs from one apply to the next: if a K cycle visits a level twice. Such an M is
  /// for flexible methods.
  bool is_variable() const { return hierarchy("is_variable").is_variable(); }
  /// Two entries that show that A is not symmetric, in words, with their difference. Empty if A is
  /// symmetric. Waits.
  std::string asymmetry() const { return hierarchy("asymmetry").asymmetry(); }
  static constexpr const char* name() { return "multigrid"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;
  std::int64_t rows() const { return hierarchy("rows").rows(); }
  std::int64_t columns() const { return hierarchy("columns").rows(); }

  /// Rows, entries, scheme and smoother of each level, and complexities; to_string() prints them.
  MultigridHierarchy levels() const { return hierarchy("levels").levels(); }
  double setup_seconds() const { return hierarchy("setup_seconds").setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes; every allocation is up to 256
  /// bytes larger, for alignment.
  std::size_t bytes() const { return hierarchy("bytes").bytes(); }

 private:
  using Signed = SignedOffsets<Matrix>;
  using Hierarchy = detail::multigrid::Hierarchy<Exec, Signed>;
  using Vectors = Multivector<const scalar_type>;
  using Parts = MultigridParts<Exec, Signed>;

  MultigridPlan(const Exec& exec, const Matrix& A, const Vectors& near_nullspace,
                const Parts& parts, const MultigridOptions& options)
      : moves_(), hierarchy_(make(exec, with_signed_offsets(A), near_nullspace, parts, options)) {}

  static std::unique_ptr<Hierarchy> make(const Exec& exec, const Signed& A, const Vectors& vectors,
                                         const Parts& parts, const MultigridOptions& options) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Hierarchy> || detail::is_compiled<Exec, Signed>());
    namespace mg = detail::multigrid;
    constexpr bool is_double = sizeof(RealOf<scalar_type>) == 8;
    if (is_double && options.values == MultigridValues::single_precision) {
      if (parts.smoother || parts.preconditioner || parts.coarsest || parts.aggregates ||
          parts.prolongation) {
        throw Error("options.values is single_precision, and the plan has its own parts",
                    "leave it out, or give the plan a matrix in float");
      }
      // Lists of formats are for the matrix's own scalar.
      if constexpr (is_double && std::same_as<FormatList, DefaultFormats>) {
        return mg::make_in_float<Exec, Signed>(exec, A, vectors, options);
      }
      throw Error("options.values is single_precision, and the plan has its own formats",
                  "leave the list of formats to the plan, or give it a matrix in float");
    }
    return mg::make_hierarchy<Exec, Signed>(
        exec, A, vectors, options, parts,
        FormatList::template table<Exec, Signed, scalar_type, scalar_type>(), true);
  }
  /// Throws Error if the plan is empty.
  Hierarchy& hierarchy(const char* called) const {
    moves_.check("MultigridPlan", called);
    return *hierarchy_;
  }

  detail::MoveOnly moves_{detail::made_empty};
  std::unique_ptr<Hierarchy> hierarchy_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
MultigridPlan(const Exec&, const Matrix&) -> MultigridPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
MultigridPlan(const Exec&, const Matrix&, const MultigridOptions&) -> MultigridPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, VectorView V>
MultigridPlan(const Exec&, const Matrix&, const V&) -> MultigridPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, VectorView V>
MultigridPlan(const Exec&, const Matrix&, const V&, const MultigridOptions&)
    -> MultigridPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix,
          std::same_as<MultigridParts<Exec, SignedOffsets<Matrix>>> P>
MultigridPlan(const Exec&, const Matrix&, const P&, const MultigridOptions& = {})
    -> MultigridPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix, VectorView V>
MultigridPlan(const Exec&, const Matrix&, const V&,
              const MultigridParts<Exec, SignedOffsets<Matrix>>&, const MultigridOptions& = {})
    -> MultigridPlan<Exec, Matrix>;
template <class Matrix>
MultigridPlan(const Matrix&, const MultigridOptions& = {})
    -> MultigridPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
