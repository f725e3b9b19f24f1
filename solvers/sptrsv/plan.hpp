// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/device.hpp"
#include "../../core/move_only.hpp"
#include "../../formats/inspect/row_features.hpp"
#include "../../formats/inspect/transpose.hpp"
#include "../triangle/right_hand_sides.hpp"
#include "options.hpp"
#include "prepare/executor.hpp"
#include "select/choose.hpp"
#include "transform/features.hpp"

namespace heddle {

namespace detail::sptrsv {

inline constexpr OverlapLabels overlap_labels = {"heddle::sptrsv::busy", "heddle::sptrsv::enter",
                                                 "heddle::sptrsv::leave"};
struct TraceAccess;

}  // namespace detail::sptrsv

/// One triangle of a matrix, inspected once, to be solved with many times:
/// op(T) x = alpha * b.
///
/// The plan copies what it needs of the matrix, whose arrays may go once it stands; after their
/// values change, call update_values. It belongs to the device of `exec`, and applies on any
/// execution space instance of that device. One plan solves once at a time: solves on two streams
/// that may overlap need a plan each (SptrsvOptions::check_overlap finds them). Moves, does not
/// copy; whatever is called on a plan that was moved from throws Error, until another is assigned
/// to it.
///
/// Vector is the type of b and x, Accumulator that of alpha and every sum; both default to the
/// matrix's scalar and may be wider. x is rounded to Vector before other rows read it.
template <ExecutionSpace Exec, class Matrix, Scalar Vector = typename Matrix::scalar_type,
          Scalar Accumulator = Vector>
class SptrsvPlan {
 public:
  using execution_space = Exec;
  using matrix_type = Matrix;
  static_assert(
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename Matrix::memory_space>::accessible,
      "the matrix lies in a memory space that the execution space cannot reach");

  /// Inspects the triangle of T that options name, on `exec`, and waits for it. T is square;
  /// columns of a row may be in any order, and repeated entries add up.
  ///
  /// Throws Error, naming the row: if the row pointer or a column is wrong; for an entry outside of
  /// the triangle, unless options.ignore_outside; for a diagonal that is to be read and is missing,
  /// or zero, infinite or NaN once repeated entries are added. Throws Error too if options.scheme
  /// does not exist on this device (the message lists what exists). Device memory: bytes().
  explicit SptrsvPlan(const Exec& exec, const Matrix& T, const SptrsvOptions& options = {})
      : T_(T), options_(options), device_(backends::describe(exec)) {
    if (T.rows() != T.columns()) {
      throw Error("a triangular solve with a matrix of " + std::to_string(T.rows()) + " x " +
                      std::to_string(T.columns()),
                  "give a square matrix");
    }
    if (options.vectors.count < 1) {
      throw Error("options.vectors.count is " + std::to_string(options.vectors.count),
                  "give the number of right-hand sides that b will hold");
    }
    if (options.threads < 0) {
      throw Error("options.threads is " + std::to_string(options.threads),
                  "give the threads that solves are scheduled for, or 0 for those that there are");
    }
    Kokkos::Timer timer;
    row_features(exec, T, Check::columns);
    sums_ = detail::triangle::check_triangle<DiagonalValue>(
        exec, T, options.triangle, options.diagonal, options.ignore_outside);
    bad_diagonal_ = BadDiagonal(Kokkos::view_alloc(kokkos_space(exec), "heddle::sptrsv::bad"));
    prepare_op(exec, Op::none);
    for (const Op op : options.ops) prepare_op(exec, op);
    overlap_ =
        detail::OverlapCheck<Exec>(exec, options.check_overlap, detail::sptrsv::overlap_labels);
    exec.fence("heddle::sptrsv::inspected");
    setup_seconds_ = timer.seconds();
  }

  /// Solves T x = alpha * b. b and x have one row a row of T; both are of rank 1, or of rank 2 with
  /// as many vectors as each other, in any layout. x is b itself, or does not overlap it.
  ///
  /// alpha == 0 sets x to zero and reads neither T nor b. x is written, never read where it is not
  /// b. Returns once the work is queued on `exec`: no allocation, no copy, no fence. May be
  /// captured in a CUDA or HIP graph. Bitwise reproducible on one device for a fixed scheme. Throws
  /// Error if shapes do not fit, or b and x overlap in part.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Accumulator alpha, const B& b, const X& x) {
    apply(exec, Op::none, alpha, b, x);
  }

