// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/team_sums_workspace.hpp"
#include "../../core/device.hpp"
#include "../../core/features.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/scheme.hpp"
#include "prediction.hpp"

namespace heddle {

/// The executor of a format: its inspector makes it, a plan runs it. Each format derives one class.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
class SpmvExecutor {
 public:
  virtual ~SpmvExecutor() = default;

  /// The scheme that runs, with a value for every parameter that was left to the inspector. Parsed
  /// again, it gives the same bits on the same device and number of threads.
  virtual const Scheme& scheme() const = 0;

  /// y = alpha * op(A) * x + beta * y on `exec`, for an op that the format applies natively. alpha
  /// is not zero and the shapes fit. Queues work, and does not allocate, copy or wait.
  virtual void apply(const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
                     Accumulator beta, const Multivector<Vector>& y) = 0;

  /// Whether apply_dot computes the sum in the product's launches.
  virtual bool has_dot(Op) const { return false; }
  /// apply for one vector, with dot.result = conj(x) . y (or conj(y) . y), if has_dot(op). x and y
  /// have the same number of rows, at least one. Returns whether `dot` had enough room; if not,
  /// nothing was queued.
  virtual bool apply_dot(const Exec&, Op, Accumulator /*alpha*/,
                         const Multivector<const Vector>& /*x*/, Accumulator /*beta*/,
                         const Multivector<Vector>& /*y*/,
                         const detail::team_sums::Dot<Accumulator>& /*dot*/) {
    return false;
  }

  /// Copies new values of the same pattern, in the order of `exec`: no allocation, no wait.
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;

  /// Device memory that the inspector allocated, in bytes.
  virtual std::size_t bytes() const = 0;

  /// Bytes that one apply to `vectors` vectors moves to and from memory. An array that stays in the
  /// caches for as long as it is needed counts once; with beta, y is read too.
  virtual double moved_bytes(Op op, int vectors, bool with_beta) const = 0;
};

struct LaneForest;

/// The arguments of a format's inspection: those of predict (Sizes: types, vectors, symmetry,
/// promises), and the matrix on its device. The references live as long as the call.
template <ExecutionSpace Exec, class Matrix>
struct Inspection : Sizes {
  const Exec& exec;
  const Matrix& A;  ///< checked: the row pointer, and the columns unless the user promises them
  const Features& features;
  const Device& device;
  /// Model of the lanes of csr/blocks, trained for such plans on this device, or null.
  const LaneForest* lanes = nullptr;
};

}  // namespace heddle
