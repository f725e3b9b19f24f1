// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/same_pattern.hpp"
#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/compiled.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../../matrices/reorder.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/operands.hpp"
#include "core.hpp"
#include "fields.hpp"
#include "lu.hpp"

/// Defines what core.hpp declares.
namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<DirectPlanCore<Exec, Matrix>> = true;

namespace direct {

inline constexpr OverlapLabels overlap_labels = {"heddle::direct::busy", "heddle::direct::enter",
                                                 "heddle::direct::leave"};
/// Largest number of right-hand sides that a plan reserves memory for.
inline constexpr int most_room = 64;
/// A band of this many diagonals beside the main one has the least that an order can reach, or
/// nearly so, and so few rows are factored fast in any order: automatic orders do without a search.
inline constexpr std::int64_t narrow_band = 2, few_rows = 64;
/// The most bytes that a plan may need. Above 2^62, which no memory holds, sizes overflow.
inline std::size_t limit_of(const DirectOptions& options) {
  return std::min(options.max_bytes, std::size_t{1} << 62);
}

struct Bandwidths {
  std::int64_t lower = 0, upper = 0;
};

/// The bandwidths of A, in the order of `place` unless that is null.
template <Ordinal O, Offset Off>
struct FindBandwidths {
  using value_type = Bandwidths;
  const Off* row_ptr;
  const O* col_idx;
  const O* place;

  KOKKOS_FUNCTION void init(value_type& found) const { found = {}; }
  KOKKOS_FUNCTION void join(value_type& found, const value_type& other) const {
    found.lower = Kokkos::max(found.lower, other.lower);
    found.upper = Kokkos::max(found.upper, other.upper);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& found) const {
    const std::int64_t i = place ? place[row] : row;
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      const std::int64_t j = place ? place[col_idx[k]] : col_idx[k];
      found.lower = Kokkos::max(found.lower, i - j);
      found.upper = Kokkos::max(found.upper, j - i);
    }
  }
};

/// The order and its inverse, in 64 bits.
template <Ordinal O>
struct KeepOrder {
  const O* from;
  std::int64_t *order, *place;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    order[i] = from[i];
    place[from[i]] = i;
  }
};

/// The largest magnitude in each column, in the units of the rows, and the row of b for each row of
/// the factors.
template <Ordinal O, Offset Off, Scalar S>
struct FindColumnSizes {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  std::int64_t rows;
  const std::int64_t *order, *place;
  std::int64_t* source;
  double* column_size;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    source[row] = order ? order[row] : row;
    double largest = 0;
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      largest = Kokkos::max(largest, magnitude(values[k]));
    }
    const double unit = unit_of(largest);
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      const std::int64_t column = col_idx[k];
      if (column < 0 || column >= rows) continue;
      const double size = magnitude(values[k]) * unit;
      if (size > 0) backends::atomic_max(&column_size[place ? place[column] : column], size);
    }
  }
};

/// Puts a row of A where it is factored, and finds its unit from its largest entry in the units of
/// the columns. Entries that the inspected pattern has no room for are left out.
template <Ordinal O, Offset Off, Scalar S>
struct PutRows {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Factors<S> f;
  const std::int64_t* place;
  const double* column_size;
  double* row_unit;
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t i = place ? place[row] : row;
    double largest = 0;
    bool is_finite = true;
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      const std::int64_t column = col_idx[k];
      if (column < 0 || column >= f.rows) continue;
      const std::int64_t j = place ? place[column] : column;
      if (i - j > f.below || j - i > f.above) continue;
      is_finite = is_finite && triangle::is_finite(values[k]);
      largest = Kokkos::max(largest, magnitude(values[k]) * unit_of(column_size[j]));
      f(i, j) += values[k];
    }
    row_unit[i] = largest > 0 ? unit_of(largest) : 1;
    if (!is_finite) triangle::mark_bad_row(bad, row);
  }
};

