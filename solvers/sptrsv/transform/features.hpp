// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "../../../backends/atomics.hpp"
#include "../../../core/explain.hpp"
#include "../../../core/triangle_features.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/ordered_triangle.hpp"

namespace heddle {

namespace detail::sptrsv {

/// Whether row i needs exactly the rows that row `before` needs, in the same order, and `before`
/// once.
template <Ordinal O, Offset Off>
KOKKOS_FUNCTION bool shares_columns(const triangle::DependencyGraph<O, Off>& graph, O i, O before) {
  Off k = graph.row_ptr[before];
  const auto next_of_before = [&] {
    while (k < graph.row_ptr[before + 1] &&
           !triangle::in_triangle(graph.triangle, before, graph.col_idx[k])) {
      ++k;
    }
    return k < graph.row_ptr[before + 1];
  };
  int found = 0;
  for (Off at = graph.row_ptr[i]; at < graph.row_ptr[i + 1]; ++at) {
    const O j = graph.col_idx[at];
    if (!triangle::in_triangle(graph.triangle, i, j)) continue;
    if (j == before) {
      ++found;
    } else if (next_of_before() && graph.col_idx[k] == j) {
      ++k;
    } else {
      return false;
    }
  }
  return found == 1 && !next_of_before();
}

template <Ordinal O, Offset Off>
struct CountSharedRows {
  triangle::DependencyGraph<O, Off> graph;

  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int64_t& count) const {
    count += p > 0 && shares_columns(graph, graph.row(p), graph.row(p - 1)) ? 1 : 0;
  }
};

/// Number of rows that share the columns of the previous row. One launch; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
std::int64_t count_shared_rows(const Exec& exec, const triangle::DependencyGraph<O, Off>& graph) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("heddle::sptrsv::shared_rows", range_policy(exec, graph.rows),
                          CountSharedRows<O, Off>{graph}, count);
  return count;
}

/// Sums over the rows of a triangle, in integers, so that the order of additions does not matter.
struct TriangleRowSums {
  static constexpr double one = 4294967296.0;

  std::uint64_t entries = 0;
  std::uint64_t squares = 0;  ///< sum of squared row lengths; at most longest * entries
  std::int64_t longest = 0;
  std::uint64_t nearness = 0;  ///< sum of 1 / distance to the nearest needed row, in units 1 / one
  std::int64_t hubs = 0;
  std::int64_t hub_entries = 0;
};

/// Adds up rows, and counts the rows, entries and hubs of each level.
template <class Graph>
struct RowSumsKernel {
  using value_type = TriangleRowSums;

  Graph graph;
  const int* level;
  std::int64_t* level_rows;
  std::int64_t* level_entries;
  std::int64_t* level_hubs;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.entries += other.entries;
    sums.squares += other.squares;
    sums.longest = Kokkos::max(sums.longest, other.longest);
    sums.nearness += other.nearness;
    sums.hubs += other.hubs;
    sums.hub_entries += other.hub_entries;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    const auto row = graph.row(i);
    std::int64_t entries = 1, nearest = 0;
    for (auto k = graph.row_ptr[row]; k < graph.row_ptr[row + 1]; ++k) {
      const auto needed = graph.col_idx[k];
      if (!triangle::in_triangle(graph.triangle, row, needed)) continue;
      const auto distance = static_cast<std::int64_t>(needed < row ? row - needed : needed - row);
      if (nearest == 0 || distance < nearest) nearest = distance;
      ++entries;
    }
    const auto length = static_cast<std::uint64_t>(entries);
    sums.entries += length;
    sums.squares += length * length;
    sums.longest = Kokkos::max(sums.longest, entries);
    if (nearest > 0) {
      sums.nearness +=
          static_cast<std::uint64_t>(TriangleRowSums::one / static_cast<double>(nearest) + 0.5);
    }
    backends::atomic_inc(level_rows + level[row]);
    backends::atomic_add(level_entries + level[row], entries);
    if (entries >= TriangleFeatures::hub_entries_from) {
      ++sums.hubs;
      sums.hub_entries += entries;
      backends::atomic_inc(level_hubs + level[row]);
    }
  }
};

struct ClearLevelSums {
  std::int64_t* level_rows;
  std::int64_t* level_entries;
  std::int64_t* level_hubs;

  KOKKOS_FUNCTION void operator()(std::int64_t l) const {
    level_rows[l] = level_entries[l] = level_hubs[l] = 0;
  }
};

inline double variation(long double mean, long double mean_square) {
  const long double variance = mean_square - mean * mean;
  return variance > 0 ? static_cast<double>(std::sqrt(variance) / mean) : 0;
}

inline Spread spread_of(const std::int64_t* counts, std::int64_t n) {
  long double sum = 0, squares = 0;
  Spread spread;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto count = static_cast<long double>(counts[i]);
    sum += count;
    squares += count * count;
    spread.max = std::max(spread.max, counts[i]);
  }
  const auto number = static_cast<long double>(n);
  spread.mean = static_cast<double>(sum / number);
  spread.variation = variation(sum / number, squares / number);
  return spread;
}

