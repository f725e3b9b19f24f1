// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/version.hpp"
#include "instantiate.hpp"

namespace heddle {

/// Gauss-Seidel, SOR and SSOR of one matrix: a preconditioner (apply), and a smoother (relax). In
/// the order of the rows the numbers are those of the sequential sweep to rounding, whatever the
/// pattern; and the same bits on every run in any order.
///
/// A half sweep reads one side of the matrix, the rows that it solves for; the sum over the other
/// side is what the half sweep before has kept, or is found by a pass that waits for nobody. So a
/// symmetric sweep from zero reads the matrix once: with w the relaxation, L, D and U the parts of
/// A, and x1 what the forward half gave, (D + w U) x2 = (2 - w) D x1 backward.
///
/// With options.block_size all of this is of blocks: those of one row of blocks are solved for
/// together, by the inverse of the diagonal block.
///
/// The plan copies the matrix; with gauss-seidel/split it borrows its pattern, which must outlive
/// the plan. One plan sweeps once at a time. Moves, does not copy; whatever is called on a plan
/// that is empty or was moved from throws Error, until another is assigned to it. FormatList: of
/// the products of gauss-seidel/split.
template <ExecutionSpace Exec, class Matrix, class FormatList = EveryFormat>
class GaussSeidelPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// An empty plan, to be assigned to: whatever is called on it throws Error.
  GaussSeidelPlan() = default;

  /// Inspects A on `exec` and waits for it. A is square; columns of a row may be in any order, and
  /// repeated entries add up.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, a diagonal entry is
  /// missing, zero, infinite or NaN, or a diagonal block is singular (then its first row); and if
  /// omega is not between 0 and 2, or options.scheme exists on no backend (the message
  /// lists what exists). Device memory: bytes().
  explicit GaussSeidelPlan(const Exec& exec, const Matrix& A,
                           const GaussSeidelOptions& options = {}, FormatList = {})
      : core_(exec, with_signed_offsets(A), options,
              detail::gauss_seidel::make_split<Exec, Signed, FormatList>) {
    HEDDLE_ASSERT_DEFINED(detail::is_defined<Core> || (detail::is_compiled<Exec, Signed>() &&
                                                       std::same_as<FormatList, EveryFormat>));
  }

  /// On the default instance, as all that is called without one.
  explicit GaussSeidelPlan(const Matrix& A, const GaussSeidelOptions& options = {})
      : GaussSeidelPlan(Exec{}, A, options) {}