/// y = b, or, with refined, y = b - A refined, in the order of the factors. An item is a row of one
/// vector.
template <Ordinal O, Offset Off, Scalar S>
struct LoadRightHandSides {
  Multivector<const S> b;
  const std::int64_t* source;
  std::int64_t rows;
  S* y;
  const S* refined;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto v = static_cast<int>(item / rows);
    const std::int64_t i = item % rows, row = source[i];
    const S value = b(row, v);
    if (!refined) {
      y[item] = value;
      return;
    }
    auto sum = rounded<krylov::Wide<S>>(value);
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      sum -= rounded<krylov::Wide<S>>(values[k]) *
             rounded<krylov::Wide<S>>(refined[v * rows + col_idx[k]]);
    }
    y[item] = rounded<S>(sum);
  }
};

/// The solution in the order of A: to x if that has data, else to `refined`. With `adds`, that of
/// `refined` is added.
template <Scalar S>
struct StoreSolutions {
  const S* y;
  const std::int64_t* order;
  std::int64_t rows;
  bool adds;
  S* refined;
  Multivector<S> x;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const auto v = static_cast<int>(item / rows);
    const std::int64_t i = item % rows, row = order ? order[i] : i;
    const S value = adds ? refined[v * rows + row] + y[item] : y[item];
    if (x.data) {
      x(row, v) = value;
    } else {
      refined[v * rows + row] = value;
    }
  }
};

}  // namespace direct

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::check(const Exec& exec, const Matrix& A,
                                         const DirectOptions& options) {
  check_square(A, "a direct factorization");
  check_fields(options);
  check_csr(exec, A);
}

template <ExecutionSpace Exec, class Matrix>
double DirectPlanCore<Exec, Matrix>::bytes_of(const Matrix& A, const DirectOptions& options,
                                              double entries, bool ordered) {
  if (entries > 0x1p56) return entries * sizeof(S);  // more than a size holds
  const auto n = static_cast<std::size_t>(A.rows());
  const auto of_vectors =
      n * static_cast<std::size_t>(std::min(options.vectors.count, direct::most_room));
  const bool refines = options.refinement_steps > 0;
  const std::size_t of_order = ordered ? n : 0, none = 0;
  const auto kept = refines ? static_cast<std::size_t>(A.nonzeros()) : none;
  return static_cast<double>(
      arena_bytes<S, std::int64_t, double, double, std::int64_t, std::int64_t, std::int64_t, S, S,
                  std::int64_t, int, Off, O, S>(
          static_cast<std::size_t>(entries), n, n, n, n, of_order, of_order, of_vectors,
          refines ? of_vectors : none, 2, 2, refines ? n + 1 : none, kept, kept));
}

template <ExecutionSpace Exec, class Matrix>
auto DirectPlanCore<Exec, Matrix>::dense_way(const Matrix& A, const DirectOptions& options) -> Way {
  const auto n = static_cast<double>(A.rows());
  const std::int64_t most = std::max<std::int64_t>(A.rows() - 1, 0);
  const double bytes = bytes_of(A, options, n * n, false);
  return {{Scheme("direct", {{"dense"}}), static_cast<std::size_t>(std::min(bytes, 0x1p63)),
           (is_complex<S> ? 4 : 1) * 2 * n * n * n / 3, most, most}};
}

template <ExecutionSpace Exec, class Matrix>
auto DirectPlanCore<Exec, Matrix>::band_way(const Exec& exec, const Matrix& A,
                                            const DirectOptions& options, const Order& order)
    -> Way {
  const bool ordered = order.extent(0) > 0;
  const auto rows = static_cast<std::int64_t>(A.rows());
  Order place;
  if (ordered) {
    place = reorder::make_order(exec, A.rows());
    parallel_for(exec, "heddle::direct::places", rows,
                 reorder::PutPlace<O>{order.data(), place.data()});
  }
  direct::Bandwidths band;
  if (rows > 0) {
    Kokkos::parallel_reduce(
        "heddle::direct::bandwidths", range_policy(exec, rows),
        direct::FindBandwidths<O, Off>{A.row_ptr().data(), A.col_idx().data(), place.data()}, band);
  }
  const auto n = static_cast<double>(rows), lower = static_cast<double>(band.lower),
             upper = static_cast<double>(band.upper);
  const double panel = std::clamp(lower, 1.0, double{direct::most_panel});
  const double bytes = bytes_of(A, options, n * (2 * lower + upper + panel), ordered);
  const Scheme scheme("direct", {{"band"}, {"ordering", ordered ? "rcm" : "natural"}});
  return {{scheme, static_cast<std::size_t>(std::min(bytes, 0x1p63)),
           (is_complex<S> ? 4 : 1) * n * lower * (2 * (lower + upper) + 1), band.lower, band.upper},
          order};
}

