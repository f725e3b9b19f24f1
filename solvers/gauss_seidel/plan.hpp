// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>

#include "../../core/version.hpp"
#include "../order/colors.hpp"
#include "../order/same_pattern.hpp"
#include "../triangle/check_triangle.hpp"
#include "../triangle/right_hand_sides.hpp"
#include "block_sweeps.hpp"
#include "check.hpp"
#include "choose.hpp"
#include "split.hpp"

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
/// the plan. One plan sweeps once at a time. Moves, does not copy.
template <ExecutionSpace Exec, class Matrix, class FormatList = AllFormats>
class GaussSeidelPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;

  /// Inspects A on `exec` and waits for it. A is square; columns of a row may be in any order, and
  /// repeated entries add up.
  ///
  /// Throws Error, naming the row, if the row pointer or a column is wrong, a diagonal entry is
  /// missing, zero, infinite or NaN, or a diagonal block is singular (then its first row); and if
  /// omega is not between 0 and 2, or options.scheme does not exist on this device (the message
  /// lists what exists). Device memory: bytes().
  explicit GaussSeidelPlan(const Exec& exec, const Matrix& A,
                           const GaussSeidelOptions& options = {}, FormatList = {})
      : options_(options), rows_(A.rows()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    detail::gauss_seidel::check_options(A.rows(), A.columns(), options);
    options_.vectors.count = std::min(options.vectors.count, detail::triangle::most_room);
    Kokkos::Timer timer;
    const Device device = backends::describe(exec);
    const auto scheme = detail::gauss_seidel::choose(rows_, nonzeros_, options, device);
    row_features(exec, A, Check::columns);
    pattern_ = detail::pattern_key(exec, A, options.check_pattern);
    const auto words = detail::gauss_seidel::diagonal_words(options);
    if (options.block_size == 1) {
      detail::triangle::check_triangle<S>(exec, A, Triangle::lower, Diagonal::stored, true, words);
    }
    bad_diagonal_ =
        BadDiagonal(Kokkos::view_alloc(kokkos_space(exec), "heddle::gauss_seidel::bad"));
    overlap_ = detail::OverlapCheck<Exec>(exec, options.check_overlap, overlap_labels);
    if (scheme && scheme->has("split")) {
      split_.emplace(exec, A, options_);
    } else if (options.block_size > 1) {
      detail::gauss_seidel::Blocks<Exec, Matrix> blocks(exec, A, options.block_size);
      const auto order = find_order(exec, blocks.graph());
      block_sweeps_.emplace(exec, std::move(blocks), order, options_, scheme);
      block_sweeps_->update_values(exec, A, bad_diagonal_.data());
      check_diagonal(exec);
    } else {
      const detail::gauss_seidel::Inspection<Exec, Rows> inspection{
          exec, A, find_order(exec, A), rows_, options_.vectors.count, options.threads};
      sweeps_.emplace(inspection, options_, scheme);
      sweeps_->update_values(exec, A, nullptr);
    }
    exec.fence("heddle::gauss_seidel::inspected");
    setup_seconds_ = timer.seconds();
  }

  /// x = M b: one sweep (forward, backward, or both halves of a symmetric one) that starts from
  /// zero. x is never read before it is written, and does not overlap b. Rank 1, or rank 2 with any
  /// number of vectors: options.vectors.count of them cost one read of the matrix together. Returns
  /// once the work is queued on `exec`: no allocation, no copy, no fence. Bitwise reproducible on
  /// one device for a fixed scheme. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) {
    sweep(exec, b, x, no_residual<X>, 1, true);
  }
  /// The same, and residual = b - A x, at half a product, since the other half is known.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void apply(const Exec& exec, const B& b, const X& x, const R& residual) {
    sweep(exec, b, x, &residual, 1, true);
  }

  /// Improves x by `sweeps` sweeps, 0 or more; throws Error for fewer.
  template <VectorView B, WritableVectorView X>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps = 1) {
    sweep(exec, b, x, no_residual<X>, sweeps, false);
  }
  /// The same, of at least one sweep, and residual = b - A x, at half a product.
  template <VectorView B, WritableVectorView X, WritableVectorView R>
  void relax(const Exec& exec, const B& b, const X& x, int sweeps, const R& residual) {
    sweep(exec, b, x, &residual, sweeps, false);
  }

  /// Takes the values of A, which has the pattern that was inspected. Ordered on `exec`: no wait,
  /// no allocation. Throws Error if the sizes differ; and, with options.check_pattern, which waits,
  /// if the pattern does. Without it the numbers of another pattern are wrong ones. A diagonal that
  /// becomes zero or not finite is not an error here: see bad_diagonal.
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("GaussSeidelPlan", "update_values");
    detail::triangle::check_same_size("update_values", A, rows_, nonzeros_);
    detail::check_same_pattern(exec, pattern_, A, "GaussSeidelPlan");
    Kokkos::deep_copy(kokkos_space(exec), bad_diagonal_, 0);
    with_runs(*this, [&](auto& runs) { runs.update_values(exec, A, bad_diagonal_.data()); });
    version_.renew();
  }

  /// On the device, in the order of the instance that values were updated on: 0, or one more than
  /// the lowest row whose diagonal is zero, infinite or NaN since; of blocks the first row of the
  /// lowest that is singular or not finite, which is taken to be the identity.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_diagonal() const {
    moves_.check("GaussSeidelPlan", "bad_diagonal");
    return bad_diagonal_;
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_diagonal(const Exec& exec) const {
    moves_.check("GaussSeidelPlan", "check_diagonal");
    detail::triangle::check_bad_diagonal(exec, "heddle::gauss_seidel::check_diagonal",
                                         bad_diagonal_,
                                         detail::gauss_seidel::diagonal_words(options_));
  }

  /// What solvers ask of a preconditioner.
  static constexpr bool takes_several_vectors = true;
  bool symmetric() const { return options_.sweep == GaussSeidelSweep::symmetric; }
  std::string name() const {
    return std::string("a ") + heddle::name(options_.sweep) + " Gauss-Seidel sweep";
  }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }

  /// What really runs, with every parameter.
  const Scheme& scheme() const {
    moves_.check("GaussSeidelPlan", "scheme");
    const bool forward = options_.sweep != GaussSeidelSweep::backward;
    return with_runs(*this, [=](auto& runs) -> const Scheme& { return runs.scheme(forward); });
  }
  /// Rows, or rows of blocks, that a half sweep must take one after the other; 0 where the scheme
  /// did not look.
  int levels(GaussSeidelSweep sweep = GaussSeidelSweep::forward) const {
    moves_.check("GaussSeidelPlan", "levels");
    const bool forward = sweep != GaussSeidelSweep::backward;
    return with_runs(*this, [=](auto& runs) {
      check_half(runs.has(forward), sweep);
      return runs.levels(forward);
    });
  }
  /// Of GaussSeidelOrder::multicolor; else 0.
  int colors() const {
    moves_.check("GaussSeidelPlan", "colors");
    return colors_ ? colors_->count() : 0;
  }
  /// Of gauss-seidel/split: what runs for a half sweep.
  const Scheme& sptrsv_scheme(GaussSeidelSweep sweep) const {
    return split(sweep).sptrsv_scheme(sweep != GaussSeidelSweep::backward);
  }
  const Scheme& spmv_scheme(GaussSeidelSweep sweep) const {
    return split(sweep).spmv_scheme(sweep != GaussSeidelSweep::backward);
  }
  double setup_seconds() const { return setup_seconds_; }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const {
    moves_.check("GaussSeidelPlan", "bytes");
    const std::size_t order = colors_ ? colors_->order().bytes() : 0;
    return sizeof(std::int64_t) + order + with_runs(*this, [](auto& runs) { return runs.bytes(); });
  }

 private:
  using S = scalar_type;
  using O = typename Matrix::ordinal_type;
  using Space = typename Exec::memory_space;
  using Rows = detail::gauss_seidel::Rows<Exec, Matrix>;
  using Sweeps = detail::gauss_seidel::Sweeps<Exec, Rows>;
  using BlockSweeps = detail::gauss_seidel::BlockSweeps<Exec, Matrix>;
  using Split = detail::gauss_seidel::Split<Exec, Matrix, FormatList>;
  using BadDiagonal = Kokkos::View<std::int64_t, Space>;
  static constexpr detail::OverlapLabels overlap_labels = {
      "heddle::gauss_seidel::busy", "heddle::gauss_seidel::enter", "heddle::gauss_seidel::leave"};
  template <class X>
  static constexpr const X* no_residual = nullptr;

  /// use(what runs), of a plan that may be const.
  template <class Plan, class Use>
  static decltype(auto) with_runs(Plan& plan, const Use& use) {
    if (plan.split_) return use(*plan.split_);
    return plan.block_sweeps_ ? use(*plan.block_sweeps_) : use(*plan.sweeps_);
  }
  /// That of options.order of the rows of a graph.
  template <class Graph>
  detail::gauss_seidel::RowOrder<O> find_order(const Exec& exec, const Graph& graph) {
    if (options_.order == GaussSeidelOrder::natural) return {};
    colors_.emplace(exec, graph);
    return {colors_->order().place().data(), colors_->order().iterations().data()};
  }
  static void check_half(bool there, GaussSeidelSweep sweep) {
    if (there) return;
    throw Error(std::string("this plan has no ") + heddle::name(sweep) + " sweep",
                "ask for one that options.sweep names");
  }
  const Split& split(GaussSeidelSweep sweep) const {
    moves_.check("GaussSeidelPlan", "scheme");
    if (!split_) {
      throw Error("a plan that runs " + scheme().to_string() + " has no triangular solve",
                  "pin gauss-seidel/split, or ask for scheme()");
    }
    check_half(split_->has(sweep != GaussSeidelSweep::backward), sweep);
    return *split_;
  }

  template <class B, class X, class R>
  void sweep(const Exec& exec, const B& b, const X& x, const R* residual, int sweeps,
             bool from_zero) {
    moves_.check("GaussSeidelPlan", from_zero ? "apply" : "relax");
    static_assert(std::same_as<typename B::non_const_value_type, S> &&
                      std::same_as<typename X::value_type, S> &&
                      std::same_as<typename R::value_type, S>,
                  "b, x and the residual hold the matrix's scalar");
    const auto right = multivector_of<const S>(b);
    detail::gauss_seidel::SweepVectors<S> vectors{right, multivector_of<S>(x), {}};
    if (residual) vectors.residual = multivector_of<S>(*residual);
    detail::gauss_seidel::check_sweeps(rows_, vectors, residual != nullptr, sweeps);
    if (rows_ == 0 || right.count == 0) return;
    const typename detail::OverlapCheck<Exec>::Apply counted(overlap_, exec);
    const int room = options_.vectors.count;
    with_runs(*this, [&](auto& runs) {
      for (int first = 0; first < right.count; first += room) {
        const int count = std::min(room, right.count - first);
        runs.run(exec, vectors.slice(first, count), sweeps, from_zero);
      }
    });
  }

  detail::MoveOnly moves_;
  GaussSeidelOptions options_;
  std::int64_t rows_;
  std::int64_t nonzeros_;
  detail::PatternKey pattern_;
  std::optional<detail::order::Colors<Exec, O>> colors_;
  std::optional<Sweeps> sweeps_;  // one of these three
  std::optional<BlockSweeps> block_sweeps_;
  std::optional<Split> split_;
  BadDiagonal bad_diagonal_;
  detail::OverlapCheck<Exec> overlap_;
  Version version_;
  double setup_seconds_ = 0;
};

template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&) -> GaussSeidelPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlan(const Exec&, const Matrix&, const GaussSeidelOptions&)
    -> GaussSeidelPlan<Exec, Matrix>;

}  // namespace heddle
