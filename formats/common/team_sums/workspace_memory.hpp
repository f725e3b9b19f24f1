// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/lanes.hpp"
#include "../../../backends/loops.hpp"
#include "workspace.hpp"

namespace heddle {

template <ExecutionSpace Exec, Scalar Acc>
VectorWorkspace<Exec, Acc>::VectorWorkspace(const Exec& exec, int most_numbers,
                                            std::int64_t rows_of_product) {
  namespace team_sums = detail::team_sums;
  // Many numbers of many teams would take the last one long to add up: fewer teams then.
  constexpr std::int64_t ample = std::int64_t{1} << 20;
  constexpr std::int64_t least_numbers = 24;  // the norms of eight vectors are three sums each
  constexpr int threads = backends::has_lanes<Exec> ? team_sums::team_threads : 1;
  most_numbers_ = std::max<std::int64_t>(most_numbers, least_numbers);
  const std::int64_t teams =
      std::clamp<std::int64_t>(ample / most_numbers_, 1, std::max(1, exec.concurrency() / threads));
  room_ = most_numbers_ * teams;
  // Of the rows of a product the widest subwarp takes one.
  constexpr int rows_per_team = team_sums::team_threads / backends::max_subwarp_width<Exec>;
  const std::int64_t of_rows =
      backends::has_lanes<Exec> ? ceil_div<std::int64_t>(rows_of_product, rows_per_team) : 0;
  most_teams_of_product_ = std::max(teams, of_rows);
  const std::int64_t groups = team_sums::groups_of(most_teams_of_product_);
  const auto sums = static_cast<std::size_t>(std::max(room_, most_teams_of_product_ + groups));
  const auto counters = static_cast<std::size_t>(groups + 1);
  arena_ = Arena<typename Exec::memory_space>(exec, "heddle::vectors::workspace",
                                              arena_bytes<int, Acc>(counters, sums));
  through_ = arena_.template take<int>(counters).data();
  sums_ = arena_.template take<Acc>(sums).data();
  detail::fill(exec, "heddle::vectors::clear_workspace", through_, groups + 1, 0);
}

}  // namespace heddle
