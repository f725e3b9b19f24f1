// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "../../formats/all_definitions.hpp"
#include "../../formats/inspect/recipe/repeats.hpp"
#include "../../formats/instantiate.hpp"
#include "../../matrices/rearrange.hpp"
#include "../gauss_seidel/definitions.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/definitions.hpp"
#include "check.hpp"
#include "core.hpp"
#include "cycle.hpp"

namespace heddle::detail::multigrid {

/// A with one entry for each place, which takes new values of A; nothing if no entry repeats.
/// Magnitudes of entries and numbers of neighbours mean something then. A was checked. One launch
/// and one readback where the columns of all rows ascend; else allocates more.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
std::optional<DerivedCsr<Exec, S, O, Off>> repeats_added_up(const Exec& exec,
                                                            const CsrMatrix<S, O, Off, Space>& A) {
  const auto as_they_are = recipe::shift(0);
  using Map = std::remove_const_t<decltype(as_they_are)>;
  const recipe::Entries<CsrMatrix<S, O, Off, Space>, Map> entries(A, as_they_are);
  const recipe::EntryOrder order =
      recipe::entry_order(exec, entries, static_cast<std::int64_t>(A.nonzeros()));
  if (order.repeat == recipe::no_key && order.disorder == recipe::no_key) return {};
  auto merged = stored_op(exec, A, Op::none, true, false);
  if (merged.nonzeros() == A.nonzeros()) return {};
  return merged;
}

}  // namespace heddle::detail::multigrid

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<MultigridPlanCore<Exec, Matrix>> = true;

template <ExecutionSpace Exec, class Matrix>
struct MultigridPlanCore<Exec, Matrix>::State {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Level = multigrid::Level<Exec, Matrix>;
  using Vectors = multigrid::NearNullspace<S>;

  State(const Exec& exec, const Matrix& A, const Multivector<const S>& near_nullspace,
        const MultigridOptions& given, const Table& formats, bool check_pattern)
      : rows(A.rows()),
        nonzeros(static_cast<std::int64_t>(A.nonzeros())),
        shared(exec, multigrid::checked<Exec>(A, near_nullspace, given), given, formats),
        updated_on(exec) {
    Kokkos::Timer timer;
    if (check_pattern) check_csr(exec, A);
    const int count = near_nullspace.count > 0 ? near_nullspace.count : given.block_size;
    const auto entries = static_cast<std::size_t>(rows * count);
    added_up = multigrid::repeats_added_up(exec, A);
    const auto kept = given.borrow_values || added_up ? 0 : static_cast<std::size_t>(nonzeros);
    memory =
        Arena<Space>(exec, "heddle::multigrid::near_nullspace", arena_bytes<S, S>(entries, kept));
    const Vectors finest{memory.template take<S>(entries).data(), rows, count};
    if (kept > 0) values = memory.template take<S>(kept).data();
    if (near_nullspace.count > 0) {
      multigrid::copy_near_nullspace(exec, near_nullspace,
                                     Multivector<S>{finest.data, 1, rows, rows, count});
    } else {
      parallel_for(exec, "heddle::multigrid::near_nullspace", rows * count,
                   multigrid::ConstantOfField<S>{finest});
    }
    make_levels(exec, added_up ? added_up->matrix() : with_own_values(exec, A), finest);
    if (levels.back().small) small_levels = multigrid::SmallLaunch<Exec, Matrix>(exec);
    known_symmetry();
    setup_seconds = timer.seconds();
  }

