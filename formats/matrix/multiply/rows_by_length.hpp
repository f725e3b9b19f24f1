// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>

#include "../../../backends/device.hpp"
#include "../../../backends/launch.hpp"
#include "../../inspect/radix_sort.hpp"
#include "operands.hpp"

namespace heddle::detail::matrix_product {

/// Rows of a product by their length: empty ones, those of a small, a middle and a large table in
/// scratch, and those that are longer.
enum RowGroup { empty, small, middle, large, longest };
inline constexpr int row_groups = 5;

/// How long a row of each group is at most.
struct GroupLimits {
  std::int64_t small = 32;
  std::int64_t middle = 256;
  std::int64_t large = 0;

  KOKKOS_FORCEINLINE_FUNCTION int group_of(std::int64_t length) const {
    return (length > 0) + (length > small) + (length > middle) + (length > large);
  }
};

/// Lanes of a row and threads of a team, by group; a row of B has a few entries, or many. On a CPU
/// one shape is as good as another.
template <ExecutionSpace Exec, int Group, bool Narrow>
struct ShapeOf {
  static constexpr int most = backends::max_subwarp_width<Exec>;
  using type = backends::Shape<most, most>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, small, true> {
  using type = backends::Shape<8, 128>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, small, false> {
  using type = backends::Shape<32, 128>;
};
template <ExecutionSpace Exec>
  requires backends::has_lanes<Exec>
struct ShapeOf<Exec, middle, true> {
  using type = backends::Shape<8, backends::max_subwarp_width<Exec>>;
};

/// Scratch that a team takes: as much as any device has, and on a CPU what stays in its caches.
template <ExecutionSpace Exec>
std::size_t scratch_budget(const Exec& exec) {
  const std::size_t most = std::size_t{backends::has_lanes<Exec> ? 48 : 256} << 10;
  return std::min(most, backends::max_scratch_bytes(exec)) - 256;
}

/// The limits for tables of so many bytes a column of a row.
template <ExecutionSpace Exec>
GroupLimits group_limits(const Exec& exec, std::size_t bytes_per_column) {
  using Middle = backends::Team<Exec, typename ShapeOf<Exec, middle, true>::type>;
  const auto below = [&](std::size_t columns) {
    return static_cast<std::int64_t>(std::bit_floor(columns));
  };
  GroupLimits limits;
  const std::size_t budget = scratch_budget(exec);
  limits.middle = std::min(limits.middle, below(budget / Middle::subwarps / bytes_per_column));
  limits.large = below(budget / bytes_per_column);
  return limits;
}

template <class Length>
struct PutGroup {
  std::int32_t* group;
  Length length;
  GroupLimits limits;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    group[row] = limits.group_of(length(row));
  }
};

template <Ordinal O, Offset Off>
struct LengthOfRow {
  PatternOperand<O, Off> A;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return A.length(row); }
};

/// Rows group after group, ascending in each. Keeps an ordinal a row; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
class RowsByLength {
 public:
  RowsByLength() = default;

  template <class Length>
  RowsByLength(const Exec& exec, std::int64_t rows, const Length& length, const GroupLimits& limits)
      : limits_(limits),
        memory_(exec, "heddle::multiply::rows", bytes_for(rows)),
        order_(memory_.template take<O>(static_cast<std::size_t>(rows)).data()) {
    const auto starts = memory_.template take<O>(row_groups + 1);
    RadixSort<Exec, std::int32_t, O> sort(exec, rows);
    parallel_for(exec, "heddle::multiply::groups", rows,
                 PutGroup<Length>{sort.room(), length, limits});
    sort.sort(exec, sort.room(), row_groups - 1, order_);
    write_starts(exec, "heddle::multiply::group_starts", starts.data(), row_groups, sort.sorted(),
                 rows);
    exec.fence("heddle::multiply::grouped");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), starts);
    for (std::size_t g = 0; g <= row_groups; ++g) starts_[g] = static_cast<std::int64_t>(host(g));
  }

  const O* rows(int group) const { return order_ + starts_[static_cast<std::size_t>(group)]; }
  std::int64_t count(int group) const {
    return starts_[static_cast<std::size_t>(group) + 1] - starts_[static_cast<std::size_t>(group)];
  }
  const GroupLimits& limits() const { return limits_; }
  std::size_t bytes() const { return memory_.bytes(); }
  static std::size_t bytes_for(std::int64_t rows) {
    return arena_bytes<O, O>(static_cast<std::size_t>(rows), row_groups + 1);
  }

 private:
  GroupLimits limits_;
  Arena<typename Exec::memory_space> memory_;
  O* order_ = nullptr;
  std::array<std::int64_t, row_groups + 1> starts_ = {};
};

/// Runs a kernel for the rows of one group, a subwarp each: `kernel` has rows, count and most, the
/// columns that its table takes, and says what scratch a team needs.
template <class Shape, ExecutionSpace Exec, class Kernel>
void launch_group(const Exec& exec, const char* label, const Kernel& kernel) {
  using Team = backends::Team<Exec, Shape>;
  backends::launch<Shape>(exec, label, ceil_div(kernel.count, Team::subwarps), kernel,
                          Kernel::scratch_bytes(Team::subwarps, kernel.most));
}

template <int Group, ExecutionSpace Exec, Ordinal O, class Kernel>
void launch_group(const Exec& exec, const char* label, const RowsByLength<Exec, O>& rows,
                  std::int64_t most, bool narrow, Kernel kernel) {
  kernel.rows = rows.rows(Group);
  kernel.count = rows.count(Group);
  kernel.most = static_cast<int>(most);
  if (narrow) {
    launch_group<typename ShapeOf<Exec, Group, true>::type>(exec, label, kernel);
  } else {
    launch_group<typename ShapeOf<Exec, Group, false>::type>(exec, label, kernel);
  }
}

/// The same for all groups whose tables fit into scratch.
template <ExecutionSpace Exec, Ordinal O, class Kernel>
void launch_groups(const Exec& exec, const char* label, const RowsByLength<Exec, O>& rows,
                   bool narrow, const Kernel& kernel) {
  launch_group<small>(exec, label, rows, rows.limits().small, narrow, kernel);
  launch_group<middle>(exec, label, rows, rows.limits().middle, narrow, kernel);
  launch_group<large>(exec, label, rows, rows.limits().large, false, kernel);
}

}  // namespace heddle::detail::matrix_product
