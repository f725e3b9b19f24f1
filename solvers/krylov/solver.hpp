// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "../../backends/graph.hpp"
#include "../../backends/host/one_thread.hpp"
#include "../../backends/host/thread_costs.hpp"
#include "../../backends/launches_end_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/move_only.hpp"
#include "../../formats/compiled.hpp"
#include "../vectors/operations.hpp"
#include "concepts.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "state.hpp"

/// Sums over the processes that hold a system, and how solvers of a singular A leave out its
/// nullspace.
namespace heddle::detail::krylov {

/// Completes sums over the rows of one process. Without a reduction they are complete.
template <ExecutionSpace Exec, Scalar Sum>
class ProcessSums {
  using Space = typename Exec::memory_space;

 public:
  /// Largest number of sums of a right-hand side in a pass.
  static constexpr int most_sums = 6;

  ProcessSums() = default;
  /// Room for `most` numbers at a time. Allocates nothing without a reduction.
  ProcessSums(const Reduction& reduction, std::size_t most) : reduction_(reduction) {
    if (!reduction) return;
    totals_ = Kokkos::View<Sum*, Kokkos::SharedHostPinnedSpace>("heddle::krylov::totals", most);
  }

  explicit operator bool() const { return totals_.data() != nullptr; }
  /// Memory for the sums of a pass; null without a reduction. It is the host's, which kernels
  /// write to, since a copy of so few numbers takes as long as a launch.
  Sum* totals() const { return totals_.data(); }
  /// Replaces the first `count` of totals() by their sums over all processes. Waits for `exec`, and
  /// for the other processes.
  void complete(const Exec& exec, int count) const {
    exec.fence("heddle::krylov::reduce");
    const auto n = static_cast<std::size_t>(count);
    reduction_({reinterpret_cast<double*>(totals()), n * sizeof(Sum) / sizeof(double)});
  }
  /// Replaces numbers in memory of the device so. Does nothing without a reduction.
  void complete(const Exec& exec, Sum* numbers, int count) const {
    if (!reduction_) return;
    Kokkos::deep_copy(kokkos_space(exec), on_host(count), on_device(numbers, count));
    complete(exec, count);
    Kokkos::deep_copy(kokkos_space(exec), on_device(numbers, count), on_host(count));
  }
  /// The place to which a kernel writes a sum that is to be `number`, in memory of the device: that
  /// of totals() with a reduction.
  Sum* place_of(Sum* number) const { return reduction_ ? totals() : number; }
  /// Completes the sum that was written to place_of(number).
  void complete_placed(const Exec& exec, Sum* number) const {
    if (!reduction_) return;
    complete(exec, 1);
    Kokkos::deep_copy(kokkos_space(exec), on_device(number, 1), on_host(1));
  }

 private:
  auto on_host(int count) const {
    return Kokkos::View<Sum*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>(
        totals(), static_cast<std::size_t>(count));
  }
  auto on_device(Sum* numbers, int count) const {
    return Kokkos::View<Sum*, Space, Kokkos::MemoryUnmanaged>(numbers,
                                                              static_cast<std::size_t>(count));
  }

  Reduction reduction_;
  Kokkos::View<Sum*, Kokkos::SharedHostPinnedSpace> totals_;
};

/// An orthonormal basis N of a nullspace, and P = 1 - N N'.
template <ExecutionSpace Exec, Scalar S>
class Projection {
 public:
  using Sum = Wide<S>;
  using Vectors = SolverVectors<Exec, S>;
  /// N' b, the part of b outside the range of A: one column for each right-hand side.
  struct Along {
    const Sum* of = nullptr;
    int count = 0;
  };

  Projection() = default;
  /// A projection of options.vectors right-hand sides at a time. Waits. Throws Error if the vectors
  /// of options.nullspace do not fit, are linearly dependent or are not finite.
  Projection(const Exec& exec, const KrylovOptions& options, std::int64_t rows);

