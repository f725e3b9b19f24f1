// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../backends/region.hpp"
#include "../../core/check_size.hpp"
#include "../../formats/all_definitions.hpp"
#include "../../formats/inspect/recipe/repeats.hpp"
#include "../../formats/instantiate.hpp"
#include "../../matrices/rearrange.hpp"
#include "../gauss_seidel/definitions.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/definitions.hpp"
#include "candidates.hpp"
#include "check.hpp"
#include "core.hpp"
#include "cycle.hpp"
#include "evolution.hpp"
#include "kind.hpp"
#include "scalar_aggregation.hpp"

namespace heddle::detail::multigrid {

/// A with repeated entries added up, which update_values fills from A; nullopt if no entry repeats,
/// unless `sort` asks for ascending columns and A has others. Magnitudes of entries and numbers of
/// neighbours need unique entries. Sets `ascend`: whether the columns of the rows of the result, or
/// of A, ascend. A was checked. One launch and one readback if they do; else allocates more.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
std::optional<DerivedCsr<Exec, S, O, Off>> repeats_added_up(const Exec& exec,
                                                            const CsrMatrix<S, O, Off, Space>& A,
                                                            bool sort, bool& ascend) {
  const auto as_they_are = recipe::shift(0);
  using Map = std::remove_const_t<decltype(as_they_are)>;
  const recipe::Entries<CsrMatrix<S, O, Off, Space>, Map> entries(A, as_they_are);
  const recipe::EntryOrder order =
      recipe::entry_order(exec, entries, static_cast<std::int64_t>(A.nonzeros()));
  ascend = order.disorder == recipe::no_key;
  if (ascend && order.repeat == recipe::no_key) return {};
  auto merged = stored_op(exec, A, Op::none, true, false);
  if (merged.nonzeros() == A.nonzeros() && !sort) return {};
  ascend = true;
  return merged;
}

}  // namespace heddle::detail::multigrid

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<multigrid::Hierarchy<Exec, Matrix>> = true;

}  // namespace heddle::detail

namespace heddle::detail::multigrid {

/// All levels, in the matrix's scalar.
template <ExecutionSpace Exec, class Matrix>
class StoredHierarchy final : public Hierarchy<Exec, Matrix> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;
  using Parts = MultigridParts<Exec, Matrix>;

  StoredHierarchy(const Exec& exec, const Matrix& A, const Multivector<const S>& near_nullspace,
                  const MultigridOptions& given, const Parts& parts,
                  const FormatsOf<Exec, Matrix>& formats, bool check_pattern)
      : rows_(A.rows()),
        nonzeros_(static_cast<std::int64_t>(A.nonzeros())),
        shared_(exec, checked<Exec>(A, near_nullspace, given, parts),
                with_kind(given, near_nullspace.count), parts, formats),
        updated_on_(exec) {
    const backends::Region region("heddle::multigrid::setup");
    Kokkos::Timer timer;
    std::optional<RowFeatures> rows;
    if (check_pattern) rows = row_features(exec, A, Check::columns);
    added_up_ = repeats_added_up(exec, A, given.strength_measure == MultigridMeasure::evolution,
                                 columns_ascend_);
    if (added_up_) rows.reset();
    const int count = near_nullspace.count > 0 ? near_nullspace.count : given.block_size;
    const bool keeps_values = !given.borrow_values && !added_up_;
    Vectors finest{nullptr, rows_, count};
    memory_ = Arena<Space>(exec, "heddle::multigrid::near_nullspace",
                           arena_array(finest.data, rows_ * count),
                           arena_array(values_, keeps_values ? nonzeros_ : 0));
    if (!keeps_values) values_ = nullptr;
    if (near_nullspace.count > 0) {
      copy_near_nullspace(exec, near_nullspace,
                          Multivector<S>{finest.data, 1, rows_, rows_, count});
    } else {
      parallel_for(exec, "heddle::multigrid::near_nullspace", rows_ * count,
                   ConstantOfField<S>{finest});
    }
    const bool own_constants = near_nullspace.count == 0;
    make_levels(exec, added_up_ ? added_up_->matrix() : with_own_values(exec, A), finest, rows,
                own_constants);
    known_symmetry();
    check_bytes();
    if (near_nullspace.count == 0 && (given.block_size == 2 || given.block_size == 3)) {
      hint_ = "block_size " + std::to_string(given.block_size) +
              " and no near-nullspace vectors: rigid body motions "
              "(rigid_body_motions(coordinates)) make elastic bodies converge faster";
    }
    setup_seconds_ = timer.seconds();
  }

