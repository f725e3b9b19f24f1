// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest.hpp"
#include "../common/sequential.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A matrix to solve with, and a description of its values.
template <Scalar S, Offset Off>
struct System {
  HostStorage<S, Off> matrix;
  std::string values;
  bool own_values = false;
};

/// Whether all entries of the diagonal, which is whole, are real and above zero.
template <Scalar S, Offset Off>
bool has_positive_diagonal(const HostStorage<S, Off>& A) {
  for (Index i = 0; i < A.rows(); ++i) {
    if (!(Kokkos::real(A.values()(find_entry(A, i, i))) > 0)) return false;
  }
  return true;
}

/// A Laplacian and a little more: off the diagonal -|a|, or with `symmetric` minus the mean of |a|
/// and of its transpose's; on the diagonal (1 + excess) times the sum of the row's magnitudes, or 1
/// for an empty row. It is positive definite if it is symmetric, and needs as many iterations as a
/// Laplacian. Columns of A ascend, and its diagonal is whole.
template <Scalar S, Offset Off>
HostStorage<S, Off> laplacian(const HostStorage<S, Off>& A, bool symmetric, double excess) {
  using Real = RealOf<S>;
  const auto rows = static_cast<std::size_t>(A.rows());
  std::vector<HostRow<S>> entries(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    each_entry(A, i, [&](std::size_t j, const S& value) {
      const Real size = j == i ? 0 : Kokkos::abs(value);
      entries[i].emplace_back(j, S(symmetric ? size / 2 : size));
      if (symmetric && j != i) entries[j].emplace_back(i, S(size / 2));
    });
  }
  for (std::size_t i = 0; i < rows; ++i) {
    add_up(entries[i]);
    Real sum(0);
    for (const auto& entry : entries[i]) sum += Kokkos::real(entry.second);
    const Real diagonal = sum > 0 ? static_cast<Real>(1 + excess) * sum : Real(1);
    for (auto& [column, value] : entries[i]) {
      value = static_cast<std::size_t>(column) == i ? S(diagonal) : -value;
    }
  }
  return stored<S, Off>(entries, A.columns());
}

/// A system of the source's own values if the method can solve it: conjugate gradients need a
/// symmetric (Hermitian) matrix with a positive diagonal, MINRES a symmetric one. Else a Laplacian
/// of the source's pattern, which is indefinite if the excess is negative.
template <Scalar S, Offset Off>
System<S, Off> make_system(const Loaded<S, Off>& loaded, Method method, double excess) {
  std::int64_t set = 0;
  const auto whole = with_whole_diagonal(loaded, "solvers", set);
  const bool symmetric = is_symmetric(method);
  const auto fits = [&] {
    return set == 0 && hermitian(whole) &&
           (method == Method::minres || has_positive_diagonal(whole));
  };
  if (loaded.own_values && (!symmetric || fits())) {
    return {whole,
            set == 0 ? "its own values"
                     : "its own values, the diagonal of " + std::to_string(set) + " rows set",
            true};
  }
  return {laplacian(whole, symmetric, excess),
          symmetric ? "a symmetric Laplacian of its pattern"
                    : "an unsymmetric Laplacian of its pattern",
          false};
}

/// A system for a method that is chosen: the source's own values as they are, with zeros of the
/// diagonal stored; else a Laplacian, which is symmetric if the source's pattern is.
template <Scalar S, Offset Off>
System<S, Off> make_any_system(const Loaded<S, Off>& loaded, double excess) {
  std::int64_t set = 0;
  const auto whole = with_whole_diagonal(loaded, "solvers", set, true);
  if (loaded.own_values) return {whole, "its own values", true};
  const bool symmetric = has_symmetric_pattern(whole);
  return {laplacian(whole, symmetric, excess),
          symmetric ? "a symmetric Laplacian of its pattern"
                    : "an unsymmetric Laplacian of its pattern",
          false};
}

/// The contestants of one system: loads a source, and makes a system of it that the request's
/// method can solve.
template <class Request, class Problem>
class SystemContest : public Contest<Request, Problem> {
  using Base = Contest<Request, Problem>;
  using S = typename Problem::Matrix::scalar_type;

 public:
  SystemContest(const Request& request, const Source& source, Progress& progress)
      : Base(request, source, progress) {
    problem_.request = request;
    std::vector<double> nodes;
    std::size_t dimensions = 0;
    this->take_matrix([&](const auto& loaded) {
      const auto system = request.any_system
                              ? make_any_system(loaded, request.excess)
                              : make_system(loaded, request.method(), request.excess);
      if (system.own_values) {
        nodes = loaded.coordinates;
        dimensions = static_cast<std::size_t>(loaded.dimensions);
      }
      result_.choice_reason = system.values;
      return system.matrix;
    });
    const auto of = this->random_vectors(2);
    const test::HostColumns<S> b("heddle::bench::b", of.extent(0), 1);
    for (std::size_t i = 0; i < b.extent(0); ++i) {
      each_entry(problem_.host, i,
                 [&](std::size_t j, const S& value) { b(i, 0) += value * of(j, 0); });
    }
    problem_.make_vectors(exec_, b);
    result_.apply_bytes += 2 * b.size() * sizeof(S);
    if (dimensions > 0) copy_coordinates(nodes, dimensions);
  }

 protected:
  using Base::exec_, Base::problem_, Base::request_, Base::result_;

  /// solve_error() of the current x. Waits.
  double error() const {
    return solve_error(problem_.host, problem_.host_b, problem_.host_x(exec_),
                       request_.limits.tolerance);
  }

 private:
  void copy_coordinates(const std::vector<double>& nodes, std::size_t d) {
    auto& to = problem_.coordinates;
    to = Kokkos::View<double**, Space>("heddle::bench::coordinates", nodes.size() / d, d);
    const auto mirror = Kokkos::create_mirror_view(to);
    for (std::size_t k = 0; k < nodes.size(); ++k) mirror(k / d, k % d) = nodes[k];
    Kokkos::deep_copy(exec_, to, mirror);
    exec_.fence("heddle::bench::coordinates");
  }
};

}  // namespace heddle::bench
