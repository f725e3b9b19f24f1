// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/real_part.hpp"
#include "../../core/version.hpp"
#include "../../formats/compiled.hpp"
#include "concepts.hpp"

namespace heddle::detail::krylov {

/// A matrix with its values rounded to float, and room for vectors in float, so that a
/// preconditioner in float serves a solver in double. Matrix has signed offsets and values in
/// double.
template <ExecutionSpace Exec, class Matrix>
class RoundedSystem {
 public:
  using S = typename Matrix::scalar_type;
  using To = InFloat<S>;
  using Rounded = CsrMatrix<To, typename Matrix::ordinal_type, typename Matrix::offset_type,
                            typename Matrix::memory_space>;
  using Vectors = SolverVectors<Exec, To>;

  RoundedSystem() = default;
  /// Allocates the values of A and `vectors` vectors. Waits. Throws Error, naming the row, if the
  /// row pointer or a column of A is wrong.
  RoundedSystem(const Exec& exec, const Matrix& A, int vectors);

  /// A with its values rounded to float; borrows the pattern of A.
  ///
  /// The diagonal, if it is positive, is raised by the sum of rounding errors of its row: the
  /// difference from A is then positive semidefinite, so that a definite A stays definite however
  /// its coefficients jump. Throws Error if the sizes differ.
  Rounded round(const Exec& exec, const Matrix& A);
  /// Throws Error, naming the row, if a finite value of the last A is infinite in float, or a
  /// nonzero diagonal entry is below float's normal numbers. Waits.
  void check_values(const Exec& exec) const;

  /// x = M b by apply(b, x), which gets vectors in float. Each b is scaled by a power of two to a
  /// norm between 1 and 2, so that its entries fit into float, and x is scaled back.
  template <class Apply>
  void apply(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
             const Apply& apply) const {
    for (int first = 0; first < b.count; first += room_) {
      const int count = std::min(room_, b.count - first);
      const Vectors own_b(b_, static_cast<std::size_t>(b.rows), static_cast<std::size_t>(count));
      const Vectors own_x(x_, static_cast<std::size_t>(b.rows), static_cast<std::size_t>(count));
      to_float(exec, b.slice(first, count), own_b);
      apply(own_b, own_x);
      from_float(exec, own_x, x.slice(first, count));
    }
  }
  /// Makes room for so many vectors at once; whether there was less.
  bool reserve(const Exec& exec, int vectors);

  std::int64_t rows() const { return rows_; }
  std::size_t bytes() const { return memory_.bytes() + vectors_.bytes() + workspace_.bytes(); }

 private:
  using Space = typename Exec::memory_space;

  void to_float(const Exec& exec, const Multivector<const S>& b, const Vectors& own) const;
  void from_float(const Exec& exec, const Vectors& own, const Multivector<S>& x) const;

  std::int64_t rows_ = 0, columns_ = 0, nonzeros_ = 0;
  int room_ = 0;
  Arena<Space> memory_, vectors_;
  VectorWorkspace<Exec, Wide<S>> workspace_;
  To* values_ = nullptr;
  std::int64_t* bad_ = nullptr;
  To *b_ = nullptr, *x_ = nullptr;
  double* norms_ = nullptr;
};

}  // namespace heddle::detail::krylov

namespace heddle {

/// A preconditioner P in single precision for a solver in double: P reads half of the bytes of
/// values and vectors. P is made of A with its values rounded to float; b is rounded for each
/// apply, and x widened.
///
///     heddle::SinglePrecision M(exec, A, [&](const auto& A) { return heddle::IcPlan(exec, A); });
///
/// P is any preconditioner of a CSR matrix in float (complex<float> for complex<double>): Jacobi,
/// ChebyshevPlan, sweeps, incomplete factors, a triangular solve. Every diagonal entry that is
/// positive is raised by the sum of rounding errors of its row, so that the rounded matrix is
/// definite if A is. b may have any scale: it is scaled by a power of two before it is rounded. A
/// is not, since options of P may have its unit: M b for a b of norm 1 must be in float's range
/// too.
///
/// An apply has three launches besides those of P, and reads b twice. Bitwise reproducible if P is.
/// Borrows the pattern of A, which must outlive this object or the next update_values. It can be
/// moved, not copied. Every call on an object that is empty or moved from throws Error.
template <ExecutionSpace Exec, class Matrix, class P>
class SinglePrecision {
  using Signed = SignedOffsets<Matrix>;
  using System = detail::krylov::RoundedSystem<Exec, Signed>;
  using To = typename System::To;

 public:
  using execution_space = Exec;
  using scalar_type = typename Matrix::scalar_type;
  /// The matrix that P is made of.
  using rounded_matrix = typename System::Rounded;
  static_assert(sizeof(RealOf<scalar_type>) > sizeof(RealOf<To>), "A is in double");

