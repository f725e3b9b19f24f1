// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "../../backends/algorithms/lowest_where.hpp"
#include "../../backends/device.hpp"
#include "../../core/error.hpp"
#include "../../core/move_only.hpp"
#include "../../core/scheme.hpp"
#include "fields.hpp"
#include "update.hpp"
#include "waves.hpp"

namespace heddle::detail::sgd {

/// Whether a rating is outside the matrix or not finite.
template <class S, class O>
struct IsWrong {
  const O *row, *column;
  const S* value;
  std::int64_t rows, columns;

  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    const bool inside = row[k] >= 0 && row[k] < rows && column[k] >= 0 && column[k] < columns;
    return !inside || !Kokkos::isfinite(value[k]);
  }
};

inline void check_options(const SgdOptions& options) {
  check_fields(options);
  const bool sized = options.block_rows > 0 || options.block_columns > 0;
  if (sized && options.schedule != SgdSchedule::block_diagonals) {
    throw Error(std::string("options.block_rows or block_columns is set, and the schedule ") +
                    name(options.schedule) + " has no blocks",
                "leave them out, or use SgdSchedule::block_diagonals");
  }
}

/// A step of an epoch, rounded to S. Throws Error if it is negative or not finite.
template <class S>
S checked_step(const char* name, double number) {
  const auto step = static_cast<S>(number);
  if (number >= 0 && std::isfinite(step)) return step;
  throw Error(std::string("the ") + name + " of an epoch is " + std::to_string(number),
              "give a finite number that is not negative");
}

/// Throws Error for invalid ratings, naming an entry; waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
void check_ratings(const Exec& exec, const Ratings<S, O, Space>& ratings) {
  const auto most = static_cast<std::int64_t>(std::numeric_limits<O>::max());
  if (ratings.rows < 0 || ratings.columns < 0 || ratings.rows > most || ratings.columns > most) {
    throw Error("the ratings have " + std::to_string(ratings.rows) + " rows and " +
                    std::to_string(ratings.columns) + " columns",
                "give sizes that the ordinal holds");
  }
  if (ratings.row.extent(0) != ratings.value.extent(0) ||
      ratings.column.extent(0) != ratings.value.extent(0)) {
    throw Error("there are " + std::to_string(ratings.row.extent(0)) + " rows, " +
                    std::to_string(ratings.column.extent(0)) + " columns and " +
                    std::to_string(ratings.value.extent(0)) + " values",
                "give arrays of one length");
  }
  const std::int64_t n = ratings.count();
  const std::int64_t first =
      lowest_where(exec, "heddle::sgd::check", n,
                   IsWrong<S, O>{ratings.row.data(), ratings.column.data(), ratings.value.data(),
                                 ratings.rows, ratings.columns});
  if (first < n) {
    throw Error("a rating is outside of " + std::to_string(ratings.rows) + " x " +
                    std::to_string(ratings.columns) + ", or not finite",
                Where{.entry = first}, "correct or remove it");
  }
}

}  // namespace heddle::detail::sgd

namespace heddle {

namespace detail::sgd {

template <class S>
struct RandomRow {
  S* data;
  std::int64_t columns, stride;
  std::uint64_t seed;
  double size;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::uint64_t bits = hash_of(hash_of(seed) + static_cast<std::uint64_t>(k));
    const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
    data[k / columns * stride + k % columns] = static_cast<S>(size * (0.5 + unit));
  }
};

/// Sums of ratings, one for each ratings_per_sum of them.
template <class S>
struct SumOfValues {
  const S* value;
  std::int64_t count;
  double* sums;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    const std::int64_t begin = chunk * ratings_per_sum;
    const std::int64_t end = begin + ratings_per_sum < count ? begin + ratings_per_sum : count;
    double sum = 0;
    for (std::int64_t k = begin; k < end; ++k) sum += static_cast<double>(value[k]);
    sums[chunk] = sum;
  }
};

}  // namespace detail::sgd

/// Factors P (rows x rank) and Q (columns x rank) of a matrix of which some entries are known, its
/// ratings. The method is stochastic gradient descent on the sum over ratings of (value - p . q)^2
/// + lambda (|p|^2 + |q|^2), where p and q are the rows of P and Q of a rating:
///
///     error = value - p . q;  p += rate (error q - lambda p);  q += rate (error p - lambda q)
///
/// with the old p in the last. The inspector sorts the ratings into waves, in none of which two
/// blocks share a row or a column. An epoch is one launch for each wave, without an allocation or a
/// wait. P and Q are Views of rank 2, LayoutRight, on the device.
///
/// The same options, ratings and device give the same bits for any number of threads, except with
/// the schedule `atomic`. Memory: bytes(); the inspection needs up to 64 bytes for each rating. An
/// epoch runs on any instance of the device, one at a time. A plan can be moved, not copied.
///
/// Sources: R. Gemulla, E. Nijkamp, P. Haas and Y. Sismanis, "Large-scale matrix factorization with
/// distributed stochastic gradient descent", KDD 2011 (blocks of a diagonal at once); R. Kaleem, S.
/// Pai and K. Pingali, "Stochastic gradient descent on GPUs", GPGPU 2015 (schedules).
template <ExecutionSpace Exec, Scalar S, Ordinal O = int>
  requires(!is_complex<S>)