template <ExecutionSpace Exec, class Matrix>
auto DirectPlanCore<Exec, Matrix>::ways(const Exec& exec, const Matrix& A,
                                        const DirectOptions& options) -> std::vector<Way> {
  bool dense = true, band = true;
  DirectOrdering ordering = options.ordering;
  if (options.scheme) {
    const SchemeGrammar grammar = direct::grammar();
    const Scheme scheme = resolve(*options.scheme, std::span(&grammar, 1));
    dense = scheme.has("dense");
    band = !dense;
    if (dense && ordering != DirectOrdering::automatic) {
      throw Error("options.ordering has no effect on direct/dense", "leave it automatic");
    }
    if (scheme.has("ordering")) {
      const auto pinned = value_of<DirectOrdering>("ordering", scheme.value("ordering"));
      if (ordering != DirectOrdering::automatic && ordering != pinned) {
        throw Error("options.ordering is " + std::string(name(ordering)) +
                        ", and options.scheme is " + scheme.to_string(),
                    "give one of them");
      }
      ordering = pinned;
    }
  }
  std::vector<Way> all;
  if (dense) all.push_back(dense_way(A, options));
  if (band && ordering != DirectOrdering::rcm) all.push_back(band_way(exec, A, options, {}));
  if (band && ordering != DirectOrdering::natural && A.rows() > 0) {
    const auto is_worth_it = [&] {
      const DirectForecast& natural = all.back().forecast;
      const auto rows = static_cast<std::int64_t>(A.rows()),
                 nonzeros = static_cast<std::int64_t>(A.nonzeros()),
                 beside = natural.lower_bandwidth + natural.upper_bandwidth;
      // No order has fewer diagonals than the longest row has entries: none halves a band of which
      // half is full.
      const bool is_full = 2 * nonzeros >= rows * (beside + 1);
      return beside > direct::narrow_band && rows > direct::few_rows && !is_full &&
             nonzeros <= std::numeric_limits<Off>::max() / 2;
    };
    if (ordering == DirectOrdering::rcm || is_worth_it()) {
      using Pattern = typename Matrix::pattern_type;
      try {
        const Order order = reverse_cuthill_mckee(exec, static_cast<const Pattern&>(A));
        all.push_back(band_way(exec, A, options, order));
      } catch (const OutOfMemory&) {
        if (ordering == DirectOrdering::rcm) throw;  // else there are other ways
      }
    }
  } else if (all.empty()) {
    all.push_back(band_way(exec, A, options, {}));
  }
  std::stable_sort(all.begin(), all.end(), [](const Way& one, const Way& other) {
    return one.forecast.flops < other.forecast.flops;
  });
  return all;
}

template <ExecutionSpace Exec, class Matrix>
auto DirectPlanCore<Exec, Matrix>::best(const std::vector<Way>& ways, std::size_t limit)
    -> const Way& {
  const Way* least = &ways.front();
  for (const Way& way : ways) {
    if (way.forecast.bytes <= limit) return way;
    if (way.forecast.bytes < least->forecast.bytes) least = &way;
  }
  return *least;
}

template <ExecutionSpace Exec, class Matrix>
DirectForecast DirectPlanCore<Exec, Matrix>::forecast(const Exec& exec, const Matrix& A,
                                                      const DirectOptions& options) {
  check(exec, A, options);
  return best(ways(exec, A, options), direct::limit_of(options)).forecast;
}

