// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/device.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../formats/spmv_plan.hpp"
#include "../ilu/plan.hpp"
#include "../krylov/bicgstab.hpp"
#include "../krylov/cg.hpp"
#include "../krylov/gmres.hpp"
#include "../krylov/minres.hpp"
#include "../multigrid/plan.hpp"
#include "advice.hpp"
#include "borrowed.hpp"
#include "checked.hpp"
#include "guard.hpp"
#include "inspect.hpp"
#include "prices.hpp"
#include "remembered.hpp"
#include "solver.hpp"

/// The guarded run of a solve.
namespace heddle::detail::solve {

template <ExecutionSpace Exec, class Matrix>
class ChosenSolver final : public AnySolver<Exec, Matrix> {
 public:
  using typename AnySolver<Exec, Matrix>::S;

  ChosenSolver(const Exec& exec, const Matrix& A, const SolveOptions& options)
      : A_(A), options_(options), device_(backends::describe(exec)) {
    check<Exec>(A, options);
    const Kokkos::Timer timer;
    const auto n = static_cast<std::size_t>(A.rows());
    const backends::OneThread alone(
        takes_one_thread<Exec>(A.rows(), static_cast<std::int64_t>(A.nonzeros())));
    product_.emplace(exec, A, SpmvOptions{.max_bytes = options.max_bytes});
    exec.fence("heddle::solve::plan");
    report_.plan_seconds = timer.seconds();
    workspace_ = VectorWorkspace<Exec, S>(exec);
    memory_ = Arena<Space>(exec, "heddle::solve::vectors", arena_array(diagonal_.inverse, n),
                           arena_array(diagonal_.of_magnitude, n), arena_array(diagonal_.entry, n),
                           arena_array(diagonal_.row_sum, n), arena_array(best_, n),
                           arena_array(rest_, n), arena_array(norm_, 1));
    jacobi_ = BorrowedDiagonal<Exec, S>(diagonal_.inverse, A.rows());
    magnitudes_ = BorrowedDiagonal<Exec, S>(diagonal_.of_magnitude, A.rows());
    inspect(exec);
    report_.inspect_seconds = timer.seconds() - report_.plan_seconds;
  }

  std::int64_t rows() const override { return A_.rows(); }
  const SolveReport& report() const override { return report_; }
  std::size_t bytes() const override {
    const auto of = [](const auto& part) { return part ? part->bytes() : std::size_t{0}; };
    return product_->bytes() + workspace_.bytes() + memory_.bytes() + of(ic_) + of(ilu_) +
           of(multigrid_) + (direct_ ? direct_->bytes() : 0) + of(cg_.solver) + of(minres_.solver) +
           of(gmres_.solver) + of(bicgstab_.solver);
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    if (A.rows() != A_.rows() || A.columns() != A_.columns() || A.nonzeros() != A_.nonzeros()) {
      throw Error("A is " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()) +
                      " with " + std::to_string(A.nonzeros()) +
                      " entries, and the Solver was made for another size",
                  "make a new Solver when the pattern changes");
    }
    const Kokkos::Timer timer;
    const bool was_constant = constant_nullspace();
    A_ = A;
    product_->update_values(exec, A);
    jacobi_.renew();
    magnitudes_.renew();
    const Kokkos::Timer of_inspection;
    inspect(exec);
    report_.inspect_seconds = of_inspection.seconds();
    not_singular_ = false;
    if (constant_nullspace() != was_constant) forget_solvers();
    renew(exec, ic_);
    renew(exec, ilu_);
    renew(exec, multigrid_);
    multigrid_renewed_ = multigrid_.has_value();
    if (direct_) {
      try {
        direct_->update_values(exec, A_);
      } catch (const Error&) {
        direct_.reset();
      }
    }
    note_set_up();
    report_.plan_seconds = timer.seconds() - report_.inspect_seconds;
  }

  const SolveReport& solve(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
                           double seconds_before) override;

 private:
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Real = heddle::RealOf<S>;
  using Vector = SolverVector<Exec, S>;
  using ConstVector = ConstSolverVector<Exec, S>;
  using M = SolveMethod;
  using P = SolvePreconditioner;
  using Make = MakeDirect<Exec, Matrix>;