  /// A with the values that they are now, whatever the user does to his later.
  Matrix with_own_values(const Exec& exec, const Matrix& A) {
    if (added_up) {
      added_up->update_values(exec, A);
      return added_up->matrix();
    }
    if (!values) return A;
    copy(exec, "heddle::multigrid::values", values, nonzeros, A.values().data());
    return Matrix(A.rows(), A.columns(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(),
                  values);
  }

  /// Waits if it was not read yet.
  const multigrid::Symmetry& known_symmetry() {
    if (!symmetry) symmetry = multigrid::read_symmetry(updated_on, shared.symmetry);
    return *symmetry;
  }

  /// Room for so many vectors at once in all levels, if there is less. Waits, and allocates.
  bool reserve(const Exec& exec, int count) {
    if (count <= shared.options.vectors.count) return false;
    shared.options.vectors.count = count;
    for (Level& level : levels) {
      level.make_vectors(exec, level.inverse_of_all.has_value(), count);
    }
    return true;
  }

  void make_levels(const Exec& exec, Matrix A, Vectors vectors) {
    // A level refers to what the one before owns, and vectors move what they hold.
    levels.reserve(static_cast<std::size_t>(shared.options.max_levels));
    double strength = shared.options.strength;
    const std::int64_t one_launch = shared.one_launch_entries(exec);
    bool small = false;
    while (end.empty()) {
      small = small || static_cast<std::int64_t>(A.nonzeros()) <= one_launch;
      levels.emplace_back(exec, A, vectors, levels.empty(), small, shared);
      Level& level = levels.back();
      level.prepare(exec, levels.size() - 1, shared);
      multigrid::checked_bound(exec, level, levels.size() - 1);
      level.make_sweeps(exec, shared);
      end = why_last(exec, level, strength);
      if (!end.empty()) break;
      A = level.transfer->coarse.matrix();
      vectors = level.transfer->tentative.coarse;
      strength /= 2;
    }
    // A launch takes the last ones.
    constexpr std::size_t most = multigrid::SmallLevels<Matrix>::most;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      Level& level = levels[l];
      if (level.small && levels.size() - l > most) {
        level.small = false;
        level.make_product(exec, shared);
      }
      if (!level.small && level.transfer) level.transfer->make_products(exec, shared);
    }
  }

  /// Why a level is the last, in words; empty, and its transfer made, if it is not.
  std::string why_last(const Exec& exec, Level& level, double strength) {
    const Vectors& vectors = level.vectors;
    if (level.inverse_of_all) return "the last level is inverted";
    if (static_cast<int>(levels.size()) >= shared.options.max_levels) {
      return "the last level is smoothed alone: there are max_levels";
    }
    const int block = level.finest ? shared.options.block_size : vectors.vectors;
    const multigrid::StrongNodes<Exec, Matrix> nodes(exec, level.A, shared.diagonal, block,
                                                     strength);
    const multigrid::Aggregates<Exec, O> aggregates(exec, nodes.graph());
    const std::int64_t coarse = std::int64_t{aggregates.count()} * vectors.vectors;
    if (coarse == 0)
      return "the last level is smoothed alone: no entry beside its diagonal is strong";
    if (10 * coarse > 8 * std::int64_t{level.A.rows()}) {
      return "the last level is smoothed alone: the next one would have " + std::to_string(coarse) +
             " rows";
    }
    level.transfer.emplace(exec, level.A,
                           multigrid::SmoothingMatrix<Exec, Matrix>(exec, level.A, nodes),
                           multigrid::Tentative<Exec, S, O, Off>(
                               exec, aggregates.of(), aggregates.count(), block, vectors),
                           vectors, level.numbers, levels.size() - 1, shared);
    const std::string too_much = too_complex(level.transfer->coarse.matrix());
    if (!too_much.empty()) level.transfer.reset();
    return too_much;
  }

  /// Why a next level is not made, in words, if there would be too many entries with it.
  std::string too_complex(const Matrix& next) const {
    if (next.rows() <= shared.options.coarsest_rows) return {};
    auto entries = static_cast<double>(next.nonzeros());
    for (const Level& level : levels) entries += static_cast<double>(level.A.nonzeros());
    const double most = shared.options.max_operator_complexity;
    if (entries <= most * static_cast<double>(levels.front().A.nonzeros())) return {};
    return "the last level is smoothed alone: with the next one, of " +
           std::to_string(next.nonzeros()) +
           " entries, the operator complexity would be above max_operator_complexity";
  }

  std::int64_t rows;
  std::int64_t nonzeros;
  multigrid::Shared<Exec, Matrix> shared;
  std::optional<DerivedCsr<Exec, S, O, Off>> added_up;  ///< A, if entries of it repeat
  Arena<Space> memory;  ///< near-nullspace vectors and values of the finest level
  S* values = nullptr;  ///< none where the user's are borrowed, or entries repeat
  std::vector<Level> levels;
  multigrid::SmallLaunch<Exec, Matrix> small_levels;
  std::string end;
  Exec updated_on;
  std::optional<multigrid::Symmetry> symmetry;  ///< of the last values; none until it is read
  double setup_seconds = 0;
};

