// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/device.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../../formats/plan/cache_key.hpp"
#include "../ordered/choose_by_time.hpp"
#include "../ordered/colors.hpp"
#include "../ordered/same_pattern.hpp"
#include "../triangle/check_triangle.hpp"
#include "../triangle/right_hand_sides.hpp"
#include "block_sweeps.hpp"
#include "check.hpp"
#include "choose.hpp"
#include "core.hpp"
#include "split.hpp"

/// Defines what core.hpp declares.
namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<GaussSeidelPlanCore<Exec, Matrix>> = true;

namespace gauss_seidel {

inline constexpr OverlapLabels overlap_labels = {
    "heddle::gauss_seidel::busy", "heddle::gauss_seidel::enter", "heddle::gauss_seidel::leave"};

template <ExecutionSpace Exec, class Matrix, class FormatList>
std::unique_ptr<Executor<Exec, Matrix>> make_split(const Exec& exec, const Matrix& A,
                                                   const GaussSeidelOptions& options) {
  using List =
      std::conditional_t<std::is_same_v<FormatList, EveryFormat>, DefaultFormats, FormatList>;
  return std::make_unique<Split<Exec, Matrix, List>>(exec, A, options);
}

}  // namespace gauss_seidel

template <ExecutionSpace Exec, class Matrix>
struct GaussSeidelPlanCore<Exec, Matrix>::State {
  using O = typename Matrix::ordinal_type;
  using Rows = gauss_seidel::SideRows<Exec, Matrix>;
  using Executor = gauss_seidel::Executor<Exec, Matrix>;
  using BadDiagonal = Kokkos::View<std::int64_t, typename Exec::memory_space>;

  State(const Exec& exec, const Matrix& A, const GaussSeidelOptions& given,
        gauss_seidel::MakeExecutor<Exec, Matrix>* make_split)
      : options(given), rows(A.rows()), nonzeros(static_cast<std::int64_t>(A.nonzeros())) {
    gauss_seidel::check_options(A.rows(), A.columns(), given);
    options.vectors.count = std::min(given.vectors.count, triangle::most_room);
    Kokkos::Timer timer;
    const Device device = backends::describe(exec);
    const PinnedScheme asked = gauss_seidel::pinned(given, device);
    const std::optional<Scheme>& scheme = asked.scheme;
    check_csr(exec, A);
    pattern = pattern_key(exec, A, given.check_pattern);
    if (given.block_size == 1) {
      triangle::check_triangle<S>(exec, A, Triangle::lower, Diagonal::stored, true,
                                  gauss_seidel::diagonal_words(given));
    }
    bad_diagonal = BadDiagonal(Kokkos::view_alloc(kokkos_space(exec), "heddle::gauss_seidel::bad"));
    overlap = OverlapCheck<Exec>(exec, given.check_overlap, gauss_seidel::overlap_labels);
    choice.reason = "pinned by the caller";
    if (scheme && scheme->has("split")) {
      executor = make_split(exec, A, options);
    } else if (scheme) {
      executor = make(exec, A, scheme);
    } else {
      executor = make_chosen(exec, A, device);
    }
    choice.seen = describe_matrix(device) + asked.explain();
    if (!asked.idle.empty()) choice.shown = asked.shown(executor->scheme());
    exec.fence("heddle::gauss_seidel::inspected");
    setup_seconds = timer.seconds();
  }

  /// Sweeps by a scheme; without one by the wavefronts' own choice.
  std::unique_ptr<Executor> make(const Exec& exec, const Matrix& A,
                                 const std::optional<Scheme>& scheme) {
    std::unique_ptr<Executor> made;
    if (options.block_size > 1) {
      using BlockSweeps = gauss_seidel::BlockSweeps<Exec, Matrix>;
      gauss_seidel::BlockGraph<Exec, Matrix> blocks(exec, A, options.block_size);
      const auto order = find_order(exec, blocks.graph());
      made = std::make_unique<BlockSweeps>(exec, std::move(blocks), order, options, scheme);
      made->update_values(exec, A, bad_diagonal.data());
      check_values(exec);
    } else {
      const gauss_seidel::SweepInspection<Exec, Rows> inspection{
          exec, A, find_order(exec, A), rows, options.vectors.count, options.threads};
      made = std::make_unique<gauss_seidel::Sweeps<Exec, Rows>>(inspection, options, scheme);
      made->update_values(exec, A, nullptr);
    }
    return made;
  }

