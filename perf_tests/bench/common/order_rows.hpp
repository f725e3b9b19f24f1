// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <numeric>
#include <vector>

#include "../../../matrices/reorder.hpp"
#include "../../../matrices/select.hpp"
#include "../../../testing/random.hpp"

namespace heddle::bench {

/// The matrix with its rows and columns permuted to the named order, computed on the device.
template <class Storage>
Storage in_order(const Storage& A, const std::string& name, std::uint64_t seed) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Order = Kokkos::View<std::int32_t*, Exec::memory_space>;
  const Exec exec;
  const auto there = A.template copy_to<Exec::memory_space>(exec);
  if (there.rows() != there.columns()) {
    throw Error("the matrix to reorder is " + std::to_string(there.rows()) + " x " +
                    std::to_string(there.columns()),
                "leave its order as it is");
  }
  Order order;
  if (name == "rcm") {
    order = reverse_cuthill_mckee(exec, there.matrix());
  } else if (name == "degree") {
    order = order_by_degree(exec, there.matrix());
  } else {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(there.rows()));
    std::iota(numbers.begin(), numbers.end(), 0);
    test::Random random(seed + 2);
    for (std::size_t i = numbers.size(); i > 1; --i) {
      std::swap(numbers[i - 1],
                numbers[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    order = Order("heddle::bench::order", numbers.size());
    Kokkos::deep_copy(
        order, Kokkos::View<std::int32_t*, Kokkos::HostSpace>(numbers.data(), numbers.size()));
  }
  const auto ordered = permute(exec, there.matrix(), order);
  const auto host = ordered.storage().template copy_to<Kokkos::HostSpace>(exec);
  exec.fence("heddle::bench::ordered");
  return host;
}

}  // namespace heddle::bench