  explicit operator bool() const { return basis_.extent(1) > 0; }
  /// v = P v
  void apply(const Exec& exec, const Vectors& v) const { subtract(exec, basis_, v, coefficients_); }
  /// P b, in memory of the projection.
  Multivector<const S> right(const Exec& exec, const Multivector<const S>& b) const;
  /// N' b of the b that right() has projected last.
  Along along() const { return {along_, static_cast<int>(basis_.extent(1))}; }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }

 private:
  template <class Given>
  void take(const Exec& exec, const Given& given, const std::string& memory);
  void orthonormalize(const Exec& exec);
  /// Scales one vector to norm one. Returns its norm before, 0 if that is zero or not finite.
  double scale_to_one(const Exec& exec, const Vectors& v);
  /// v -= from c with c = from' v
  void subtract(const Exec& exec, const Vectors& from, const Vectors& v, Sum* coefficients) const;
  Vectors columns(int first, int count) const {
    const std::size_t rows = basis_.extent(0);
    return Vectors(basis_.data() + static_cast<std::size_t>(first) * rows, rows,
                   static_cast<std::size_t>(count));
  }

  Arena<typename Exec::memory_space> arena_;
  VectorWorkspace<Exec, Sum> workspace_;
  ProcessSums<Exec, Sum> sums_;
  Vectors basis_, right_;
  Sum* coefficients_ = nullptr;
  Sum* along_ = nullptr;
};

/// The preconditioner P M, or P without an M. One type for all M.
template <ExecutionSpace Exec, Scalar S>
class ProjectedPreconditioner {
  using Vectors = SolverVectors<Exec, S>;

 public:
  static constexpr bool takes_several_vectors = true;

  template <class M>
  ProjectedPreconditioner(const Projection<Exec, S>& projection, M& preconditioner)
      : projection_(&projection),
        version_(version_in_solve(preconditioner)),
        capturable_(krylov::capturable(preconditioner)),
        apply_([&preconditioner](const Exec& exec, const Vectors& b, const Vectors& x) {
          if constexpr (no_preconditioner<M>) {
            static_cast<void>(preconditioner);  // clang warns of a capture that is not used
            heddle::vectors::copy(exec, b, x);
          } else {
            krylov::apply<Exec, S>(exec, preconditioner, b, x);
          }
        }) {}

  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    const std::size_t count = b.extent(1);  // 1 of rank 1
    const Vectors from(const_cast<S*>(b.data()), b.extent(0), count);
    const Vectors to(x.data(), x.extent(0), count);
    apply_(exec, from, to);
    projection_->apply(exec, to);
  }
  bool capturable() const { return capturable_; }
  static constexpr bool launches_by_heddle = true;  // krylov::apply asks M
  VersionNumber version() const { return version_; }

 private:
  const Projection<Exec, S>* projection_;
  VersionNumber version_;
  bool capturable_;
  std::function<void(const Exec&, const Vectors&, const Vectors&)> apply_;
};

/// Number of hand-overs in a launch whose threads read what others wrote in the launch before.
inline constexpr double hand_overs_per_launch = 3;

/// The threads of a CPU that a solver runs on, and what they cost; 1 elsewhere.
struct SolverThreads {
  int at_once = 1;
  bool more_than_processors = false;
  backends::ThreadCosts costs = {};
};

/// Whether steps of `launches` launches, which move so many bytes, are faster on one thread. Bits
/// do not depend on it.
inline bool one_thread_is_faster(const SolverThreads& threads, double bytes, int launches) {
  if (threads.at_once == 1) return threads.more_than_processors;
  return backends::one_thread_is_faster(
      threads.at_once, bytes,
      launches *
          (threads.costs.launch_seconds + hand_overs_per_launch * threads.costs.hand_over_seconds));
}

/// Versions of A and M, on which a recorded block of iterations depends.
struct PartVersions {
  VersionNumber matrix, preconditioner;
  bool operator==(const PartVersions&) const = default;
};

/// The versions of a solve; none if no block may be recorded. A part without a Version gets a
/// number of this solve alone, so that no recording of another solve is run again.
template <class A, class M>
std::optional<PartVersions> versions_to_record(const A& matrix, const M& preconditioner) {
  if (!capturable(matrix) || !capturable(preconditioner)) return std::nullopt;
  return PartVersions{version_in_solve(matrix), version_in_solve(preconditioner)};
}