template <ExecutionSpace Exec, class Matrix>
MultigridPlanCore<Exec, Matrix>::MultigridPlanCore() : moves_(made_empty) {}
template <ExecutionSpace Exec, class Matrix>
MultigridPlanCore<Exec, Matrix>::MultigridPlanCore(const Exec& exec, const Matrix& A,
                                                   const Multivector<const S>& near_nullspace,
                                                   const MultigridOptions& options,
                                                   const Table& formats,
                                                   multigrid::MakeInFloat<Exec, Matrix>* in_float,
                                                   bool check_pattern) {
  const bool rounds = options.values == MultigridValues::single_precision;
  if (!rounds || sizeof(heddle::RealOf<S>) == 4) {
    state_ = std::make_unique<State>(exec, A, near_nullspace, options, formats, check_pattern);
  } else if (in_float) {
    in_float_ = in_float(exec, A, near_nullspace, options);
  } else {
    throw Error("options.values is single_precision of a plan with formats of its own",
                "leave the list of formats to the plan, or give it a matrix in float");
  }
}
template <ExecutionSpace Exec, class Matrix>
MultigridPlanCore<Exec, Matrix>::MultigridPlanCore(MultigridPlanCore&&) noexcept = default;
template <ExecutionSpace Exec, class Matrix>
auto MultigridPlanCore<Exec, Matrix>::operator=(MultigridPlanCore&&) noexcept
    -> MultigridPlanCore& = default;
template <ExecutionSpace Exec, class Matrix>
MultigridPlanCore<Exec, Matrix>::~MultigridPlanCore() = default;

template <ExecutionSpace Exec, class Matrix>
auto MultigridPlanCore<Exec, Matrix>::state(const char* called) const -> State& {
  moves_.check("MultigridPlan", called);
  return *state_;
}

template <ExecutionSpace Exec, class Matrix>
void MultigridPlanCore<Exec, Matrix>::apply_from(const Exec& exec, int level,
                                                 const Multivector<const S>& b,
                                                 const Multivector<S>& x) const {
  if (in_float_) return in_float_->apply_from(exec, level, b, x);
  State& of = state("apply");
  if (level < 0 || level >= static_cast<int>(of.levels.size())) {
    throw Error("there is no level " + std::to_string(level) + " of multigrid",
                "its levels are 0 to " + std::to_string(of.levels.size() - 1));
  }
  const auto l = static_cast<std::size_t>(level);
  const std::int64_t rows = of.levels[l].A.rows();
  check_vectors(rows, rows, Op::none, b, x);
  if (of.rows == 0) return;
  const multigrid::Cycle<Exec, Matrix> cycle(exec, of.levels, of.small_levels, of.shared.options);
  const int room = of.shared.options.vectors.count;
  for (int first = 0; first < b.count; first += room) {
    const int count = std::min(room, b.count - first);
    cycle.run(l, b.slice(first, count), x.slice(first, count));
  }
}

template <ExecutionSpace Exec, class Matrix>
void MultigridPlanCore<Exec, Matrix>::update_values(const Exec& exec, const Matrix& A) {
  if (in_float_) return in_float_->update_values(exec, A);
  State& of = state("update_values");
  triangle::check_same_size("update_values", A, of.rows, of.nonzeros);
  Matrix next = of.with_own_values(exec, A);
  of.symmetry.reset();
  of.updated_on = exec;
  for (std::size_t l = 0; l < of.levels.size(); ++l) {
    auto& level = of.levels[l];
    level.update_values(exec, next, l, of.shared);
    if (level.transfer) next = level.transfer->coarse.matrix();
  }
}

template <ExecutionSpace Exec, class Matrix>
void MultigridPlanCore<Exec, Matrix>::check_values(const Exec& exec) const {
  if (in_float_) return in_float_->check_values(exec);
  State& of = state("check_values");
  for (std::size_t l = 0; l < of.levels.size(); ++l) {
    multigrid::checked_bound(exec, of.levels[l], l);
  }
  of.symmetry = multigrid::read_symmetry(exec, of.shared.symmetry);
}

