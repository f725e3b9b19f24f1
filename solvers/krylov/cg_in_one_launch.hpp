// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/cluster.hpp"
#include "../../backends/launch.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/common/prediction.hpp"
#include "../vectors/definitions.hpp"
#include "cg.hpp"

/// Steps of conjugate gradients in one launch, which computes the product too: the common part of
/// cg/one-team and cg/one-cluster.
namespace heddle::detail::krylov {

/// Copies x, r and p, from which an iteration continues, in the rows of this thread.
template <class Group, class From, class To>
KOKKOS_FORCEINLINE_FUNCTION void copy_iteration(const Group& group, std::int64_t rows,
                                                const CgVectors<From>& from,
                                                const CgVectors<To>& to) {
  group.each_row(rows, [&](std::int64_t i) {
    to.x[i] = from.x[i];
    to.r[i] = from.r[i];
    to.p[i] = from.p[i];
  });
}

/// Memory that a team shares, without its vectors. Every team has the state, with equal numbers.
template <Scalar S>
struct CgShared {
  static constexpr int most_sums = 2 * WideSquares<S>::sums;
  team_sums::Scratch<Wide<S>, most_sums> sums;
  CgState state;
};

/// Runs steps up to `stop`, and computes b - A x at once if the iteration ends. A thread has the
/// same rows throughout. It reads rows of other threads only in p, and in x for b - A x. Threads
/// agree on every branch: only thread 0 of a team writes its state, between two barriers.
///
/// Group is the set of threads that work together: `team()`; `each_row(rows, body)`, the rows of
/// this thread; `add(shared, sums, n)`, after which thread 0 of each team has the sums of all
/// threads, in a fixed order, and all threads have passed a barrier; `barrier()`, after which all
/// see what each wrote to the vectors; `of_all(vector)`, which reads rows of other threads; and
/// `is_first()`, true in one thread of all.
template <Scalar S, class Matrix, Preconditioned How, class Group, class Vector = S*>
struct CgSteps {
  using Off = typename Matrix::offset_type;
  using Shared = CgShared<S>;
  using Norm = WideSquares<S>;
  using Sum = Wide<S>;

  const CgProblem<S, Matrix>& problem;
  const Group& group;
  Shared& shared;
  CgVectors<Vector> own;

  KOKKOS_FORCEINLINE_FUNCTION void run() const {
    if (problem.begins) {
      const bool zero = problem.zero_guess;
      group.each_row(problem.rows,
                     [&](std::int64_t i) { own.x[i] = zero ? S(0) : S(problem.solution(i, 0)); });
      group.barrier();
      verify_residual<true>(Due::last);
    } else {
      if (group.team().thread() == 0) shared.state = *problem.state;
      group.barrier();
    }
    const Progress& progress = shared.state;
    const int every = problem.recompute_every;
    while (progress.running() && progress.iterations < problem.stop) {
      iterate();
      if (is_due(progress, Due::ended)) {
        verify_residual<false>(Due::ended);
      } else if (progress.running() && every > 0 && progress.iterations % every == 0) {
        verify_residual<false>(Due::running);
      }
    }
    if (problem.ends && is_due(progress, Due::last)) verify_residual<false>(Due::last);
    if (group.is_first()) *problem.state = shared.state;
    if (problem.begins && problem.ends) give();
  }

