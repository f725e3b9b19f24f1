// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../formats/common/prediction.hpp"
#include "cg_all_teams.hpp"
#include "cg_one_cluster.hpp"
#include "cg_one_team.hpp"

namespace heddle::detail::krylov {

// Parsed once, not at every solve.
inline const Scheme& cg_launches() {
  static const Scheme scheme("cg/launches");
  return scheme;
}
inline const Scheme& cg_one_team() {
  static const Scheme scheme("cg/one-team");
  return scheme;
}
inline const Scheme& cg_one_cluster() {
  static const Scheme scheme("cg/one-cluster");
  return scheme;
}
inline const Scheme& cg_all_teams() {
  static const Scheme scheme("cg/all-teams");
  return scheme;
}

/// Throws Error for any other scheme.
inline void check_cg_scheme(const std::optional<Scheme>& scheme) {
  if (!scheme || *scheme == cg_launches() || *scheme == cg_one_team() ||
      *scheme == cg_one_cluster() || *scheme == cg_all_teams()) {
    return;
  }
  throw Error("options.scheme is " + scheme->to_string(),
              "conjugate gradients have " + cg_launches().to_string() + ", " +
                  cg_one_team().to_string() + ", " + cg_one_cluster().to_string() + " and " +
                  cg_all_teams().to_string());
}

/// An operator whose rows a kernel may compute itself: csr() gives a CsrMatrix, or nothing.
template <class A>
concept HasRows = requires(const A& a) {
  { a.csr().has_value() } -> std::convertible_to<bool>;
};

/// Teams of cg/all-teams for so many rows: a row a thread, and few enough for a quick barrier. Of a
/// GPU two a multiprocessor, which is a guess.
template <ExecutionSpace Exec>
std::int64_t all_teams_for(const Device& device, std::int64_t rows) {
  constexpr bool lanes = backends::has_lanes<Exec>;
  const std::int64_t rows_of_team = lanes ? team_sums::team_threads : 64;
  const std::int64_t most = std::int64_t{lanes ? 2 : 1} * std::max(1, device.multiprocessors);
  return std::clamp<std::int64_t>(ceil_div(rows, rows_of_team), 1, most);
}

/// Whether an iteration of one team is expected to take less time than four launches that share the
/// work out. Of a CPU a thread adds up about a nonzero a nanosecond; of a GPU the figure is a
/// guess: a team reads what lies in the caches four times as fast as its share of the memory's
/// bandwidth.
template <Scalar S>
bool one_team_is_faster(const Device& device, std::int64_t rows, std::int64_t nonzeros) {
  const auto n = static_cast<double>(rows), entries = static_cast<double>(nonzeros);
  const double bytes = entries * (sizeof(S) + sizeof(int)) + 12 * n * sizeof(S);
  const double shares = std::max(1, device.multiprocessors);
  const double launches = 4 * estimated_launch_seconds(device);
  if (device.has_lanes()) {
    const double rate = estimated_bytes_per_second(device);
    return bytes / (4 * rate / shares) < launches + bytes / rate;
  }
  const double alone = (1.0 * entries + 2.0 * n) * 1e-9;
  return alone < launches / 4 + alone / shares;
}

}  // namespace heddle::detail::krylov