  void apply_from(const Exec& exec, int level, const Multivector<const S>& b,
                  const Multivector<S>& x) override {
    if (level < 0 || level >= static_cast<int>(levels_.size())) {
      throw Error("there is no level " + std::to_string(level) + " of multigrid",
                  "give one from 0 to " + std::to_string(levels_.size() - 1));
    }
    const auto l = static_cast<std::size_t>(level);
    const std::int64_t rows = levels_[l].A.rows();
    check_vectors(rows, rows, Op::none, b, x);
    if (rows_ == 0) return;
    const backends::Region region("heddle::multigrid::cycle");
    Cycle<Exec, Matrix> cycle(exec, levels_, small_levels_, shared_);
    const int room = shared_.options.vectors.count;
    for (int first = 0; first < b.count; first += room) {
      const int count = std::min(room, b.count - first);
      cycle.run(l, b.slice(first, count), x.slice(first, count));
    }
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    check_same_size("update_values", A, rows_, rows_, nonzeros_);
    const backends::Region region("heddle::multigrid::update_values");
    Matrix next = with_own_values(exec, A);
    symmetry_.reset();
    updated_on_ = exec;
    for (Level& level : levels_) {
      level.update_values(exec, next, shared_);
      if (level.coarsening) next = level.coarsening->coarse.matrix();
    }
  }
  void check_values(const Exec& exec) override {
    for (const Level& level : levels_) {
      check_level(exec, level);
      check_smoother(exec, level);
    }
    symmetry_ = read_symmetry(exec, shared_.symmetry);
  }

  MultigridHierarchy levels() const override {
    const MultigridOptions& options = shared_.options;
    MultigridHierarchy all{
        {},
        end_,
        shared_.parts.prolongation ? "prolongations of its own" : name(options.kind),
        name(options.cycle) + std::string(" cycle"),
        chosen_,
        hint_};
    double visits = 1;
    for (const Level& level : levels_) {
      if (level.inner) visits *= 2;
      const bool solved = level.solve.has_value();
      all.levels.push_back({level.A.rows(), static_cast<std::int64_t>(level.A.nonzeros()),
                            solved            ? "dense"
                            : level.own_solve ? "csr"
                            : level.product   ? level.product->scheme(Op::none).to_string()
                                              : "csr in one launch with those below",
                            solved            ? "inverted"
                            : level.own_solve ? "a solve of its own"
                            : level.smoother  ? level.smoother->in_words()
                                              : shared_.smoothing(level.number).in_words(),
                            level.bytes(), visits * level.moved_bytes()});
    }
    return all;
  }
  bool is_variable() const override {
    return std::ranges::any_of(
        levels_, [](const Level& level) { return level.inner && level.inner->krylov(); });
  }
  bool symmetric() override { return known_symmetry().holds; }
  std::string asymmetry() override {
    const Symmetry& found = known_symmetry();
    if (found.holds) return {};
    return spectrum::words_of_asymmetry(updated_on_, levels_.front().A, found.difference,
                                        shared_.options.symmetry_tolerance);
  }
  bool reserve(const Exec& exec, int count) override {
    const MultigridOptions& options = shared_.options;
    if (count <= options.vectors.count || options.max_bytes != no_bound) return false;
    shared_.options.vectors.count = count;
    for (Level& level : levels_) {
      level.make_vectors(exec, count);
      if (level.smoother) level.smoother->reserve(exec, count);
    }
    return true;
  }
  std::int64_t rows() const override { return rows_; }
  double setup_seconds() const override { return setup_seconds_; }
  std::size_t bytes() const override {
    std::size_t bytes = shared_.bytes() + memory_.bytes() + small_levels_.bytes();
    if (added_up_) bytes += added_up_->bytes();
    for (const Level& level : levels_) bytes += level.bytes();
    return bytes;
  }

 private:
  using Level = multigrid::Level<Exec, Matrix>;
  using Vectors = NearNullspace<S>;

  /// The method: each level is smoothed or solved, and coarsened until there is a reason to stop.
  void make_levels(const Exec& exec, Matrix A, Vectors vectors, std::optional<RowFeatures> rows,
                   bool own_constants) {
    // A level refers to memory of the one before, so the vector must not reallocate.
    levels_.reserve(static_cast<std::size_t>(shared_.options.max_levels));
    const std::int64_t one_launch = shared_.one_launch_entries(exec);
    bool small = false;
    for (double strength = shared_.options.strength;; strength /= 2) {
      small = small || (levels_.size() >= shared_.options.smoothers.size() &&
                        static_cast<std::int64_t>(A.nonzeros()) <= one_launch);
      Level& level = levels_.emplace_back(exec, A, vectors, levels_.size(), small, shared_, rows);
      rows.reset();
      level.prepare(exec, shared_);
      check_level(exec, level);
      check_bytes();
      level.make_smoother(exec, shared_);
      check_smoother(exec, level);
      if (level.number == 0) choose(exec, level, own_constants);
      end_ = coarsen(exec, level, strength);
      if (!end_.empty()) break;
      A = level.coarsening->coarse.matrix();
      vectors = level.coarsening->prolongation->coarse_vectors();
    }
    launch_levels(exec);
  }