  /// A Krylov solver, and the limit of iterations that it was made for.
  template <class Solver>
  struct Made {
    std::optional<Solver> solver;
    int limit = -1;
  };
  /// A pair as the solves so far know it.
  struct Known : SolvePair {
    double first_iterations = 0;  ///< as priced
    double whole_setup = 0;       ///< the seconds of a set-up, whether or not it has been made
    bool over_limit = false;      ///< whether it is predicted to exceed a limit of this solve
    int stops = 0;                ///< how often a forecast has ended it in this solve
    bool measured = false;        ///< whether iterations are those of a run
    bool last = false;            ///< whether it has run to its own end in this solve
    bool remembered = false;      ///< whether the tuning cache has it
    bool usable() const { return refused.empty() && !last; }
  };

  double tolerance() const {
    return options_.relative_tolerance.value_or(sizeof(Real) == 8 ? 1e-8 : 1e-5);
  }
  int block_size() const {
    return options_.block_size > 0 ? options_.block_size : report_.matrix.block_size;
  }
  /// Whether the constant vector is left out because the inspection found it in the nullspace.
  bool constant_nullspace() const {
    return options_.nullspace.count() == 0 && report_.matrix.maps_ones_to_zero() && !not_singular_;
  }
  Nullspace nullspace() const {
    return constant_nullspace() ? Nullspace::constant() : options_.nullspace;
  }
  /// Solvers keep the nullspace that they were made with.
  void forget_solvers() {
    cg_ = {};
    minres_ = {};
    gmres_ = {};
    bicgstab_ = {};
  }

