// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../vectors/launch.hpp"
#include "cg_schemes.hpp"

/// The launches of cg/one-team, cg/one-cluster and cg/all-teams.
namespace heddle::detail::krylov {

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
void launch_all_teams(const Exec& exec, const Device& device, const CgProblem<S, Matrix>& problem,
                      const CgVectors<S*>& vectors, const VectorWorkspace<Exec, Wide<S>>& workspace,
                      const backends::MeetingWords& meeting) {
  using Kernel = CgAllTeams<S, Matrix, how>;
  const auto partials = workspace.partials(2 * CgShared<S>::most_sums);
  const std::int64_t wanted = all_teams_for<Exec>(device, problem.rows);
  const std::int64_t most = std::min<std::int64_t>(
      partials.most_teams, backends::most_cooperative_teams<CgShape<Exec>, Kernel>(exec));
  backends::launch_cooperative<CgShape<Exec>>(exec, "heddle::cg::all_teams",
                                              static_cast<int>(std::min(wanted, most)),
                                              Kernel{problem, vectors, partials.sums}, meeting);
}

template <Preconditioned how, ExecutionSpace Exec, Scalar S, class Matrix>
void launch_cg(const Exec& exec, const Scheme& scheme, const Device& device,
               const CgProblem<S, Matrix>& problem, const CgVectors<S*>& vectors,
               const VectorWorkspace<Exec, Wide<S>>& workspace,
               const backends::MeetingWords& meeting) {
  if constexpr (backends::has_cooperative<Exec>) {
    if (scheme == cg_all_teams()) {
      return launch_all_teams<how>(exec, device, problem, vectors, workspace, meeting);
    }
  }
  if constexpr (backends::has_clusters<Exec>) {
    if (scheme == cg_one_cluster()) return launch_one_cluster<how>(exec, device, problem, vectors);
  }
  launch_one_team<how>(exec, problem, vectors);
}

}  // namespace heddle::detail::krylov