 private:
  /// Writes x after a solve in one launch; after several, the host does: KrylovSolver::give.
  KOKKOS_FORCEINLINE_FUNCTION void give() const {
    const Progress& progress = shared.state;
    const bool zero = progress.zero != 0 || progress.left != Left::own;
    if (progress.left != Left::own && progress.zero == 0 && !problem.zero_guess) return;
    group.each_row(problem.rows,
                   [&](std::int64_t i) { problem.solution(i, 0) = zero ? S(0) : own.x[i]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION S product(std::int64_t row, const Vector& v) const {
    const auto of_all = group.of_all(v);
    S sum(0);
    for (Off e = problem.row_ptr[row]; e < problem.row_ptr[row + 1]; ++e) {
      sum += S(problem.values[e]) * of_all[problem.col_idx[e]];
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Sum preconditioned(std::int64_t row, const Sum& r) const {
    return How == Preconditioned::by_diagonal ? Sum(problem.diagonal(row, 0)) * r : r;
  }
  /// The limits, with the history for one thread only, which writes it.
  KOKKOS_FORCEINLINE_FUNCTION Limits limits() const {
    Limits limits = problem.limits;
    if (!group.is_first()) limits.history = nullptr;
    return limits;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(Sum (&sum)[Shared::most_sums]) {
    for (Sum& of : sum) of = Sum(0);
  }

  /// r = b - A x, and what an iteration needs to continue from there
  template <bool first>
  KOKKOS_FORCEINLINE_FUNCTION void verify_residual(Due due) const {
    CgState& state = shared.state;
    Sum sum[Shared::most_sums];
    clear(sum);
    const bool zero = first && problem.zero_guess;
    group.each_row(problem.rows, [&](std::int64_t i) {
      const Sum right(problem.b(i, 0));
      const Sum r = zero ? right : right - Sum(product(i, own.x));
      own.r[i] = rounded<S>(r);
      Norm::add_one(r, sum);
      if (first) Norm::add_one(right, sum + Norm::sums);
    });
    group.add(shared, sum, first ? 2 * Norm::sums : Norm::sums);
    if (group.team().thread() == 0) {
      if (first) {
        state.z_scale = 1;
        begin(state, limits(), 0, Norm::norm(sum), Norm::norm(sum + Norm::sums), 0,
              method_of_cg.cost);
      } else {
        constexpr Method method = method_of_cg;
        verify(state, limits(), 0, Norm::norm(sum), due, method);
      }
    }
    group.barrier();
    if (!state.unscaled) return;
    const bool anew = state.anew != 0;
    const double scale = state.scale;
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      const S r = rounded<S>(Sum(own.r[i]) * scale);
      const Sum z = preconditioned(i, Sum(r));
      own.r[i] = r;
      sum[0] += conjugate(Sum(r)) * z;
    });
    group.add(shared, sum, 1);
    if (group.team().thread() == 0) restart_cg(state, real_part(sum[0]));
    group.team().barrier();
    if (anew) {
      group.each_row(problem.rows, [&](std::int64_t i) { own.p[i] = direction(i, Sum(0)); });
    }
    group.barrier();
  }

  /// z + of_last in row i
  KOKKOS_FORCEINLINE_FUNCTION S direction(std::int64_t i, const Sum& of_last) const {
    return rounded<S>(shared.state.z_scale * preconditioned(i, Sum(own.r[i])) + of_last);
  }

  KOKKOS_FORCEINLINE_FUNCTION void iterate() const {
    CgState& state = shared.state;
    Sum sum[Shared::most_sums];
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      const S q = product(i, own.p);
      own.q[i] = q;
      sum[0] += conjugate(Sum(own.p[i])) * Sum(q);
    });
    group.add(shared, sum, 1);
    if (group.team().thread() == 0) take_curvature(state, real_part(sum[0]));
    group.team().barrier();
    if (state.moves == 0) return;
    const double alpha = state.alpha, unscaled_alpha = alpha * state.unscale;
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      own.x[i] = rounded<S>(Sum(own.x[i]) + unscaled_alpha * Sum(own.p[i]));
      const Sum r = Sum(own.r[i]) - alpha * Sum(own.q[i]);
      own.r[i] = rounded<S>(r);
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    group.add(shared, sum, 2);
    if (group.team().thread() == 0) {
      advance_cg(state, limits(), 0, real_part(sum[0]));
      next_direction(state, real_part(sum[1]));
    }
    group.team().barrier();
    const double beta = state.beta;
    group.each_row(problem.rows,
                   [&](std::int64_t i) { own.p[i] = direction(i, beta * Sum(own.p[i])); });
    group.barrier();
  }
};

// Conjugate gradients by one team: cg/one-team.

/// Bytes of scratch for a system of so many rows.
template <Scalar S>
constexpr std::size_t one_team_scratch_bytes(std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  return backends::scratch_bytes<CgShared<S>, S, S, S, S>(1, n, n, n, n);
}

/// A thread has the rows thread, thread + threads, ... Sums add the rows of a thread in order, then
/// the threads of the team in the order of its shape.
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

/// `saved` holds x, r and p from one launch to the next.
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

// Conjugate gradients by one cluster of teams: cg/one-cluster.

/// Rows of the teams of a cluster: each has `share` rows that follow each other. Division by
/// `share` is a product and a shift, exact for as many rows as are_exact says.
struct ClusterRows {
  std::uint32_t share, reciprocal;

  ClusterRows(std::int64_t rows, int teams)
      : share(static_cast<std::uint32_t>(
            32 * std::max<std::int64_t>(1, ceil_div<std::int64_t>(rows, 32 * teams)))),
        reciprocal(static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + share - 1) / share)) {}