  /// x = M b: one sweep (forward, backward, or both halves of a symmetric one) that starts from
  /// zero. x is never read before it is written, and does not overlap b. Rank 1, or rank 2 with any
  /// number of vectors: options.vectors.count of them cost one read of the matrix together. Returns
  /// once the work is queued on `exec`: no allocation, no copy, no fence. Bitwise reproducible on
  /// one device for a fixed scheme. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    sweep(exec, b, x, no_residual<X>, 1, true);
  }
  /// The same, and residual = b - A x, at half a product, since the other half is known.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void apply(const Exec& exec, const B& b, const X& x, const R& residual) const {
    sweep(exec, b, x, &residual, 1, true);
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec{}, b, x);
  }
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void apply(const B& b, const X& x, const R& residual) const {
    apply(Exec{}, b, x, residual);
  }

  /// Improves x by `sweeps` sweeps, 0 or more; throws Error for fewer.
  template <VectorView B, WritableVectorView X>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps = 1) const {
    sweep(exec, b, x, no_residual<X>, sweeps, false);
  }
  /// The same, of at least one sweep, and residual = b - A x, at half a product.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps, const R& residual) const {
    sweep(exec, b, x, &residual, sweeps, false);
  }
  template <VectorView B, WritableVectorView X>
  void relax(const B& b, const X& x, int sweeps = 1) const {
    relax(Exec{}, b, x, sweeps);
  }
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void relax(const B& b, const X& x, int sweeps, const R& residual) const {
    relax(Exec{}, b, x, sweeps, residual);
  }

  /// Takes the values of A, which has the pattern that was inspected. Ordered on `exec`: no wait,
  /// no allocation. Throws Error if the sizes differ; and, with options.check_pattern, which waits,
  /// if the pattern does. Without it the numbers of another pattern are wrong ones. A diagonal that
  /// becomes zero or not finite is not an error here: see bad_row.
  void update_values(const Exec& exec, const Matrix& A) {
    core_.update_values(exec, with_signed_offsets(A));
    version_.renew();
  }
  void update_values(const Matrix& A) { update_values(Exec{}, A); }

  /// On the device, in the order of the instance that values were updated on: 0, or one more than
  /// the lowest row whose diagonal is zero, infinite or NaN since; of blocks the first row of the
  /// lowest that is singular or not finite, which is taken to be the identity.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    return core_.bad_row();
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_values(const Exec& exec) const { core_.check_values(exec); }
  void check_values() const { check_values(Exec{}); }

  /// What solvers ask of a preconditioner.
  static constexpr bool takes_several_vectors = true;
  bool symmetric() const { return core_.options_sweep() == SweepDirection::symmetric; }
  std::string name() const {
    return std::string("a ") + heddle::name(core_.options_sweep()) + " Gauss-Seidel sweep";
  }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }

  /// What really runs, with every parameter.
  const Scheme& scheme() const { return core_.scheme(); }
  /// Why that scheme, in a few words.
  const std::string& reason() const { return core_.choice("reason").reason; }
  /// The same with what was looked at, the first five of the ranking, and what the tuning cache
  /// did: some lines for people.
  std::string explain() const { return core_.explain(); }
  /// What it was compared with, the best first, and before all others those that were measured;
  /// empty if the scheme was pinned.
  const std::vector<RankedSolve>& ranking() const { return core_.choice("ranking").ranking; }
  /// Rows, or rows of blocks, that a half sweep must take one after the other; 0 where the scheme
  /// did not look.
  int levels(SweepDirection sweep = SweepDirection::forward) const { return core_.levels(sweep); }
  /// Of GaussSeidelOrder::multicolor; else 0.
  int colors() const { return core_.colors(); }
  /// Of gauss-seidel/split: what runs for a half sweep.
  const Scheme& sptrsv_scheme(SweepDirection sweep) const { return core_.sptrsv_scheme(sweep); }
  const Scheme& spmv_scheme(SweepDirection sweep) const { return core_.spmv_scheme(sweep); }
  double setup_seconds() const { return core_.setup_seconds(); }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const { return core_.bytes(); }

 private:
  using S = scalar_type;
  using Signed = SignedOffsets<Matrix>;
  using Core = detail::GaussSeidelPlanCore<Exec, Signed>;
  template <class X>
  static constexpr const X* no_residual = nullptr;

  template <class B, class X, class R>
  void sweep(const Exec& exec, const B& b, const X& x, const R* residual, int sweeps,
             bool from_zero) const {
    static_assert(std::same_as<typename B::non_const_value_type, S> &&
                      std::same_as<typename X::value_type, S> &&
                      std::same_as<typename R::value_type, S>,
                  "b, x and the residual hold the matrix's scalar");
    detail::gauss_seidel::SweepVectors<S> vectors{
        multivector_of<const S>(b), multivector_of<S>(x), {}};
    if (residual) vectors.residual = multivector_of<S>(*residual);
    core_.sweep(exec, vectors, residual != nullptr, sweeps, from_zero);
  }

  Core core_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&) -> GaussSeidelPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&, const GaussSeidelOptions&)
    -> GaussSeidelPlan<Exec, Matrix>;
template <class Matrix>
GaussSeidelPlan(const Matrix&, const GaussSeidelOptions& = {})
    -> GaussSeidelPlan<typename Matrix::memory_space::execution_space, Matrix>;

}  // namespace heddle
