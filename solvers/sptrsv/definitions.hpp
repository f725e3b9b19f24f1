// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <variant>

#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/same_pattern.hpp"
#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/device.hpp"
#include "../../core/pinned_scheme.hpp"
#include "../../formats/inspect/check_csr.hpp"
#include "../../formats/plan/cache_key.hpp"
#include "../ordered/choice.hpp"
#include "../ordered/choose_by_time.hpp"
#include "../triangle/check_triangle.hpp"
#include "core.hpp"
#include "fields.hpp"
#include "plan.hpp"
#include "run/blocks.hpp"
#include "run/rows.hpp"
#include "run/supernodes.hpp"
#include "run/tasks.hpp"
#include "select/choose.hpp"
#include "solve_without_plan.hpp"
#include "transform/features.hpp"

namespace heddle::detail::sptrsv {

/// The executors of a backend; the second runs the schemes that solve rows together.
template <ExecutionSpace Exec>
struct Executors {  ///< executors of a device whose teams may not wait
  template <class Matrix, Scalar V, Scalar Acc>
  using type = std::variant<RowsExecutor<Exec, Matrix, V, Acc>>;
};
template <ExecutionSpace Exec>
  requires ordered::on_threads<Exec>
struct Executors<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type =
      std::variant<RowsExecutor<Exec, Matrix, V, Acc>, SupernodesExecutor<Exec, Matrix, V, Acc>>;
};
template <ExecutionSpace Exec>
  requires(backends::has_lanes<Exec> && backends::waits_make_progress<Exec>)
struct Executors<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type =
      std::variant<TasksExecutor<Exec, Matrix, V, Acc>, BlocksExecutor<Exec, Matrix, V, Acc>>;
};