  void inspect(const Exec& exec) {
    known_.clear();
    if (A_.rows() == 0) return;
    MatrixFacts& facts = report_.matrix = read_matrix(exec, A_, diagonal_);
    if (facts.not_finite >= 0) return;
    const Priced priced{facts,
                        device_,
                        product_->moved_bytes(),
                        static_cast<int>(sizeof(S)),
                        tolerance(),
                        options_.near_nullspace.count() > 0,
                        block_size(),
                        !options_.direct.empty()};
    if (!options_.pair.empty()) {
      pin(priced);
    } else if (!recall(exec, priced)) {
      std::vector<SolvePair> pairs = pairs_of(priced, options_);
      if (ritz_values_may_matter(pairs)) {
        const auto product = [&](const Vector& v, const Vector& w) { product_->apply(exec, v, w); };
        find_ritz_values<Exec, S>(exec, product, diagonal_.of_magnitude, options_.max_bytes, facts);
        pairs = pairs_of(priced, options_);
      }
      known_.clear();
      for (const SolvePair& pair : pairs) known_.push_back(Known{pair});
    }
    for (Known& pair : known_) {
      pair.first_iterations = pair.iterations;
      pair.whole_setup = pair.setup_seconds;
    }
    report_.considered.assign(known_.begin(), known_.end());
  }
  /// Prices the pairs without Ritz values if the tuning cache has one of them, whose iterations
  /// were counted: those of others from the same condition change by the factor that it was missed
  /// by.
  bool recall(const Exec& exec, const Priced& priced) {
    if (options_.cache.empty()) return false;
    const TuningCache cache(options_.cache);
    if (cache_key_.empty()) {
      cache_key_ = cache_key_of(exec, A_, device_, options_, tolerance());
      recalled_ = remembered_pair(cache, cache_key_);
      report_.cache = (recalled_ ? "found in " : "nothing for this in ") + options_.cache;
    }
    if (!recalled_) return false;
    for (const SolvePair& pair : pairs_of(priced, options_)) known_.push_back(Known{pair});
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& pair) {
      return pair.name() == recalled_->name();
    });
    if (found == known_.end()) return false;  // values of another kind
    const double missed = recalled_->iterations / found->iterations;
    for (Known& pair : known_) {
      if (are_alike(*found, pair)) pair.iterations *= missed;
    }
    found->iterations = recalled_->iterations;
    found->remembered = true;
    return true;
  }
  /// Adds the pair that converged to the tuning cache, unless it was found there. A Solver adds
  /// one: values that alternate between two kinds would let the file grow without bound.
  void remember_pair() {
    if (cache_key_.empty() || report_.attempts.empty() || !report_.converged()) return;
    if (added_) return;
    const SolveAttempt& ran = report_.attempts.back();
    if (recalled_ && recalled_->name() == ran.pair) return;
    const auto pair = std::find_if(known_.begin(), known_.end(),
                                   [&](const Known& of) { return of.name() == ran.pair; });
    recalled_ = *pair;
    added_ = true;
    report_.cache = remember(TuningCache(options_.cache), cache_key_, *pair, ran.seconds);
  }
  /// Leaves the pinned pair alone, whether or not it was considered.
  void pin(const Priced& priced) {
    Known pinned{pair_of(options_.pair)};
    price(priced, pinned);
    known_.assign(1, pinned);
  }

  /// Gives a preconditioner new values. One that does not take them is given up, and made anew if
  /// its pair runs.
  template <class Plan>
  void renew(const Exec& exec, std::optional<Plan>& plan) {
    if (!plan) return;
    try {
      plan->update_values(exec, A_);
      plan->check_values(exec);
    } catch (const Error&) {
      plan.reset();
    }
  }

  double norm(const Exec& exec, const ConstVector& v) const {
    heddle::vectors::norm(exec, v, workspace_, Kokkos::View<Real, Space, Unmanaged>(norm_));
    return static_cast<double>(
        ordered::copied_to_host(exec, "heddle::solve::norm", norm_, 1).front());
  }
  /// The norm of b - A x.
  double residual(const Exec& exec, const ConstVector& b, const Vector& x) const {
    const Vector rest(rest_, b.extent(0));
    heddle::vectors::copy(exec, b, rest);
    product_->apply(exec, S(-1), x, S(1), rest);
    return norm(exec, rest);
  }

  /// Whether b - A x is as small as the rounding of a product.
  bool is_rounding(const Exec& exec, const Vector& x) const {
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<Real>;
    return best_residual_ <= 4 * epsilon * report_.matrix.largest_row_sum * norm(exec, x);
  }

  /// Pairs are sorted by this: a remembered pair comes first, last resorts come last, and before
  /// them pairs that a limit may end.
  auto order_of(const Known& pair) const {
    const bool first = pair.remembered && pair.stops == 0;
    return std::tuple(!first, pair.last_resort, pair.over_limit,
                      pair.price(options_.expected_solves));
  }
  /// Notes which pairs are predicted to exceed a limit, with the digits that are left.
  void note_limits(double target) {
    const double fraction = fraction_left(target);
    const int iterations = options_.max_iterations - report_.iterations;
    const double seconds = options_.max_seconds - guard_.seconds();
    for (Known& pair : known_) {
      const double needs = fraction * pair.iterations;
      pair.over_limit =
          needs > iterations || pair.setup_seconds + needs * pair.seconds_of_iteration > seconds;
    }
  }
  double fraction_left(double target) {
    // Less than rounding cannot be forecast.
    constexpr double epsilon = Kokkos::Experimental::epsilon_v<Real>;
    guard_.target = std::max(target / report_.reference, epsilon);
    return guard_.fraction(best_residual_ / report_.reference);
  }
  /// The first usable pair but one in that order, or null.
  Known* cheapest(const Known* except) {
    Known* first = nullptr;
    for (Known& pair : known_) {
      if (!pair.usable() || &pair == except) continue;
      if (!first || order_of(pair) < order_of(*first)) first = &pair;
    }
    return first;
  }
  /// Whether the iterations of another pair, which has not run, are predicted from the same
  /// condition: all but those with multigrid and complete factors.
  static bool are_alike(const Known& pair, const Known& other) {
    return pair.preconditioner < P::multigrid && other.preconditioner < P::multigrid &&
           !other.measured;
  }
  /// The pairs that `pair` may be left for.
  std::vector<Rival> rivals_of(const Known& pair) const {
    std::vector<Rival> rivals;
    if (pair.stops >= most_stops) return rivals;
    for (const Known& other : known_) {
      if (&other == &pair || !other.usable() || other.stops > pair.stops + 1) continue;
      if (other.last_resort && !pair.last_resort) continue;
      rivals.push_back({other.setup_seconds / options_.expected_solves, other.iterations,
                        other.seconds_of_iteration, are_alike(pair, other)});
    }
    return rivals;
  }

  bool is_set_up(const SolvePair& pair) const {
    switch (pair.preconditioner) {
      case P::incomplete: return pair.method == M::cg ? ic_.has_value() : ilu_.has_value();
      case P::multigrid: return multigrid_.has_value();
      case P::direct: return direct_ != nullptr;
      default: return true;
    }
  }
  void note_set_up() {
    for (Known& pair : known_) pair.setup_seconds = is_set_up(pair) ? 0 : pair.whole_setup;
  }
  /// Frees what no run of `pair` uses.
  void free_all_but(const SolvePair& pair) {
    if (pair.method != M::cg) cg_ = {};
    if (pair.method != M::minres) minres_ = {};
    if (pair.method != M::gmres) gmres_ = {};
    if (pair.method != M::bicgstab) bicgstab_ = {};
    const bool incomplete = pair.preconditioner == P::incomplete;
    if (!incomplete || pair.method != M::cg) ic_.reset();
    if (!incomplete || pair.method == M::cg) ilu_.reset();
    if (pair.preconditioner != P::multigrid) multigrid_.reset();
    if (pair.preconditioner != P::direct) direct_.reset();
    note_set_up();
  }
  /// Frees what was just made, and throws Error, if all together is larger than options.max_bytes.
  template <class Part>
  void keep_bound(Part& made, const char* what) const {
    const std::size_t held = bytes();
    if (held <= options_.max_bytes) return;
    made.reset();
    throw Error("with " + std::string(what) + " the Solver would keep " + std::to_string(held) +
                    " bytes, and max_bytes is " + std::to_string(options_.max_bytes),
                "raise max_bytes");
  }
  /// Throws Error if the preconditioner cannot be made.
  void set_up(const Exec& exec, const SolvePair& pair) {
    if (is_set_up(pair)) return;
    if (pair.preconditioner == P::direct) {
      direct_ = (*options_.direct.template make<Make>())(exec, A_);
      keep_bound(direct_, "complete factors");
      return;
    }
    const std::int64_t applies = std::int64_t{100} * options_.expected_solves;
    if (pair.preconditioner == P::incomplete) {
      IluOptions of;
      of.expected_applies = applies;
      if (pair.method == M::cg) {
        of.retries = 8;
        ic_.emplace(exec, A_, of);
        keep_bound(ic_, "factors");
      } else {
        ilu_.emplace(exec, A_, of);
        keep_bound(ilu_, "factors");
      }
      return;
    }
    MultigridOptions of;
    of.expected_applies = applies;
    of.expected_solves = options_.expected_solves;
    of.block_size = block_size();
    if (options_.max_bytes != no_bound) {
      const std::size_t held = bytes();
      of.max_bytes = options_.max_bytes > held ? options_.max_bytes - held : 0;
    }
    const auto& vectors = options_.near_nullspace.vectors();
    if (const auto* given = std::get_if<Multivector<const S>>(&vectors)) {
      using View = Kokkos::View<const S**, Kokkos::LayoutStride, Space, Unmanaged>;
      const auto count = static_cast<std::size_t>(given->count);
      const Kokkos::LayoutStride layout(static_cast<std::size_t>(given->rows),
                                        static_cast<std::size_t>(given->row_stride), count,
                                        static_cast<std::size_t>(given->vector_stride));
      multigrid_.emplace(exec, A_, View(given->data, layout), of);
    } else {
      multigrid_.emplace(exec, A_, of);
    }
    multigrid_renewed_ = false;
    keep_bound(multigrid_, "multigrid");
  }

  /// Runs a pair from x under the guard.
  KrylovResult run(const Exec& exec, const SolvePair& pair, const ConstVector& b, const Vector& x,
                   int limit) {
    switch (pair.method) {
      case M::minres: return run_by(exec, minres_, pair, b, x, limit);
      case M::gmres: return run_by(exec, gmres_, pair, b, x, limit);
      case M::bicgstab: return run_by(exec, bicgstab_, pair, b, x, limit);
      case M::cg: break;
    }
    CgSolver<Exec, S>& cg = solver_of(exec, cg_, limit);
    if (pair.preconditioner == P::none) return cg.solve(exec, *product_, b, x);
    if (pair.preconditioner == P::jacobi) return cg.solve(exec, *product_, b, x, magnitudes_);
    return cg.solve(exec, *product_, b, x, preconditioner_of(pair));
  }
  template <class Solver>
  KrylovResult run_by(const Exec& exec, Made<Solver>& made, const SolvePair& pair,
                      const ConstVector& b, const Vector& x, int limit) {
    return solver_of(exec, made, limit).solve(exec, *product_, b, x, preconditioner_of(pair));
  }
  AnyPreconditioner<Exec, S> preconditioner_of(const SolvePair& pair) const {
    using Any = AnyPreconditioner<Exec, S>;
    switch (pair.preconditioner) {
      case P::incomplete: return pair.method == M::cg ? Any(*ic_) : Any(*ilu_);
      case P::multigrid: return Any(*multigrid_);
      case P::direct: return Any(*direct_);
      case P::jacobi: return Any(pair.method == M::minres ? magnitudes_ : jacobi_);
      case P::none: break;
    }
    return Any(ones_);
  }
  template <class Solver>
  Solver& solver_of(const Exec& exec, Made<Solver>& made, int limit) {
    if (made.solver && made.limit == limit) return *made.solver;
    made.solver.reset();
    KrylovOptions of;
    // A little less, since b - A x of another product differs by rounding.
    of.relative_tolerance = 0.99 * tolerance();
    of.absolute_tolerance = 0.99 * options_.absolute_tolerance;
    of.max_iterations = limit;
    of.nullspace = nullspace();
    of.callback = [this](int iterations, double residual) {
      return guard_.go_on(iterations, residual);
    };
    if constexpr (std::same_as<Solver, GmresSolver<Exec, S>>) of.restart = restart;
    made.solver.emplace(exec, A_.rows(), of);
    keep_bound(made.solver, "vectors of the method");
    made.limit = limit;
    return *made.solver;
  }
  /// Bytes that a pair would add to those that are held.
  std::size_t bytes_of(const SolvePair& pair) const {
    const bool made = pair.method == M::cg       ? cg_.solver.has_value()
                      : pair.method == M::minres ? minres_.solver.has_value()
                      : pair.method == M::gmres  ? gmres_.solver.has_value()
                                                 : bicgstab_.solver.has_value();
    return made && is_set_up(pair) ? 0 : pair.bytes;
  }

  /// Raises the predicted iterations of a pair, and of those that are alike.
  void expect_more(Known& pair, double factor) {
    for (Known& other : known_) {
      if (&other == &pair || are_alike(pair, other)) other.iterations *= factor;
    }
    pair.measured = true;
  }

  void try_pair(const Exec& exec, Known& pair, const ConstVector& b, const Vector& x,
                double target);
  void judge(Known& pair, SolveAttempt& attempt, const KrylovResult& result);

  Matrix A_;
  SolveOptions options_;
  Device device_;
  std::optional<SpmvPlan<Exec, Matrix>> product_;
  VectorWorkspace<Exec, S> workspace_;
  Arena<Space> memory_;
  DiagonalArrays<S> diagonal_{};
  S *best_ = nullptr, *rest_ = nullptr;
  Real* norm_ = nullptr;
  BorrowedDiagonal<Exec, S> jacobi_, magnitudes_;
  BorrowedIdentity<Exec, S> ones_;
  std::optional<IcPlan<Exec, Matrix>> ic_;
  std::optional<IluPlan<Exec, Matrix>> ilu_;
  std::optional<MultigridPlan<Exec, Matrix>> multigrid_;
  std::unique_ptr<AnyDirect<Exec, Matrix>> direct_;
  Made<CgSolver<Exec, S>> cg_;
  Made<MinresSolver<Exec, S>> minres_;
  Made<GmresSolver<Exec, S>> gmres_;
  Made<BicgstabSolver<Exec, S>> bicgstab_;
  std::vector<Known> known_;
  SolveReport report_;
  std::string cache_key_;
  std::optional<SolvePair> recalled_;  ///< of the tuning cache
  bool added_ = false;                 ///< whether this Solver has added a line to it
  Guard guard_;
  double best_residual_ = 0;
  bool multigrid_renewed_ = false;  ///< whether its hierarchy was made for other values
  /// Whether a solve has shown that a detected nullspace is none.
  bool not_singular_ = false;
};

