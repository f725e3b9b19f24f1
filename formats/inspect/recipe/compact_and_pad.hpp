// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../core/matrix.hpp"
#include "fill_values.hpp"

namespace heddle::recipe {

/// Shape of a panel of rows: number of slots, which is the number of entries of the longest row,
/// and range of columns. A panel without entries has width 0 and range [0, 0].
template <Ordinal O>
struct PanelShape {
  std::int64_t width;
  O lowest;
  O highest;
};

/// Computes the shapes of panels, a subwarp a panel: its lanes read the rows in turn.
template <Ordinal O, Offset Off>
struct PanelShapesKernel {
  using Scratch = backends::NoScratch;

  const Off* row_ptr;
  const O* col_idx;
  const O* row_at;
  std::int64_t rows;
  int panel_rows;
  std::int64_t panels;
  bool sorted;
  PanelShape<O>* shapes;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t panel = team.index() * Team::subwarps + team.subwarp_index();
    if (panel >= panels) return;
    const std::int64_t first = panel * panel_rows;
    const std::int64_t stop = first + panel_rows < rows ? first + panel_rows : rows;
    std::int64_t width = 0, highest = -1, below_lowest = 0;  // 2^63 - 1 - lowest, for a maximum
    constexpr std::int64_t most = Kokkos::Experimental::finite_max_v<std::int64_t>;
    const auto look_at = [&](Off k) {
      const std::int64_t column = col_idx[k];
      highest = column > highest ? column : highest;
      below_lowest = most - column > below_lowest ? most - column : below_lowest;
    };
    for (std::int64_t at = first; at < stop; at += Team::subwarp_width) {
      const std::int64_t place = at + subwarp.lane();
      const bool exists = place < stop;
      const std::int64_t row = exists && row_at ? static_cast<std::int64_t>(row_at[place])
                               : exists         ? place
                                                : first;
      const Off begin = exists ? row_ptr[row] : Off(0), end = exists ? row_ptr[row + 1] : Off(0);
      const auto length = static_cast<std::int64_t>(end - begin);
      width = length > width ? length : width;
      const bool shared = !sorted && length > shared_work;
      if (sorted && length > 0) {
        look_at(begin);
        look_at(end - 1);
      } else if (!shared) {
        for (Off k = begin; k < end; ++k) look_at(k);
      }
      for (std::uint64_t left = subwarp.ballot(shared); left != 0; left &= left - 1) {
        const int lane = countr_zero(left);
        const Off from = subwarp.broadcast(begin, lane), to = subwarp.broadcast(end, lane);
        for (Off k = from + static_cast<Off>(subwarp.lane()); k < to;
             k += static_cast<Off>(Team::subwarp_width)) {
          look_at(k);
        }
      }
    }
    width = subwarp.max(width);
    highest = subwarp.max(highest);
    below_lowest = subwarp.max(below_lowest);
    if (subwarp.lane() > 0) return;
    shapes[panel] = width > 0 ? PanelShape<O>{width, static_cast<O>(most - below_lowest),
                                              static_cast<O>(highest)}
                              : PanelShape<O>{0, O(0), O(0)};
  }
};

/// An end of a recipe, the counting half: the shape of each of the ceil(rows / panel_rows) panels
/// of rows. A panel has the rows at consecutive places of `row_at`, or consecutive rows if that is
/// null. One pass over the nonzeros, or with `sorted`, which promises that the columns of each row
/// ascend, over the first and last of each row; one launch in the order of `exec`, no wait. For ELL
/// (one panel) and blocked ELL.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void panel_shapes(const Exec& exec, const Off* row_ptr, const O* col_idx, std::int64_t rows,
                  int panel_rows, const O* row_at, PanelShape<O>* shapes, bool sorted = false) {
  constexpr int width = 32, threads = 128;
  const int subwarps = backends::has_lanes<Exec> ? threads / width : 1;
  const std::int64_t panels = ceil_div(rows, panel_rows);
  backends::launch<backends::Shape<width, threads>>(
      exec, "heddle::recipe::panel_shapes", ceil_div<std::int64_t>(panels, subwarps),
      PanelShapesKernel<O, Off>{row_ptr, col_idx, row_at, rows, panel_rows, panels, sorted,
                                shapes});
}

/// Calls slots.put(place, j, k) for each slot j of each row place: k is the j-th entry of the row,
/// or -1 if the row has none.
template <Ordinal O, Offset Off, class Slots>
struct FillSlotsOfPlace {
  const Off* row_ptr;
  const O* row_at;
  std::int64_t rows;
  Slots slots;

  KOKKOS_FUNCTION std::int64_t work(std::int64_t place) const { return slots.width(place); }

  KOKKOS_FUNCTION void alone(std::int64_t place) const { fill(place, 0, 1); }

  template <class Subwarp>
  KOKKOS_FUNCTION void together(const Subwarp& subwarp, std::int64_t place) const {
    fill(place, subwarp.lane(), Subwarp::width);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void fill(std::int64_t place, int lane, int lanes) const {
    const bool exists = place < rows;
    const std::int64_t row = exists && row_at ? static_cast<std::int64_t>(row_at[place]) : place;
    const auto begin = exists ? static_cast<std::int64_t>(row_ptr[row]) : 0;
    const auto end = exists ? static_cast<std::int64_t>(row_ptr[row + 1]) : 0;
    const std::int64_t width = slots.width(place);
    for (std::int64_t j = lane; j < width; j += lanes) {
      slots.put(place, j, j < end - begin ? begin + j : std::int64_t{-1});
    }
  }
};

/// The filling half: an item for each of `places` row places, also beyond the last row; neighbours
/// write neighbours. Every slot is written once, so nothing needs to be cleared; update_values
/// calls it again. One launch in the order of `exec`; no wait, no allocation.
template <ExecutionSpace Exec, Ordinal O, Offset Off, class Slots>
void fill_slots(const Exec& exec, const char* label, const Off* row_ptr, std::int64_t rows,
                const O* row_at, std::int64_t places, const Slots& slots) {
  each_item(exec, label, places, FillSlotsOfPlace<O, Off, Slots>{row_ptr, row_at, rows, slots});
}

}  // namespace heddle::recipe
