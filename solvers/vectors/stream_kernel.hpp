// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/unroll.hpp"
#include "launch.hpp"
#include "operands.hpp"

namespace heddle::detail {

template <Scalar V>
inline constexpr bool is_defined<vectors::StreamKernels<V>> = true;

}  // namespace heddle::detail

namespace heddle::detail::vectors {

/// A pass (stream.hpp) as a launch.
template <class Pass, bool UnitStride, int MostVectors>
struct StreamKernel {
  using Acc = typename Pass::accumulator_type;
  static constexpr int sums = Pass::sums;
  static constexpr int values = sums == 0 ? 1 : sums * MostVectors;
  using Scratch =
      std::conditional_t<sums == 0, backends::NoScratch, team_sums::Scratch<Acc, values>>;

  Pass pass;
  std::int64_t rows;
  int first_vector;
  int vectors;
  int teams;
  team_sums::Partials<Acc> partials;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Exec = typename Team::execution_space;
    Acc total[values];
    for (int i = 0; i < values; ++i) total[i] = Acc(0);
    if constexpr (backends::has_lanes<Exec>) {
      stride_over_rows(team, total);
    } else {
      walk_over_rows(team, total);
    }
    if constexpr (sums > 0) add_up(team, scratch, total);
  }

 private:
  template <class Team>
  using Pack = backends::Pack<Team, Acc>;
  template <class Team>
  static constexpr Tuning tuning = tuning_of<typename Team::execution_space>;

  /// Known to the compiler where a launch takes one vector.
  KOKKOS_FORCEINLINE_FUNCTION int vector(int v) const {
    return MostVectors == 1 ? 0 : first_vector + v;
  }

  /// Of a GPU: neighbours take neighbouring rows, and teams take blocks in turn.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void stride_over_rows(const Team& team, Acc (&total)[values]) const {
    constexpr std::int64_t block = std::int64_t{Team::threads} * tuning<Team>.packs;
    HEDDLE_UNROLL(MostVectors)
    for (int v = 0; v < MostVectors; ++v) {
      if (v >= vectors || !pass.active(vector(v))) continue;
      Pack<Team> part[sums == 0 ? 1 : sums];
      for (auto& sum : part) sum = Pack<Team>::zero();
      for (std::int64_t at = team.index() * block; at < rows; at += block * teams) {
        step<Team>(at + team.thread(), vector(v), part);
      }
      for (int s = 0; s < sums; ++s) total[v * sums + s] = Pack<Team>::sum(part[s]);
    }
  }

  /// Of a CPU: a thread takes neighbouring rows, of several vectors block by block.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void walk_over_rows(const Team& team, Acc (&total)[values]) const {
    const ShareOfRows share(rows, team.index(), teams);
    const std::int64_t block = vectors == 1 ? share.stop - share.first : tuning<Team>.block_rows;
    for (std::int64_t at = share.first; at < share.stop; at += block) {
      const std::int64_t until = at + block < share.stop ? at + block : share.stop;
      for (int v = 0; v < vectors; ++v) {
        if (pass.active(vector(v))) walk<Team>(at, until, vector(v), total + v * sums);
      }
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t at, std::int64_t until, int v,
                                        Acc* total) const {
    constexpr int width = Pack<Team>::width, packs = tuning<Team>.packs;
    Pack<Team> part[packs][sums == 0 ? 1 : sums];
    for (auto& of_pack : part) {
      for (auto& sum : of_pack) sum = Pack<Team>::zero();
    }
    const auto operands = pass.operands(v);
    const auto formula = pass.template formula<Pack<Team>>(v);
    for (; at + packs * width <= until; at += packs * width) {
      for (int p = 0; p < packs; ++p) {
        const Entries<Pack<Team>, UnitStride, true> entries{at + p * width, v, width};
        auto values = operands.template load<Pack<Team>>(entries);
        operands.compute(formula, entries, values, part[p]);
      }
    }
    for (; at < until; at += width) {
      const Entries<Pack<Team>, UnitStride, false> entries{at, v, until - at};
      auto values = operands.template load<Pack<Team>>(entries);
      operands.compute(formula, entries, values, part[0]);
    }
    for (int s = 0; s < sums; ++s) {
      const Pack<Team> low = Pack<Team>::add(part[0][s], part[1][s]);
      const Pack<Team> high = Pack<Team>::add(part[2][s], part[3][s]);
      total[s] += Pack<Team>::sum(Pack<Team>::add(low, high));
    }
  }

  /// Of a lane: rows at, at + threads, ..., one for each pack, whose loads are under way together.
  template <class Team, int Sums>
  KOKKOS_FORCEINLINE_FUNCTION void step(std::int64_t at, int v, Pack<Team> (&part)[Sums]) const {
    constexpr int packs = tuning<Team>.packs;
    using Entry = Entries<Pack<Team>, UnitStride, false>;
    const auto operands = pass.operands(v);
    const auto formula = pass.template formula<Pack<Team>>(v);
    typename decltype(operands)::template Values<Pack<Team>> values[packs];
    HEDDLE_UNROLL(packs)
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = at + p * Team::threads;
      values[p] = operands.template load<Pack<Team>>(Entry{row, v, rows - row});
    }
    HEDDLE_UNROLL(packs)
    for (int p = 0; p < packs; ++p) {
      const std::int64_t row = at + p * Team::threads;
      operands.compute(formula, Entry{row, v, rows - row}, values[p], part);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Team& team, Scratch& scratch,
                                          Acc (&total)[values]) const {
    const int numbers = vectors * sums;
    team_sums::add_over_team(team, scratch, total, numbers);
    if (team.thread() == 0) {
      for (int i = 0; i < numbers; ++i) {
        partials.sums[team.index() * partials.values + i] = total[i];
      }
    }
    if (!team_sums::is_last(team, scratch, partials.through, teams)) return;
    team_sums::add_over_teams(team, scratch, partials, teams, 0, numbers, total);
    if (team.thread() == 0) {
      for (int v = 0; v < vectors; ++v) {
        pass.finish(vector(v), total + v * sums);
      }
    }
  }
};

template <ExecutionSpace Exec, class Pass>
void stream(const Exec& exec, const char* label, std::int64_t rows, int vectors, bool unit_stride,
            const Pass& pass,
            const VectorWorkspace<Exec, typename Pass::accumulator_type>* workspace) {
  if (rows == 0 && Pass::sums == 0) return;
  for (int first = 0; first < vectors; first += vectors_at_once) {
    const int count = std::min(vectors - first, vectors_at_once);
    team_sums::Partials<typename Pass::accumulator_type> partials;
    if constexpr (Pass::sums > 0) partials = workspace->partials(count * Pass::sums);
    const int teams = std::min(teams_for(exec, rows), partials.most_teams);
    const auto launch = [&]<int most>() {
      launch_by_stride(exec, label, teams, unit_stride, [&]<bool unit>() {
        return StreamKernel<Pass, unit, most>{pass, rows, first, count, teams, partials};
      });
    };
    if constexpr (backends::has_lanes<Exec>) {
      if (vectors == 1) {
        launch.template operator()<1>();
        continue;
      }
    }
    launch.template operator()<vectors_at_once>();
  }
}

}  // namespace heddle::detail::vectors
