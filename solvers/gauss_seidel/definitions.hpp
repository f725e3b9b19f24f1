// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/same_pattern.hpp"
#include "../../backends/device.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../../formats/plan/cache_key.hpp"
#include "../ordered/choose_by_time.hpp"
#include "../ordered/colors.hpp"
#include "../triangle/check_triangle.hpp"
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
GaussSeidelPlanCore<Exec, Matrix>::GaussSeidelPlanCore(
    const Exec& exec, const Matrix& A, const GaussSeidelOptions& given,
    gauss_seidel::MakeExecutor<Exec, Matrix>* make_split)
    : options_(given), rows_(A.rows()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
  check_square(A, "Gauss-Seidel");
  gauss_seidel::check_options(given);
  options_.vectors.count = std::min(given.vectors.count, triangle::most_room);
  const Device device = backends::describe(exec);
  const PinnedScheme asked = gauss_seidel::pinned(given, device);
  const std::optional<Scheme>& scheme = asked.scheme;
  check_csr(exec, A);
  pattern_ = pattern_key(exec, A, given.check_pattern);
  if (given.block_size == 1) {
    triangle::check_triangle<S>(exec, A, Triangle::lower, Diagonal::stored, true,
                                gauss_seidel::diagonal_words(given));
  }
  bad_diagonal_ = Kokkos::View<std::int64_t, typename Exec::memory_space>(
      Kokkos::view_alloc(kokkos_space(exec), "heddle::gauss_seidel::bad"));
  overlap_ = OverlapCheck<Exec>(exec, given.check_overlap, gauss_seidel::overlap_labels);
  choice_.reason = "pinned by the caller";
  if (scheme && scheme->has("split")) {
    executor_ = make_split(exec, A, options_);
  } else if (scheme) {
    executor_ = make(exec, A, scheme);
  } else {
    executor_ = make_chosen(exec, A, device);
  }
  choice_.seen = describe_matrix(device) + asked.explain();
  if (!asked.idle.empty()) choice_.shown = asked.shown(executor_->scheme());
  exec.fence("heddle::gauss_seidel::inspected");
}
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::GaussSeidelPlanCore(GaussSeidelPlanCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix>
GaussSeidelPlanCore<Exec, Matrix>::~GaussSeidelPlanCore() = default;

template <ExecutionSpace Exec, class Matrix>
auto GaussSeidelPlanCore<Exec, Matrix>::make(const Exec& exec, const Matrix& A,
                                             const std::optional<Scheme>& scheme)
    -> std::unique_ptr<Executor> {
  using Rows = gauss_seidel::SideRows<Exec, Matrix>;
  std::unique_ptr<Executor> made;
  if (options_.block_size > 1) {
    using BlockSweeps = gauss_seidel::BlockSweeps<Exec, Matrix>;
    gauss_seidel::BlockGraph<Exec, Matrix> blocks(exec, A, options_.block_size);
    const auto order = find_order(exec, blocks.graph());
    made = std::make_unique<BlockSweeps>(exec, std::move(blocks), order, options_, scheme);
    made->update_values(exec, A, bad_diagonal_.data());
    check_values(exec);
  } else {
    const gauss_seidel::SweepInspection<Exec, Rows> inspection{
        exec, A, find_order(exec, A), rows_, options_.vectors.count, options_.threads};
    made = std::make_unique<gauss_seidel::Sweeps<Exec, Rows>>(inspection, options_, scheme);
    made->update_values(exec, A, nullptr);
  }
  return made;
}

template <ExecutionSpace Exec, class Matrix>
auto GaussSeidelPlanCore<Exec, Matrix>::make_chosen(const Exec& exec, const Matrix& A,
                                                    const Device& device)
    -> std::unique_ptr<Executor> {
  const auto chosen = gauss_seidel::choose(rows_, nonzeros_, options_, device);
  const double seconds = options_.measure_seconds;
  choice_.ranking = gauss_seidel::rank(chosen, options_, device, seconds > 0);
  std::optional<MeasuredVectors<Exec, S>> vectors;
  return ordered::make_chosen(
      seconds, options_.cache, choice_, [&] { return cache_key_of(exec, A, device); },
      [&](const Scheme& scheme) {
        GaussSeidelOptions with = options_;
        with.scheme = scheme;
        const auto asked = gauss_seidel::pinned(with, device).scheme;
        if (!asked || asked->has("split")) throw Refusal("it is never chosen", "pin it");
        return make(exec, A, asked);
      },
      [&](Executor& runs, double budget) {
        if (!vectors) vectors.emplace(exec, rows_, rows_, options_.vectors);
        return seconds_of_apply(exec, budget,
                                [&] { runs.run(exec, {vectors->x(), vectors->y(), {}}, 1, true); });
      },
      [&] { return make(exec, A, chosen); });
}

template <ExecutionSpace Exec, class Matrix>
std::string GaussSeidelPlanCore<Exec, Matrix>::cache_key_of(const Exec& exec, const Matrix& A,
                                                            const Device& device) const {
  std::string key = cache_key<S, S>("gauss-seidel", exec, A, device);
  key += std::string(" ") + heddle::name(options_.sweep) + " " + heddle::name(options_.order) +
         " blocks " + std::to_string(options_.block_size) + " " +
         std::to_string(options_.expected_applies) + " applies" + key_text(options_.vectors) + " " +
         std::to_string(options_.threads) + " threads";
  return as_key(std::move(key));
}

template <ExecutionSpace Exec, class Matrix>
std::string GaussSeidelPlanCore<Exec, Matrix>::describe_matrix(const Device& device) const {
  std::string text =
      "  matrix: " + std::to_string(rows_) + " rows, " + std::to_string(nonzeros_) + " nonzeros";
  if (options_.block_size > 1) text += ", blocks of " + std::to_string(options_.block_size);
  text += std::string("; a ") + heddle::name(options_.sweep) + " sweep in " +
          heddle::name(options_.order) + " order";
  if (colors_) text += ", " + std::to_string(colors_->count()) + " colors";
  const int levels = executor_->levels(executor_->has(true));
  if (levels > 0) text += ", " + std::to_string(levels) + " levels";
  return text + "\n" + describe(device, options_.expected_applies, options_.vectors) + "\n";
}

template <ExecutionSpace Exec, class Matrix>
template <class Graph>
auto GaussSeidelPlanCore<Exec, Matrix>::find_order(const Exec& exec, const Graph& graph)
    -> gauss_seidel::RowOrder<O> {
  if (options_.order == GaussSeidelOrder::natural) return {};
  if (!colors_) colors_ = std::make_unique<ordered::Colors<Exec, O>>(exec, graph);
  return {colors_->rank(), colors_->schedule().order().iterations};
}

template <ExecutionSpace Exec, class Matrix>
bool GaussSeidelPlanCore<Exec, Matrix>::is_forward(SweepDirection sweep) const {
  const bool forward = sweep != SweepDirection::backward;
  if (executor_->has(forward)) return forward;
  throw Error(std::string("this plan has no ") + heddle::name(sweep) + " sweep",
              "ask for one that options.sweep names");
}

template <ExecutionSpace Exec, class Matrix>
const Scheme& GaussSeidelPlanCore<Exec, Matrix>::of_split(SweepDirection sweep,
                                                          const Scheme* (Executor::*of)(bool)
                                                              const) const {
  if (!scheme().has("split")) {
    throw Error("a plan that runs " + scheme().to_string() + " has no triangular solve",
                "pin gauss-seidel/split, or ask for scheme()");
  }
  return *((*executor_).*of)(is_forward(sweep));
}

template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::sweep(const Exec& exec,
                                              const gauss_seidel::SweepVectors<S>& vectors,
                                              bool wants_residual, int sweeps,
                                              bool from_zero) const {
  gauss_seidel::check_sweeps(rows_, vectors, wants_residual, sweeps);
  if (rows_ == 0 || vectors.b.count == 0) return;
  const typename OverlapCheck<Exec>::Apply counted(overlap_, exec);
  const int room = options_.vectors.count;
  for (int first = 0; first < vectors.b.count; first += room) {
    const int count = std::min(room, vectors.b.count - first);
    executor_->run(exec, vectors.slice(first, count), sweeps, from_zero);
  }
}

template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::update_values(const Exec& exec, const Matrix& A) {
  check_same_size("update_values", A, rows_, rows_, nonzeros_);
  check_same_pattern(exec, pattern_, A, "GaussSeidelPlan");
  fill(exec, "heddle::gauss_seidel::no_bad_diagonal", bad_diagonal_.data(), 1, 0);
  executor_->update_values(exec, A, bad_diagonal_.data());
}

template <ExecutionSpace Exec, class Matrix>
void GaussSeidelPlanCore<Exec, Matrix>::check_values(const Exec& exec) const {
  triangle::check_bad_diagonal(exec, "heddle::gauss_seidel::check_values", bad_diagonal_,
                               gauss_seidel::diagonal_words(options_));
}

template <ExecutionSpace Exec, class Matrix>
int GaussSeidelPlanCore<Exec, Matrix>::colors() const {
  return colors_ ? colors_->count() : 0;
}
template <ExecutionSpace Exec, class Matrix>
std::size_t GaussSeidelPlanCore<Exec, Matrix>::bytes() const {
  return sizeof(std::int64_t) + (colors_ ? colors_->bytes() : 0) + executor_->bytes();
}

}  // namespace heddle::detail

#include "plan.hpp"  // after the class that it makes