/// Runs iterations in blocks, each of them one graph if there are graphs and all parts may be
/// recorded. A block is recorded at its second run with the same versions: the first has loaded all
/// kernels, and short solves pay nothing. If that fails, blocks run by launches until the end of
/// the solve.
template <class Graph>
class IterationGraph {
 public:
  IterationGraph() = default;
  /// A graph of blocks of check_every iterations; of unseen_block if that is 0.
  explicit IterationGraph(int check_every) : block_(check_every > 0 ? check_every : unseen_block) {}

  /// Runs iterations [first, stop) by queue(first, stop), which queues the same work on `exec`
  /// wherever it begins.
  template <class Exec, class Queue>
  void run(const Exec& exec, const std::optional<PartVersions>& versions, int first, int stop,
           const Queue& queue) {
    if constexpr (Graph::exists) {
      while (versions && stop - first >= block_) {
        run_block(exec, *versions, [&] { queue(first, first + block_); });
        first += block_;
      }
    }
    if (first < stop) queue(first, stop);
  }

  /// Begins a solve: recording is tried again.
  void begin() { refused_ = false; }
  /// Whether a block of this solve could not be recorded.
  bool refused() const { return refused_; }
  /// Number of iterations of a block.
  int block() const { return block_; }
  /// Number of blocks that ran as a graph, so far.
  int replays() const { return replays_; }

 private:
  static constexpr int unseen_block = 16;  // if the host never checks

  template <class Exec, class Body>
  void run_block(const Exec& exec, const PartVersions& versions, const Body& body) {
    if (versions_ != versions) {
      versions_ = versions;
      graph_.clear();
      refused_ = false;
      return body();
    }
    if (graph_.launches() == 0 && !refused_) refused_ = !graph_.record(exec, body);
    if (refused_) return body();
    graph_.launch(exec);
    ++replays_;
  }

  int block_ = unseen_block;
  Graph graph_;
  std::optional<PartVersions> versions_;
  bool refused_ = false;
  int replays_ = 0;
};