  bool are_exact(std::int64_t rows) const {
    return static_cast<std::uint64_t>(rows) * share < std::uint64_t{1} << 32;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first(int team) const {
    return static_cast<std::int64_t>(share) * team;
  }
  KOKKOS_FORCEINLINE_FUNCTION int team_of(std::int64_t row) const {
    return static_cast<int>((static_cast<std::uint64_t>(row) * reciprocal) >> 32);
  }
};

/// Number of teams in the cluster: as many as every device with clusters supports; 0 without them.
inline int cluster_teams(const Device& device) {
  return device.most_teams_per_cluster < backends::portable_teams_per_cluster
             ? 0
             : backends::portable_teams_per_cluster;
}

/// Bytes of scratch of a team.
template <Scalar S>
std::size_t cluster_scratch_bytes(const ClusterRows& rows) {
  const std::size_t n = rows.share;
  return backends::scratch_bytes<CgShared<S>, Wide<S>, S, S, S, S>(1, 2 * CgShared<S>::most_sums, n,
                                                                   n, n, n);
}

/// Whether the vectors of so many rows fit into the scratch of a cluster.
template <Scalar S>
bool fits_cluster(const Device& device, std::int64_t rows) {
  const int teams = cluster_teams(device);
  if (teams < 1 || rows > (std::int64_t{1} << 24)) return false;
  const ClusterRows of_teams(rows, teams);
  return of_teams.are_exact(rows) && cluster_scratch_bytes<S>(of_teams) <= device.scratch_bytes;
}

/// A vector of which every team has its own rows in scratch: access to this team's rows.
template <Scalar S>
struct RowsOfTeam {
  S* data;
  std::int64_t first;
  KOKKOS_FORCEINLINE_FUNCTION S& operator[](std::int64_t row) const { return data[row - first]; }
};

/// A vector of which every team has its own rows in scratch: access to the rows of any team.
template <class Cluster, Scalar S>
struct RowsOfCluster {
  const Cluster& cluster;
  const ClusterRows& rows;
  S* data;
  KOKKOS_FORCEINLINE_FUNCTION S& operator[](std::int64_t row) const {
    const int team = rows.team_of(row);
    return *cluster.remote(data + (row - rows.first(team)), team);
  }
};

/// Sums add the rows of a thread in order, then the threads of a team, then the teams in order.
/// Each team leaves its sum in one of two sets, used in turns, since a team may be at the next sum
/// while another still reads this one.
template <class Cluster, Scalar S>
struct CgCluster {
  using Team = typename Cluster::team_type;

  const Cluster& cluster;
  ClusterRows rows;
  Wide<S>* partials;  ///< two sets of CgShared::most_sums
  mutable int set = 0;