/// Computes the features of level widths; level_rows has the rows of each level, in order.
inline void count_widths(TriangleFeatures& features, std::span<const std::int64_t> level_rows) {
  std::int64_t run = 0;
  for (const std::int64_t rows : level_rows) {
    features.wide_levels += rows >= TriangleFeatures::wide_level ? 1 : 0;
    std::size_t decade = 0;
    for (std::int64_t least = 10; decade < features.levels_by_width.size() - 1 && rows >= least;
         least *= 10) {
      ++decade;
    }
    ++features.levels_by_width[decade];
    run = rows == 1 ? run + 1 : 0;
    features.chain_levels += rows == 1 ? 1 : 0;
    features.longest_chain = std::max(features.longest_chain, run);
  }
}

/// The features of a triangle whose levels are known: row i has level[i], of `levels`. One
/// allocation, two launches, one readback; waits for `exec`.
template <ExecutionSpace Exec, class Graph>
TriangleFeatures features_of(const Exec& exec, const Graph& graph, const int* level, int levels) {
  TriangleFeatures features;
  features.rows = graph.rows;
  features.levels = levels;
  if (graph.rows == 0) return features;
  using Space = typename Exec::memory_space;
  const auto n = static_cast<std::size_t>(levels);
  std::int64_t *level_rows = nullptr, *level_entries = nullptr, *level_hubs = nullptr;
  TriangleRowSums* sums = nullptr;
  Arena<Space> memory(exec, "heddle::sptrsv::features", arena_array(level_rows, n),
                      arena_array(level_entries, n), arena_array(level_hubs, n),
                      arena_array(sums, 1));
  Kokkos::parallel_for("heddle::sptrsv::no_features", range_policy(exec, levels),
                       ClearLevelSums{level_rows, level_entries, level_hubs});
  const Kokkos::View<TriangleRowSums, Space, Kokkos::MemoryUnmanaged> result(sums);
  Kokkos::parallel_reduce("heddle::sptrsv::features", range_policy(exec, graph.rows),
                          RowSumsKernel<Graph>{graph, level, level_rows, level_entries, level_hubs},
                          result);
  auto host = memory.template copy_to<Kokkos::HostSpace>(exec);
  exec.fence("heddle::sptrsv::features");
  const std::int64_t* const sizes = host.template take<std::int64_t>(n).data();
  features.level_rows = spread_of(sizes, levels);
  count_widths(features, {sizes, n});
  features.level_entries = spread_of(host.template take<std::int64_t>(n).data(), levels);
  const std::int64_t* const hubs = host.template take<std::int64_t>(n).data();
  features.hub_levels = levels - std::count(hubs, hubs + n, std::int64_t{0});
  const TriangleRowSums rows = *host.template take<TriangleRowSums>(1).data();
  const auto number = static_cast<long double>(graph.rows);
  features.entries = static_cast<std::int64_t>(rows.entries);
  features.hub_rows = rows.hubs;
  features.hub_entries = rows.hub_entries;
  features.row_entries.mean = static_cast<double>(static_cast<long double>(rows.entries) / number);
  features.row_entries.max = rows.longest;
  features.row_entries.variation = variation(static_cast<long double>(rows.entries) / number,
                                             static_cast<long double>(rows.squares) / number);
  features.dep_dist =
      static_cast<double>(rows.nearness) / TriangleRowSums::one / static_cast<double>(graph.rows);
  if constexpr (ordered::on_threads<Exec>) features.shared_rows = count_shared_rows(exec, graph);
  return features;
}

/// The features of a triangle whose levels are not known: finds them first, with an allocation of
/// one int for each row. `entries`: those of the matrix.
template <ExecutionSpace Exec, class Graph>
TriangleFeatures find_features(const Exec& exec, const Graph& graph, std::int64_t entries) {
  const ordered::Levels<Exec> levels(exec, triangle::loop_of(graph, entries));
  return features_of(exec, graph, levels.of().data(), levels.count());
}

}  // namespace detail::sptrsv
}  // namespace heddle

namespace heddle::detail::sptrsv {

/// The text of SolveChoice::seen. `entries`: those that a solve reads; `levels`: 0 if not computed.
[[gnu::cold]] inline std::string describe_triangle(std::int64_t rows, std::int64_t entries,
                                                   std::int64_t levels,
                                                   const TriangleFeatures* features) {
  std::string text = "  triangle: " + std::to_string(rows) + " rows, " + std::to_string(entries) +
                     " entries read; ";
  if (levels == 0) return text + "levels not looked for\n";
  text += std::to_string(levels) + " levels of " +
          number_text(static_cast<double>(rows) / static_cast<double>(levels)) +
          " rows in the mean";
  if (!features) return text + "\n";
  text += ", " + std::to_string(features->level_rows.max) + " at most; nearness of the rows that " +
          "are needed " + number_text(features->dep_dist) + "\n  ";
  const char* const widths[] = {"1 to 9", "10 to 99", "100 to 999", "1,000 to 9,999", "more"};
  for (std::size_t i = 0; i < features->levels_by_width.size(); ++i) {
    text += (i ? ", " : "levels of ") + std::string(widths[i]) +
            " rows: " + std::to_string(features->levels_by_width[i]);
  }
  text += "; of one row: " + std::to_string(features->chain_levels) + ", " +
          std::to_string(features->longest_chain) + " of them in turn; rows of " +
          std::to_string(TriangleFeatures::hub_entries_from) +
          " entries or more: " + std::to_string(features->hub_rows) + " in " +
          std::to_string(features->hub_levels) + " levels";
  return text + "\n";
}

}  // namespace heddle::detail::sptrsv