/// The common base of all solvers of A x = b: memory, options, results, and the course of a solve.
/// A solver derives from it and adds its recurrences:
///
/// - `traits`: SolverTraits;
/// - `restart(exec, M)`: what an iteration needs to continue from b - A x, which is not scaled yet
///   and is in r_, or in q_ with Method::keeps_residual;
/// - `iterate(exec, A, M, last)`: one step; `last`: it is the last of those queued together;
/// - `vectors_moved<M>(A)`: number of vectors that a step reads or writes, without the products;
/// - its constructor, which calls allocate() for its vectors.
///
/// A solver may override the functions below that are marked so. State is a Progress, or derives
/// from it.
template <class Solver, ExecutionSpace Exec, Scalar S, class State>
class KrylovSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;

  /// Solves A x = b from the guess in x (or from zero: options.zero_guess), with the preconditioner
  /// M or none. A and M may be const, or temporary objects. b and x are of rank 1, or of rank 2
  /// with one column for each of options.vectors right-hand sides, in any layout, and do not
  /// overlap. Returns the worst result of all right-hand sides; results() has all. Without `exec`:
  /// on the default instance.
  ///
  /// Waits for `exec` every options.check_every iterations. With 0 it never waits: `outcome` is
  /// then running, and results(exec) waits and returns the results. Throws Error if sizes do not
  /// fit, if the method needs a symmetric or a constant M and M says that it is not, or if
  /// options.scheme cannot solve the system.
  template <class A, VectorView B, WritableVectorView X, class M = NoPreconditioner>
  KrylovResult solve(const Exec& exec, A&& matrix, const B& b, const X& x,
                     M&& preconditioner = M()) {
    using Operator = std::remove_reference_t<A>;
    using Inverse = std::remove_reference_t<M>;
    static_assert(LinearOperator<Operator, Exec, S>,
                  "A has no apply(exec, x, y), rows() and columns()");
    static_assert(no_preconditioner<Inverse> || Preconditioner<Inverse, Exec, S>,
                  "M has no apply(exec, b, x)");
    static_assert(Solver::traits.takes.vectors || (B::rank() == 1 && X::rank() == 1),
                  "this solver takes one right-hand side");
    vectors::assert_defined<Exec, S, S>();
    only_moves_.check(Solver::traits.takes.name, "solve");
    variable_ = over_processes(options().reduction, is_variable(preconditioner) ? 1 : 0) > 0;
    decltype(vectors::to_read(b)) right;
    decltype(vectors::to_write(x)) solution;
    agreed(options().reduction, [&] {
      right = vectors::to_read(b);
      solution = vectors::to_write(x);
      check_symmetric(preconditioner, flexible() ? nullptr : Solver::traits.needs_symmetric,
                      Solver::traits.for_any_preconditioner);
      check_constant(preconditioner, flexible(), Solver::traits.takes);
      read_of<S>(preconditioner, {}, rows_);
      monitor_.check_system(rows_, matrix.rows(), matrix.columns(), right, solution);
      reserve(exec, preconditioner, count());
    });
    monitor_.clear();
    best_.clear();
    self().begin_blocks();
    const auto run = [&](auto& applied) {
      if (self().solve_in_one_launch(exec, matrix, right, solution, applied)) return;
      const backends::OneThread alone(prefers_one_thread(matrix, preconditioner));
      iterate_until_ended(exec, matrix, right, x, applied);
      give(exec, solution);
    };
    if (nullspace_) {
      ProjectedPreconditioner<Exec, S> projected(nullspace_, preconditioner);
      run(projected);
    } else {
      run(preconditioner);
    }
    return monitor_.worst();
  }
  template <class A, VectorView B, WritableVectorView X, class M = NoPreconditioner>
  KrylovResult solve(A&& matrix, const B& b, const X& x, M&& preconditioner = M()) {
    return solve(Exec(), matrix, b, x, preconditioner);
  }

  /// The results of all right-hand sides at the last check; with `exec`, waits and checks.
  std::span<const KrylovResult> results() const {
    only_moves_.check(Solver::traits.takes.name, "results");
    return monitor_.results();
  }
  std::span<const KrylovResult> results(const Exec& exec) {
    only_moves_.check(Solver::traits.takes.name, "results");
    monitor_.check(exec);
    return results();
  }
  /// Within options.callback: writes to x the solution so far. GMRES computes it after a cycle.
  template <WritableVectorView X>
  void solution_so_far(const Exec& exec, const X& x) {
    give(exec, vectors::to_write(x));
  }
  /// The norms of all residuals of a right-hand side, from the first to the last; needs
  /// options.history. Waits.
  std::vector<double> history(const Exec& exec, int vector = 0) {
    only_moves_.check(Solver::traits.takes.name, "history");
    return monitor_.history(exec, vector);
  }

  /// Number of blocks of iterations, in all solves so far, that ran as a recorded graph.
  int replays() const { return blocks_.replays(); }
  std::size_t bytes() const {
    return arena_.bytes() + workspace_.bytes() + monitor_.bytes() + best_.bytes() +
           nullspace_.bytes();
  }
  /// Number of bytes that a step moves, without those of the preconditioner.
  template <class A, class M = NoPreconditioner>
  double moved_bytes(const A& matrix, const M& = {}) const {
    only_moves_.check(Solver::traits.takes.name, "moved_bytes");
    return Solver::traits.method.cost * bytes_of_product(matrix, count()) +
           self().template vectors_moved<M>(matrix) * static_cast<double>(rows_) * count() *
               sizeof(S);
  }

 protected:
  using Space = typename Exec::memory_space;
  using Sum = Wide<S>;
  using Vectors = SolverVectors<Exec, S>;
  using Vector = SolverVector<Exec, S>;
  using ConstVector = ConstSolverVector<Exec, S>;
  using Const = Multivector<const S>;
  using How = Preconditioned;

  KrylovSolver() : only_moves_(made_empty) {}
  /// Defined in solver_definitions.hpp.
  KrylovSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options);

  /// Allocates x_, r_, q_, the vectors of the solver and `more` bytes, in one allocation.
  void allocate(const Exec& exec, std::initializer_list<Vectors*> own, std::size_t more = 0);

  int count() const { return static_cast<int>(monitor_.results().size()); }
  const KrylovOptions& options() const { return monitor_.options(); }
  /// Whether M may differ from one apply to the next in the present solve.
  bool flexible() const {
    return options().flexible || (Solver::traits.becomes_flexible && variable_);
  }
  State* states() const { return monitor_.states(); }
  Limits limits() const { return monitor_.limits(); }
  static Multivector<S> write(const Vectors& v) { return multivector_of<S>(v); }
  static Const read(const Vectors& v) { return multivector_of<const S>(v); }
  static Vector column(const Vectors& v, int c = 0) { return krylov::column<Exec, S>(v, c); }

  /// Runs a pass over all right-hand sides. unit_stride: whether all vectors of the pass have it.
  /// With a reduction a pass with sums is three steps: add_up, the reduction, and finish.
  template <class Pass>
  void pass(const Exec& exec, const char* label, bool unit_stride, const Pass& of);
  /// Writes the sums of a pass over the rows of this process to `totals`, Pass::sums numbers for
  /// each right-hand side. If `totals` is null, the pass finishes with them instead.
  template <class Pass>
  void add_up(const Exec& exec, const char* label, bool unit_stride, const Pass& of, Sum* totals) {
    static_assert(Pass::sums <= ProcessSums<Exec, Sum>::most_sums);
    vectors::stream(exec, label, rows_, count(), unit_stride, of, &workspace_, totals);
  }
  /// Finishes a pass with the sums of all processes.
  template <class Pass>
  void finish(const Exec& exec, const Pass& of, const Sum* totals);
  /// Scales r_ of right-hand sides for which it is b - A x.
  void scale_residual(const Exec& exec);
  /// Writes the x that the solve leaves to the user's vectors.
  void give(const Exec& exec, const Multivector<S>& solution);
  /// Returns M v in `to`, or v itself without an M.
  template <class M>
  Vectors preconditioned(const Exec& exec, [[maybe_unused]] M& preconditioner, const Vectors& v,
                         [[maybe_unused]] const Vectors& to) {
    if constexpr (no_preconditioner<M>) {
      return v;
    } else {
      apply<Exec, S>(exec, preconditioner, v, to);
      return to;
    }
  }

  /// Whether all right-hand sides have ended and the host knows it already, so that iterations that
  /// would do nothing are not launched. False if the host never checks: claims of convergence are
  /// verified among the iterations then, and may fail.
  bool seen_to_have_ended() const {
    if constexpr (backends::launches_end_at_once<Exec>) {
      return options().check_every > 0 &&
             std::none_of(states(), states() + count(), [](const State& s) { return s.running(); });
    } else {
      return false;
    }
  }

  // Functions that a solver may override.

  /// Begins a solve: blocks that could not be recorded in the last one are tried again.
  void begin_blocks() { blocks_.begin(); }
  /// Begins the iteration after the first b - A x.
  template <class M>
  void begin(const Exec& exec, M& preconditioner) {
    self().restart(exec, preconditioner);
  }
  /// Completes x_ before b - A x is computed. Returns whether right-hand sides that run are judged
  /// by it too, since their iteration cannot continue.
  template <class M>
  bool complete(const Exec&, M&) {
    return false;
  }
  /// Queues steps [first, stop). verify(due) computes b - A x.
  template <class A, class M, class Judge>
  void queue(const Exec& exec, A& matrix, M& preconditioner,
             const std::optional<PartVersions>& versions, int first, int stop,
             const Judge& verify) {
    const auto block = [&](int from, int to) {
      blocks_.run(exec, versions, from, to, [&](int begin, int end) {
        for (int step = begin; step < end && !seen_to_have_ended(); ++step) {
          self().iterate(exec, matrix, preconditioner, step + 1 == end);
        }
      });
      if (blocks_.refused()) monitor_.note_failed_recording();
    };
    with_recomputed(first, stop, options().recompute_every, block, [&] {
      verify(Due::running);
      self().restart(exec, preconditioner);
    });
  }
  /// The x of Left::start.
  Const start() const { return {}; }
  /// Whether the solver has solved the system in one launch.
  template <class A, class M>
  bool solve_in_one_launch(const Exec&, A&, const Const&, const Multivector<S>&, M&) {
    return false;
  }

  std::int64_t rows_ = 0;
  Monitor<Exec, S, State> monitor_;
  VectorWorkspace<Exec, Sum> workspace_;
  ProcessSums<Exec, Sum> sums_;
  IterationGraph<backends::Graph<Exec>> blocks_;
  BestSolution<Exec, S> best_;
  Projection<Exec, S> nullspace_;
  SolverThreads threads_;
  Arena<Space> arena_;
  /// q_ is free between steps, and holds A x when b - A x is computed; see Method::keeps_residual
  Vectors x_, r_, q_;
  MoveOnly only_moves_;
  bool variable_ = false;  ///< whether M of the last solve is

 private:
  Solver& self() { return static_cast<Solver&>(*this); }
  const Solver& self() const { return static_cast<const Solver&>(*this); }

  /// Whether one thread is faster; false if the operator does not say how many bytes it moves.
  template <class A, class M>
  bool prefers_one_thread(const A& matrix, const M& preconditioner) const {
    constexpr int applies = how_with<M>() == How::by_operator ? 2 : 1;
    return bytes_of_product(matrix, count()) > 0 &&
           one_thread_is_faster(threads_, moved_bytes(matrix, preconditioner),
                                Solver::traits.passes + applies * Solver::traits.method.cost);
  }

  /// Computes b - A x from q_ = A x, in r_ or q_ (Method::keeps_residual), and judges it; `first`:
  /// before any iteration.
  void verify_residual(const Exec& exec, const Const& b, Due due, bool first);

  template <class A, class X, class M>
  void iterate_until_ended(const Exec& exec, A& matrix, const Const& given, const X& x,
                           M& preconditioner) {
    const Const b = nullspace_ ? nullspace_.right(exec, given) : given;
    take_guess<Exec, S>(exec, matrix, x, options().zero_guess, x_, q_);
    verify_residual(exec, b, Due::last, true);
    self().begin(exec, preconditioner);
    std::optional<PartVersions> versions;
    if constexpr (Solver::traits.recorded) {
      if (!sums_) versions = versions_to_record(matrix, preconditioner);
    }
    const auto verify = [&](Due due) {
      const bool of_all = self().complete(exec, preconditioner);
      apply<Exec, S>(exec, matrix, x_, q_);
      verify_residual(exec, b, of_all && due == Due::ended ? Due::running : due, false);
    };
    monitor_.run(
        exec, Solver::traits.method,
        Iteration{[&](int first, int stop) {
                    self().queue(exec, matrix, preconditioner, versions, first, stop, verify);
                  },
                  verify, [&] { self().restart(exec, preconditioner); },
                  [&](const auto& progress) { best_.keep(exec, progress, x_); },
                  [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
  }
};

}  // namespace heddle::detail::krylov

#ifdef HEDDLE_DEFINITIONS
#include "../vectors/definitions.hpp"
#include "solver_definitions.hpp"
#endif

/// The instances of all solvers for a scalar, and of one solver with the type of its state, that
/// the compiled part (compiled.hpp) holds.
#define HEDDLE_PROGRESS_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_PROGRESS_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_PROGRESS_INSTANCES_ON(EXTERN, SCALAR, EXEC)                \
  EXTERN template class heddle::detail::krylov::Projection<EXEC, SCALAR>; \
  EXTERN template class heddle::detail::krylov::Monitor<EXEC, SCALAR,     \
                                                        heddle::detail::krylov::Progress>;
#define HEDDLE_SOLVER_INSTANCES(EXTERN, SCALAR, EXEC, SOLVER, ...)                               \
  EXTERN template class SOLVER<EXEC, SCALAR>;                                                    \
  EXTERN template class heddle::detail::krylov::KrylovSolver<SOLVER<EXEC, SCALAR>, EXEC, SCALAR, \
                                                             __VA_ARGS__>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_PROGRESS_INSTANCES, HEDDLE_EXTERN)