class SgdPlan {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Space = typename Exec::memory_space;

  SgdPlan() : only_moves_(detail::made_empty) {}
  /// Inspects the ratings on `exec`, and waits for it; they are copied. Throws Error if options are
  /// invalid, or if a rating, which it names, is outside the matrix or not finite.
  SgdPlan(const Exec& exec, const Ratings<S, O, Space>& ratings, const SgdOptions& options = {})
      : options_(options), rows_(ratings.rows), columns_(ratings.columns) {
    const Kokkos::Timer timer;
    detail::sgd::check_options(options);
    detail::sgd::check_ratings(exec, ratings);
    if (options.schedule == SgdSchedule::atomic) {
      waves_ = detail::sgd::all_at_once(exec, ratings);
    } else {
      choose_blocks(exec);
      waves_ = detail::sgd::by_waves(exec, ratings, options_.block_rows, options_.block_columns,
                                     options_.seed);
    }
    sums_memory_ = Arena<Space>(exec, "heddle::sgd::sums", arena_array(sums_, sums_count()));
    mean_ = find_mean(exec);
    setup_seconds_ = timer.seconds();
  }

  /// Sets P and Q to random factors whose products average to the mean of the ratings, by
  /// options.seed. Throws Error if sizes do not fit. Two launches; no wait.
  template <class P, class Q>
  void start(const Exec& exec, const P& p, const Q& q) const {
    check(p, q, "start");
    const double size = mean_ == 0 ? 0.1 : std::sqrt(std::abs(mean_) / options_.rank);
    const std::uint64_t seed = options_.seed;
    random(exec, p, rows_, 2 * seed, size);
    random(exec, q, columns_, 2 * seed + 1, mean_ < 0 ? -size : size);
  }

  /// Runs one epoch, which uses every rating once. Throws Error if sizes do not fit, or if rate or
  /// lambda is negative, infinite or NaN. No wait.
  template <class P, class Q>
  void epoch(const Exec& exec, const P& p, const Q& q, double rate, double lambda) const {
    check(p, q, "epoch");
    const detail::sgd::Step<S> step{detail::sgd::checked_step<S>("rate", rate),
                                    detail::sgd::checked_step<S>("lambda", lambda)};
    if (options_.schedule == SgdSchedule::atomic) {
      run_at_once(exec, factor<S>(p), factor<S>(q), step);
    } else if (options_.rank == 16) {
      run_blocks<16>(exec, factor<S>(p), factor<S>(q), step);
    } else if (options_.rank == 32) {
      run_blocks<32>(exec, factor<S>(p), factor<S>(q), step);
    } else {
      run_blocks<0>(exec, factor<S>(p), factor<S>(q), step);
    }
  }

  /// The root of the mean of (value - p . q)^2 over the ratings; 0 without ratings. Added up in a
  /// fixed order. It is infinite or NaN if a factor is: a rate that is too large makes factors grow
  /// without bound; start again with a smaller one. Throws Error if sizes do not fit. Waits for
  /// `exec`.
  template <class P, class Q>
  double rmse(const Exec& exec, const P& p, const Q& q) const {
    check(p, q, "rmse");
    const std::int64_t n = ratings();
    if (n == 0) return 0;
    using Shape = detail::sgd::ShapeOf<0>;
    backends::launch<Shape>(
        exec, "heddle::sgd::rmse", teams_of<Shape>(sums_count()),
        detail::sgd::SquaredErrors<S, O>{waves_.row.data(), waves_.column.data(),
                                         waves_.value.data(), n, factor<const S>(p),
                                         factor<const S>(q), options_.rank, sums_.data()});
    return std::sqrt(read_sum(exec) / static_cast<double>(n));
  }

  std::int64_t ratings() const { return static_cast<std::int64_t>(waves_.value.extent(0)); }
  /// Number of launches in an epoch.
  std::int64_t waves() const { return static_cast<std::int64_t>(waves_.wave_begin.size()) - 1; }
  /// The mean of the ratings; 0 without ratings.
  double mean() const { return mean_; }
  /// The options, with defaults filled in.
  const SgdOptions& options() const { return options_; }
  Scheme scheme() const {
    if (options_.schedule != SgdSchedule::block_diagonals) {
      return Scheme("sgd", {{name(options_.schedule)}});
    }
    return Scheme("sgd", {{name(options_.schedule)},
                          {"rows", options_.block_rows},
                          {"columns", options_.block_columns}});
  }
  double setup_seconds() const { return setup_seconds_; }
  std::size_t bytes() const {
    return waves_.ratings.bytes() + waves_.blocks.bytes() + sums_memory_.bytes();
  }

 private:
  /// Default number of blocks on each side.
  static constexpr std::int64_t blocks_on_cpu = 64, blocks_elsewhere = 1024;