/// See core.hpp.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor {
 public:
  Executor() = default;
  /// On a GPU the scheme is concrete, and in.levels is not null unless the scheme is in-order.
  Executor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme) {
    if constexpr (std::variant_size_v<Runs> > 1) {
      if (scheme.has("blocks") || scheme.has("supernodes")) {
        runs_.template emplace<1>(in, scheme);
        return;
      }
    }
    runs_.template emplace<0>(in, scheme);
  }

  const Scheme& scheme() const {
    return visit([](const auto& runs) -> const Scheme& { return runs.scheme(); });
  }
  int levels() const {
    return visit([](const auto& runs) { return runs.levels(); });
  }
  std::size_t bytes() const {
    return visit([](const auto& runs) { return runs.bytes(); });
  }
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    visit([&](auto& runs) { runs.update_values(exec, T, bad_diagonal); });
  }
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    visit([&](auto& runs) { runs.apply(exec, conjugate, alpha, b, x); });
  }
  /// Calls use(executor), with the type of the executor that runs.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return std::visit(use, runs_);
  }
  template <class Use>
  decltype(auto) visit(const Use& use) {
    return std::visit(use, runs_);
  }
  /// The executor of a scheme of plain rows.
  const RowsExecutor<Exec, Matrix, V, Acc>& rows() const { return std::get<0>(runs_); }

 private:
  using Runs = typename Executors<Exec>::template type<Matrix, V, Acc>;

  Runs runs_;
};

}  // namespace heddle::detail::sptrsv

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
inline constexpr bool is_defined<SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::SptrsvPlanCore(const Exec& exec, const Matrix& T,
                                                                  const SptrsvOptions& options)
    : T_(T), options_(options), device_(backends::describe(exec)) {
  check_square(T, "a triangular solve");
  check_fields(options);
  check_csr(exec, T);
  sums_ = triangle::check_triangle<DiagonalValue>(exec, T, options.triangle, options.diagonal,
                                                  options.ignore_outside);
  pattern_ = pattern_key(exec, T, options.check_pattern);
  prepare_all(exec, nullptr);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::SptrsvPlanCore(
    const Exec& exec, const Matrix& T, const SptrsvOptions& options,
    const triangle::TriangleSums& sums, const ordered::Levels<Exec>* levels)
    : T_(T), options_(options), device_(backends::describe(exec)), sums_(sums) {
  check_fields(options);
  prepare_all(exec, levels);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare_all(
    const Exec& exec, const ordered::Levels<Exec>* levels) {
  bad_diagonal_ = BadDiagonal(Kokkos::view_alloc(kokkos_space(exec), "heddle::sptrsv::bad"));
  prepare_op(exec, Op::none, levels);
  for (const Op op : options_.ops) prepare_op(exec, op);
  overlap_ = OverlapCheck<Exec>(exec, options_.check_overlap, sptrsv::overlap_labels);
  exec.fence("heddle::sptrsv::inspected");
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::~SptrsvPlanCore() = default;

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::execute(
    const Exec& exec, Op op, Accumulator alpha, const Multivector<const Vector>& b,
    const Multivector<Vector>& x) const {
  triangle::check_right_hand_sides(T_.rows(), b, x);
  Executor& runs = executor(op);
  if (x.count == 0 || x.rows == 0) return;
  if (alpha == Accumulator(0)) return triangle::clear(exec, x);
  const typename OverlapCheck<Exec>::Apply counted(overlap_, exec);
  runs.apply(exec, conjugates(op), alpha, b, x);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare(const Exec& exec, Op op) {
  if (!parts_[index(op)]) check_still_inspected(exec);
  prepare_op(exec, op);
  exec.fence("heddle::sptrsv::prepared");
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::update_values(const Exec& exec,
                                                                      const Matrix& T) {
  check_same_size("update_values", T, T_.rows(), T_.rows(),
                  static_cast<std::int64_t>(T_.nonzeros()));
  check_same_pattern(exec, pattern_, T, "SptrsvPlan");
  fill(exec, "heddle::sptrsv::no_bad_diagonal", bad_diagonal_.data(), 1, 0);
  take_values(exec, T, bad_diagonal_.data());
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::take_values(const Exec& exec,
                                                                    const Matrix& T,
                                                                    std::int64_t* bad) {
  T_ = T;
  for (auto& part : parts_) {
    if (part) part->update_values(exec, T, bad);
  }
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::check_values(const Exec& exec) const {
  triangle::check_bad_diagonal(exec, "heddle::sptrsv::check_values", bad_diagonal_);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
const Scheme& SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::scheme(Op op) const {
  const Executor& runs = executor(op);
  return choices_[index(op)].scheme(runs.scheme());
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
const SolveChoice& SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::choice(Op op) const {
  executor(op);
  return choices_[index(op)];
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
int SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::levels(Op op) const {
  return executor(op).levels();
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
TriangleFeatures SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::features(const Exec& exec,
                                                                             Op op) const {
  using sptrsv::find_features;
  using triangle::DependencyGraph;
  if (features_[index(op)]) return *features_[index(op)];
  if (!transposes(op)) {
    return find_features(exec,
                         DependencyGraph<O, Off>{T_.row_ptr().data(), T_.col_idx().data(),
                                                 T_.rows(), options_.triangle},
                         static_cast<std::int64_t>(T_.nonzeros()));
  }
  const TransposedPattern<Exec, O, Off> transposed(exec, T_);
  const auto of = transposed.pattern();
  return find_features(exec,
                       DependencyGraph<O, Off>{of.row_ptr().data(), of.col_idx().data(), of.rows(),
                                               triangle::flipped(options_.triangle)},
                       static_cast<std::int64_t>(of.nonzeros()));
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::size_t SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::bytes() const {
  std::size_t bytes = sizeof(std::int64_t);
  for (const auto& part : parts_) bytes += part ? part->bytes() : 0;
  return bytes;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::prepare_op(
    const Exec& exec, Op op, const ordered::Levels<Exec>* levels) {
  if (parts_[index(op)]) return;
  using triangle::DependencyGraph;
  const DependencyGraph<O, Off> graph{T_.row_ptr().data(), T_.col_idx().data(), T_.rows(),
                                      options_.triangle};
  if (!transposes(op)) {
    inspect(exec, op, graph, nullptr, levels);
  } else {
    const TransposedPattern<Exec, O, Off> transposed(exec, T_);
    const auto of = transposed.pattern();
    const DependencyGraph<O, Off> flipped{of.row_ptr().data(), of.col_idx().data(), of.rows(),
                                          triangle::flipped(options_.triangle)};
    if constexpr (ordered::on_threads<Exec>) {
      if (values_come_later()) {  // they will be in the other part
        Off *place = nullptr, *origin = nullptr;
        const Arena<typename Exec::memory_space> memory(exec, "heddle::sptrsv::places",
                                                        arena_array(place, T_.nonzeros()),
                                                        arena_array(origin, T_.nonzeros()));
        const auto& of_T = parts_[index(Op::none)]->rows();
        of_T.triangle().find_entries(exec, triangle::entries_of(graph, of_T.waves().place_order()),
                                     place);
        gather(exec, "heddle::sptrsv::origin", origin, T_.nonzeros(), place,
               transposed.source().data());
        return inspect(exec, op, flipped, origin, nullptr);
      }
    }
    inspect(exec, op, flipped, transposed.source().data(), nullptr);
  }
}

/// Throws Error unless T_, which update_values may have replaced, has as many entries in the
/// triangle as were inspected.
template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::check_still_inspected(
    const Exec& exec) const {
  check_csr(exec, T_);
  const auto sums =
      triangle::check_triangle<DiagonalValue>(exec, T_, options_.triangle, Diagonal::unit, true);
  if (sums.entries == sums_.entries) return;
  throw Error("prepare was given a matrix with " + std::to_string(sums.entries) +
                  " entries off the diagonal of the triangle, and the plan is for " +
                  std::to_string(sums_.entries),
              "make a new SptrsvPlan when the pattern changes");
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
void SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::inspect(
    const Exec& exec, Op op, const triangle::DependencyGraph<O, Off>& graph, const Off* origin,
    const ordered::Levels<Exec>* levels) {
  using namespace detail::sptrsv;
  constexpr bool runs_on_lanes = backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;
  const SchemeGrammar legal = grammar(device_);
  const auto resolved = [&](const Scheme& scheme) {
    return expanded(resolve(scheme, std::span(&legal, 1)));
  };
  PinnedScheme asked;
  if (options_.scheme) asked = resolve_pinned(*options_.scheme, device_, &grammar);
  const std::optional<Scheme>& pinned = asked.scheme;
  std::optional<ordered::Levels<Exec>> found;
  if constexpr (runs_on_lanes) {
    if (!levels && (!pinned || !resolved(*pinned).has("in-order"))) {
      levels =
          &found.emplace(exec, triangle::loop_of(graph, static_cast<std::int64_t>(T_.nonzeros())));
    }
  }
  const auto make = [&](const Matrix& T, Scheme scheme, bool as_pinned) {
    scheme = resolved(scheme);
    if constexpr (runs_on_lanes) {
      scheme = concrete(scheme, graph.rows, sums_.entries, levels ? levels->count() : 0);
    }
    return std::make_unique<Executor>(
        SolveInspection<Exec, Matrix>{exec, T, graph, origin, sums_, device_, options_.diagonal,
                                      room().count, as_pinned, levels, options_.threads},
        scheme);
  };
  SolveChoice& choice = choices_[index(op)];
  choice = {};
  choice.reason = "pinned by the caller";
  auto part = pinned ? make(T_, *pinned, true) : choose(exec, op, graph, levels, make);
  const auto& features = features_[index(op)];
  choice.seen = describe_triangle(graph.rows, sums_.entries + graph.rows,
                                  features ? features->levels : part->levels(),
                                  features ? &*features : nullptr) +
                describe(device_, options_.expected_applies, options_.vectors) + "\n" +
                asked.explain();
  if (!asked.idle.empty()) choice.shown = asked.shown(part->scheme());
  parts_[index(op)] = std::move(part);
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
template <class Make>
auto SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::choose(
    const Exec& exec, Op op, const triangle::DependencyGraph<O, Off>& graph,
    const ordered::Levels<Exec>* levels, const Make& make) -> std::unique_ptr<Executor> {
  using namespace detail::sptrsv;
  auto& features = features_[index(op)];
  SolveChoice& choice = choices_[index(op)];
  TriangleFeatures known;
  known.rows = graph.rows;
  known.entries = sums_.entries + graph.rows;
  if constexpr (backends::has_lanes<Exec> && backends::waits_make_progress<Exec>) {
    features = features_of(exec, graph, levels->of().data(), levels->count());
    known = *features;
  }
  const TriangleModel* const given = options_.model.get();
  const TriangleModel* const model =
      given && given->scalar_bytes == static_cast<int>(sizeof(S))
          ? model_for(given, device_, options_.vectors, options_.threads, options_.expected_applies)
          : nullptr;
  if constexpr (ordered::on_threads<Exec>) {
    if (model) {
      features = find_features(exec, graph, static_cast<std::int64_t>(T_.nonzeros()));
      known = *features;
    } else if (!values_come_later()) {
      known.shared_rows = count_shared_rows(exec, graph);
    }
  }
  choice.ranking = sptrsv::choose(
      known, {options_.expected_applies, room().count, options_.threads, model}, device_);
  const auto no_supernodes = [&] {
    std::erase_if(choice.ranking, [](const auto& one) { return one.scheme.has("supernodes"); });
  };
  if (values_come_later()) no_supernodes();
  const double seconds = options_.measure_seconds;
  Matrix T = T_;
  Arena<typename Exec::memory_space> memory;
  if (seconds > 0) {
    add_candidates(choice.ranking, graph.rows, sums_.entries, levels ? levels->count() : 0,
                   device_);
    if (values_come_later()) {  // measured with values of one
      const auto entries = static_cast<std::size_t>(T_.nonzeros());
      S* ones = nullptr;
      memory = Arena<typename Exec::memory_space>(exec, "heddle::measure::values",
                                                  arena_array(ones, entries));
      fill(exec, "heddle::measure::ones", ones, static_cast<std::int64_t>(entries), S(1));
      T = Matrix(T_.rows(), T_.columns(), T_.nonzeros(), T_.row_ptr().data(), T_.col_idx().data(),
                 static_cast<const S*>(ones));
      no_supernodes();
    }
  }
  std::optional<MeasuredVectors<Exec, Vector>> vectors;
  auto part = ordered::make_chosen(
      seconds, options_.cache, choice, [&] { return cache_key_of(exec, op); },
      [&](const Scheme& scheme) { return make(T, scheme, true); },
      [&](Executor& runs, double budget) {
        if (!vectors) vectors.emplace(exec, T_.rows(), T_.rows(), room());
        return seconds_of_apply(exec, budget, [&] {
          runs.apply(exec, false, Accumulator(1), vectors->x(), vectors->y());
        });
      },
      [&] {
        while (choice.ranking.front().likelihood > 0) {
          RankedSolve& learned = choice.ranking.front();
          try {
            return make(T_, learned.scheme, true);
          } catch (const Error& error) {
            learned.refusal = error.problem();
            learned.likelihood = 0;
            std::rotate(choice.ranking.begin(), choice.ranking.begin() + 1, choice.ranking.end());
          }
        }
        return make(T_, choice.ranking.front().scheme, false);
      });
  if (memory.bytes() > 0) part = make(T_, part->scheme(), true);
  return part;
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
ExpectedVectors SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::room() const {
  return {std::min(options_.vectors.count, triangle::most_room), options_.vectors.apart};
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
std::string SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::cache_key_of(const Exec& exec,
                                                                            Op op) const {
  std::string key = cache_key<Vector, Accumulator>("sptrsv", exec, T_, device_);
  key += options_.triangle == Triangle::lower ? " lower" : " upper";
  if (options_.diagonal == Diagonal::unit) key += " unit";
  if (transposes(op)) key += " transposed";
  if (values_come_later()) key += " rows alone";
  key += " " + std::to_string(options_.expected_applies) + " applies" + key_text(options_.vectors) +
         " " + std::to_string(options_.threads) + " threads";
  return as_key(std::move(key));
}

template <ExecutionSpace Exec, class Matrix, Scalar Vector, Scalar Accumulator>
auto SptrsvPlanCore<Exec, Matrix, Vector, Accumulator>::executor(Op op) const -> Executor& {
  const auto& part = parts_[index(op)];
  if (part) return *part;
  throw Error(std::string("this plan is not prepared for op ") + heddle::name(op),
              "name it in options.ops; a SptrsvPlan is also prepared by prepare(exec, op)");
}

}  // namespace heddle::detail
