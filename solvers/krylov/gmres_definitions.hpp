// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/loops.hpp"
#include "../vectors/definitions.hpp"
#include "gmres.hpp"
#include "monitor_definitions.hpp"

/// Defines what gmres.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
GmresSolver<Exec, S>::GmresSolver(const Exec& exec, std::int64_t rows, int restart,
                                  const KrylovOptions& options)
    : rows_(rows),
      m_(detail::krylov::length_of_cycle(rows, restart, options, sizeof(S))),
      monitor_(
          exec,
          detail::krylov::MonitorLabels{"heddle::gmres::progress",
                                        "heddle::gmres::progress_on_host", "heddle::gmres::check"},
          options, rows),
      workspace_(exec, std::max(m_ + 1, ResidualPasses::most_numbers)) {
  const auto n = static_cast<std::size_t>(rows), m = static_cast<std::size_t>(m_);
  const std::size_t numbers = m * m + 5 * (m + 1);
  arena_ = Arena<Space>(exec, "heddle::gmres::vectors",
                        arena_bytes<S, S, Sum, int, double>(n * (m + 1), 2 * n, numbers, 1, m + 1));
  basis_ = Vectors(arena_.template take<S>(n * (m + 1)).data(), n, m + 1);
  work_ = Vectors(arena_.template take<S>(2 * n).data(), n, 2);
  Sum* next = arena_.template take<Sum>(numbers).data();
  const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
  state_.m = m_;
  state_.triangle = take(m * m);
  state_.sine = take(m + 1);
  state_.turned = take(m + 1);
  state_.first_part = take(m + 1);
  state_.second_part = take(m + 1);
  state_.solution = take(m + 1);
  state_.progress = monitor_.states();
  state_.columns = arena_.template take<int>(1).data();
  state_.cosine = arena_.template take<double>(m + 1).data();
  state_.factor = state_.cosine + m;
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::normalize(const Exec& exec, const Vector& v) {
  detail::vectors::stream(
      exec, "heddle::gmres::normalize", rows_, 1, true,
      detail::krylov::GmresNormalize<S>{{}, multivector_of<S>(v), state_.factor});
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::begin(const Exec& exec) {
  detail::parallel_for(exec, "heddle::gmres::begin", 1, detail::krylov::GmresBegin<S>{state_});
  normalize(exec, column(basis_, 0));
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::orthogonalize(const Exec& exec, int j) {
  const Vector w = column(basis_, j + 1);
  const Vectors before = basis(j + 1);
  Sum* const parts[] = {state_.first_part, state_.second_part};  // not in place: nvcc
  for (Sum* const part : parts) {
    const Numbers h(part, static_cast<std::size_t>(j) + 1);
    vectors::inner_products(exec, before, w, workspace_, h);
    vectors::combine(exec, -1, before, h, 1, w);
  }
  using Pass = detail::krylov::GmresColumn<S>;
  detail::vectors::stream(exec, "heddle::gmres::column", rows_, 1, true,
                          Pass{multivector_of<const S>(w), state_, monitor_.limits(), j},
                          workspace_.partials(Pass::sums));
  normalize(exec, w);
}

template <ExecutionSpace Exec, Scalar S>
auto GmresSolver<Exec, S>::combine(const Exec& exec, int iterations) -> Vector {
  detail::parallel_for(exec, "heddle::gmres::solve", 1, detail::krylov::GmresSolve<S>{state_});
  const Vector z = column(basis_, m_);
  const Numbers y(state_.solution, static_cast<std::size_t>(iterations));
  vectors::combine(exec, 1, basis(iterations), y, 0, z);
  return z;
}

template <ExecutionSpace Exec, Scalar S>
void GmresSolver<Exec, S>::add(const Exec& exec, const Vector& z) {
  detail::vectors::stream(
      exec, "heddle::gmres::update", rows_, 1, true,
      detail::krylov::GmresUpdate<S>{
          {}, multivector_of<S>(column(work_, 0)), multivector_of<const S>(z), state_.progress});
}

}  // namespace heddle

#include "instantiate_gmres.hpp"  // behind what it makes