  /// Where none is pinned.
  std::unique_ptr<Executor> make_chosen(const Exec& exec, const Matrix& A, const Device& device) {
    const auto chosen = gauss_seidel::choose(rows, nonzeros, options, device);
    const double seconds = options.measure_seconds;
    choice.ranking = gauss_seidel::rank(chosen, options, device, seconds > 0);
    std::optional<MeasuredVectors<Exec, S>> vectors;
    return ordered::make_chosen(
        seconds, options.cache, choice, [&] { return cache_key_of(exec, A, device); },
        [&](const Scheme& scheme) {
          GaussSeidelOptions with = options;
          with.scheme = scheme;
          const auto asked = gauss_seidel::pinned(with, device).scheme;
          if (!asked || asked->has("split")) throw Refusal("it is never chosen", "pin it");
          return make(exec, A, asked);
        },
        [&](Executor& runs, double budget) {
          if (!vectors) vectors.emplace(exec, rows, rows, options.vectors);
          return seconds_of_apply(
              exec, budget, [&] { runs.run(exec, {vectors->x(), vectors->y(), {}}, 1, true); });
        },
        [&] { return make(exec, A, chosen); });
  }

  std::string cache_key_of(const Exec& exec, const Matrix& A, const Device& device) const {
    std::string key = cache_key<S, S>("gauss-seidel", exec, A, device);
    key += std::string(" ") + heddle::name(options.sweep) + " " + heddle::name(options.order) +
           " blocks " + std::to_string(options.block_size) + " " +
           std::to_string(options.expected_applies) + " applies" + key_text(options.vectors) + " " +
           std::to_string(options.threads) + " threads";
    return as_key(std::move(key));
  }

  /// SolveChoice::seen.
  std::string describe_matrix(const Device& device) const {
    std::string text =
        "  matrix: " + std::to_string(rows) + " rows, " + std::to_string(nonzeros) + " nonzeros";
    if (options.block_size > 1) text += ", blocks of " + std::to_string(options.block_size);
    text += std::string("; a ") + heddle::name(options.sweep) + " sweep in " +
            heddle::name(options.order) + " order";
    if (colors) text += ", " + std::to_string(colors->count()) + " colors";
    const int levels = executor->levels(executor->has(true));
    if (levels > 0) text += ", " + std::to_string(levels) + " levels";
    return text + "\n" + describe(device, options.expected_applies, options.vectors) + "\n";
  }

  /// That of options.order of the rows of a graph.
  template <class Graph>
  gauss_seidel::RowOrder<O> find_order(const Exec& exec, const Graph& graph) {
    if (options.order == GaussSeidelOrder::natural) return {};
    if (!colors) colors.emplace(exec, graph);
    return {colors->rank(), colors->schedule().order().iterations};
  }
  void check_values(const Exec& exec) const {
    triangle::check_bad_diagonal(exec, "heddle::gauss_seidel::check_values", bad_diagonal,
                                 gauss_seidel::diagonal_words(options));
  }
  /// Whether the sweep is forward. Throws Error unless the plan has it.
  bool is_forward(SweepDirection sweep) const {
    const bool forward = sweep != SweepDirection::backward;
    if (executor->has(forward)) return forward;
    throw Error(std::string("this plan has no ") + heddle::name(sweep) + " sweep",
                "ask for one that options.sweep names");
  }
  const Scheme& scheme() const { return choice.scheme(executor->scheme()); }
  /// One that only gauss-seidel/split has: what `of` gives.
  const Scheme& of_split(SweepDirection sweep, const Scheme* (Executor::*of)(bool) const) const {
    if (!scheme().has("split")) {
      throw Error("a plan that runs " + scheme().to_string() + " has no triangular solve",
                  "pin gauss-seidel/split, or ask for scheme()");
    }
    return *((*executor).*of)(is_forward(sweep));
  }

  GaussSeidelOptions options;
  std::int64_t rows;
  std::int64_t nonzeros;
  PatternKey pattern;
  SolveChoice choice;
  std::optional<ordered::Colors<Exec, O>> colors;
  std::unique_ptr<Executor> executor;
  BadDiagonal bad_diagonal;
  OverlapCheck<Exec> overlap;
  double setup_seconds = 0;
};

