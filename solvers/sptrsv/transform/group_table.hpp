// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/arena.hpp"
#include "../../triangle/ordered_pattern.hpp"
#include "blocked_view.hpp"

namespace heddle::detail::sptrsv {

/// Groups on the device.
template <ExecutionSpace Exec>
class GroupTable {
 public:
  using Space = typename Exec::memory_space;

  GroupTable() = default;

  /// One allocation and one copy; waits. What depends on entries is not filled in yet.
  GroupTable(const Exec& exec, const order::RowGroups& groups)
      : count_(groups.groups()),
        memory_(exec, "heddle::sptrsv::groups",
                arena_bytes<Group>(static_cast<std::size_t>(count_))),
        groups_(memory_.template take<Group>(static_cast<std::size_t>(count_))) {
    std::vector<Group> host(static_cast<std::size_t>(count_));
    for (std::size_t g = 0; g < host.size(); ++g) {
      const std::int64_t first = groups.begin[g];
      const int rows = static_cast<int>(groups.begin[g + 1] - first);
      host[g] = {first, 0, 0, rows, false, false};
    }
    using Host = Kokkos::View<const Group*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(kokkos_space(exec), groups_, Host(host.data(), host.size()));
    exec.fence("heddle::sptrsv::groups_on_device");  // before the host's are freed
  }

  std::int64_t count() const { return count_; }
  Group* groups() const { return groups_.data(); }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t count_ = 0;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<Group> groups_;
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
