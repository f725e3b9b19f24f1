// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../formats/inspect/definitions.hpp"
#include "../common/solve_error.hpp"
#include "system.hpp"

namespace heddle::bench {

/// One system on the device and on the host; b is A times a random vector.
template <Scalar S, Offset Off>
struct LinearSystem : SolveVectors<S> {
  /// A square matrix: columns ascend, each once, and the diagonal is whole.
  CsrMatrix<S, Index, Off, Space> A;
  HostStorage<S, Off> host;
  /// Coordinates of the nodes of an elastic body; else empty.
  Kokkos::View<double**, Space> coordinates;

  /// Loads a source and makes a system of it that `method` can solve; its facts go to `result`.
  void load_system(const Exec& exec, MatrixResult& result, const Source& source, Progress& progress,
                   std::uint64_t seed, Method method, double excess) {
    std::vector<double> nodes;
    int dimensions = 0;
    host = load_into(result, source, progress, [&] {
      const auto loaded = load<S, Off>(source, seed);
      const auto system = make_system(loaded, method, excess);
      if (system.own_values) {
        nodes = loaded.coordinates;
        dimensions = loaded.dimensions;
      }
      result.choice_reason = system.values;
      return system.matrix;
    });
    const auto rows = static_cast<std::size_t>(host.rows());
    result.apply_bytes = result.csr_bytes + 2 * rows * sizeof(S);
    device_ = host.template copy_to<Space>(exec);
    exec.fence("heddle::bench::copied");
    A = device_.matrix();
    result.rows = row_features(exec, A);
    make_right_hand_side(exec, seed);
    copy_coordinates(exec, nodes, dimensions);
  }

  /// solve_error() of the current x. Waits.
  double error(const Exec& exec, double tolerance) const {
    const test::HostColumns<S> of("heddle::bench::x", host_b_.extent(0), 1);
    this->copy_out(exec, of, this->x);
    return solve_error(host, host_b_, of, tolerance);
  }

 private:
  void make_right_hand_side(const Exec& exec, std::uint64_t seed) {
    const auto rows = static_cast<std::size_t>(host.rows());
    const auto of = test::random_columns<S>(rows, 1, seed + 2);
    host_b_ = test::HostColumns<S>("heddle::bench::b", rows, 1);
    for (std::size_t i = 0; i < rows; ++i) {
      for (Off k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        host_b_(i, 0) += host.values()(at) * of(static_cast<std::size_t>(host.col_idx()(at)), 0);
      }
    }
    this->make_vectors(exec, host_b_);
  }
  void copy_coordinates(const Exec& exec, const std::vector<double>& nodes, int dimensions) {
    if (dimensions == 0) return;
    const auto d = static_cast<std::size_t>(dimensions);
    coordinates = decltype(coordinates)("heddle::bench::coordinates", nodes.size() / d, d);
    const auto mirror = Kokkos::create_mirror_view(coordinates);
    for (std::size_t k = 0; k < nodes.size(); ++k) mirror(k / d, k % d) = nodes[k];
    Kokkos::deep_copy(exec, coordinates, mirror);
    exec.fence("heddle::bench::coordinates");
  }

  CsrStorage<S, Index, Off, Space> device_;
  test::HostColumns<S> host_b_;
};

}  // namespace heddle::bench
