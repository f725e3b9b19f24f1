// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/same_pattern.hpp"
#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/device.hpp"
#include "../../backends/host/one_thread.hpp"
#include "../../backends/host/thread_costs.hpp"
#include "../../backends/measure.hpp"
#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/pinned_scheme.hpp"
#include "../../core/tuning_cache.hpp"
#include "../common/dot.hpp"
#include "../common/scale.hpp"
#include "../inspect/definitions.hpp"
#include "../inspect/mirrored.hpp"
#include "cache_key.hpp"
#include "core.hpp"
#include "fields.hpp"
#include "rank.hpp"

namespace heddle::detail {

/// Numbers of entries below the diagonal, and above.
struct SidesOfDiagonal {
  std::int64_t lower = 0;
  std::int64_t upper = 0;

  KOKKOS_FORCEINLINE_FUNCTION SidesOfDiagonal& operator+=(const SidesOfDiagonal& other) {
    lower += other.lower;
    upper += other.upper;
    return *this;
  }
};

template <Ordinal O>
struct CountSides {
  const O* col_idx;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k,
                                              SidesOfDiagonal& sums) const {
    sums.lower += static_cast<std::int64_t>(col_idx[k]) < row;
    sums.upper += static_cast<std::int64_t>(col_idx[k]) > row;
  }
};

/// Throws Error unless A can be one triangle of a symmetric or Hermitian matrix, with its diagonal:
/// A must be square, and, if `checked`, have no entries on one side of the diagonal. One launch and
/// one readback.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
SidesOfDiagonal triangle_sums(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                              Symmetry symmetry, bool checked) {
  const std::string what = std::string("options.symmetry is ") + name(symmetry);
  if (A.rows() != A.columns()) {
    throw Error(what + ", and the matrix is " + std::to_string(A.rows()) + " x " +
                    std::to_string(A.columns()),
                "give a square matrix");
  }
  const auto sums = sum_entries<SidesOfDiagonal>(
      exec, "heddle::spmv::check_triangle", A.row_ptr().data(), A.rows(),
      static_cast<std::int64_t>(A.nonzeros()), CountSides<O>{A.col_idx().data()});
  if (!checked || sums.lower == 0 || sums.upper == 0) return sums;
  throw Error(what + ", and the matrix has " + std::to_string(sums.lower) +
                  " entries below the diagonal and " + std::to_string(sums.upper) + " above",
              "store one triangle, with the diagonal, or unset options.symmetry");
}

