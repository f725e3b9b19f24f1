// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/types.hpp"

namespace heddle {

namespace detail::multigrid {

template <class Coordinates>
struct SumOfCoordinate {
  Coordinates of;
  int dimension;
  KOKKOS_FUNCTION void operator()(std::int64_t node, double& sum) const {
    sum += static_cast<double>(of(node, dimension));
  }
};

/// Writes translations, then rotations about the mean of the coordinates.
template <class Coordinates, class Motions>
struct PutRigidBodies {
  Coordinates coordinates;
  Motions motions;
  double middle[3];
  int dimensions;

  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    using S = typename Motions::non_const_value_type;
    const auto number = [](double of) { return S(static_cast<heddle::RealOf<S>>(of)); };
    const std::int64_t row = node * dimensions;
    for (int d = 0; d < dimensions; ++d) {
      for (int v = 0; v < static_cast<int>(motions.extent(1)); ++v) {
        motions(row + d, v) = number(v == d ? 1 : 0);
      }
    }
    double at[3];
    for (int d = 0; d < dimensions; ++d) {
      at[d] = static_cast<double>(coordinates(node, d)) - middle[d];
    }
    int v = dimensions;
    for (int d = 0; d < dimensions; ++d) {
      for (int e = d + 1; e < dimensions; ++e, ++v) {
        motions(row + d, v) = number(-at[e]);
        motions(row + e, v) = number(at[d]);
      }
    }
  }
};

}  // namespace detail::multigrid

/// The rigid body motions of nodes at coordinates(node, d), in 2 or 3 dimensions: near-nullspace
/// vectors of an elastic body whose row node * dimensions + d is the displacement in direction d.
/// There are three vectors in the plane, six in space. The result is a View of rank 2 with the rows
/// of the matrix.
///
/// Allocates, and waits for `exec`. Throws Error for other dimensions.
template <Scalar S = double, ExecutionSpace Exec, class Coordinates>
  requires(Kokkos::is_view_v<Coordinates> && Coordinates::rank() == 2)
auto rigid_body_motions(const Exec& exec, const Coordinates& coordinates) {
  const auto nodes = static_cast<std::int64_t>(coordinates.extent(0));
  const auto dimensions = static_cast<int>(coordinates.extent(1));
  if (dimensions != 2 && dimensions != 3) {
    throw Error("the coordinates have " + std::to_string(dimensions) + " dimensions",
                "give two or three");
  }
  const int count = dimensions == 2 ? 3 : 6;
  using Motions = Kokkos::View<S**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  const Motions motions(Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing,
                                           "heddle::multigrid::rigid_bodies"),
                        static_cast<std::size_t>(nodes * dimensions),
                        static_cast<std::size_t>(count));
  detail::multigrid::PutRigidBodies<Coordinates, Motions> put{coordinates, motions, {}, dimensions};
  for (int d = 0; d < dimensions && nodes > 0; ++d) {
    double sum = 0;
    Kokkos::parallel_reduce("heddle::multigrid::middle", range_policy(exec, nodes),
                            detail::multigrid::SumOfCoordinate<Coordinates>{coordinates, d}, sum);
    put.middle[d] = sum / static_cast<double>(nodes);
  }
  Kokkos::parallel_for("heddle::multigrid::rigid_bodies", range_policy(exec, nodes), put);
  exec.fence("heddle::multigrid::rigid_bodies");
  return motions;
}

}  // namespace heddle