template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::GaussSeidelPlanCore() : moves_(made_empty) {}
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::GaussSeidelPlanCore(
    const Exec& exec, const Matrix& A, const GaussSeidelOptions& options,
    gauss_seidel::MakeExecutor<Exec, Matrix>* make_split)
    : sweep_(options.sweep), state_(std::make_unique<State>(exec, A, options, make_split)) {}
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::GaussSeidelPlanCore(GaussSeidelPlanCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix>
auto GaussSeidelPlanCore<Exec, Matrix>::operator=(GaussSeidelPlanCore&&) noexcept
    -> GaussSeidelPlanCore& = default;
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::~GaussSeidelPlanCore() = default;

template <ExecutionSpace Exec, class Matrix>
auto GaussSeidelPlanCore<Exec, Matrix>::state(const char* called) const -> State& {
  moves_.check("GaussSeidelPlan", called);
  return *state_;
}

template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::sweep(const Exec& exec,
                                              const gauss_seidel::SweepVectors<S>& vectors,
                                              bool wants_residual, int sweeps,
                                              bool from_zero) const {
  State& of = state(from_zero ? "apply" : "relax");
  gauss_seidel::check_sweeps(of.rows, vectors, wants_residual, sweeps);
  if (of.rows == 0 || vectors.b.count == 0) return;
  const typename OverlapCheck<Exec>::Apply counted(of.overlap, exec);
  const int room = of.options.vectors.count;
  for (int first = 0; first < vectors.b.count; first += room) {
    const int count = std::min(room, vectors.b.count - first);
    of.executor->run(exec, vectors.slice(first, count), sweeps, from_zero);
  }
}

template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::update_values(const Exec& exec, const Matrix& A) {
  State& of = state("update_values");
  triangle::check_same_size("update_values", A, of.rows, of.nonzeros);
  check_same_pattern(exec, of.pattern, A, "GaussSeidelPlan");
  Kokkos::deep_copy(kokkos_space(exec), of.bad_diagonal, 0);
  of.executor->update_values(exec, A, of.bad_diagonal.data());
}

template <ExecutionSpace Exec, class Matrix>
Kokkos::View<const std::int64_t, typename Exec::memory_space>
GaussSeidelPlanCore<Exec, Matrix>::bad_row() const {
  return state("bad_row").bad_diagonal;
}
template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::check_values(const Exec& exec) const {
  state("check_values").check_values(exec);
}

template <ExecutionSpace Exec, class Matrix>
const Scheme& GaussSeidelPlanCore<Exec, Matrix>::scheme() const {
  return state("scheme").scheme();
}
template <ExecutionSpace Exec, class Matrix>
const SolveChoice& GaussSeidelPlanCore<Exec, Matrix>::choice(const char* called) const {
  return state(called).choice;
}
template <ExecutionSpace Exec, class Matrix>
int GaussSeidelPlanCore<Exec, Matrix>::levels(SweepDirection sweep) const {
  const State& of = state("levels");
  return of.executor->levels(of.is_forward(sweep));
}
template <ExecutionSpace Exec, class Matrix>
int GaussSeidelPlanCore<Exec, Matrix>::colors() const {
  const State& of = state("colors");
  return of.colors ? of.colors->count() : 0;
}
template <ExecutionSpace Exec, class Matrix>
const Scheme& GaussSeidelPlanCore<Exec, Matrix>::sptrsv_scheme(SweepDirection sweep) const {
  return state("scheme").of_split(sweep, &State::Executor::sptrsv_scheme);
}
template <ExecutionSpace Exec, class Matrix>
const Scheme& GaussSeidelPlanCore<Exec, Matrix>::spmv_scheme(SweepDirection sweep) const {
  return state("scheme").of_split(sweep, &State::Executor::spmv_scheme);
}
template <ExecutionSpace Exec, class Matrix>
double GaussSeidelPlanCore<Exec, Matrix>::setup_seconds() const {
  return state("setup_seconds").setup_seconds;
}
template <ExecutionSpace Exec, class Matrix>
std::size_t GaussSeidelPlanCore<Exec, Matrix>::bytes() const {
  const State& of = state("bytes");
  const std::size_t order = of.colors ? of.colors->bytes() : 0;
  return sizeof(std::int64_t) + order + of.executor->bytes();
}

}  // namespace heddle::detail

#include "plan.hpp"  // behind what it makes