  /// Solves op(T) x = alpha * b. Throws Error if the op is not prepared.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, Op op, Accumulator alpha, const B& b, const X& x) {
    static_assert(std::same_as<typename B::non_const_value_type, Vector> &&
                      std::same_as<typename X::value_type, Vector>,
                  "b and x hold the plan's Vector type");
    static_assert(
        Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename B::memory_space>::accessible &&
            Kokkos::SpaceAccessibility<KokkosSpace<Exec>, typename X::memory_space>::accessible,
        "b or x lies in a memory space that the execution space cannot reach");
    execute(exec, op, alpha, multivector_of<const Vector>(b), multivector_of<Vector>(x));
  }

  /// Solves T x = b: what solvers ask of a preconditioner, which is symmetric only by chance.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) {
    apply(exec, Op::none, Accumulator(1), b, x);
  }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return false; }
  static constexpr const char* name() { return "a sweep over one triangle (SptrsvPlan)"; }

  /// The same for vectors that are no Views.
  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
               const Multivector<Vector>& x) {
    check_alive("apply");
    detail::triangle::check_right_hand_sides(T_.rows(), b, x);
    Executor& runs = executor(op, "apply");
    if (x.count == 0 || x.rows == 0) return;
    if (alpha == Accumulator(0)) return detail::triangle::clear(exec, x);
    const typename detail::OverlapCheck<Exec>::Apply counted(overlap_, exec);
    runs.apply(exec, conjugates(op), alpha, b, x);
  }

  /// Builds what `op` needs, if it is not there yet. Allocates, and waits for `exec`. Its values
  /// are those of the arrays that the plan was given last, which must still be there.
  void prepare(const Exec& exec, Op op) {
    check_alive("prepare");
    Kokkos::Timer timer;
    prepare_op(exec, op);
    exec.fence("heddle::sptrsv::prepared");
    setup_seconds_ += timer.seconds();
  }

  /// Takes the values of T, which has the pattern that was inspected; no new inspection. Ordered on
  /// `exec`: no wait, no allocation. Throws Error if the sizes differ; a pattern of the same size
  /// that differs is not noticed and gives wrong results. A diagonal that becomes zero or not
  /// finite is not an error here: see bad_diagonal and check_diagonal.
  void update_values(const Exec& exec, const Matrix& T) {
    check_alive("update_values");
    detail::triangle::check_same_size("update_values", T, T_.rows(),
                                      static_cast<std::int64_t>(T_.nonzeros()));
    T_ = T;
    Kokkos::deep_copy(kokkos_space(exec), bad_diagonal_, 0);
    for (auto& part : parts_) {
      if (part) part->update_values(exec, T, bad_diagonal_.data());
    }
  }

  /// On the device, in the order of the execution space instance that values were updated on: 0, or
  /// one more than the highest row whose diagonal is zero, infinite or NaN since. Solves give no
  /// solution then: infinities, NaN, or zeros for an infinite one.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_diagonal() const {
    check_alive("bad_diagonal");
    return bad_diagonal_;
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_diagonal(const Exec& exec) const {
    check_alive("check_diagonal");
    detail::triangle::check_bad_diagonal(exec, "heddle::sptrsv::check_diagonal", bad_diagonal_);
  }

  /// What really runs for an op, with every parameter. Throws Error for one that is not prepared.
  const Scheme& scheme(Op op = Op::none) const { return executor(op, "scheme").scheme(); }
  /// Levels of the triangle: rows that must be solved one after the other. 0 where the scheme did
  /// not look for them.
  int levels(Op op = Op::none) const { return executor(op, "levels").levels(); }
  /// The features of op(T): those that its scheme was chosen by; where none was chosen, or without
  /// them (on a CPU), found anew at each call: finds levels, allocates, waits for `exec`, and reads
  /// the pattern of the arrays that the plan was given last, which must still be there.
  /// Deterministic; counts are exact.
  TriangleFeatures features(const Exec& exec, Op op = Op::none) const {
    using detail::sptrsv::find_features;
    using detail::triangle::Graph;
    check_alive("features");
    if (features_[index(op)]) return *features_[index(op)];
    if (!transposes(op)) {
      return find_features(exec, Graph<O, Off>{T_.row_ptr().data(), T_.col_idx().data(), T_.rows(),
                                               options_.triangle});
    }
    const detail::Transposed<Exec, S, O, Off> transposed(exec, T_);
    const auto matrix = transposed.matrix();
    return find_features(
        exec, Graph<O, Off>{matrix.row_ptr().data(), matrix.col_idx().data(), matrix.rows(),
                            detail::triangle::flipped(options_.triangle)});
  }
  /// What the inspection took, and what prepare() took since, in seconds.
  double setup_seconds() const {
    check_alive("setup_seconds");
    return setup_seconds_;
  }
  /// Device memory that the plan holds beyond the matrix, in bytes.
  std::size_t bytes() const {
    check_alive("bytes");
    std::size_t bytes = sizeof(std::int64_t);
    for (const auto& part : parts_) bytes += part ? part->bytes() : 0;
    return bytes;
  }

 private:
  friend struct detail::sptrsv::TraceAccess;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using DiagonalValue = detail::triangle::DiagonalOf<S, Vector>;
  using Executor = detail::sptrsv::Executor<Exec, Matrix, Vector, Accumulator>;
  using BadDiagonal = Kokkos::View<std::int64_t, typename Exec::memory_space>;

  static constexpr bool runs_on_lanes =
      backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;

  static std::size_t index(Op op) { return transposes(op) ? 1 : 0; }

  void prepare_op(const Exec& exec, Op op) {
    auto& part = parts_[index(op)];
    if (part) return;
    using detail::triangle::Graph;
    if (!transposes(op)) {
      const Graph<O, Off> graph{T_.row_ptr().data(), T_.col_idx().data(), T_.rows(),
                                options_.triangle};
      part.emplace(inspect(exec, graph, nullptr, features_[index(op)]));
    } else {
      const detail::Transposed<Exec, S, O, Off> transposed(exec, T_);
      const auto matrix = transposed.matrix();
      const Graph<O, Off> graph{matrix.row_ptr().data(), matrix.col_idx().data(), matrix.rows(),
                                detail::triangle::flipped(options_.triangle)};
      part.emplace(inspect(exec, graph, transposed.source().data(), features_[index(op)]));
    }
  }

  /// Fills in `features` where it finds them.
  Executor inspect(const Exec& exec, const detail::triangle::Graph<O, Off>& graph,
                   const Off* origin, std::optional<TriangleFeatures>& features) const {
    using namespace detail::sptrsv;
    const SchemeGrammar legal = grammar(device_);
    const bool pinned = options_.scheme.has_value();
    std::optional<Scheme> scheme;
    if (pinned) scheme = expanded(resolve(*options_.scheme, std::span(&legal, 1)));
    const int room = std::min(options_.vectors.count, 64);
    std::optional<detail::order::Levels<Exec>> levels;
    if constexpr (runs_on_lanes) {
      if (!pinned || !scheme->has("in-order")) {
        levels.emplace(exec, detail::triangle::loop_of(graph));
      }
      if (!pinned) features = features_of(exec, graph, levels->of().data(), levels->count());
    }
    if (!pinned) {
      TriangleFeatures known;
      known.rows = graph.rows;
      known.entries = sums_.entries + graph.rows;
      const Expected expected{options_.expected_applies, room, options_.threads};
      scheme =
          detail::sptrsv::choose(features ? *features : known, expected, device_).front().scheme;
    }
    if constexpr (runs_on_lanes) {
      scheme = concrete(*scheme, graph.rows, sums_.entries, levels ? levels->count() : 0);
    }
    const detail::sptrsv::Inspection<Exec, Matrix> inspection{exec,
                                                              T_,
                                                              graph,
                                                              origin,
                                                              sums_,
                                                              device_,
                                                              options_.diagonal,
                                                              room,
                                                              pinned,
                                                              levels ? &*levels : nullptr,
                                                              options_.threads};
    return Executor(inspection, *scheme);
  }

  const Executor& executor(Op op, const char* called) const {
    check_alive(called);
    const auto& part = parts_[index(op)];
    if (part) return *part;
    throw Error(std::string("this plan is not prepared for op ") + heddle::name(op),
                "name it in SptrsvOptions::ops, or call prepare(exec, op) before the first solve");
  }
  Executor& executor(Op op, const char* called) {
    return const_cast<Executor&>(static_cast<const SptrsvPlan*>(this)->executor(op, called));
  }

  void check_alive(const char* called) const { moves_.check("SptrsvPlan", called); }

  detail::MoveOnly moves_;
  Matrix T_;
  SptrsvOptions options_;
  Device device_;
  detail::triangle::TriangleSums sums_;
  std::optional<Executor> parts_[2];  // of T, and of its transpose
  std::optional<TriangleFeatures> features_[2];
  BadDiagonal bad_diagonal_;
  detail::OverlapCheck<Exec> overlap_;
  double setup_seconds_ = 0;
};

/// The schemes of a device for a triangle, the best first, with reasons: the first is what a plan
/// runs that pins none. A pure function, which reads expected_applies, vectors and threads of the
/// options. On a GPU schemes are concrete. Of a CPU rows and entries alone count, and
/// point-to-point becomes sequential where more threads than one are predicted to gain too little:
/// docs/wavefronts.md.
inline std::vector<RankedSptrsv> choose(const TriangleFeatures& features,
                                        const SptrsvOptions& options, const Device& device) {
  return detail::sptrsv::choose(
      features, {options.expected_applies, options.vectors.count, options.threads}, device);
}

template <ExecutionSpace Exec, class Matrix>
SptrsvPlan(const Exec&, const Matrix&) -> SptrsvPlan<Exec, Matrix>;
template <ExecutionSpace Exec, class Matrix>
SptrsvPlan(const Exec&, const Matrix&, const SptrsvOptions&) -> SptrsvPlan<Exec, Matrix>;

}  // namespace heddle