template <ExecutionSpace Exec, class Matrix>
bool MultigridPlanCore<Exec, Matrix>::reserve(const Exec& exec, int vectors) {
  return in_float_ ? in_float_->reserve(exec, vectors) : state("reserve").reserve(exec, vectors);
}

template <ExecutionSpace Exec, class Matrix>
MultigridHierarchy MultigridPlanCore<Exec, Matrix>::levels() const {
  if (in_float_) return in_float_->levels();
  const State& of = state("levels");
  MultigridHierarchy all{{}, of.end};
  const MultigridOptions& options = of.shared.options;
  const std::string smoother =
      heddle::name(options.smoother) +
      std::string(options.smoother == MultigridSmoother::chebyshev ? " of degree " : " times ") +
      std::to_string(options.degree);
  for (const auto& level : of.levels) {
    const bool inverted = level.inverse_of_all.has_value();
    all.levels.push_back({level.A.rows(), static_cast<std::int64_t>(level.A.nonzeros()),
                          inverted        ? "dense"
                          : level.product ? level.product->scheme(Op::none).to_string()
                                          : "csr in one launch with those below",
                          inverted ? "inverted" : smoother, level.bytes()});
  }
  return all;
}
template <ExecutionSpace Exec, class Matrix>
bool MultigridPlanCore<Exec, Matrix>::symmetric() const {
  if (in_float_) return in_float_->symmetric();
  return state("symmetric").known_symmetry().holds;
}
template <ExecutionSpace Exec, class Matrix>
std::string MultigridPlanCore<Exec, Matrix>::asymmetry() const {
  if (in_float_) return in_float_->asymmetry();
  State& of = state("asymmetry");
  const multigrid::Symmetry& found = of.known_symmetry();
  if (found.holds) return {};
  return multigrid::words_of_asymmetry(of.updated_on, of.levels.front().A, found.difference,
                                       of.shared.options.symmetry_tolerance);
}
template <ExecutionSpace Exec, class Matrix>
std::int64_t MultigridPlanCore<Exec, Matrix>::rows() const {
  if (in_float_) return in_float_->rows();
  return state("rows").rows;
}
template <ExecutionSpace Exec, class Matrix>
double MultigridPlanCore<Exec, Matrix>::setup_seconds() const {
  if (in_float_) return in_float_->setup_seconds();
  return state("setup_seconds").setup_seconds;
}
template <ExecutionSpace Exec, class Matrix>
std::size_t MultigridPlanCore<Exec, Matrix>::bytes() const {
  if (in_float_) return in_float_->bytes();
  const State& of = state("bytes");
  std::size_t bytes = of.shared.bytes() + of.memory.bytes() + of.small_levels.bytes();
  if (of.added_up) bytes += of.added_up->bytes();
  for (const auto& level : of.levels) bytes += level.bytes();
  return bytes;
}

template <ExecutionSpace Exec, class Matrix>
double MultigridPlanCore<Exec, Matrix>::largest_eigenvalue(const Exec& exec, const Matrix& A) {
  // Of a level that makes no plan of products, and inverts nothing.
  const MultigridOptions options{.coarsest_rows = 0};
  multigrid::checked<Exec>(A, Multivector<const S>{nullptr, 1, 0, 0, 0}, options);
  check_csr(exec, A);
  if (A.rows() == 0) return 1;
  const multigrid::Shared<Exec, Matrix> shared(exec, A, options, Table{});
  multigrid::Level<Exec, Matrix> level(exec, A, {nullptr, 0, 0}, true, true, shared);
  level.prepare(exec, 0, shared);
  const double bound = multigrid::checked_bound(exec, level, 0);
  const multigrid::Symmetry found = multigrid::read_symmetry(exec, shared.symmetry);
  if (!found.holds) {
    throw Error(
        "A is not symmetric, so that its eigenvalues have no such bounds: " +
            multigrid::words_of_asymmetry(exec, A, found.difference, options.symmetry_tolerance),
        "take bounds of another source, or a method that needs none");
  }
  return bound;
}

}  // namespace heddle::detail

#include "in_float.hpp"
#include "plan.hpp"  // behind what it makes
