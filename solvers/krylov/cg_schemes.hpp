// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <optional>

#include "../../formats/common/prediction.hpp"
#include "cg_all_teams.hpp"
#include "cg_names.hpp"
#include "cg_one_cluster.hpp"
#include "cg_one_team.hpp"

namespace heddle::detail::krylov {

/// Teams of cg/all-teams for so many rows: a row a thread, and few enough for a quick barrier. Of a
/// GPU two a multiprocessor, which is a guess.
template <ExecutionSpace Exec>
std::int64_t all_teams_for(const Device& device, std::int64_t rows) {
  constexpr bool lanes = backends::has_lanes<Exec>;
  const std::int64_t rows_of_team = lanes ? team_sums::team_threads : 64;
  const std::int64_t most = std::int64_t{lanes ? 2 : 1} * std::max(1, device.multiprocessors);
  return std::clamp<std::int64_t>(ceil_div(rows, rows_of_team), 1, most);
}

/// Seconds of an iteration, as they are expected.
struct CgSeconds {
  double launches, one_team, one_cluster;
};

/// Of a CPU a thread adds up about a nonzero a nanosecond. Of a GPU fitted to Laplacians of 256 to
/// 490,000 rows on an H200 (docs/krylov.md): a team reads at 1.5 times its share of the memory's
/// bandwidth, a cluster at four times that.
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

template <ExecutionSpace Exec, Scalar S>
std::optional<Scheme> cg_in_one_launch(const Device& device, const std::optional<Scheme>& pinned,
                                       std::int64_t rows, std::int64_t nonzeros) {
  const bool team =
      !backends::has_lanes<Exec> || one_team_scratch_bytes<S>(rows) <= device.scratch_bytes;
  const bool cluster = fits_cluster<S>(device, rows);
  if (pinned) {
    const bool runs = (team && *pinned == cg_one_team()) ||
                      (cluster && *pinned == cg_one_cluster()) ||
                      (backends::has_cooperative<Exec> && *pinned == cg_all_teams());
    return runs ? pinned : std::nullopt;
  }
  const CgSeconds seconds = cg_seconds<S>(device, rows, nonzeros);
  const bool team_is_faster = !cluster || seconds.one_team <= seconds.one_cluster;
  if (team && team_is_faster && seconds.one_team < seconds.launches) return cg_one_team();
  if (cluster && seconds.one_cluster < seconds.launches) return cg_one_cluster();
  return std::nullopt;
}

}  // namespace heddle::detail::krylov