/// Sets up a pair and runs it from x, which is the best one so far; leaves the best in x.
template <ExecutionSpace Exec, class Matrix>
void ChosenSolver<Exec, Matrix>::try_pair(const Exec& exec, Known& pair, const ConstVector& b,
                                          const Vector& x, double target) {
  SolveAttempt attempt;
  attempt.pair = pair.name();
  attempt.relative_residual = best_residual_ / report_.reference;
  const Kokkos::Timer timer;
  const auto fail = [&](const Error& error) {
    pair.refused = std::string("failed: ") + error.what();
    attempt.ended = error.what();
    report_.attempts.push_back(attempt);
  };
  try {
    set_up(exec, pair);
    exec.fence("heddle::solve::set_up");
  } catch (const Error& error) {
    attempt.setup_seconds = timer.seconds();
    report_.setup_seconds += attempt.setup_seconds;
    return fail(error);
  }
  attempt.setup_seconds = timer.seconds();
  report_.setup_seconds += attempt.setup_seconds;
  note_set_up();

  const double fraction = fraction_left(target);
  guard_.forecast.clear();
  guard_.rivals = rivals_of(pair);
  guard_.predicted = fraction * pair.iterations;
  guard_.seconds_of_iteration = pair.seconds_of_iteration;
  // A pair that was left on a plateau, as conjugate gradients have them, has more time.
  guard_.earliest = std::max(20, static_cast<int>(std::min(pair.iterations / 4, 100.0)))
                    << pair.stops;
  // Others have no price from Ritz values then.
  if (pair.remembered) guard_.earliest = std::max(guard_.earliest, int(2 * pair.first_iterations));
  guard_.before = report_.iterations;
  guard_.iterations_left = options_.max_iterations - report_.iterations;
  guard_.began = guard_.seconds();
  guard_.stopped = Guard::Stopped::no;
  heddle::vectors::copy(exec, x, Vector(best_, x.extent(0)));
  const double before = best_residual_;
  KrylovResult result;
  try {
    result = run(exec, pair, b, x, guard_.iterations_left);
  } catch (const Error& error) {
    attempt.seconds = timer.seconds() - attempt.setup_seconds;
    heddle::vectors::copy(exec, Vector(best_, x.extent(0)), x);
    return fail(error);
  }
  report_.iterations += result.iterations;
  attempt.iterations = result.iterations;
  const double reached = residual(exec, b, x);
  const bool limit_of_cg =
      pair.method == M::cg && result.outcome == Outcome::iteration_limit && std::isfinite(reached);
  if (reached <= before || limit_of_cg) {
    best_residual_ = reached;
  } else {
    heddle::vectors::copy(exec, Vector(best_, x.extent(0)), x);
  }
  attempt.relative_residual = best_residual_ / report_.reference;
  attempt.seconds = timer.seconds() - attempt.setup_seconds;
  if (best_residual_ <= target) {
    report_.outcome = Outcome::converged;
    attempt.ended = name(Outcome::converged);
    pair.iterations = std::max(1.0, result.iterations / fraction);
    pair.measured = true;
    const double missed = std::max(1.0, pair.iterations / pair.first_iterations);
    for (Known& other : known_) {
      if (are_alike(pair, other)) other.iterations = missed * other.first_iterations;
    }
  } else {
    judge(pair, attempt, result);
  }
  const bool outgrown = pair.preconditioner == P::multigrid && multigrid_renewed_ &&
                        pair.iterations > 3 * pair.first_iterations;
  if (outgrown) {  // a hierarchy of former values
    multigrid_.reset();
    pair.iterations = pair.first_iterations;
    note_set_up();
  }
  report_.attempts.push_back(attempt);
}

