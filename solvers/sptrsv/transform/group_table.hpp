// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/arena.hpp"
#include "../../triangle/ordered_triangle.hpp"
#include "blocked_view.hpp"

namespace heddle::detail::sptrsv {

struct WriteGroups {
  const std::int64_t* begin;
  Group* groups;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    groups[g] = {begin[g], 0, 0, static_cast<std::int32_t>(begin[g + 1] - begin[g]), false, false};
  }
};

/// Groups on the device.
template <ExecutionSpace Exec>
class GroupTable {
 public:
  using Space = typename Exec::memory_space;

  GroupTable() = default;

  /// Group g has the places from begin[g] to begin[g + 1], on the device. One allocation and one
  /// launch; no wait. What depends on entries is not filled in yet.
  GroupTable(const Exec& exec, const std::int64_t* begin, std::int64_t count)
      : count_(count),
        memory_(exec, "heddle::sptrsv::groups",
                arena_bytes<Group>(static_cast<std::size_t>(count_))),
        groups_(memory_.template take<Group>(static_cast<std::size_t>(count_))) {
    Kokkos::parallel_for("heddle::sptrsv::write_groups", range_policy(exec, count),
                         WriteGroups{begin, groups_.data()});
  }

  std::int64_t count() const { return count_; }
  Group* groups() const { return groups_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t count_ = 0;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Group> groups_;
};

template <Ordinal O>
struct WriteGroupOfPlaces {
  const Group* groups;
  O* group_of;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    for (std::int64_t p = groups[g].first; p < groups[g].first + groups[g].rows; ++p) {
      group_of[p] = static_cast<O>(g);
    }
  }
};

/// The group of each place, while a thread a place looks at entries. One allocation and one launch;
/// no wait.
template <ExecutionSpace Exec, Ordinal O>
class GroupOfPlaces {
 public:
  GroupOfPlaces(const Exec& exec, const GroupTable<Exec>& groups, std::int64_t places)
      : memory_(exec, "heddle::sptrsv::group_of", arena_bytes<O>(static_cast<std::size_t>(places))),
        group_of_(memory_.template take<O>(static_cast<std::size_t>(places)).data()) {
    Kokkos::parallel_for("heddle::sptrsv::group_of", range_policy(exec, groups.count()),
                         WriteGroupOfPlaces<O>{groups.groups(), group_of_});
  }

  const O* data() const { return group_of_; }

 private:
  Arena<typename Exec::memory_space> memory_;
  O* group_of_;
};

/// The row of the matrix at each place, kept when the rest of a pattern goes.
template <ExecutionSpace Exec, Ordinal O>
class RowOfPlace {
 public:
  using Space = typename Exec::memory_space;
  using Rows = typename Arena<Space>::template Array<O>;

  RowOfPlace() = default;
  RowOfPlace(const Exec& exec, std::int64_t places)
      : memory_(exec, "heddle::sptrsv::row", arena_bytes<O>(static_cast<std::size_t>(places))),
        rows_(memory_.template take<O>(static_cast<std::size_t>(places))) {}

  void copy(const Exec& exec, const Rows& from) {
    Kokkos::deep_copy(kokkos_space(exec), rows_, from);
  }
  Rows rows() const { return rows_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  Arena<Space> memory_;
  Rows rows_;
};

}  // namespace heddle::detail::sptrsv
