// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/move_only.hpp"
#include "bicgstab_passes.hpp"
#include "block_graph.hpp"
#include "monitor.hpp"

namespace heddle {

/// BiCGStab: solves A x = b for any A in the memory of eight vectors, with any preconditioner M on
/// the right, so that the residual is that of A x = b itself. It may break down or stagnate, which
/// the result says; GMRES does not break down, and keeps more vectors.
///
/// Made once for a size, with all memory: bytes(). It moves, and does not copy. solve allocates
/// nothing, and the host checks only every options.check_every steps. A step is two products with
/// A, which iterations count, and two applies of M; it moves what these do and 19 n b bytes, and
/// where it ends after its first half it counts one product. A block of options.check_every steps
/// runs as one graph on CUDA and HIP, if A and M are capturable(). b - A x, scaling and sums are as
/// CgSolver says. One solver solves one system at a time. The same bits on every run, if A and M
/// give the same bits.
///
/// Source: H. van der Vorst (1992).
template <ExecutionSpace Exec, Scalar S>
class BicgstabSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns. Throws Error if options make no sense.
  BicgstabSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {});

  /// Solves A x = b from what is in x (or from zero: options.zero_guess). b and x are of rank 1 and
  /// do not overlap. Waits for `exec` every options.check_every steps; with 0 never: then `outcome`
  /// is running whatever happens, and result(exec) waits and tells. Throws Error if sizes do not
  /// fit.
  template <class A, VectorView B, WritableVectorView X>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x) {
    NoPreconditioner none;
    return solve(exec, matrix, b, x, none);
  }
  template <class A, VectorView B, WritableVectorView X, class M>
  KrylovResult solve(const Exec& exec, A& matrix, const B& b, const X& x, M& preconditioner) {
    static_assert(LinearOperator<A, Exec, S>, "A has no apply(exec, x, y), rows() and columns()");
    static_assert(std::same_as<M, NoPreconditioner> || Preconditioner<M, Exec, S>,
                  "M has no apply(exec, b, x)");
    static_assert(B::rank() == 1 && X::rank() == 1, "BiCGStab takes one right-hand side");
    detail::vectors::assert_defined<Exec, S, S>();
    only_moves_.check("BicgstabSolver", "solve");
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    const auto solution = detail::vectors::to_write(x);
    monitor_.check_system(rows_, matrix.rows(), matrix.columns(), right, solution);
    monitor_.clear();
    best_.clear();
    krylov::take_guess<Exec, S>(exec, matrix, x, monitor_.options().zero_guess, x_, v_);
    residual_passes(v_).template judge<true>(exec, workspace_, right, Due::all);
    vectors::scale(exec, 0, v_);
    restart(exec);
    const auto versions = krylov::versions_to_record(matrix, preconditioner);
    const auto judge = [&](Due due) {  // t is free between steps, v is not
      matrix.apply(exec, Const(column(x_)), column(t_));
      residual_passes(t_).template judge<false>(exec, workspace_, right, due);
    };
    const auto blocks = [&](int first, int stop) {
      blocks_.run(exec, versions, first, stop, [&](int begin, int end) {
        for (int step = begin; step < end; ++step) iterate(exec, matrix, preconditioner);
      });
    };
    const auto recompute = [&] {
      judge(Due::running);
      restart(exec);
    };
    monitor_.run(
        exec, State::cost,
        krylov::Iteration{[&](int first, int stop) {
                            krylov::with_recomputed(first, stop, monitor_.options().recompute_every,
                                                    blocks, recompute);
                          },
                          judge, [&] { restart(exec); },
                          [&](const auto& progress) { best_.keep(exec, progress, x_); },
                          [&](const auto& progress) { return best_.restore(exec, progress, x_); }});
    residual_passes(t_).give(exec, solution);
    return result();
  }

  /// As of the last check; with `exec`, waits and checks.
  const KrylovResult& result() const { return monitor_.results()[0]; }
  const KrylovResult& result(const Exec& exec) {
    monitor_.check(exec);
    return result();
  }
  /// The norms of all residuals, with options.history, of every step one; waits.
  std::vector<double> history(const Exec& exec) { return monitor_.history(exec, 0); }
  /// Blocks of steps, of all solves so far, that ran as a recorded graph.
  int replays() const { return blocks_.replays(); }
  std::size_t bytes() const {
    return arena_.bytes() + workspace_.bytes() + monitor_.bytes() + best_.bytes();
  }
  /// Bytes that a step moves, the preconditioner's own not counted.
  template <class A>
  double moved_bytes(const A& matrix) const {
    return 2 * detail::krylov::bytes_of_product(matrix, 1) +
           19.0 * static_cast<double>(rows_) * sizeof(S);
  }

 private:
  using Space = typename Exec::memory_space;
  using Sum = detail::krylov::Wide<S>;
  using State = detail::krylov::BicgstabState<S>;
  using Vector = SolverVector<Exec, S>;
  using Vectors = detail::krylov::SolverVectors<Exec, S>;  // of one column
  using Const = ConstSolverVector<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, S, State>;
  using ResidualPasses = detail::krylov::ResidualPasses<Exec, S, State>;
  using Due = detail::krylov::Due;
  static constexpr std::size_t vector_count = 8;

  static Multivector<S> write(const Vectors& v) { return multivector_of<S>(v); }
  static Multivector<const S> read(const Vectors& v) { return multivector_of<const S>(v); }
  static Vector column(const Vectors& v) { return detail::krylov::column<Exec, S>(v, 0); }

  ResidualPasses residual_passes(const Vectors& product) const {
    return {{"heddle::bicgstab::true_residual", "heddle::bicgstab::scale_residual",
             "heddle::bicgstab::solution"},
            write(x_),
            write(r_),
            write(product),
            monitor_.states(),
            monitor_.limits(),
            State::cost};
  }

  template <class Pass>
  void pass(const Exec& exec, const char* label, const Pass& of) {
    if constexpr (Pass::sums == 0) {
      detail::vectors::stream(exec, label, rows_, 1, true, of);
    } else {
      detail::vectors::stream(exec, label, rows_, 1, true, of, workspace_.partials(Pass::sums));
    }
  }

  /// M v, or v itself.
  template <class M>
  const Vectors& preconditioned(const Exec& exec, [[maybe_unused]] M& preconditioner,
                                const Vectors& v, [[maybe_unused]] const Vectors& to) {
    if constexpr (std::same_as<M, NoPreconditioner>) {
      return v;
    } else {
      preconditioner.apply(exec, Const(column(v)), column(to));
      return to;
    }
  }

  /// After b - A x: what an iteration needs that goes on from there.
  void restart(const Exec& exec) {
    residual_passes(t_).scale(exec);
    pass(
        exec, "heddle::bicgstab::restart",
        detail::krylov::BicgstabRestart<S>{read(r_), write(shadow_), write(p_), monitor_.states()});
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner) {
    namespace krylov = detail::krylov;
    auto* const state = monitor_.states();
    const auto limits = monitor_.limits();
    pass(exec, "heddle::bicgstab::direction",
         krylov::BicgstabDirection<S>{{}, read(r_), read(v_), write(p_), state});
    const Vectors& p = preconditioned(exec, preconditioner, p_, p_hat_);
    matrix.apply(exec, Const(column(p)), column(v_));
    pass(exec, "heddle::bicgstab::alpha", krylov::BicgstabAlpha<S>{read(shadow_), read(v_), state});
    pass(exec, "heddle::bicgstab::half",
         krylov::BicgstabHalf<S>{write(r_), read(v_), state, limits});
    const Vectors& s = preconditioned(exec, preconditioner, r_, s_hat_);
    matrix.apply(exec, Const(column(s)), column(t_));
    pass(exec, "heddle::bicgstab::omega", krylov::BicgstabOmega<S>{read(r_), read(t_), state});
    pass(exec, "heddle::bicgstab::update",
         krylov::BicgstabUpdate<S>{write(x_), write(r_), read(p), read(s), read(t_), read(shadow_),
                                   state, limits});
  }

  std::int64_t rows_;
  Monitor monitor_;
  VectorWorkspace<Exec, Sum> workspace_;
  detail::krylov::BlockGraph<backends::Graph<Exec>> blocks_;
  detail::krylov::BestSolution<Exec, S> best_;
  Arena<Space> arena_;
  Vectors x_, r_, shadow_, p_, v_, t_, p_hat_, s_hat_;
  detail::MoveOnly only_moves_;
};

}  // namespace heddle
