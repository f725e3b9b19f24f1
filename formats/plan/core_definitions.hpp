// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../core/tuning_cache.hpp"
#include "../common/scale.hpp"
#include "../common/team_sums/dot.hpp"
#include "../inspect/definitions.hpp"
#include "../inspect/mirrored.hpp"
#include "../inspect/transpose.hpp"
#include "cache_key.hpp"
#include "core.hpp"
#include "inspect_best.hpp"
#include "overlap_launches.hpp"
#include "triangle_check.hpp"

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
inline constexpr bool is_defined<SpmvPlanCore<Exec, Matrix, Vector, Accumulator>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
struct InspectedTranspose {
  using Stored = Transposed<Exec, typename Matrix::scalar_type, typename Matrix::ordinal_type,
                            typename Matrix::offset_type>;
  Stored matrix;
  Inspected<Exec, Matrix, Vector, Accumulator> part;
};

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore() : moves_(made_empty) {}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore(const Exec& exec, const Matrix& A,
                                                              const SpmvOptions& options,
                                                              const Table& formats)
    : A_(A), options_(options), formats_(formats), device_(backends::describe(exec)) {
  if (options.vectors.count < 1) {
    throw Error("options.vectors.count is " + std::to_string(options.vectors.count),
                "give the number of vectors that x will hold");
  }
  if (options.expected_applies < 0) {
    throw Error("options.expected_applies is " + std::to_string(options.expected_applies),
                "give the number of applies that the inspection is to pay for, 0 or more");
  }
  if (!(options.bytes_per_second >= 0)) {
    throw Error("options.bytes_per_second is " + std::to_string(options.bytes_per_second),
                "give a positive number, or 0 for what is known of the device");
  }
  if (options.bytes_per_second > 0) device_.bytes_per_second = options.bytes_per_second;
  Kokkos::Timer timer;
  const Promises& promises = options.promises;
  const bool looks_at_columns = options.check && !promises.in_range;
  const RowFeatures rows = row_features(exec, A, looks_at_columns ? Check::columns : Check::rows);
  if (options.check_promises) check_promises(exec, A, promises);
  const Check checked = looks_at_columns || promises.in_range ? Check::columns : Check::rows;
  if (options.symmetry == Symmetry::none) {
    forward_ =
        inspect(exec, A, rows, checked, choose_options(promises, Symmetry::none), options.scheme);
  } else {
    inspect_triangle(exec, rows, checked, triangle_sums(exec, A, options.symmetry, options.check));
  }
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    native_[static_cast<std::size_t>(op)] =
        mirrored_ || applies(formats_.formats, op, forward_.executor->scheme());
  }
  for (const Op op : options.ops) prepare_op(exec, op);
  overlap_ = OverlapCheck<Exec>(exec, options.check_overlap);
  exec.fence("heddle::spmv::inspected");
  setup_seconds_ = timer.seconds();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore(SpmvPlanCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
auto SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::operator=(SpmvPlanCore&&) noexcept
    -> SpmvPlanCore& = default;
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::~SpmvPlanCore() = default;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::size_t SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::bytes() const {
  check_alive("bytes");
  std::size_t bytes = forward_.executor->bytes();
  if (mirrored_) bytes += mirrored_->bytes();
  if (transposed_) bytes += transposed_->matrix.bytes() + transposed_->part.executor->bytes();
  return bytes;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::execute(const Exec& exec, Op op,
                                                              Accumulator alpha,
                                                              const Multivector<const Vector>& x,
                                                              Accumulator beta,
                                                              const Multivector<Vector>& y) const {
  multiply(exec, op, alpha, x, beta, y, nullptr);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::execute_dot(
    const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
    Accumulator beta, const Multivector<Vector>& y, const Dot& dot) const {
  if (x.count != 1) {
    throw Error("apply_dot is given " + std::to_string(x.count) + " vectors",
                "give one; for several, apply and vectors::dot");
  }
  if (!dot.with_itself && x.rows != y.rows) {
    throw Error(
        "x . y of an x of " + std::to_string(x.rows) + " rows and a y of " + std::to_string(y.rows),
        "take y . y, or a square matrix");
  }
  if (!multiply(exec, op, alpha, x, beta, y, &dot)) team_sums::launch_dot(exec, x, y, dot);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
bool SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::multiply(
    const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
    Accumulator beta, const Multivector<Vector>& y, const Dot* dot) const {
  check_alive("apply");
  check_vectors(A_.rows(), A_.columns(), op, x, y);
  if (alpha == Accumulator(0)) {
    scale<Vector, Accumulator>(exec, beta, y);
    return false;
  }
  const Part& runs = part(op, "apply");
  const typename OverlapCheck<Exec>::Apply counted(overlap_, exec);
  const Op stored = stored_op(op);
  if (dot && y.rows > 0 && runs.executor->has_dot(stored) &&
      runs.executor->apply_dot(exec, stored, alpha, x, beta, y, *dot)) {
    return true;
  }
  runs.executor->apply(exec, stored, alpha, x, beta, y);
  return false;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare(const Exec& exec, Op op) {
  check_alive("prepare");
  Kokkos::Timer timer;
  prepare_op(exec, op);
  exec.fence("heddle::spmv::prepared");
  setup_seconds_ += timer.seconds();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::update_values(const Exec& exec,
                                                                    const Matrix& A) {
  check_alive("update_values");
  if (A.rows() != A_.rows() || A.columns() != A_.columns() || A.nonzeros() != A_.nonzeros()) {
    throw Error("update_values was given a matrix of " + shape_of(A) + ", and the plan is for " +
                    shape_of(A_),
                "make a new plan when the pattern changes");
  }
  A_ = A;
  if (mirrored_) mirrored_->update_values(exec, A);
  forward_.executor->update_values(exec, mirrored_ ? mirrored_->matrix() : A);
  if (transposed_) {
    transposed_->matrix.update_values(exec, A);
    transposed_->part.executor->update_values(exec, transposed_->matrix.matrix());
  }
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
auto SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect(
    const Exec& exec, const Matrix& A, const RowFeatures& rows, Check checked,
    const ChooseOptions& options, const std::optional<Scheme>& pinned) const -> Part {
  const Features features = features_of(exec, A, rows, checked);
  const Inspection<Exec, Matrix> inspection{
      options.sizes, exec, A, features, device_, learned_lanes(device_, options)};
  const Inspector<Exec, Matrix, Vector, Accumulator> inspector(formats_, inspection, options);
  const double seconds = options_.measure_seconds;
  Part part = pinned                    ? inspector.pinned(*pinned)
              : !options_.cache.empty() ? inspect_remembered(inspector, inspection, options)
              : seconds > 0             ? inspector.fastest(seconds)
                                        : inspector.best();
  part.choice.seen = describe(features, device_, options) + part.choice.seen;
  return part;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
template <class Inspector, class Inspection>
auto SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect_remembered(
    const Inspector& inspector, const Inspection& in, const ChooseOptions& options) const -> Part {
  using Entry = TuningCache::Entry;
  const double seconds = options_.measure_seconds;
  const std::string key = cache_key<Exec, Matrix, Vector, Accumulator>(in.exec, in.A, device_,
                                                                       formats_.formats, options);
  std::string note;
  Part part = through_cache(
      TuningCache(options_.cache), key, note,
      [&](const Entry& entry) { return inspector.remembered(Scheme(entry.scheme), entry.seconds); },
      [&] { return seconds > 0 ? inspector.fastest(seconds) : inspector.best(); },
      [&](const Part& made) -> std::optional<Entry> {
        if (!(seconds > 0)) return std::nullopt;
        return Entry{made.executor->scheme().to_string(),
                     made.choice.ranking.front().measured_seconds};
      });
  part.choice.cache = note;
  return part;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::string SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::no_mirror(std::size_t bytes,
                                                                       std::int64_t entries) const {
  using Off = typename Matrix::offset_type;
  const std::string what = "both triangles have " + std::to_string(entries) + " entries and take " +
                           std::to_string(bytes) + " bytes";
  if (options_.values_in_place) return what + ", and options.values_in_place is set";
  if (entries > std::int64_t{std::numeric_limits<Off>::max()}) {
    return what + ", which offsets of this type do not count";
  }
  if (bytes <= options_.max_bytes) return "";
  return what + ", and options.max_bytes is " + std::to_string(options_.max_bytes);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect_mirrored(const Exec& exec,
                                                                       const TriangleSums& sums,
                                                                       std::size_t bytes) {
  auto whole = std::make_unique<Whole>(exec, A_, sums.lower + sums.upper, sums.upper == 0,
                                       options_.symmetry);
  const Matrix matrix = whole->matrix();
  ChooseOptions options =
      choose_options({.in_range = true, .sorted = options_.promises.sorted}, Symmetry::none);
  options.ops.clear();
  if (options.max_bytes != no_bound) options.max_bytes -= bytes;
  const RowFeatures rows = row_features(exec, matrix, Check::rows);
  forward_ = inspect(exec, matrix, rows, Check::columns, options, options_.scheme);
  mirrored_ = std::move(whole);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect_triangle(const Exec& exec,
                                                                       const RowFeatures& rows,
                                                                       Check checked,
                                                                       const TriangleSums& sums) {
  const AnyFormats formats = formats_.formats;
  const auto takes_it = [](const FormatRules& format) { return format.takes_triangles; };
  bool as_it_is = std::any_of(formats.begin(), formats.end(), takes_it);
  if (options_.scheme) {
    const std::size_t at = place_of(formats, *options_.scheme);
    as_it_is = at < formats.size() && takes_it(formats[at]);
  }
  const std::int64_t entries = static_cast<std::int64_t>(A_.nonzeros()) + sums.lower + sums.upper;
  const std::size_t bytes =
      mirrored_bytes(A_.rows(), entries, sizes_of<Matrix, Vector, Accumulator>(options_.vectors));
  const std::string problem = no_mirror(bytes, entries);
  if (!problem.empty() && !as_it_is) {
    throw Refusal(problem,
                  "raise options.max_bytes, or give the plan a list of formats of which one takes "
                  "a triangle as it is: heddle::TriangleFormats()");
  }
  if (problem.empty() && !(as_it_is && options_.scheme)) {
    try {
      return inspect_mirrored(exec, sums, bytes);
    } catch (const Refusal&) {
      if (!as_it_is) throw;
    } catch (const OutOfMemory&) {
      if (!as_it_is) throw;
    }
  }
  forward_ = inspect(exec, A_, rows, checked, choose_options(options_.promises, options_.symmetry),
                     options_.scheme);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
ChooseOptions SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::options_of_transpose(Op op) const {
  // It is made sorted, and of columns that exist.
  ChooseOptions options = choose_options({.in_range = true, .sorted = true}, options_.symmetry);
  options.ops.clear();
  if (options.max_bytes == no_bound) return options;
  RowFeatures shape;
  shape.columns = A_.columns();
  shape.nonzeros = static_cast<std::int64_t>(A_.nonzeros());
  const std::size_t kept = forward_.executor->bytes();
  const std::size_t transpose = stored_transpose_bytes(shape, options.sizes);
  if (kept + transpose > options.max_bytes) {
    throw Refusal(std::string("op ") + name(op) + " needs a stored transpose of " +
                      std::to_string(transpose) + " bytes beside the " + std::to_string(kept) +
                      " of " + forward_.executor->scheme().to_string() +
                      ", and options.max_bytes is " + std::to_string(options.max_bytes),
                  "name the op in options.ops, so that the scheme is chosen for it, raise "
                  "options.max_bytes, or pin csr/adaptive,transpose=atomics");
  }
  options.max_bytes -= kept + transpose;
  return options;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare_op(const Exec& exec, Op op) {
  if (native(op) || transposed_) return;
  if (options_.values_in_place) {
    throw Error(std::string("op ") + name(op) + " needs a stored transpose, which copies values",
                "name it in options.ops, or pin a scheme that applies it natively "
                "(csr/adaptive,transpose=atomics), or leave options.values_in_place");
  }
  const ChooseOptions options = options_of_transpose(op);
  typename TransposedPart::Stored matrix(exec, A_);
  const Matrix transposed = matrix.matrix();
  const RowFeatures rows = row_features(exec, transposed, Check::rows);
  Part part = inspect(exec, transposed, rows, Check::columns, options, options_.transposed_scheme);
  transposed_ = std::make_unique<TransposedPart>(std::move(matrix), std::move(part));
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
auto SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::part(Op op, const char* called) const
    -> const Part& {
  check_alive(called);
  if (native(op)) return forward_;
  if (transposed_) return transposed_->part;
  throw Error("this plan (" + forward_.executor->scheme().to_string() +
                  ") is not prepared for op " + name(op),
              "name it in SpmvOptions::ops, or call prepare(exec, op) before the first apply");
}

}  // namespace heddle::detail
