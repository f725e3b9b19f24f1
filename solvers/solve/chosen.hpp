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

/// The pairs of a solve, what it keeps of them, and their order.
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
                           arena_array(diagonal_.of_magnitude, n), arena_array(best_, n),
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
           of(multigrid_) + (direct_ ? direct_->bytes() : 0) + methods_.bytes() +
           of_trial_.bytes() + trial_memory_.bytes();
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

    std::size_t bytes() const { return solver ? solver->bytes() : 0; }
  };
  struct Methods {
    Made<CgSolver<Exec, S>> cg;
    Made<MinresSolver<Exec, S>> minres;
    Made<GmresSolver<Exec, S>> gmres;
    Made<BicgstabSolver<Exec, S>> bicgstab;

    std::size_t bytes() const {
      return cg.bytes() + minres.bytes() + gmres.bytes() + bicgstab.bytes();
    }
  };
  /// A pair as the solves so far know it.
  struct Known : SolvePair {
    double first_iterations = 0;  ///< as priced
    double whole_setup = 0;       ///< the seconds of a set-up, whether or not it has been made
    bool over_limit = false;      ///< whether it is predicted to exceed a limit of this solve
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
  void forget_solvers() { methods_ = {}; }

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
      if (ritz_values_may_matter(priced, pairs)) {
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
    return std::tuple(!pair.remembered, pair.last_resort, pair.over_limit,
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
  /// The first usable pair in that order, or null.
  Known* cheapest() {
    Known* first = nullptr;
    for (Known& pair : known_) {
      if (!pair.usable()) continue;
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
  /// The pairs that may be tried while `pair` waits: those for which there is room beside it.
  std::vector<Rival> rivals_of(const Known& pair) const {
    std::vector<Rival> rivals;
    for (std::size_t k = 0; k < known_.size(); ++k) {
      const Known& other = known_[k];
      if (&other == &pair || !other.usable() || (other.last_resort && !pair.last_resort)) continue;
      if (options_.max_bytes != no_bound &&
          bytes() + pair.bytes + other.bytes + rows() * sizeof(S) > options_.max_bytes) {
        continue;
      }
      rivals.push_back({other.setup_seconds / options_.expected_solves, other.iterations,
                        other.seconds_of_iteration, are_alike(pair, other), static_cast<int>(k)});
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
    if (pair.method != M::cg) methods_.cg = {};
    if (pair.method != M::minres) methods_.minres = {};
    if (pair.method != M::gmres) methods_.gmres = {};
    if (pair.method != M::bicgstab) methods_.bicgstab = {};
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
    Methods& of = in_trial_ ? of_trial_ : methods_;
    switch (pair.method) {
      case M::minres: return run_by(exec, of.minres, pair, b, x, limit);
      case M::gmres: return run_by(exec, of.gmres, pair, b, x, limit);
      case M::bicgstab: return run_by(exec, of.bicgstab, pair, b, x, limit);
      case M::cg: break;
    }
    CgSolver<Exec, S>& cg = solver_of(exec, of.cg, limit);
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
    of.callback = [this, &made](int iterations, double residual) {
      if (!guard_.go_on(iterations, residual)) return false;
      const Rival* const rival = in_trial_ ? nullptr : guard_.due(iterations);
      if (rival) {
        try_rival(*rival, iterations,
                  [&](const Exec& on, const Vector& to) { made.solver->solution_so_far(on, to); });
      }
      return guard_.stopped == Guard::Stopped::no;
    };
    if constexpr (std::same_as<Solver, GmresSolver<Exec, S>>) of.restart = restart;
    made.solver.emplace(exec, A_.rows(), of);
    keep_bound(made.solver, "vectors of the method");
    made.limit = limit;
    return *made.solver;
  }
  /// Bytes that a pair would add to those that are held.
  std::size_t bytes_of(const SolvePair& pair) const {
    const std::size_t made = pair.method == M::cg       ? methods_.cg.bytes()
                             : pair.method == M::minres ? methods_.minres.bytes()
                             : pair.method == M::gmres  ? methods_.gmres.bytes()
                                                        : methods_.bicgstab.bytes();
    return made > 0 && is_set_up(pair) ? 0 : pair.bytes;
  }

  /// A run of a pair, in which others may be tried.
  struct Run {
    const Exec& exec;
    Known& pair;
    ConstVector b;
    double target;
    double fraction;            ///< of the digits, that it has to gain
    SolveAttempt attempt = {};  ///< since it began or went on
    Kokkos::Timer timer = {};   ///< of the attempt
    int reported = 0;           ///< iterations in the report
  };
  /// Adds what a run did since it began or went on to the report.
  void note(Run& run, int iterations) {
    run.attempt.iterations = iterations - run.reported;
    run.attempt.relative_residual = best_residual_ / report_.reference;
    run.attempt.seconds = run.timer.seconds() - run.attempt.setup_seconds;
    report_.iterations += run.attempt.iterations;
    report_.attempts.push_back(run.attempt);
    run.attempt = {};
    run.attempt.pair = run.pair.name();
    run.reported = iterations;
    run.timer.reset();
  }

  void try_pair(const Exec& exec, Known& pair, const ConstVector& b, const Vector& x,
                double target);
  template <class SolutionSoFar>
  void try_rival(const Rival& rival, int iterations, const SolutionSoFar& solution_so_far);
  std::string judge(Known& pair, const KrylovResult& result);

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
  Methods methods_, of_trial_;
  Arena<Space> trial_memory_;
  Run* run_ = nullptr;  ///< the one that may wait for a trial
  bool in_trial_ = false;
  std::vector<Known> known_;
  SolveReport report_;
  std::string cache_key_;
  std::optional<SolvePair> recalled_;  ///< of the tuning cache
  bool added_ = false;                 ///< whether this Solver has added a line to it
  Kokkos::Timer timer_;                ///< of a solve
  Guard guard_;
  double best_residual_ = 0;
  bool multigrid_renewed_ = false;  ///< whether its hierarchy was made for other values
  /// Whether a solve has shown that a detected nullspace is none.
  bool not_singular_ = false;
};

}  // namespace heddle::detail::solve
