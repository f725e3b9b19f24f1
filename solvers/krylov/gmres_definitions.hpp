// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../vectors/inner_products_kernel.hpp"
#include "gmres.hpp"
#include "solver_definitions.hpp"

/// Defines what gmres.hpp declares.
namespace heddle {

namespace detail::krylov {

/// The options with the iterations of a cycle, no more than there can be. Throws Error or
/// OutOfMemory before anything is allocated.
inline KrylovOptions with_cycle(std::int64_t rows, KrylovOptions options, const TakenOptions& takes,
                                std::size_t scalar_bytes) {
  const int restart = checked(options, takes).restart.value_or(30);
  if (restart < 1) {
    throw Error("options.restart is " + std::to_string(restart),
                "give the iterations after which GMRES is restarted, at least one");
  }
  const std::int64_t most =
      std::min<std::int64_t>(std::max<std::int64_t>(rows, 1), std::max(options.max_iterations, 1));
  const auto m = std::min<std::int64_t>(restart, most);
  const double columns = static_cast<double>(m) + 4;
  const double bytes = columns * static_cast<double>(scalar_bytes) *
                       std::max(static_cast<double>(rows), 4 * columns);
  if (bytes > 0x1p60) {
    throw OutOfMemory("options.restart = " + std::to_string(restart) + " keeps " +
                          std::to_string(m) + " vectors of " + std::to_string(rows) + " rows",
                      "restart after fewer iterations");
  }
  options.restart = static_cast<int>(m);
  return options;
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
GmresSolver<Exec, S>::GmresSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& given)
    : Base(exec, rows, detail::krylov::with_cycle(rows, given, traits.takes, sizeof(S))),
      m_(*options().restart) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(m_);
  const std::size_t numbers = m * m + (m + 1) * (m + 1) + 6 * (m + 1) + 2;
  arena_ = Arena<typename Exec::memory_space>(
      exec, traits.vectors,
      arena_bytes<S, S, Sum, int, double>(n * (m + 1), 3 * n, numbers, 2, m + 3));
  basis_ = Vectors(arena_.template take<S>(n * (m + 1)).data(), n, m + 1);
  S* const work = arena_.template take<S>(3 * n).data();
  x_ = Vectors(work, n, 1);
  q_ = Vectors(work + n, n, 1);
  start_ = Vectors(work + 2 * n, n, 1);
  r_ = one(0);
  Sum* next = arena_.template take<Sum>(numbers).data();
  const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
  state_.m = m_;
  state_.triangle = take(m * m);
  state_.sine = take(m + 1);
  state_.turned = take(m + 1);
  state_.first_part = take(m + 1);
  state_.second_part = take(m + 1);
  state_.solution = take(m + 1);
  state_.defect = take((m + 1) * (m + 1));
  state_.kept = take(m + 1);
  state_.of_basis = take(1);
  state_.of_w = take(1);
  state_.progress = states();
  for (int first = 0; first < m_; first += blocks_.block()) {
    parts_.emplace_back(std::min(blocks_.block(), m_ - first));
  }
  state_.columns = arena_.template take<int>(2).data();
  state_.again = state_.columns + 1;
  state_.cosine = arena_.template take<double>(m + 3).data();
  state_.factor = state_.cosine + m;
  state_.unscale = state_.factor + 1;
  state_.largest = state_.factor + 2;
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::normalize(const Exec& exec, const Vector& v) {
  this->pass(exec, "heddle::gmres::normalize", true,
             detail::krylov::GmresNormalize<S>{{}, multivector_of<S>(v), state_.factor});
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::begin_cycle(const Exec& exec) {
  detail::parallel_for(exec, "heddle::gmres::begin", 1, detail::krylov::GmresBegin<S>{state_});
  normalize(exec, column(basis_, 0));
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::orthogonalize(const Exec& exec, int j) {
  namespace vectors = detail::vectors;
  const Vector w = column(basis_, j + 1);
  const auto with_w = multivector_of<const S>(basis(j + 2));
  const auto before = multivector_of<const S>(basis(j + 1));
  const detail::krylov::GmresColumn<S> of_triangle{state_, limits(), j};
  const auto project = [&](Sum* parts, bool second) {
    const int* const only_if = second ? state_.again : nullptr;
    vectors::launch_inner_products_with(exec, with_w, multivector_of<const S>(w),
                                        vectors::SmallMatrix<Sum>{parts},
                                        workspace_.partials(j + 2), only_if,
                                        detail::krylov::GmresProjection<S>{of_triangle, second});
    vectors::launch_combinations(exec, before, vectors::SmallMatrix<const Sum>{parts},
                                 multivector_of<S>(w), vectors::Factor<Sum>{state_.of_basis},
                                 vectors::Factor<Sum>{state_.of_w}, only_if);
  };
  project(state_.first_part, false);
  if constexpr (backends::launches_end_at_once<Exec>) {
    if (*state_.again == 0) return;
  }
  project(state_.second_part, true);
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine(const Exec& exec, int iterations) -> Vectors {
  constexpr int width = backends::max_subwarp_width<Exec>;
  backends::launch<backends::Shape<width, width>>(exec, "heddle::gmres::solve", 1,
                                                  detail::krylov::GmresSolve<S>{state_});
  const Vectors z = one(m_);
  const Numbers y(state_.solution, static_cast<std::size_t>(iterations));
  vectors::combine(exec, 1, basis(iterations), y, 0, column(z));
  return z;
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::add(const Exec& exec, const Vectors& z) {
  this->pass(exec, "heddle::gmres::update", true,
             detail::krylov::GmresUpdate<S>{{},
                                            Base::write(x_),
                                            Base::write(start_),
                                            Base::read(z),
                                            state_.progress,
                                            state_.columns});
}

}  // namespace heddle