/// Decides what follows from a run that did not converge.
template <ExecutionSpace Exec, class Matrix>
void ChosenSolver<Exec, Matrix>::judge(Known& pair, SolveAttempt& attempt,
                                       const KrylovResult& result) {
  report_.outcome =
      result.outcome == Outcome::converged ? Outcome::attainable_accuracy : result.outcome;
  attempt.ended = name(report_.outcome);
  // The guard's last call has no effect on an iteration that has ended, but the user has his word.
  const bool ended = result.outcome != Outcome::stopped_by_user;
  const bool by_user = guard_.stopped == Guard::Stopped::by_user;
  switch (ended && !by_user ? Guard::Stopped::no : guard_.stopped) {
    case Guard::Stopped::by_forecast:
      expect_more(pair, missed_by(guard_.predicted, result.iterations, guard_.left));
      ++pair.stops;
      attempt.ended = std::isfinite(guard_.left)
                          ? "left, since " + number_text(guard_.left) +
                                " iterations more were forecast, and another pair is predicted to "
                                "take less time or to keep the limits"
                          : std::string("left, since its residual fell no more");
      report_.outcome = Outcome::running;
      return;
    case Guard::Stopped::by_time: report_.outcome = Outcome::out_of_time; break;
    case Guard::Stopped::by_user: report_.outcome = Outcome::stopped_by_user; break;
    case Guard::Stopped::no: break;
  }
  attempt.ended = name(report_.outcome);
  pair.last = true;
  const auto is = [&](auto... outcomes) { return ((report_.outcome == outcomes) || ...); };
  // These depend on b: the pair may serve another one.
  if (is(Outcome::breakdown, Outcome::diverged, Outcome::stagnated, Outcome::not_a_number)) {
    pair.iterations *= 4;
    pair.measured = true;
  }
  if (report_.outcome != Outcome::indefinite) return;
  pair.refused = "failed: " + attempt.ended;
  if (pair.method != M::cg || pair.preconditioner > P::jacobi) return;
  for (Known& other : known_) {  // A itself is not definite
    other.last_resort = false;
    if (other.method == M::cg) other.refused = not_definite(report_.matrix) + ", as cg has seen";
  }
}