/// Makes executors of one matrix, which keep at most options.max_bytes.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Inspector {
 public:
  using Executor = SpmvExecutor<Exec, Matrix, V, Acc>;
  using Result = Inspected<Exec, Matrix, V, Acc>;

  using Table = FormatTable<Exec, Matrix, V, Acc>;

  Inspector(const Table& table, const Inspection<Exec, Matrix>& in, const ChooseOptions& options)
      : table_(table), in_(in), options_(options) {}

  /// Inspects the scheme that the user pinned. Throws Refusal if the format refuses or is predicted
  /// to keep far too many bytes, before it allocates anything that stays; and if it turns out to
  /// keep too many, after it has freed them.
  Result pinned(const Scheme& by_user) const {
    const PinnedScheme asked = resolved(by_user);
    Result result = asked.scheme ? pinned_alone(*asked.scheme) : best_of(by_user.format(), asked);
    if (asked.idle.empty()) return result;
    result.choice.seen = asked.explain();
    result.shown = asked.shown(result.executor->scheme());
    return result;
  }

  /// Inspects a pinned scheme of this device; throws as pinned() does.
  Result pinned_alone(Scheme scheme) const {
    const Prediction prediction =
        predict_alone(table_.formats, scheme, in_.features, in_.device, in_);
    const bool far_too_many = !too_many(scheme, prediction.kept_bytes / surely_beyond).empty();
    if (prediction.possible() && far_too_many) refuse(scheme, prediction.kept_bytes);
    auto executor = inspect(scheme);
    return {{std::move(scheme), "pinned by the caller"}, std::move(executor)};
  }

  /// Inspects the scheme of a format with the best prediction, if the pinned kernel is another
  /// backend's.
  Result best_of(const std::string& format, const PinnedScheme& asked) const {
    std::vector<RankedScheme> ranking;
    for (const RankedScheme& one : rank(table_.formats, in_.features, in_.device, options_)) {
      if (one.scheme.format() != format) continue;
      std::vector<SchemeTerm> terms = one.scheme.terms();
      for (const SchemeTerm& term : asked.rest) {
        if (!one.scheme.has(term.key)) terms.push_back(term);
      }
      ranking.push_back(predicted(table_.formats, Scheme(format, std::move(terms)), in_.features,
                                  in_.device, options_));
    }
    Result result = best_in(std::move(ranking));
    result.choice.reason =
        "the kernel that was pinned is another backend's; " + result.choice.reason;
    return result;
  }

  /// Inspects a scheme that was measured before: `seconds` an apply. Throws Error if that fails.
  Result remembered(const Scheme& before, double seconds) const {
    Scheme scheme = resolve(before, grammars(table_.formats, in_.device));
    RankedScheme one = predicted(table_.formats, scheme, in_.features, in_.device, options_);
    if (!one.prediction.possible()) throw Refusal(one.prediction.refusal, "measure again");
    one.measured_seconds = seconds;
    auto executor = inspect(scheme);
    return {{std::move(scheme), "the fastest of those that were measured before", {std::move(one)}},
            std::move(executor)};
  }

  /// Inspects the scheme with the best prediction, or the next if that one is refused, keeps too
  /// many bytes, or needs more memory than there is. Throws Refusal if none is left, and
  /// OutOfMemory if the last one lacked memory.
  Result best() const { return best_in(rank(table_.formats, in_.features, in_.device, options_)); }
  /// Inspects the best possible scheme of a ranking; throws as best() does.
  Result best_in(std::vector<RankedScheme> ranking) const {
    while (true) {
      std::unique_ptr<Executor> executor = try_at(ranking, 0);
      if (!executor) continue;
      return {first_of(std::move(ranking), options_), std::move(executor)};
    }
  }

  /// Inspects and measures the schemes with the best predictions, and returns the fastest: as many
  /// as `seconds` allow, but at least two if there are two. All measured ones are first in the
  /// ranking. Throws as best() does.
  Result fastest(double seconds) const {
    std::vector<RankedScheme> ranking = rank(table_.formats, in_.features, in_.device, options_);
    const MeasuredVectors<Exec, V> vectors(in_.exec, in_.A.columns(), in_.A.rows(), in_.vectors);
    Fastest<std::unique_ptr<Executor>> fastest(seconds);
    while (fastest.measured() < ranking.size()) {
      const std::size_t at = fastest.measured();
      settle(table_.formats, ranking, at, in_.features, in_.device, options_);
      const Prediction& next = ranking[at].prediction;
      if (at > 0 && (!next.possible() || !fastest.has_time(next.setup_seconds))) break;
      std::unique_ptr<Executor> executor = try_at(ranking, at);
      if (!executor) continue;
      const double takes = seconds_of_apply(in_.exec, fastest.budget(), [&] {
        executor->apply(in_.exec, Op::none, Acc(1), vectors.x(), Acc(0), vectors.y());
      });
      ranking[at].measured_seconds = takes;
      fastest.offer(std::move(executor), takes);
    }
    sort_ranking(ranking, 0, fastest.measured(), [](const RankedScheme& a, const RankedScheme& b) {
      return a.measured_seconds < b.measured_seconds;
    });
    Choice choice = first_of(std::move(ranking), options_);
    choice.reason = fastest.reason(choice.reason);
    return {std::move(choice), fastest.take()};
  }

 private:
  PinnedScheme resolved(const Scheme& by_user) const {
    const std::size_t at = place_of(table_.formats, by_user);
    if (at < table_.formats.size()) {
      return resolve_pinned(by_user, in_.device, table_.formats[at].grammar);
    }
    try {
      return {resolve(by_user, grammars(table_.formats, in_.device))};
    } catch (const Error& error) {
      throw Error(error.problem(), error.remedy() +
                                       "; add others to the plan's list, as those of "
                                       "heddle/formats/all_formats.hpp: Formats<CsrFormat, "
                                       "TiledFormat>, or DefaultFormats::With<TiledFormat>");
    }
  }

  /// Predictions of bytes are estimates: a scheme within this many times the bound is tried.
  static constexpr double surely_beyond = 2;
  std::string too_many(const Scheme& scheme, double kept_bytes) const {
    return too_many_bytes(table_.formats, scheme, kept_bytes, in_.features.rows(), options_);
  }

  [[noreturn]] void refuse(const Scheme& scheme, double kept_bytes) const {
    throw Refusal(scheme.to_string() + ": " + too_many(scheme, kept_bytes),
                  "raise options.max_bytes, or use csr/scalar, which keeps nothing");
  }

  std::unique_ptr<Executor> inspect(const Scheme& scheme) const {
    auto executor = table_.inspect(in_, scheme);
    const auto bytes = static_cast<double>(executor->bytes());
    if (!too_many(scheme, bytes).empty()) refuse(scheme, bytes);
    return executor;
  }

  /// Inspects the scheme at a place of the ranking. Returns null if it is not possible; its refusal
  /// is noted, and another scheme has its place. Throws if no other is left.
  std::unique_ptr<Executor> try_at(std::vector<RankedScheme>& ranking, std::size_t place) const {
    const bool possible = place < ranking.size() && ranking[place].prediction.possible();
    if (!possible) first_of(ranking, options_);
    const auto note = [&](const Error& error) {
      ranking[place].prediction.refusal = error.problem();
      settle(table_.formats, ranking, place, in_.features, in_.device, options_);
      return place > 0 || ranking[place].prediction.possible();
    };
    try {
      return inspect(ranking[place].scheme);
    } catch (const Refusal& refusal) {
      note(refusal);
    } catch (const OutOfMemory& error) {
      if (!note(error)) throw;
    }
    return nullptr;
  }

  const Table& table_;
  const Inspection<Exec, Matrix>& in_;
  const ChooseOptions& options_;
};

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
inline constexpr bool is_defined<SpmvPlanCore<Exec, Matrix, Vector, Accumulator>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
struct InspectedTranspose {
  using Stored = Transposed<Exec, typename Matrix::scalar_type, typename Matrix::ordinal_type,
                            typename Matrix::offset_type>;
  Stored matrix;
  Inspected<Exec, Matrix, Vector, Accumulator> part;
};

