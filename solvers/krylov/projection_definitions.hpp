// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "../../backends/loops.hpp"
#include "../vectors/combinations_kernel.hpp"
#include "../vectors/inner_products_kernel.hpp"
#include "projection.hpp"

/// Defines what projection.hpp declares.
namespace heddle::detail::krylov {

template <ExecutionSpace Exec, Scalar S>
Projection<Exec, S>::Projection(const Exec& exec, const Nullspace& nullspace, std::int64_t rows,
                                int vectors) {
  const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(nullspace.count());
  const auto count = static_cast<std::size_t>(vectors);
  if (n == 0 || k == 0) return;
  const std::size_t numbers = k * std::max(k, count);
  workspace_ = VectorWorkspace<Exec, Sum>(exec, static_cast<int>(numbers));
  arena_ = Arena<typename Exec::memory_space>(
      exec, "heddle::krylov::nullspace",
      arena_bytes<S, S, Sum>(n * k, n * count, numbers + k * count));
  basis_ = Vectors(arena_.template take<S>(n * k).data(), n, k);
  right_ = Vectors(arena_.template take<S>(n * count).data(), n, count);
  coefficients_ = arena_.template take<Sum>(numbers + k * count).data();
  along_ = coefficients_ + numbers;
  std::visit([&](const auto& given) { take(exec, given, nullspace.memory()); },
             nullspace.vectors());
  orthonormalize(exec);
}

template <ExecutionSpace Exec, Scalar S>
template <class Given>
void Projection<Exec, S>::take(const Exec& exec, const Given& given, const std::string& memory) {
  const auto rows = static_cast<std::int64_t>(basis_.extent(0));
  if constexpr (std::same_as<Given, Nullspace::Ones>) {
    detail::fill(exec, "heddle::krylov::ones", basis_.data(), rows, S(1));
  } else if constexpr (std::same_as<Given, Multivector<const S>>) {
    if (given.rows != rows) {
      throw Error("options.nullspace has vectors of " + std::to_string(given.rows) +
                      " rows, and the solver is for " + std::to_string(rows) + " unknowns",
                  "give vectors of the size of the system");
    }
    if (memory != Exec::memory_space::name()) {
      throw Error("options.nullspace lies in memory of " + memory,
                  std::string("give vectors in memory of ") + Exec::memory_space::name());
    }
    heddle::vectors::passes::Axpby<S, S> copy{};
    copy.x = given;
    copy.y = multivector_of<S>(basis_);
    copy.alpha.value = S(1);
    vectors::stream(exec, "heddle::vectors::axpby", rows, given.count, given.row_stride == 1, copy);
  } else {
    throw Error("options.nullspace has vectors of another scalar than the solver",
                "give vectors of the solver's scalar");
  }
}

template <ExecutionSpace Exec, Scalar S>
void Projection<Exec, S>::orthonormalize(const Exec& exec) {
  constexpr double epsilon = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  for (int j = 0; j < static_cast<int>(basis_.extent(1)); ++j) {
    const Vectors v = columns(j, 1);
    scale_to_one(exec, v);
    double left = 1;
    for (int time = 0; time < 2; ++time) {
      if (j > 0) subtract(exec, columns(0, j), v, coefficients_);
      left *= scale_to_one(exec, v);
    }
    if (!(left > 100 * epsilon)) {
      throw Error("vector " + std::to_string(j) +
                      " of options.nullspace is zero, not finite, or depends on those before",
                  "give vectors that do not depend on each other");
    }
  }
}

template <ExecutionSpace Exec, Scalar S>
double Projection<Exec, S>::scale_to_one(const Exec& exec, const Vectors& v) {
  const auto norm = [&] {
    Sum square;
    const Kokkos::View<Sum, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> to(&square);
    vectors::launch_inner_products(exec, multivector_of<const S>(v), multivector_of<const S>(v),
                                   vectors::SmallMatrix<Sum>{coefficients_},
                                   workspace_.partials(1));
    Kokkos::deep_copy(kokkos_space(exec), to,
                      Kokkos::View<const Sum, typename Exec::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(coefficients_));
    exec.fence("heddle::krylov::nullspace_norm");
    return std::sqrt(real_part(square));
  };
  double before = 1;
  for (const double factor : {0x1p-500, 0x1p500}) {  // where squares are not numbers
    const double size = norm();
    if (factor < 1 ? std::isfinite(size) : size > 0x1p-400) continue;
    heddle::vectors::scale(exec, S(static_cast<heddle::RealOf<S>>(factor)), v);
    before /= factor;
  }
  const double size = norm();
  if (!(size > 0) || !std::isfinite(size)) return 0;
  heddle::vectors::scale(exec, S(static_cast<heddle::RealOf<S>>(1 / size)), v);
  return before * size;
}

template <ExecutionSpace Exec, Scalar S>
void Projection<Exec, S>::subtract(const Exec& exec, const Vectors& from, const Vectors& v,
                                   Sum* coefficients) const {
  const auto basis = multivector_of<const S>(from);
  const vectors::SmallMatrix<Sum> small{coefficients, 1, basis.count};
  const auto of = multivector_of<S>(v);
  vectors::launch_inner_products(exec, basis, multivector_of<const S>(v), small,
                                 workspace_.partials(basis.count * of.count));
  vectors::launch_combinations(
      exec, basis, vectors::SmallMatrix<const Sum>{coefficients, 1, basis.count}, of,
      vectors::Factor<Sum>{nullptr, 0, Sum(-1)}, vectors::Factor<Sum>{nullptr, 0, Sum(1)});
}

template <ExecutionSpace Exec, Scalar S>
Multivector<const S> Projection<Exec, S>::right(const Exec& exec,
                                                const Multivector<const S>& b) const {
  heddle::vectors::passes::Axpby<S, S> copy{};
  copy.x = b;
  copy.y = multivector_of<S>(right_);
  copy.alpha.value = S(1);
  vectors::stream(exec, "heddle::vectors::axpby", b.rows, b.count, b.row_stride == 1, copy);
  subtract(exec, basis_, right_, along_);
  return multivector_of<const S>(right_);
}

}  // namespace heddle::detail::krylov
