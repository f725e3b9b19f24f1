// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "../../core/check_size.hpp"
#include "../../core/device.hpp"
#include "../../core/overlap.hpp"
#include "../../core/triangle_features.hpp"
#include "../ordered/choice.hpp"
#include "../triangle/triangle.hpp"
#include "options.hpp"

namespace heddle::detail {

namespace triangle {
template <Ordinal O, Offset Off>
struct DependencyGraph;
}  // namespace triangle
namespace ordered {
template <ExecutionSpace Exec>
class Levels;
}  // namespace ordered

namespace sptrsv {

inline constexpr OverlapLabels overlap_labels = {"heddle::sptrsv::busy", "heddle::sptrsv::enter",
                                                 "heddle::sptrsv::leave"};
struct TraceAccess;

/// Runs the schemes of a backend, for one op of one triangle.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor;

}  // namespace sptrsv

/// The implementation of SptrsvPlan, for a matrix of signed offsets. Defined in definitions.hpp, so
/// that a program can use that of the compiled part.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
class SptrsvPlanCore {
 public:
  using Executor = sptrsv::Executor<Exec, Matrix, Vector, Accumulator>;

  SptrsvPlanCore(const Exec& exec, const Matrix& T, const SptrsvOptions& options);
  /// For callers that make the triangle: T is not checked, since `sums` are the result of that
  /// check, and the levels of Op::none are not computed if they are given. If T's values are null,
  /// the caller writes them to where part(op).rows() reads them, on CPU threads only; then T's
  /// arrays may be freed, neither prepare nor features may be called, and supernodes are not
  /// chosen.
  SptrsvPlanCore(const Exec& exec, const Matrix& T, const SptrsvOptions& options,
                 const triangle::TriangleSums& sums, const ordered::Levels<Exec>* levels = nullptr);
  ~SptrsvPlanCore();

  void execute(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
               const Multivector<Vector>& x) const;
  void prepare(const Exec& exec, Op op);
  void update_values(const Exec& exec, const Matrix& T);
  /// Does what update_values does, without its checks. A bad diagonal is marked in *bad
  /// (mark_bad_row), which the caller clears.
  void take_values(const Exec& exec, const Matrix& T, std::int64_t* bad);

  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    return bad_diagonal_;
  }
  void check_values(const Exec& exec) const;

  const Scheme& scheme(Op op = Op::none) const;
  const SolveChoice& choice(Op op = Op::none) const;
  std::string explain(Op op = Op::none) const { return choice(op).explain(scheme(op)); }
  int levels(Op op) const;
  TriangleFeatures features(const Exec& exec, Op op) const;
  std::size_t bytes() const;
  /// The executor of an op; callers include definitions.hpp.
  const Executor& part(Op op) const { return executor(op); }

 private:
  friend struct sptrsv::TraceAccess;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using DiagonalValue = triangle::DiagonalOf<S, Vector>;
  using BadDiagonal = Kokkos::View<std::int64_t, typename Exec::memory_space>;

  static std::size_t index(Op op) { return transposes(op) ? 1 : 0; }
  /// The right-hand sides of one pass.
  ExpectedVectors room() const;
  bool values_come_later() const { return T_.nonzeros() > 0 && !T_.values().data(); }

  void prepare_all(const Exec& exec, const ordered::Levels<Exec>* levels);
  void prepare_op(const Exec& exec, Op op, const ordered::Levels<Exec>* levels = nullptr);
  void check_still_inspected(const Exec& exec) const;

  /// Makes the executor of op(T), which has this graph. Finds levels if they are not given. Sets
  /// the choice, and the features if it computes them.
  void inspect(const Exec& exec, Op op, const triangle::DependencyGraph<O, Off>& graph,
               const Off* origin, const ordered::Levels<Exec>* levels);
  /// Makes the executor of op(T) if no scheme is pinned.
  template <class Make>
  std::unique_ptr<Executor> choose(const Exec& exec, Op op,
                                   const triangle::DependencyGraph<O, Off>& graph,
                                   const ordered::Levels<Exec>* levels, const Make& make);
  std::string cache_key_of(const Exec& exec, Op op) const;

  Executor& executor(Op op) const;

  Matrix T_;
  SptrsvOptions options_;
  Device device_;
  triangle::TriangleSums sums_;
  PatternKey pattern_;
  std::array<std::unique_ptr<Executor>, 2> parts_;  // executors of T, and of its transpose
  std::array<SolveChoice, 2> choices_;
  std::array<std::optional<TriangleFeatures>, 2> features_;
  BadDiagonal bad_diagonal_;
  OverlapCheck<Exec> overlap_;
};

}  // namespace heddle::detail