template <ExecutionSpace Exec, class Matrix>
const SolveReport& ChosenSolver<Exec, Matrix>::solve(const Exec& exec,
                                                     const Multivector<const S>& b,
                                                     const Multivector<S>& x,
                                                     double seconds_before) {
  const auto n = static_cast<std::int64_t>(A_.rows());
  vectors::check_alike("b", b, "x", x);
  vectors::check_distinct("b", b, "x", x);
  if (b.rows != n) {
    throw Error("b has " + std::to_string(b.rows) + " rows, and A " + std::to_string(n),
                "give vectors of the size of A");
  }
  guard_.timer.reset();
  guard_.seconds_before = seconds_before;
  guard_.max_seconds = options_.max_seconds;
  guard_.callback = &options_.callback;
  guard_.history = &report_.history;
  report_.outcome = Outcome::converged;
  report_.residual = report_.reference = report_.setup_seconds = report_.solve_seconds = 0;
  report_.iterations = 0;
  report_.none_ran.clear();
  report_.attempts.clear();
  report_.history.clear();
  report_.advice.clear();
  const bool none = std::none_of(known_.begin(), known_.end(),
                                 [](const Known& pair) { return pair.refused.empty(); });
  for (Known& pair : known_) {
    pair.stops = 0;
    pair.last = false;
    if (none) pair.refused.clear();  // rather than to try nothing
  }
  // Prices and limits are those of the whole tolerance, from zero.
  best_residual_ = report_.reference = 1;
  note_limits(tolerance());
  std::stable_sort(known_.begin(), known_.end(), [&](const Known& a, const Known& other) {
    return order_of(a) < order_of(other);
  });
  report_.reference = 0;
  report_.considered.assign(known_.begin(), known_.end());
  if (n == 0) return report_;

  // Strided vectors are copied, so that each method is compiled for one type of them.
  Arena<Space> staged;
  S *own_b = nullptr, *own_x = nullptr;
  const auto size = static_cast<std::size_t>(n);
  const bool strided = b.row_stride != 1 || x.row_stride != 1;
  using Strided = Kokkos::View<S*, Kokkos::LayoutStride, Space, Unmanaged>;
  using ConstStrided = Kokkos::View<const S*, Kokkos::LayoutStride, Space, Unmanaged>;
  const auto stride = [](int of) { return static_cast<std::size_t>(of); };
  const Strided user_x(x.data, Kokkos::LayoutStride(size, stride(x.row_stride)));
  if (strided) {
    staged = Arena<Space>(exec, "heddle::solve::staged", arena_array(own_b, size),
                          arena_array(own_x, size));
    heddle::vectors::copy(exec,
                          ConstStrided(b.data, Kokkos::LayoutStride(size, stride(b.row_stride))),
                          Vector(own_b, size));
    heddle::vectors::copy(exec, user_x, Vector(own_x, size));
  }
  const ConstVector right(strided ? own_b : b.data, size);
  const Vector solution(strided ? own_x : x.data, size);

  report_.reference = norm(exec, right);
  const double target = std::max(tolerance() * report_.reference, options_.absolute_tolerance);
  const auto finish = [&]() -> const SolveReport& {
    if (strided) heddle::vectors::copy(exec, solution, user_x);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      report_.considered[k].refused = known_[k].refused;
    }
    exec.fence("heddle::solve::end");
    report_.solve_seconds = guard_.timer.seconds() - report_.setup_seconds;
    remember_pair();
    advise(options_, report_);
    return report_;
  };
  if (!std::isfinite(report_.reference) || report_.matrix.not_finite >= 0) {
    report_.outcome = Outcome::not_a_number;
    report_.residual = std::numeric_limits<double>::quiet_NaN();
    if (report_.matrix.not_finite < 0) {
      std::int64_t count = 0;
      Kokkos::parallel_reduce("heddle::solve::read_b", range_policy(exec, n),
                              CountNotFinite<S>{right.data()}, count);
      report_.advice.emplace_back(count > 0 ? "b has NaN or infinity"
                                            : "the norm of b overflows: scale A and b");
    }
    return finish();
  }
  const bool guessed = !options_.zero_guess && report_.reference > 0;
  best_residual_ =
      guessed ? residual(exec, right, solution) : std::numeric_limits<double>::quiet_NaN();
  if (!(best_residual_ < report_.reference)) {
    heddle::vectors::scale(exec, S(0), solution);
    best_residual_ = report_.reference;
  }

  report_.outcome = best_residual_ <= target ? Outcome::converged : Outcome::running;
  Known* pair = nullptr;
  bool attained = false;
  const auto is = [&](auto... outcomes) { return ((report_.outcome == outcomes) || ...); };
  while (report_.outcome != Outcome::converged) {
    note_limits(target);
    // A pair that was just left would only restart.
    Known* const other = cheapest(pair);
    pair = other ? other : cheapest(nullptr);
    if (!pair) break;
    if (report_.iterations >= options_.max_iterations) {
      report_.outcome = Outcome::iteration_limit;
      break;
    }
    if (guard_.seconds() > options_.max_seconds) {
      report_.outcome = Outcome::out_of_time;
      break;
    }
    const auto exceeds = [&] {
      return options_.max_bytes != no_bound && bytes() + bytes_of(*pair) > options_.max_bytes;
    };
    if (exceeds()) free_all_but(*pair);
    if (exceeds()) {
      pair->refused = "left out: it would keep about " + std::to_string(bytes_of(*pair)) +
                      " bytes more, and max_bytes is " + std::to_string(options_.max_bytes);
      continue;
    }
    try_pair(exec, *pair, right, solution, target);
    if (is(Outcome::inconsistent) && constant_nullspace() &&
        report_.iterations < options_.max_iterations) {
      // Rounding decides whether rows sum to zero: A may be regular.
      not_singular_ = true;
      forget_solvers();
      const std::vector<Known> before = known_;
      try_pair(exec, *pair, right, solution, target);
      if (!is(Outcome::converged, Outcome::out_of_time, Outcome::stopped_by_user)) {
        report_.outcome = Outcome::inconsistent;
        known_ = before;
        not_singular_ = false;
        forget_solvers();
      }
    }
    if (is(Outcome::converged, Outcome::out_of_time, Outcome::stopped_by_user,
           Outcome::inconsistent)) {
      break;
    }
    // At the end of accuracy one more pair may do better, unless nothing is left but rounding.
    const bool again = attained;
    attained = attained || is(Outcome::attainable_accuracy);
    const bool stalled = is(Outcome::attainable_accuracy, Outcome::stagnated);
    if (again || (stalled && is_rounding(exec, solution))) {
      report_.outcome = Outcome::attainable_accuracy;
      break;
    }
  }
  if (is(Outcome::running) && report_.iterations == 0) {
    const auto refused = std::find_if(known_.begin(), known_.end(),
                                      [](const Known& of) { return !of.refused.empty(); });
    report_.none_ran = refused != known_.end() ? refused->name() + ": " + refused->refused : "";
  }
  if (is(Outcome::running)) report_.outcome = Outcome::breakdown;
  report_.residual = best_residual_;
  finish();
  if (guard_.thrown) std::rethrow_exception(std::exchange(guard_.thrown, nullptr));
  return report_;
}

template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<AnySolver<Exec, Matrix>> make_solver(const Exec& exec, const Matrix& A,
                                                     const SolveOptions& options) {
  return std::make_unique<ChosenSolver<Exec, Matrix>>(exec, A, options);
}

}  // namespace heddle::detail::solve

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<solve::AnySolver<Exec, Matrix>> = true;

}  // namespace heddle::detail