  KOKKOS_FORCEINLINE_FUNCTION Team team() const { return cluster.team(); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_first() const {
    return cluster.rank() == 0 && team().thread() == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { cluster.barrier(); }
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(std::int64_t all, const Body& body) const {
    const std::int64_t first = rows.first(cluster.rank()), end = first + rows.share;
    const std::int64_t stop = end < all ? end : all;
    for (std::int64_t i = first + team().thread(); i < stop; i += Team::threads) body(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION RowsOfCluster<Cluster, S> of_all(const RowsOfTeam<S>& vector) const {
    return {cluster, rows, vector.data};
  }
  template <int Values>
  KOKKOS_FORCEINLINE_FUNCTION void add(CgShared<S>& shared, Wide<S> (&sums)[Values],
                                       int values) const {
    team_sums::add_over_team(team(), shared.sums, sums, values);
    Wide<S>* const own = partials + set * Values;
    set = 1 - set;
    if (team().thread() == 0) {
      for (int i = 0; i < values; ++i) own[i] = sums[i];
    }
    cluster.barrier();
    if (team().thread() != 0) return;
    for (int i = 0; i < values; ++i) {
      Wide<S> sum = *cluster.remote(own + i, 0);
      for (int other = 1; other < cluster.teams(); ++other) sum += *cluster.remote(own + i, other);
      sums[i] = sum;
    }
  }
};

/// `saved` holds x, r and p from one launch to the next.
template <Scalar S, class Matrix, Preconditioned How>
struct CgOneCluster {
  using Scratch = backends::DynamicScratch;
  using Shared = CgShared<S>;

  CgProblem<S, Matrix> problem;
  CgVectors<S*> saved;
  ClusterRows rows;

  template <class Cluster>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Cluster& cluster, Scratch& scratch) const {
    using Group = CgCluster<Cluster, S>;
    using Vector = RowsOfTeam<S>;
    Shared& shared = *scratch.template take<Shared>(1);
    const Group group{cluster, rows, scratch.template take<Wide<S>>(2 * Shared::most_sums)};
    const std::int64_t first = rows.first(cluster.rank());
    const Vector x{scratch.template take<S>(rows.share), first};
    const Vector r{scratch.template take<S>(rows.share), first};
    const Vector p{scratch.template take<S>(rows.share), first};
    const Vector q{scratch.template take<S>(rows.share), first};
    const CgVectors<Vector> own{x, r, p, q};
    if (!problem.begins) copy_iteration(group, problem.rows, saved, own);
    CgSteps<S, Matrix, How, Group, Vector>{problem, group, shared, own}.run();
    copy_iteration(group, problem.rows, own, saved);
    cluster.barrier();  // others may still read what lies in this team's scratch
  }
};

/// Expected seconds of an iteration.
struct CgSeconds {
  double launches, one_team, one_cluster;
};

/// The model: a thread of a CPU adds up about one nonzero in a nanosecond. For a GPU it is fitted
/// to Laplacians of 256 to 490,000 rows on an H200 (docs/design/krylov.md): a team reads at 1.5
/// times its share of the memory bandwidth, a cluster at four times that.
template <Scalar S>
CgSeconds cg_seconds(const Device& device, std::int64_t rows, std::int64_t nonzeros) {
  const auto n = static_cast<double>(rows), entries = static_cast<double>(nonzeros);
  const double launch = estimated_launch_seconds(device);
  const double shares = std::max(1, device.multiprocessors);
  if (device.has_lanes()) {
    const double bytes = entries * (sizeof(S) + sizeof(int)) + 12 * n * sizeof(S);
    const double rate = estimated_bytes_per_second(device);
    return {1.9 * launch + bytes / rate, 3.3e-6 + bytes / (1.5 * rate / shares),
            5.6e-6 + bytes / (6 * rate / shares)};
  }
  const double alone = (1.0 * entries + 2.0 * n) * 1e-9;
  return {launch + alone / shares, alone, std::numeric_limits<double>::infinity()};
}

/// The scheme that solves a system of one right-hand side in one launch: the pinned one, or the
/// fastest expected. None if the system does not fit, or launches are expected to be faster.
template <ExecutionSpace Exec, Scalar S>
std::optional<Scheme> cg_in_one_launch(const Device& device, const std::optional<Scheme>& pinned,
                                       std::int64_t rows, std::int64_t nonzeros) {
  const bool team =
      !backends::has_lanes<Exec> || one_team_scratch_bytes<S>(rows) <= device.scratch_bytes;
  const bool cluster = fits_cluster<S>(device, rows);
  if (pinned) {
    const bool runs =
        (team && *pinned == cg_one_team()) || (cluster && *pinned == cg_one_cluster());
    return runs ? pinned : std::nullopt;
  }
  const CgSeconds seconds = cg_seconds<S>(device, rows, nonzeros);
  const bool team_is_faster = !cluster || seconds.one_team <= seconds.one_cluster;
  if (team && team_is_faster && seconds.one_team < seconds.launches) return cg_one_team();
  if (cluster && seconds.one_cluster < seconds.launches) return cg_one_cluster();
  return std::nullopt;
}

// The launches of cg/one-team and cg/one-cluster.

template <ExecutionSpace Exec>
using CgShape =
    backends::Shape<backends::max_subwarp_width<Exec>, vectors::tuning_of<Exec>.threads>;

template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_one_team(const Exec& exec, const CgProblem<S, Matrix>& problem,
                     const CgVectors<S*>& vectors) {
  constexpr bool lanes = backends::has_lanes<Exec>;
  const CgOneTeam<S, Matrix, how, lanes> kernel{problem, vectors};
  if constexpr (lanes) {
    backends::launch<CgShape<Exec>>(exec, "heddle::cg::one_team", 1, kernel,
                                    one_team_scratch_bytes<S>(problem.rows));
  } else {
    backends::launch<CgShape<Exec>>(exec, "heddle::cg::one_team", 1, kernel);
  }
}

template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_one_cluster(const Exec& exec, const Device& device, const CgProblem<S, Matrix>& problem,
                        const CgVectors<S*>& vectors) {
  const int teams = cluster_teams(device);
  const ClusterRows rows(problem.rows, teams);
  backends::launch_cluster<CgShape<Exec>>(exec, "heddle::cg::one_cluster", teams, 1,
                                          CgOneCluster<S, Matrix, how>{problem, vectors, rows},
                                          cluster_scratch_bytes<S>(rows));
}

template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_cg(const Exec& exec, const Scheme& scheme, const Device& device,
               const CgProblem<S, Matrix>& problem, const CgVectors<S*>& vectors) {
  if constexpr (backends::has_clusters<Exec>) {
    if (scheme == cg_one_cluster()) return launch_one_cluster<how>(exec, device, problem, vectors);
  }
  launch_one_team<how>(exec, problem, vectors);
}

}  // namespace heddle::detail::krylov