  /// An empty preconditioner, to be assigned to.
  SinglePrecision() : moves_(detail::made_empty) {}
  /// Rounds the values of A, calls make(rounded) with the rounded matrix, a `rounded_matrix`, and
  /// keeps the P that it returns. Waits for `exec`. Throws Error, naming the row, if the row
  /// pointer or a column is wrong, a value is finite but not in float, or a diagonal entry is below
  /// float's normal numbers (1.2e-38); and whatever make throws. Device memory: bytes(), that of P
  /// included.
  template <std::invocable<const rounded_matrix&> Make>
  SinglePrecision(const Exec& exec, const Matrix& A, const Make& make) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<System> || detail::is_compiled<Exec, Signed>());
    const Signed of = with_signed_offsets(A);
    system_ = System(exec, of, 1);
    const rounded_matrix rounded = system_.round(exec, of);
    system_.check_values(exec);
    inner_.reset(new P(make(rounded)));  // P need not be movable
  }

  /// x = M b; x may be b. Of rank 1, or of rank 2 with any number of vectors: P gets as many at a
  /// time as reserve() was called for, if it takes several. No allocation, no copy, no fence, if P
  /// has none. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    P& inner = held("apply");
    const auto from = detail::vectors::to_read(b);
    const auto to = detail::vectors::to_write(x);
    detail::vectors::check_preconditioned(from, to, system_.rows());
    system_.apply(exec, from, to, [&](const auto& own_b, const auto& own_x) {
      detail::krylov::apply<Exec, To>(exec, inner, own_b, own_x);
    });
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec(), b, x);
  }

  /// Rounds the values of A, which has the pattern of the first one, and hands them to P's
  /// update_values. Ordered on `exec`; no wait and no allocation, if P has none. Throws Error if
  /// the sizes differ. Values that float cannot hold are not an error here: see check_values.
  void update_values(const Exec& exec, const Matrix& A)
    requires requires(P& p, const rounded_matrix& rounded) { p.update_values(exec, rounded); }
  {
    held("update_values").update_values(exec, system_.round(exec, with_signed_offsets(A)));
    updated_.renew();
  }
  void update_values(const Matrix& A)
    requires requires(P& p, const rounded_matrix& r) { p.update_values(Exec(), r); }
  {
    update_values(Exec(), A);
  }
  /// Throws Error if the last values of A are not in float's range, and as P does, if it has
  /// check_values. Waits for `exec`.
  void check_values(const Exec& exec) const {
    [[maybe_unused]] const P& inner = held("check_values");
    system_.check_values(exec);
    if constexpr (requires { inner.check_values(exec); }) inner.check_values(exec);
  }
  void check_values() const { check_values(Exec()); }

  /// Makes room for so many vectors at once, here and in P. Allocates if there is less.
  void reserve(const Exec& exec, int vectors) {
    detail::krylov::reserve(exec, held("reserve"), vectors);
    if (system_.reserve(exec, vectors)) updated_.renew();
  }

  /// P, in float: for its scheme, levels, pivots.
  const P& preconditioner() const { return held("preconditioner"); }
  static constexpr bool takes_several_vectors = true;
  bool symmetric() const { return detail::krylov::symmetric(held("symmetric")); }
  bool is_variable() const { return detail::krylov::is_variable(held("is_variable")); }
  std::string name() const {
    return detail::krylov::name_of(held("name")) + " in single precision";
  }
  std::string asymmetry() const
    requires requires(const P& p) { p.asymmetry(); }
  {
    return held("asymmetry").asymmetry();
  }
  std::string explain() const
    requires requires(const P& p) { p.explain(); }
  {
    return held("explain").explain();
  }
  /// Changes with the version of P, new values, and a reserve that allocates.
  VersionNumber version() const
    requires HasVersion<P>
  {
    return version_.number({held("version").version(), updated_.number()});
  }
  bool capturable() const { return detail::krylov::capturable(held("capturable")); }
  static constexpr bool launches_by_heddle = true;  // krylov::apply asks P
  /// Device memory of the rounded values and vectors, and of P, in bytes.
  std::size_t bytes() const { return held("bytes").bytes() + system_.bytes(); }

 private:
  /// Throws Error if there is none.
  P& held(const char* called) const {
    moves_.check("SinglePrecision", called);
    return *inner_;
  }

  detail::MoveOnly moves_;
  System system_;
  std::unique_ptr<P> inner_;
  Version updated_;
  detail::VersionOverParts<2> version_;
};

template <ExecutionSpace Exec, class Matrix, class Make>
SinglePrecision(const Exec&, const Matrix&, const Make&) -> SinglePrecision<
    Exec, Matrix,
    std::invoke_result_t<const Make&, const typename detail::krylov::RoundedSystem<
                                          Exec, SignedOffsets<Matrix>>::Rounded&>>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "single_precision_definitions.hpp"
#endif

/// The instances of rounded systems for a scalar that the compiled part (compiled.hpp) holds.
#define HEDDLE_SINGLE_PRECISION_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_SINGLE_PRECISION_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_SINGLE_PRECISION_INSTANCES_ON(EXTERN, SCALAR, EXEC)                 \
  HEDDLE_SINGLE_PRECISION_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, int, EXEC)) \
  HEDDLE_SINGLE_PRECISION_INSTANCE(EXTERN, EXEC, HEDDLE_MATRIX(SCALAR, std::int64_t, EXEC))
#define HEDDLE_SINGLE_PRECISION_INSTANCE(EXTERN, EXEC, ...) \
  EXTERN template class heddle::detail::krylov::RoundedSystem<EXEC, __VA_ARGS__>;

HEDDLE_IF_COMPILED_DOUBLE(HEDDLE_SINGLE_PRECISION_INSTANCES(HEDDLE_EXTERN, double))
HEDDLE_IF_COMPILED_CDOUBLE(HEDDLE_SINGLE_PRECISION_INSTANCES(HEDDLE_EXTERN,
                                                             ::Kokkos::complex<double>))
