// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/updates.hpp"
#include "apply.hpp"
#include "checks.hpp"

/// b - A x, by which every solver is judged and from which every iteration begins.
namespace heddle::detail::krylov {

using vectors::PassOfAll;
using vectors::PassWithoutSums;

template <class Pack>
struct NoConstants {};

/// r = b - q with q = A x, and its norm; with First, the norm of b too.
template <Scalar S, class State, bool First>
struct TrueResidual {
  using Norm = Squares<S>;
  static constexpr int sums = Norm::sums * (First ? 2 : 1);
  using accumulator_type = Wide<S>;
  Multivector<const S> b, q;
  Multivector<S> r;
  State* state;
  Limits limits;
  int first;  ///< right-hand side that this launch begins with
  Due due;
  int cost;       ///< products of an iteration
  bool restarts;  ///< see judge()

  template <class Pack>
  struct Constants {
    Pack minus_one;
  };
  template <class Pack>
  struct Values {
    Pack b, q;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return First || is_due(progress_of(state[first + v]), due);
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(Wide<S>(-1))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(b), at.load(q)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    const Pack entry = at.keep(Pack::multiply_add(with.minus_one, of.q, of.b));
    at.store(r, entry);
    Norm::add(entry, sum);
    if constexpr (First) Norm::add(of.b, sum + Norm::sums);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    if (!active(v)) return;
    auto& progress = progress_of(state[first + v]);
    const double residual = Norm::norm(total);
    if constexpr (First) {
      begin(progress, limits, first + v, residual, Norm::norm(total + Norm::sums), cost);
    } else {
      judge(progress, limits, first + v, residual, due, cost, restarts);
    }
  }
};

/// r = scale r, of right-hand sides whose iteration goes on from b - A x.
template <Scalar S, class State>
struct ScaleResidual : PassWithoutSums {
  using accumulator_type = Wide<S>;
  Multivector<S> r;
  const State* state;

  template <class Pack>
  struct Constants {
    Pack scale;
  };
  template <class Pack>
  struct Values {
    Pack r;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const {
    return progress_of(state[v]).unscaled != 0;
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {Pack::all(Wide<S>(progress_of(state[v]).scale))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack*) const {
    at.store(r, Pack::multiply(with.scale, of.r));
  }
};

/// x = what the solver has, or zero where b is.
template <Scalar S, class State>
struct GiveSolution : PassWithoutSums {
  using accumulator_type = S;
  Multivector<const S> own;
  Multivector<S> x;
  const State* state;

  template <class Pack>
  struct Constants {
    bool zero;
  };
  template <class Pack>
  struct Values {
    Pack own;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int v) const {
    return {progress_of(state[v]).zero != 0};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at,
                                                const Constants<Pack>& of) const {
    return {of.zero ? Pack::zero() : at.load(own)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>&,
                                         const Values<Pack>& of, Pack*) const {
    at.store(x, of.own);
  }
};

/// These passes over all right-hand sides of a solver: its vectors, and where b and x are.
template <ExecutionSpace Exec, Scalar S, class State>
struct ResidualPasses {
  ResidualLabels labels;
  Multivector<S> x, r, q;  ///< the solver's own; q is overwritten
  State* state;
  Limits limits;
  int cost;  ///< products of an iteration
  bool restarts = true;

  static constexpr int most_numbers = 2 * Squares<S>::sums * vectors::vectors_at_once;
  using Workspace = VectorWorkspace<Exec, Wide<S>>;

  /// From q = A x.
  template <bool first>
  void judge(const Exec& exec, const Workspace& workspace, const Multivector<const S>& b,
             Due due) const {
    vectors::in_slices(x.count, [&](int f, int n) {
      using Pass = TrueResidual<S, State, first>;
      vectors::stream(exec, labels.residual, x.rows, n, b.row_stride == 1,
                      Pass{b.slice(f, n), read(q).slice(f, n), r.slice(f, n), state, limits, f, due,
                           cost, restarts},
                      workspace.partials(n * Pass::sums));
    });
  }
  void scale(const Exec& exec) const {
    vectors::in_slices(x.count, [&](int f, int n) {
      vectors::stream(exec, labels.scale, x.rows, n, true,
                      ScaleResidual<S, State>{{}, r.slice(f, n), state + f});
    });
  }
  void give(const Exec& exec, const Multivector<S>& to) const {
    vectors::in_slices(x.count, [&](int f, int n) {
      vectors::stream(exec, labels.give, x.rows, n, to.row_stride == 1,
                      GiveSolution<S, State>{{}, read(x).slice(f, n), to.slice(f, n), state + f});
    });
  }

 private:
  static Multivector<const S> read(const Multivector<S>& v) {
    return {v.data, v.row_stride, v.vector_stride, v.rows, v.count};
  }
};

}  // namespace heddle::detail::krylov