  void choose_blocks(const Exec& exec) {
    if (options_.schedule == SgdSchedule::diagonals) {
      options_.block_rows = options_.block_columns = 1;
      return;
    }
    const bool cpu = backends::describe(exec).backend == BackendKind::host;
    const std::int64_t blocks = cpu ? blocks_on_cpu : blocks_elsewhere;
    const auto size = [&](std::int64_t& said, std::int64_t extent) {
      if (said == 0) said = std::max<std::int64_t>(1, ceil_div(extent, blocks));
    };
    size(options_.block_rows, rows_);
    size(options_.block_columns, columns_);
  }

  template <class P, class Q>
  void check(const P& p, const Q& q, const char* called) const {
    static_assert(P::rank() == 2 && Q::rank() == 2, "factors are Views of rank 2");
    static_assert(std::is_same_v<typename P::array_layout, Kokkos::LayoutRight> &&
                      std::is_same_v<typename Q::array_layout, Kokkos::LayoutRight>,
                  "a row of a factor lies side by side: LayoutRight");
    only_moves_.check("SgdPlan", called);
    const auto fits = [&](const auto& view, std::int64_t extent) {
      return static_cast<std::int64_t>(view.extent(0)) == extent &&
             static_cast<std::int64_t>(view.extent(1)) == options_.rank;
    };
    if (fits(p, rows_) && fits(q, columns_)) return;
    const auto shape = [](const auto& view) {
      return std::to_string(view.extent(0)) + " x " + std::to_string(view.extent(1));
    };
    throw Error("the factors are " + shape(p) + " and " + shape(q) + ", the ratings " +
                    std::to_string(rows_) + " x " + std::to_string(columns_) + " and the rank " +
                    std::to_string(options_.rank),
                "give a row of `rank` entries for each row and each column");
  }

  template <class T, class V>
  static detail::sgd::Factor<T> factor(const V& view) {
    return {view.data(), static_cast<std::int64_t>(view.stride(0))};
  }
  template <class Shape>
  static std::int64_t teams_of(std::int64_t subwarps) {
    return ceil_div(subwarps, std::int64_t{backends::Team<Exec, Shape>::subwarps});
  }

  template <int Rank>
  void run_blocks(const Exec& exec, const detail::sgd::Factor<S>& p,
                  const detail::sgd::Factor<S>& q, const detail::sgd::Step<S>& step) const {
    using Shape = detail::sgd::ShapeOf<Rank>;
    for (std::size_t w = 0; w + 1 < waves_.wave_begin.size(); ++w) {
      const std::int64_t first = waves_.wave_begin[w], stop = waves_.wave_begin[w + 1];
      backends::launch<Shape>(
          exec, "heddle::sgd::epoch", teams_of<Shape>(stop - first),
          detail::sgd::UpdateBlocks<S, O, Rank>{waves_.row.data(), waves_.column.data(),
                                                waves_.value.data(), waves_.block_begin.data(),
                                                first, stop, p, q, options_.rank, step});
    }
  }
  void run_at_once(const Exec& exec, const detail::sgd::Factor<S>& p,
                   const detail::sgd::Factor<S>& q, const detail::sgd::Step<S>& step) const {
    using Shape = detail::sgd::ShapeOf<0>;
    backends::launch<Shape>(
        exec, "heddle::sgd::epoch_at_once", teams_of<Shape>(ratings()),
        detail::sgd::UpdateAtOnce<S, O>{waves_.row.data(), waves_.column.data(),
                                        waves_.value.data(), ratings(), p, q, options_.rank, step});
  }

  template <class V>
  void random(const Exec& exec, const V& view, std::int64_t rows, std::uint64_t seed,
              double size) const {
    detail::parallel_for(
        exec, "heddle::sgd::start", rows * options_.rank,
        detail::sgd::RandomRow<S>{view.data(), options_.rank,
                                  static_cast<std::int64_t>(view.stride(0)), seed, size});
  }

  std::int64_t sums_count() const { return ceil_div(ratings(), detail::sgd::ratings_per_sum); }
  double read_sum(const Exec& exec) const {
    const auto sums =
        detail::ordered::copied_to_host(exec, "heddle::sgd::read_sums", sums_.data(), sums_count());
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  double find_mean(const Exec& exec) const {
    if (ratings() == 0) return 0;
    detail::parallel_for(exec, "heddle::sgd::mean", sums_count(),
                         detail::sgd::SumOfValues<S>{waves_.value.data(), ratings(), sums_.data()});
    return read_sum(exec) / static_cast<double>(ratings());
  }

  SgdOptions options_;
  std::int64_t rows_ = 0, columns_ = 0;
  detail::sgd::Waves<S, O, Space> waves_;
  Arena<Space> sums_memory_;
  typename Arena<Space>::template Array<double> sums_;
  double mean_ = 0, setup_seconds_ = 0;
  detail::MoveOnly only_moves_;
};

template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
SgdPlan(const Exec&, const Ratings<S, O, Space>&, const SgdOptions& = {}) -> SgdPlan<Exec, S, O>;

}  // namespace heddle