  /// Decides about options.strength_measure and improve_candidates by the rows of the finest level,
  /// and relaxes its near-nullspace vectors.
  void choose(const Exec& exec, const Level& level, bool own_constants) {
    MultigridOptions& options = shared_.options;
    if (level.is_solved() || shared_.parts.prolongation || options.max_levels == 1) return;
    const bool may_evolve = options.strength_measure == MultigridMeasure::automatic &&
                            columns_ascend_ && options.block_size == 1 &&
                            level.vectors.vectors == 1 && !shared_.parts.aggregates;
    const MultigridSmoother smoother = shared_.smoothing(0).smoother;
    if (options.improve_candidates > 0) {
      relax(exec, level, level.vectors, smoother, options.improve_candidates);
    }
    bool evolves = options.strength_measure == MultigridMeasure::evolution;
    if (options.improve_candidates < 0 || may_evolve) {
      RowCounts counts = count_rows(exec, level.A, shared_.diagonal, level.vectors);
      if (options.improve_candidates < 0) {
        const bool relaxed =
            relax_if_far(exec, level, shared_.diagonal, own_constants, smoother, counts);
        options.improve_candidates = relaxed ? automatic_sweeps : 0;
      }
      evolves = evolves || (may_evolve && counts.mostly_opposed());
    }
    options.strength_measure = evolves ? MultigridMeasure::evolution : MultigridMeasure::magnitude;
    chosen_ = evolves ? "strong entries by the evolution measure" : "";
    if (options.improve_candidates > 0) {
      chosen_ += (evolves ? ", " : "") + std::string("near-nullspace relaxed by ") +
                 std::to_string(options.improve_candidates) + " sweeps";
    }
  }

  /// Makes the matrix of the next level; or returns the reason to stop, in words.
  std::string coarsen(const Exec& exec, Level& level, double strength) const {
    if (level.solve) return "the last level is inverted";
    if (level.own_solve) return "the last level has a solve of its own";
    if (static_cast<int>(levels_.size()) >= shared_.options.max_levels) {
      return "the last level is smoothed alone: there are max_levels";
    }
    std::string stop;
    auto prolongation = shared_.parts.prolongation ? given(exec, level, stop)
                                                   : aggregated(exec, level, strength, stop);
    if (!prolongation) return stop;
    level.coarsening.emplace(exec, level.A, std::move(prolongation), level.numbers, level.number,
                             shared_);
    stop = too_complex(level.coarsening->coarse.matrix());
    if (!stop.empty()) level.coarsening.reset();
    return stop;
  }

  using AnyProlongation = std::unique_ptr<Prolongation<Exec, Matrix>>;

  AnyProlongation aggregated(const Exec& exec, const Level& level, double strength,
                             std::string& stop) const {
    const MultigridOptions& options = shared_.options;
    if (level.number > 0) {
      relax(exec, level, level.vectors, shared_.smoothing(level.number).smoother,
            options.improve_candidates);
    }
    const bool evolves = options.strength_measure == MultigridMeasure::evolution;
    const StrongNodes<Exec, Matrix> nodes =
        evolves ? StrongNodes<Exec, Matrix>(
                      exec, level.A,
                      EvolutionMeasure<Exec, Matrix>(exec, level.A, shared_.diagonal,
                                                     level.vectors.data, level.numbers))
                : strong_nodes(exec, level, strength);
    const auto aggregates =
        shared_.parts.aggregates
            ? given_aggregates(exec, level.A, nodes.graph().nodes, level.number, shared_.parts)
            : Aggregates<Exec, O>(exec, nodes.graph());
    const std::int64_t rows = std::int64_t{aggregates.count()} * level.vectors.vectors;
    if (rows == 0) {
      stop = shared_.parts.aggregates
                 ? "the last level is smoothed alone: it has no aggregates"
                 : "the last level is smoothed alone: no entry beside its diagonal is strong";
      return {};
    }
    if (10 * rows > 8 * std::int64_t{level.A.rows()}) {
      stop = "the last level is smoothed alone: the next one would have " + std::to_string(rows) +
             " rows";
      return {};
    }
    if (shared_.plain()) {
      return std::make_unique<PlainAggregation<Exec, Matrix>>(exec, aggregates, nodes.block(),
                                                              level.vectors);
    }
    if (!evolves && ScalarAggregation<Exec, Matrix>::fits(nodes, level.vectors)) {
      return std::make_unique<ScalarAggregation<Exec, Matrix>>(exec, level.A, nodes, aggregates,
                                                               level.vectors);
    }
    return std::make_unique<SmoothedAggregation<Exec, Matrix>>(exec, level.A, nodes, aggregates,
                                                               level.vectors, evolves);
  }
  StrongNodes<Exec, Matrix> strong_nodes(const Exec& exec, const Level& level,
                                         double strength) const {
    return {exec,        level.A,  shared_.diagonal,
            level.block, strength, level.number > 0 || columns_ascend_};
  }
  AnyProlongation given(const Exec& exec, const Level& level, std::string& stop) const {
    const int l = static_cast<int>(level.number);
    auto P = shared_.parts.prolongation(exec, l, level.A);
    if (P.columns() == 0) {
      stop = "the last level is smoothed alone: it has no prolongation";
      return {};
    }
    return std::make_unique<GivenProlongation<Exec, Matrix>>(exec, level.A, std::move(P),
                                                             level.number);
  }

