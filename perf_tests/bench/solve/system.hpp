// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/symmetry.hpp"
#include "../common/whole_diagonal.hpp"
#include "request.hpp"

namespace heddle::bench {

/// A matrix to solve with, and what its values are.
template <Scalar S, Offset Off>
struct System {
  HostStorage<S, Off> matrix;
  std::string values;
  bool own_values = false;
};

/// Whether the entries of the diagonal, which is whole, are real and above zero.
template <Scalar S, Offset Off>
bool has_positive_diagonal(const HostStorage<S, Off>& A) {
  for (Index i = 0; i < A.rows(); ++i) {
    if (!(Kokkos::real(A.values()(find_entry(A, i, i))) > 0)) return false;
  }
  return true;
}

/// Off the diagonal -|a|, or with `symmetric` minus the mean of |a| and of its transpose's; on the
/// diagonal (1 + excess) times the sum of the row's magnitudes, or 1 where there are none. So the
/// matrix is a Laplacian and a little more: positive definite where it is symmetric, and with as
/// many iterations as a Laplacian has. Columns of A ascend, and its diagonal is whole.
template <Scalar S, Offset Off>
HostStorage<S, Off> laplacian(const HostStorage<S, Off>& A, bool symmetric, double excess) {
  using Real = RealOf<S>;
  const auto rows = static_cast<std::size_t>(A.rows());
  std::vector<std::vector<std::pair<std::size_t, Real>>> entries(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const auto j = static_cast<std::size_t>(A.col_idx()(static_cast<std::size_t>(k)));
      const Real size = i == j ? 0 : Kokkos::abs(A.values()(static_cast<std::size_t>(k)));
      entries[i].emplace_back(j, symmetric ? size / 2 : size);
      if (symmetric && i != j) entries[j].emplace_back(i, size / 2);
    }
  }
  std::size_t count = 0;
  for (auto& row : entries) {
    std::sort(row.begin(), row.end());
    std::size_t kept = 0;
    for (std::size_t k = 1; k < row.size(); ++k) {
      if (row[k].first == row[kept].first) {
        row[kept].second += row[k].second;
      } else {
        row[++kept] = row[k];
      }
    }
    row.resize(kept + 1);
    count += row.size();
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  HostStorage<S, Off> to(exec, A.rows(), A.rows(), static_cast<Off>(count));
  exec.fence("heddle::bench::laplacian");
  std::size_t k = 0;
  to.row_ptr()(0) = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    Real sum(0);
    for (const auto& [column, size] : entries[i]) sum += size;
    for (const auto& [column, size] : entries[i]) {
      to.col_idx()(k) = static_cast<Index>(column);
      const Real diagonal = sum > 0 ? static_cast<Real>(1 + excess) * sum : Real(1);
      to.values()(k++) = S(column == i ? diagonal : -size);
    }
    to.row_ptr()(i + 1) = static_cast<Off>(k);
  }
  return to;
}

/// Of a source that has values of its own these, if they can be: for conjugate gradients symmetric
/// (Hermitian) with a positive diagonal. Else a Laplacian of its pattern.
template <Scalar S, Offset Off>
System<S, Off> make_system(const Loaded<S, Off>& loaded, Method method, double excess) {
  std::int64_t set = 0;
  const auto whole = with_whole_diagonal(loaded, "solvers", set);
  const bool cg = method == Method::cg;
  if (loaded.own_values &&
      (!cg || (set == 0 && hermitian(whole) && has_positive_diagonal(whole)))) {
    return {whole,
            set == 0 ? "its own values"
                     : "its own values, the diagonal of " + std::to_string(set) + " rows set",
            true};
  }
  return {laplacian(whole, cg, excess),
          cg ? "a symmetric Laplacian of its pattern" : "an unsymmetric Laplacian of its pattern",
          false};
}

}  // namespace heddle::bench
