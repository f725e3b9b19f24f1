// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "options.hpp"

namespace heddle::detail::ilu {

/// Which entries of a matrix factors are made of, as kernels see it.
struct Parts {
  const int* of_row;  ///< the subdomain of each row; null: runs of rows
  std::int64_t rows;
  std::int64_t runs;
  bool lower;  ///< of the lower triangle alone

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t of(std::int64_t row) const {
    return of_row ? of_row[row] : row * runs / rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool keep(std::int64_t i, std::int64_t j) const {
    if (lower && j > i) return false;
    return (!of_row && runs == 1) || of(i) == of(j);
  }
};

/// The subdomains that options name, of rows or of block rows.
template <ExecutionSpace Exec>
class Subdomains {
 public:
  Subdomains(const Exec& exec, std::int64_t rows, const IluOptions& options, bool lower)
      : parts_{nullptr, ceil_div(rows, std::int64_t{options.block_size}), options.subdomains,
               lower} {
    const auto& given = options.partition;
    if (given.empty()) return;
    std::vector<int> of_block;
    for (std::size_t row = 0; row < given.size();
         row += static_cast<std::size_t>(options.block_size)) {
      of_block.push_back(given[row]);
    }
    memory_ = Arena<Space>(exec, "heddle::ilu::partition", arena_bytes<int>(of_block.size()));
    const auto to = memory_.template take<int>(of_block.size());
    using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(kokkos_space(exec), to, Host(of_block.data(), of_block.size()));
    exec.fence("heddle::ilu::partition");
    parts_.of_row = to.data();
  }

  const Parts& parts() const { return parts_; }

 private:
  using Space = typename Exec::memory_space;
  Parts parts_;
  Arena<Space> memory_;
};

}  // namespace heddle::detail::ilu