/// Whether the plan checks the columns of A.
inline bool checks_columns(const SpmvOptions& options) {
  return options.check && !options.promises.in_range;
}

/// Features of the rows of A, which is checked as the options say.
template <ExecutionSpace Exec, class Matrix>
RowFeatures checked_features(const Exec& exec, const Matrix& A, const SpmvOptions& options) {
  check_fields(options);
  return row_features(exec, A, checks_columns(options) ? Check::columns : Check::rows);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore(const Exec& exec, const Matrix& A,
                                                              const SpmvOptions& options,
                                                              const Table& formats)
    : SpmvPlanCore(exec, A, options, formats, checked_features(exec, A, options)) {}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore(const Exec& exec, const Matrix& A,
                                                              const SpmvOptions& options,
                                                              const Table& formats,
                                                              const RowFeatures& rows)
    : A_(A), options_(options), formats_(formats), device_(backends::describe(exec)) {
  if (options.bytes_per_second > 0) device_.bytes_per_second = options.bytes_per_second;
  const Promises& promises = options.promises;
  if (options.check_promises) check_promises(exec, A, promises);
  const Check checked = checks_columns(options) || promises.in_range ? Check::columns : Check::rows;
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
  pattern_ = pattern_key(exec, A, options.check_pattern);
  for (const Op op : options.ops) prepare_op(exec, op);
  overlap_ = OverlapCheck<Exec>(exec, options.check_overlap);
  exec.fence("heddle::spmv::inspected");
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::SpmvPlanCore(SpmvPlanCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::~SpmvPlanCore() = default;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::size_t SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::bytes() const {
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
                "give one, or use apply and vectors::dot");
  }
  if (!dot.with_itself && x.rows != y.rows) {
    throw Error(
        "x has " + std::to_string(x.rows) + " rows and y " + std::to_string(y.rows) + ", in x . y",
        "use y . y, or a square matrix");
  }
  if (!multiply(exec, op, alpha, x, beta, y, &dot)) team_sums::launch_dot(exec, x, y, dot);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
bool SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::multiply(
    const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& x,
    Accumulator beta, const Multivector<Vector>& y, const Dot* dot) const {
  check_vectors(A_.rows(), A_.columns(), op, x, y);
  if (alpha == Accumulator(0)) {
    scale<Vector, Accumulator>(exec, beta, y);
    return false;
  }
  const Part& runs = part(op);
  const typename OverlapCheck<Exec>::Apply counted(overlap_, exec);
  const backends::OneThread alone(takes_one_thread(x.count));
  const Op stored = stored_op(op);
  if (dot && y.rows > 0 && runs.executor->has_dot(stored) &&
      runs.executor->apply_dot(exec, stored, alpha, x, beta, y, *dot)) {
    return true;
  }
  runs.executor->apply(exec, stored, alpha, x, beta, y);
  return false;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
bool SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::takes_one_thread(int vectors) const {
  if constexpr (backends::runs_on_host<Exec>) {
    if (!backends::detail::small_plans_take_one_thread) return false;
    const double nonzeros = static_cast<double>(A_.nonzeros());
    const double rows = A_.rows(), columns = A_.columns();
    const double bytes =
        nonzeros * (sizeof(typename Matrix::scalar_type) + sizeof(typename Matrix::ordinal_type)) +
        rows * sizeof(typename Matrix::offset_type) + vectors * (rows + columns) * sizeof(Vector);
    // Around a product a region takes some 4 us on two threads of an EPYC and on 16 of a Xeon. It
    // is not measured here, since a plan would have to wait for threads to begin.
    constexpr double region_seconds = 4e-6;
    return backends::one_thread_is_faster(device_.multiprocessors, bytes, region_seconds);
  } else {
    return false;
  }
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare(const Exec& exec, Op op) {
  prepare_op(exec, op);
  exec.fence("heddle::spmv::prepared");
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::update_values(const Exec& exec,
                                                                    const Matrix& A) {
  check_same_size("update_values", A, A_.rows(), A_.columns(),
                  static_cast<std::int64_t>(A_.nonzeros()));
  check_same_pattern(exec, pattern_, A, "SpmvPlan");
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
  const std::string what = "both triangles have " + std::to_string(entries) + " entries and need " +
                           std::to_string(bytes) + " bytes";
  if (options_.values_in_place) return what + ", and options.values_in_place is set";
  if (entries > std::int64_t{std::numeric_limits<Off>::max()}) {
    return what + ", more than offsets of this type hold";
  }
  if (bytes <= options_.max_bytes) return "";
  return what + ", and options.max_bytes is " + std::to_string(options_.max_bytes);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect_mirrored(const Exec& exec,
                                                                       const SidesOfDiagonal& sums,
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
void SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect_triangle(
    const Exec& exec, const RowFeatures& rows, Check checked, const SidesOfDiagonal& sums) {
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
                  "raise options.max_bytes, or give the plan a list of formats of which one "
                  "accepts a triangle: heddle::TriangleFormats()");
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
  // The stored transpose is sorted, and its columns are in range.
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
                      std::to_string(transpose) + " bytes, " +
                      forward_.executor->scheme().to_string() + " keeps " + std::to_string(kept) +
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
                "(csr/adaptive,transpose=atomics), or unset options.values_in_place");
  }
  const ChooseOptions options = options_of_transpose(op);
  typename TransposedPart::Stored matrix(exec, A_);
  const Matrix transposed = matrix.matrix();
  const RowFeatures rows = row_features(exec, transposed, Check::rows);
  Part part = inspect(exec, transposed, rows, Check::columns, options, options_.transposed_scheme);
  transposed_ = std::make_unique<TransposedPart>(std::move(matrix), std::move(part));
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
auto SpmvPlanCore<Exec, Matrix, Vector, Accumulator>::part(Op op) const -> const Part& {
  if (native(op)) return forward_;
  if (transposed_) return transposed_->part;
  throw Error("this plan (" + forward_.executor->scheme().to_string() +
                  ") is not prepared for op " + name(op),
              "name it in SpmvOptions::ops, or call prepare(exec, op) before the first apply");
}

}  // namespace heddle::detail
