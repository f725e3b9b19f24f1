// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "bicgstab_passes.hpp"
#include "block_graph.hpp"
#include "monitor.hpp"

namespace heddle {

/// BiCGStab: solves A x = b for any A in the memory of eight vectors, with any preconditioner M on
/// the right, so that the residual is that of A x = b itself. It may break down or stagnate, which
/// the result says; GMRES does not break down, and keeps more vectors.
///
/// Made once for a size, with all memory: bytes(). solve allocates nothing, and the host looks only
/// every options.check_every steps. A step is two products with A, which iterations count, and two
/// applies of M; it moves what these do and 19 n b bytes. A block of options.check_every steps runs
/// as one graph on CUDA and HIP, if A and M are capturable(). One solver solves one system at a
/// time.
/// The same bits on every run, if A and M give the same bits.
///
/// Source: H. van der Vorst (1992).
template <ExecutionSpace Exec, Scalar S>
class BicgstabSolver {
 public:
  using execution_space = Exec;
  using scalar_type = S;
  using Real = RealOf<S>;

  /// For systems of `rows` unknowns. Throws Error if options make no sense.
  BicgstabSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options = {})
      : rows_(rows),
        monitor_(exec,
                 detail::krylov::MonitorLabels{"heddle::bicgstab::state",
                                               "heddle::bicgstab::state_on_host",
                                               "heddle::bicgstab::look"},
                 options, rows),
        workspace_(exec, 2),
        blocks_(options.check_every) {
    const auto n = static_cast<std::size_t>(rows);
    arena_ = Arena<Space>(exec, "heddle::bicgstab::vectors", vector_count * arena_bytes<S>(n));
    for (Vector* v : {&x_, &r_, &shadow_, &p_, &v_, &t_, &p_hat_, &s_hat_}) {
      *v = Vector(arena_.template take<S>(n).data(), n);
    }
  }

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
    namespace krylov = detail::krylov;
    const auto right = detail::vectors::to_read(b);
    krylov::check_square(matrix, rows_);
    krylov::check_system(rows_, 1, right, detail::vectors::to_write(x));
    monitor_.clear();
    krylov::take_guess<Exec, S>(exec, matrix, x, monitor_.options().zero_guess, x_, r_);
    vectors::scale(exec, 0, v_);
    pass(exec, "heddle::bicgstab::begin",
         krylov::BicgstabBegin<S>{{{}, right, write(r_)},
                                  write(shadow_),
                                  write(p_),
                                  monitor_.states(),
                                  monitor_.limits()},
         detail::vectors::has_unit_stride(right));
    const auto steps = [&](int first, int stop) {
      for (int step = first; step < stop; ++step) iterate(exec, matrix, preconditioner, step == 0);
    };
    const auto versions = krylov::versions_to_record(matrix, preconditioner);
    monitor_.run(exec, 2, [&](int first, int stop) {
      const int alike = std::min(stop, std::max(first, 1));  // the first step is unlike the others
      if (first < alike) steps(first, alike);
      blocks_.run(exec, versions, alike, stop, steps);
    });
    vectors::copy(exec, x_, x);
    return result();
  }

  /// As of the last look; with `exec`, waits and looks.
  const KrylovResult& result() const { return monitor_.results()[0]; }
  const KrylovResult& result(const Exec& exec) {
    monitor_.look(exec);
    return result();
  }
  /// On the device, with options.history: the residual norms, after 2 i products at 2 i.
  auto history() const { return monitor_.history(); }
  /// Blocks of steps, of all solves so far, that ran as a recorded graph.
  int replays() const { return blocks_.replays(); }
  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes() + monitor_.bytes(); }
  /// Bytes that a step moves, the preconditioner's own not counted.
  template <class A>
  double moved_bytes(const A& matrix) const {
    return 2 * detail::krylov::bytes_of_product(matrix, 1) +
           19.0 * static_cast<double>(rows_) * sizeof(S);
  }

 private:
  using Space = typename Exec::memory_space;
  using Vector = SolverVector<Exec, S>;
  using Const = ConstSolverVector<Exec, S>;
  using Monitor = detail::krylov::Monitor<Exec, detail::krylov::BicgstabState<S>, Real>;
  static constexpr std::size_t vector_count = 8;

  static Multivector<S> write(const Vector& v) { return multivector_of<S>(v); }
  static Multivector<const S> read(const Vector& v) { return multivector_of<const S>(v); }

  template <class Pass>
  void pass(const Exec& exec, const char* label, const Pass& of, bool unit = true) {
    if constexpr (Pass::sums == 0) {
      detail::vectors::stream(exec, label, rows_, 1, unit, of);
    } else {
      detail::vectors::stream(exec, label, rows_, 1, unit, of, workspace_.partials(Pass::sums));
    }
  }

  /// M v, or v itself.
  template <class M>
  const Vector& preconditioned(const Exec& exec, [[maybe_unused]] M& preconditioner,
                               const Vector& v, [[maybe_unused]] const Vector& to) {
    if constexpr (std::same_as<M, NoPreconditioner>) {
      return v;
    } else {
      preconditioner.apply(exec, Const(v), to);
      return to;
    }
  }

  template <class A, class M>
  void iterate(const Exec& exec, A& matrix, M& preconditioner, bool first) {
    namespace krylov = detail::krylov;
    auto* const state = monitor_.states();
    if (!first) {
      pass(exec, "heddle::bicgstab::direction",
           krylov::BicgstabDirection<S>{{}, read(r_), read(v_), write(p_), state});
    }
    const Vector& p = preconditioned(exec, preconditioner, p_, p_hat_);
    matrix.apply(exec, Const(p), v_);
    pass(exec, "heddle::bicgstab::alpha",
         krylov::BicgstabAlpha<S>{{read(shadow_), read(v_)}, state});
    pass(exec, "heddle::bicgstab::half", krylov::BicgstabHalf<S>{{}, write(r_), read(v_), state});
    const Vector& s = preconditioned(exec, preconditioner, r_, s_hat_);
    matrix.apply(exec, Const(s), t_);
    pass(exec, "heddle::bicgstab::omega", krylov::BicgstabOmega<S>{read(r_), read(t_), state});
    pass(exec, "heddle::bicgstab::update",
         krylov::BicgstabUpdate<S>{write(x_), write(r_), read(p), read(s), read(t_), read(shadow_),
                                   state, monitor_.limits()});
  }

  std::int64_t rows_;
  Monitor monitor_;
  VectorWorkspace<Exec, S> workspace_;
  detail::krylov::BlockGraph<backends::Graph<Exec>> blocks_;
  Arena<Space> arena_;
  Vector x_, r_, shadow_, p_, v_, t_, p_hat_, s_hat_;
};

}  // namespace heddle
