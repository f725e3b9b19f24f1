// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/hash.hpp"
#include "../vectors/definitions.hpp"
#include "solver.hpp"

/// Defines what solver.hpp and basis.hpp declare.
namespace heddle::detail::lobpcg {

/// Writes numbers in [-1, 1) of their places and a seed, the same on all devices.
template <Scalar S>
struct RandomEntry {
  S* to;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(i) * golden_ratio + seed);
    to[i] = S(static_cast<heddle::RealOf<S>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1));
  }
};

/// Factors that scale vectors to norm one; one for a norm that is zero or not finite. If the
/// reciprocal overflows, the factor is the largest number, which leaves a vector whose squares do
/// not underflow.
template <Scalar S>
struct NormReciprocals {
  S* to;
  const double* norms;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    using Real = heddle::RealOf<S>;
    const double norm = norms[j];
    const bool usable = norm > 0 && Kokkos::isfinite(norm);
    const double factor = usable ? 1 / norm : 1;
    constexpr Real most = Kokkos::Experimental::finite_max_v<Real>;
    to[j] = S(factor < static_cast<double>(most) ? static_cast<Real>(factor) : most);
  }
};

template <ExecutionSpace Exec, Scalar S>
Basis<Exec, S>::Basis(const Exec& exec, std::int64_t rows, const LobpcgOptions& options)
    : rows_(rows),
      k_(options.count),
      most_constraints_(options.constraints),
      generalized_(options.generalized),
      places_{options.count} {
  const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(k_),
             c = static_cast<std::size_t>(options.constraints);
  const std::size_t sets = options.generalized ? 3 : 2;
  const std::size_t vectors = (6 * sets + 2) * k + sets * c;
  const std::size_t small = std::max({9 * k * k, c * c, c * k});
  const std::size_t numbers = std::max(static_cast<std::size_t>(places_.count()), k + c);
  S* next = nullptr;
  arena_ = Arena<Space>(exec, "heddle::lobpcg::vectors", arena_array(next, vectors * n),
                        arena_array(factors_, std::max(k, c)), arena_array(grams_, 2 * small),
                        arena_array(coefficients_, small), arena_array(norms_, numbers));
  const auto take = [&](std::size_t count) { return std::exchange(next, next + count * n); };
  const std::array blocks{&now, &next_};  // nvcc 13 has no loop over a braced list in a template
  for (Block<S>* block : blocks) {
    block->vectors = take(3 * k);
    block->image = take(3 * k);
    block->mass = options.generalized ? take(3 * k) : block->vectors;
  }
  residual = take(k);
  gathered = take(k);
  constraints_ = take(c);
  constraints_mass_ = options.generalized ? take(c) : constraints_;
  given_constraints_ = take(c);
  workspace_ = VectorWorkspace<Exec, Sum>(exec, static_cast<int>(small));
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::project(const Exec& exec, S* vectors, S* mass, int count, const Vectors& w) {
  if (count == 0) return;
  const Small<Sum> along(coefficients_, count, static_cast<int>(w.extent(1)));
  heddle::vectors::inner_products(exec, span(mass, 0, count), w, workspace_, along);
  heddle::vectors::combine(exec, -1, span(vectors, 0, count), along, 1, w);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::normalize(const Exec& exec, const Vectors& w) {
  take_norms(exec, w, places_.vector(0));
  parallel_for(exec, "heddle::lobpcg::reciprocals", static_cast<std::int64_t>(w.extent(1)),
               NormReciprocals<S>{factors_, norms_ + places_.vector(0)});
  heddle::vectors::scale(exec, Numbers<const S>(factors_, w.extent(1)), w);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::randomize(const Exec& exec, const Vectors& w, std::uint64_t seed) {
  parallel_for(exec, "heddle::lobpcg::random", static_cast<std::int64_t>(w.size()),
               RandomEntry<S>{w.data(), seed});
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::measure(const Exec& exec, int m, int known, Dense<Sum>& g, Dense<Sum>& h,
                             Norms& norms) {
  const int columns = m - known;
  const std::size_t from = static_cast<std::size_t>(m) * static_cast<std::size_t>(known),
                    count = static_cast<std::size_t>(m) * static_cast<std::size_t>(columns);
  const Small<Sum> on_device(grams_, m, columns), second(grams_ + count, m, columns);
  const Vectors s = span(now.vectors, 0, m);
  heddle::vectors::inner_products(exec, s, span(now.mass, known, columns), workspace_, on_device);
  heddle::vectors::inner_products(exec, s, span(now.image, known, columns), workspace_, second);
  const Dense<Sum> of_known = std::exchange(h, Dense<Sum>(m, m));
  g = Dense<Sum>(m, m);
  Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(g.entries.data() + from, m, columns),
                    on_device);
  Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(h.entries.data() + from, m, columns), second);
  read_norms(exec, m, known, norms);
  for (int j = 0; j < known; ++j) {
    g(j, j) = Sum(1);
    for (int i = 0; i < known; ++i) h(i, j) = of_known(i, j);
    for (int i = known; i < m; ++i) {
      g(i, j) = conjugate(g(j, i));
      h(i, j) = conjugate(h(j, i));
    }
  }
  note_sizes(g, norms, generalized_ ? 0 : known);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::read_norms(const Exec& exec, int m, int known, Norms& norms) {
  const auto take = [&](S* of, int first, int at) {
    if (first < m) take_norms(exec, span(of, first, m - first), at + first);
  };
  if (generalized_) {
    take(now.vectors, 0, places_.vector(0));
    take(now.mass, 0, places_.mass(0));
  }
  take(now.image, generalized_ ? 0 : known, places_.image(0));
  const int count = places_.count();
  norms.places = places_;
  norms.all.resize(static_cast<std::size_t>(count));
  Kokkos::deep_copy(kokkos_space(exec), OnHost<double>(norms.all.data(), count, 1),
                    Small<double>(norms_, count, 1));
  exec.fence("heddle::lobpcg::check");
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::read_sizes(const Exec& exec) {
  double norms[3] = {};
  Kokkos::deep_copy(kokkos_space(exec), OnHost<double>(norms, 3, 1), Small<double>(norms_, 3, 1));
  exec.fence("heddle::lobpcg::sizes");
  largest_a = largest_b = 0;
  smallest_b = std::numeric_limits<double>::infinity();
  raise(largest_a, norms[1] / norms[0]);
  if (generalized_) raise(largest_b, norms[2] / norms[0]);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::note_sizes(const Dense<Sum>& g, const Norms& norms, int first) {
  for (int j = first; j < g.rows; ++j) {
    const double square = real_part(g(j, j)),
                 norm = generalized_ ? norms.vector(j) : std::sqrt(std::max(square, 0.0));
    if (!(norm > 0)) continue;
    raise(largest_a, norms.image(j) / norm);
    if (!generalized_) continue;
    const double of_b = norms.mass(j) / norm, quotient = square / norm / norm;
    raise(largest_b, of_b);
    if (quotient > 100 * epsilon * of_b) smallest_b = std::min(smallest_b, quotient);
  }
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::take_norms(const Exec& exec, const Vectors& of, int at) {
  heddle::vectors::norm(exec, of, workspace_, Numbers<double>(norms_ + at, of.extent(1)));
}

template <ExecutionSpace Exec, Scalar S>
auto Basis<Exec, S>::gram(const Exec& exec, const Vectors& v, const Vectors& w) -> Dense<Sum> {
  const int rows = static_cast<int>(v.extent(1)), columns = static_cast<int>(w.extent(1));
  const Small<Sum> on_device(grams_, rows, columns);
  heddle::vectors::inner_products(exec, v, w, workspace_, on_device);
  Dense<Sum> g(rows, columns);
  Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(g.entries.data(), rows, columns), on_device);
  exec.fence("heddle::lobpcg::constraints");
  return g;
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::combine_vectors(const Exec& exec, const Vectors& from, const Dense<Sum>& t,
                                     const Vectors& to) {
  sent_ = t.entries;  // lives until the next wait
  const Small<Sum> on_device(coefficients_, t.rows, t.columns);
  Kokkos::deep_copy(kokkos_space(exec), on_device, OnHost<Sum>(sent_.data(), t.rows, t.columns));
  heddle::vectors::combine(exec, 1, from, on_device, 0, to);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::combine(const Exec& exec, int m, const Ritz<Sum>& ritz) {
  const int columns = ritz.c.columns;
  sent_ = ritz.c.entries;  // lives until the next wait
  const Small<Sum> on_device(coefficients_, m, columns);
  Kokkos::deep_copy(kokkos_space(exec), on_device, OnHost<Sum>(sent_.data(), m, columns));
  const auto of = [&](S* from, S* to) {
    heddle::vectors::combine(exec, 1, span(from, 0, m), on_device, 0, span(to, 0, columns));
  };
  of(now.vectors, next_.vectors);
  of(now.image, next_.image);
  if (generalized_) of(now.mass, next_.mass);
  std::swap(now, next_);
}

template <ExecutionSpace Exec, Scalar S>
void Basis<Exec, S>::take_residuals(const Exec& exec, const std::vector<double>& values) {
  sent_values_.assign(values.begin(), values.end());
  for (Sum& value : sent_values_) value = -value;
  Kokkos::deep_copy(kokkos_space(exec), Small<Sum>(coefficients_, k_, 1),
                    OnHost<Sum>(sent_values_.data(), k_, 1));
  const auto count = static_cast<std::size_t>(k_);
  const Vectors r = span(residual, 0, k_);
  heddle::vectors::copy(exec, span(now.image, 0, k_), r);
  heddle::vectors::axpy_norm(exec, Numbers<const Sum>(coefficients_, count), span(now.mass, 0, k_),
                             r, workspace_, Numbers<double>(norms_, count));
}

}  // namespace heddle::detail::lobpcg
