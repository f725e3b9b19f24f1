// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "../../backends/cluster.hpp"
#include "cg_in_one_launch.hpp"

/// Conjugate gradients by one cluster of teams: cg/one-cluster.
namespace heddle::detail::krylov {

/// Which team of a cluster has a row: runs of `share` rows, one a team. Dividing by `share` is a
/// product and a shift, of so many rows as are_exact says.
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

/// Teams of the cluster: as many as every device with clusters grants; 0 without.
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

/// A vector of which every team has its own rows in scratch: this team's.
template <Scalar S>
struct RowsOfTeam {
  S* data;
  std::int64_t first;
  KOKKOS_FORCEINLINE_FUNCTION S& operator[](std::int64_t row) const { return data[row - first]; }
};

/// And any team's.
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

/// Sums are of the rows of a thread in order, of its team, and of the teams in order: each team
/// leaves its own in one of two sets, used in turns, since a team may be at the next sum while
/// another still reads this one.
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

/// What one launch leaves to the next lies in `saved`, and x in the user's vector after each.
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

}  // namespace heddle::detail::krylov