template <ExecutionSpace Exec, class Matrix>
DirectPlanCore<Exec, Matrix>::DirectPlanCore(const Exec& exec, const Matrix& A,
                                             const DirectOptions& options)
    : rows_(A.rows()),
      nonzeros_(static_cast<std::int64_t>(A.nonzeros())),
      room_(std::min(options.vectors.count, direct::most_room)),
      steps_(options.refinement_steps) {
  check(exec, A, options);
  pattern_ = pattern_key(exec, A, options.check_pattern);
  const std::vector<Way> all = ways(exec, A, options);
  const std::size_t limit = direct::limit_of(options);
  const Way& way = best(all, limit);
  forecast_ = way.forecast;
  if (forecast_.bytes > limit) {
    throw Error("a direct factorization needs " + std::to_string(forecast_.bytes) + " bytes, by " +
                    forecast_.scheme.to_string() + ", and the limit is " + std::to_string(limit),
                "raise options.max_bytes, or take an iterative method or SparseDirectPlan");
  }
  explanation_ = options.scheme ? ": pinned by the caller\n" : ": the fewest operations\n";
  for (const Way& other : all) {
    const DirectForecast& of = other.forecast;
    explanation_ += "  " + of.scheme.to_string() + ": " + std::to_string(of.lower_bandwidth) +
                    " diagonals below and " + std::to_string(of.upper_bandwidth) + " above, " +
                    std::to_string(of.bytes) + " bytes, " + text_of(of.flops) + " operations\n";
  }
  allocate(exec, A, way.order);
  overlap_ = OverlapCheck<Exec>(exec, options.check_overlap, direct::overlap_labels);
  update_values(exec, A);
  check_values(exec);
}

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::allocate(const Exec& exec, const Matrix& A, const Order& order) {
  auto& f = factors_;
  f.rows = rows_;
  f.dense = forecast_.scheme.has("dense");
  f.below = forecast_.lower_bandwidth;
  f.panel = static_cast<int>(std::clamp<std::int64_t>(f.below, 1, direct::most_panel));
  f.above = f.dense ? f.below : f.below + forecast_.upper_bandwidth;
  f.stride = f.dense ? rows_ : f.below + f.above + f.panel - 1;
  f.diagonal = f.dense ? 0 : f.above;
  const std::int64_t of_order = order.extent(0) > 0 ? rows_ : 0, of_vectors = rows_ * room_;
  const bool refines = steps_ > 0;
  const std::int64_t kept = refines ? nonzeros_ : 0;
  arena_ = Arena<Space>(
      exec, "heddle::direct::factors", arena_array(f.values, f.entries()),
      arena_array(f.pivot, rows_), arena_array(row_unit_, rows_), arena_array(column_size_, rows_),
      arena_array(source_, rows_), arena_array(order_, of_order), arena_array(place_, of_order),
      arena_array(work_, of_vectors), arena_array(refined_, refines ? of_vectors : 0),
      arena_array(bad_, 2), arena_array(meeting_words_, 2),
      arena_array(row_ptr_, refines ? rows_ + 1 : 0), arena_array(col_idx_, kept),
      arena_array(values_, kept));
  fill(exec, "heddle::direct::clear_meetings", meeting_words_, 2, 0);
  fill(exec, "heddle::direct::clear_bad", bad_, 2, 0);
  if (of_order > 0) {
    parallel_for(exec, "heddle::direct::order", rows_,
                 direct::KeepOrder<O>{order.data(), order_, place_});
    exec.fence("heddle::direct::ordered");  // before the caller frees the order
  } else {
    order_ = place_ = nullptr;
  }
  if (!refines) {
    refined_ = nullptr;
  } else if (rows_ > 0) {
    copy(exec, "heddle::direct::keep_pattern", row_ptr_, rows_ + 1, A.row_ptr().data());
    copy(exec, "heddle::direct::keep_pattern", col_idx_, nonzeros_, A.col_idx().data());
  }
}

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::update_values(const Exec& exec, const Matrix& A) {
  check_same_size("update_values", A, rows_, rows_, nonzeros_);
  if (nonzeros_ > 0 && !A.values().data()) {
    throw Error("the matrix of a direct factorization has no values", "give one for each entry");
  }
  check_same_pattern(exec, pattern_, A, "DirectPlan");
  if (rows_ == 0) return;
  const auto& f = factors_;
  const Off* const row_ptr = A.row_ptr().data();
  const O* const col_idx = A.col_idx().data();
  const S* const values = A.values().data();
  fill(exec, "heddle::direct::clear_factors", f.values, f.entries(), S(0));
  fill(exec, "heddle::direct::clear_sizes", column_size_, rows_, 0);
  fill(exec, "heddle::direct::clear_bad", bad_, 2, 0);
  parallel_for(exec, "heddle::direct::column_sizes", rows_,
               direct::FindColumnSizes<O, Off, S>{row_ptr, col_idx, values, rows_, order_, place_,
                                                  source_, column_size_});
  parallel_for(exec, "heddle::direct::put_rows", rows_,
               direct::PutRows<O, Off, S>{row_ptr, col_idx, values, f, place_, column_size_,
                                          row_unit_, bad_});
  if (steps_ > 0) copy(exec, "heddle::direct::keep_values", values_, nonzeros_, values);
  const std::int64_t tiles =
      ceil_div(f.below, std::int64_t{direct::tile}) * ceil_div(f.above, std::int64_t{direct::tile});
  constexpr std::int64_t tiles_each = backends::has_lanes<Exec> ? 1 : 8;
  direct::launch_together(exec, "heddle::direct::factorize", tiles / tiles_each,
                          direct::Factorize<S>{f, row_unit_, column_size_, source_, order_, bad_},
                          meeting_words_);
}

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::check_values(const Exec& exec) const {
  const auto words = ordered::copied_to_host(exec, "heddle::direct::check_values", bad_, 2);
  if (words[0] == 0) return;
  const std::int64_t at = words[0] - 1;
  if (words[1] == 0) {
    throw Error("a value is NaN or infinite", Where{.row = at}, "give finite values");
  }
  throw Error("the matrix is singular: column " + std::to_string(at) +
                  " has no pivot other than zero, or elimination overflows there",
              "look for an equation or unknown that is missing or given twice");
}

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::solve(const Exec& exec, int count) const {
  constexpr std::int64_t rows_each = 256;
  direct::launch_together(exec, "heddle::direct::solve", factors_.above / rows_each,
                          direct::Solve<S>{factors_, work_, count}, meeting_words_);
}

template <ExecutionSpace Exec, class Matrix>
void DirectPlanCore<Exec, Matrix>::apply(const Exec& exec, const Multivector<const S>& b,
                                         const Multivector<S>& x) const {
  triangle::check_right_hand_sides(rows_, b, x, "A");
  if (rows_ == 0 || b.count == 0) return;
  const typename OverlapCheck<Exec>::Apply counted(overlap_, exec);
  for (int first = 0; first < b.count; first += room_) {
    const int count = std::min(room_, b.count - first);
    const std::int64_t items = rows_ * count;
    for (int step = 0; step <= steps_; ++step) {
      parallel_for(exec, "heddle::direct::load", items,
                   direct::LoadRightHandSides<O, Off, S>{b.slice(first, count), source_, rows_,
                                                         work_, step > 0 ? refined_ : nullptr,
                                                         row_ptr_, col_idx_, values_});
      solve(exec, count);
      parallel_for(
          exec, "heddle::direct::store", items,
          direct::StoreSolutions<S>{work_, order_, rows_, step > 0, refined_,
                                    step == steps_ ? x.slice(first, count) : no_vectors<S>});
    }
  }
}

}  // namespace heddle::detail

#include "plan.hpp"  // after the class that it makes