  /// Throws Error if the levels made so far keep more than options.max_bytes.
  void check_bytes() const {
    const std::size_t kept = bytes();
    if (kept <= shared_.options.max_bytes) return;
    throw Error("multigrid keeps " + std::to_string(kept) + " bytes with " +
                    std::to_string(levels_.size()) +
                    " levels, and options.max_bytes leaves room for " +
                    std::to_string(shared_.options.max_bytes),
                more_room);
  }

  /// The reason not to make the next level, in words, if there were too many entries; else empty.
  std::string too_complex(const Matrix& next) const {
    if (next.rows() <= shared_.options.coarsest_rows) return {};
    auto entries = static_cast<double>(next.nonzeros());
    for (const Level& level : levels_) entries += static_cast<double>(level.A.nonzeros());
    const double most = shared_.options.max_operator_complexity;
    if (entries <= most * static_cast<double>(levels_.front().A.nonzeros())) return {};
    return "the last level is smoothed alone: with the next one, of " +
           std::to_string(next.nonzeros()) +
           " entries, the operator complexity would be above max_operator_complexity";
  }

  /// The last small levels share a launch; the others get their own products.
  void launch_levels(const Exec& exec) {
    constexpr std::size_t most = SmallLevels<Matrix>::most;
    for (Level& level : levels_) {
      if (level.small && levels_.size() - level.number > most) {
        level.small = false;
        level.make_product(exec, shared_);
        level.make_smoother(exec, shared_);
      }
      if (level.small || !level.coarsening) continue;
      level.coarsening->make_products(exec, shared_, level.full ? level.block : 1);
      if (level.number > 0 && shared_.options.cycle != MultigridCycle::v) {
        level.inner.emplace(exec, level.A.rows(), shared_.options.vectors.count,
                            shared_.options.cycle == MultigridCycle::k);
      }
    }
    if (levels_.back().small) small_levels_ = SmallLaunch<Exec, Matrix>(exec);
  }

  /// A with its present values, copied unless borrowed: the user may change his own later.
  Matrix with_own_values(const Exec& exec, const Matrix& A) {
    if (added_up_) {
      added_up_->update_values(exec, A);
      return added_up_->matrix();
    }
    if (!values_) return A;
    copy(exec, "heddle::multigrid::values", values_, nonzeros_, A.values().data());
    return Matrix(A.rows(), A.columns(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(),
                  values_);
  }

  /// The symmetry of the last values. Waits if it was not read yet.
  const Symmetry& known_symmetry() {
    if (!symmetry_) symmetry_ = read_symmetry(updated_on_, shared_.symmetry);
    return *symmetry_;
  }

  std::int64_t rows_, nonzeros_;
  Shared<Exec, Matrix> shared_;
  std::optional<DerivedCsr<Exec, S, O, Off>> added_up_;  ///< A without repeats, if it has some
  bool columns_ascend_ = false;                          ///< of the rows of the finest level
  Arena<Space> memory_;  ///< near-nullspace vectors and values of the finest level
  S* values_ = nullptr;  ///< null if the user's values are borrowed, or entries repeat
  std::vector<Level> levels_;
  SmallLaunch<Exec, Matrix> small_levels_;
  std::string end_, chosen_, hint_;
  Exec updated_on_;
  std::optional<Symmetry> symmetry_;  ///< of the last values; none until it is read
  double setup_seconds_ = 0;
};

template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<Hierarchy<Exec, Matrix>> make_hierarchy(
    const Exec& exec, const Matrix& A,
    const Multivector<const typename Matrix::scalar_type>& near_nullspace,
    const MultigridOptions& options, const MultigridParts<Exec, Matrix>& parts,
    const FormatsOf<Exec, Matrix>& formats, bool check_pattern) {
  return std::make_unique<StoredHierarchy<Exec, Matrix>>(exec, A, near_nullspace, options, parts,
                                                         formats, check_pattern);
}

}  // namespace heddle::detail::multigrid

#include "in_float.hpp"
#include "plan.hpp"  // after the class that it makes
