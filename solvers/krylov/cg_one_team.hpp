// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cg_in_one_launch.hpp"

/// Conjugate gradients by one team: cg/one-team.
namespace heddle::detail::krylov {

/// Bytes of scratch for a system of so many rows.
template <Scalar S>
constexpr std::size_t one_team_scratch_bytes(std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  return backends::scratch_bytes<CgShared<S>, S, S, S, S>(1, n, n, n, n);
}

/// A thread has the rows thread, thread + threads, ... Sums are of the rows of a thread in order,
/// then of the team in the order of its shape.
template <class Team>
struct CgTeam {
  const Team& of;

  KOKKOS_FORCEINLINE_FUNCTION const Team& team() const { return of; }
  KOKKOS_FORCEINLINE_FUNCTION bool is_first() const { return of.thread() == 0; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { of.barrier(); }
  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION const S* of_all(const S* vector) const {
    return vector;
  }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(std::int64_t rows, const Body& body) const {
    for (std::int64_t i = of.thread(); i < rows; i += Team::threads) body(i);
  }
  template <Scalar S, int Values>
  KOKKOS_FORCEINLINE_FUNCTION void add(CgShared<S>& shared, Wide<S> (&sums)[Values],
                                       int values) const {
    team_sums::add_over_team(of, shared.sums, sums, values);
  }
};

/// What one launch leaves to the next lies in `saved`, and x in the user's vector after each.
template <Scalar S, class Matrix, Preconditioned How, bool InScratch>
struct CgOneTeam {
  using Shared = CgShared<S>;
  using Scratch = std::conditional_t<InScratch, backends::DynamicScratch, Shared>;

  CgProblem<S, Matrix> problem;
  CgVectors<S*> saved;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const CgTeam<Team> group{team};
    if constexpr (InScratch) {
      const auto n = static_cast<std::size_t>(problem.rows);
      Shared& shared = *scratch.template take<Shared>(1);
      S* const x = scratch.template take<S>(n);
      S* const r = scratch.template take<S>(n);
      S* const p = scratch.template take<S>(n);
      S* const q = scratch.template take<S>(n);
      const CgVectors<S*> own{x, r, p, q};
      if (!problem.begins) copy_iteration(group, problem.rows, saved, own);
      steps(group, shared, own);
      copy_iteration(group, problem.rows, own, saved);
    } else {
      steps(group, scratch, saved);
    }
  }

 private:
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION void steps(const Group& group, Shared& shared,
                                         const CgVectors<S*>& own) const {
    CgSteps<S, Matrix, How, Group>{problem, group, shared, own}.run();
  }
};

}  // namespace heddle::detail::krylov
