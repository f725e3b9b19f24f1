// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "../../backends/loops.hpp"
#include "../../core/error.hpp"
#include "../../core/hash.hpp"
#include "../krylov/concepts.hpp"
#include "../vectors/operations.hpp"
#include "options.hpp"
#include "small_dense.hpp"

namespace heddle::detail::lobpcg {

/// What a basis [X P W] gives.
template <class T>
struct Ritz {
  std::vector<double> values;
  Dense<T> c;        ///< coefficients of the new [X P], orthonormal
  int found = 0;     ///< columns of X; fewer than wanted if the basis has fewer
  Dense<T> h;        ///< [X P]' A [X P]
  double scale = 0;  ///< the largest Ritz value of the basis, in magnitude
  double least = 0;  ///< the least eigenvalue of G of vectors of norm one
  double kept = 1;   ///< and of what [X P] is made of, of norm one: rounding grows by its inverse
};

/// P of those columns of X that are `active`: what X gained of all but the old X, made orthonormal
/// to the new one. Source: U. Hetmaniuk and R. Lehoucq (2006).
template <class T>
Dense<T> directions(const Dense<T>& g, const Dense<T>& x, const std::vector<int>& active,
                    double drop, double* kept) {
  Dense<T> p(g.rows, static_cast<int>(active.size()));
  for (int j = 0; j < p.columns; ++j) {
    for (int i = x.columns; i < g.rows; ++i) p(i, j) = x(i, active[static_cast<std::size_t>(j)]);
  }
  for (int twice = 0; twice < 2; ++twice) {
    const Dense<T> along = times(x, adjoint_times(x, times(g, p)));
    for (std::size_t i = 0; i < p.entries.size(); ++i) p.entries[i] -= along.entries[i];
  }
  return times(p, orthonormal(adjoint_times(p, times(g, p)), drop, nullptr, kept));
}

/// The wanted pairs of A in the space of a basis, from its Gram matrices G = S' B S and H = S' A S.
template <class T>
Ritz<T> rayleigh_ritz(const Dense<T>& g, const Dense<T>& h, int count,
                      const std::vector<int>& active, Wanted wanted, double drop) {
  Ritz<T> ritz;
  const Dense<T> basis = orthonormal(g, drop, &ritz.least, &ritz.kept);
  const int dimension = basis.columns, m = g.rows;
  Dense<T> small = adjoint_times(basis, times(h, basis));
  make_hermitian(small);
  const Eigen<T> of = eigen(small);
  for (const double value : of.values) ritz.scale = std::max(ritz.scale, std::abs(value));
  const int found = std::min(count, dimension);
  Dense<T> chosen(dimension, found);
  for (int j = 0; j < found; ++j) {
    const int from = wanted == Wanted::smallest ? j : dimension - 1 - j;
    ritz.values.push_back(of.values[static_cast<std::size_t>(from)]);
    for (int i = 0; i < dimension; ++i) chosen(i, j) = of.vectors(i, from);
  }
  ritz.c = times(basis, chosen);
  ritz.found = found;
  if (m > count && found == count && !active.empty()) {
    append(ritz.c, directions(g, ritz.c, active, drop, &ritz.kept));
  }
  ritz.h = adjoint_times(ritz.c, times(h, ritz.c));
  make_hermitian(ritz.h);
  return ritz;
}

}  // namespace heddle::detail::lobpcg

namespace heddle {

/// What solve is given where A x = lambda x is meant, and constraints come behind it.
struct NoMassMatrix {};
/// What solve is given where there are no constraints.
struct NoConstraints {};

namespace detail::lobpcg {

template <class B>
inline constexpr bool is_given = !std::is_same_v<std::decay_t<B>, NoMassMatrix> &&
                                 !std::is_same_v<std::decay_t<B>, NoConstraints>;

/// A number in [-1, 1) of its place and a seed, alike on all devices.
template <Scalar S>
struct RandomEntry {
  S* to;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = mixed_bits(static_cast<std::uint64_t>(i) * golden_ratio + seed);
    to[i] = S(static_cast<heddle::RealOf<S>>(static_cast<double>(bits >> 11) * 0x1p-52 - 1));
  }
};

/// What vectors are multiplied by to be of norm one; those of zeros or of no numbers by one. A norm
/// whose reciprocal overflows gives the largest number, which leaves a vector that squares can be
/// taken of.
template <Scalar S>
struct Reciprocals {
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

/// Vectors of a basis, their products with A and with B; without B the latter are the vectors.
template <class S>
struct Block {
  S *vectors = nullptr, *image = nullptr, *mass = nullptr;
};

/// Norms of what a basis holds, as the host has read them last: of R for each of k pairs, of the
/// vectors and of A and B times them for each of 3 k.
struct Norms {
  int k = 0;
  std::vector<double> all;

  double residual(int j) const { return all[static_cast<std::size_t>(j)]; }
  double vector(int j) const { return all[static_cast<std::size_t>(k + j)]; }
  double image(int j) const { return all[static_cast<std::size_t>(4 * k + j)]; }
  double mass(int j) const { return all[static_cast<std::size_t>(7 * k + j)]; }
};

/// How many columns from `at` on follow each other in `columns`.
inline int run_length(const std::vector<int>& columns, std::size_t at) {
  std::size_t end = at + 1;
  while (end < columns.size() && columns[end] == columns[end - 1] + 1) ++end;
  return static_cast<int>(end - at);
}

}  // namespace detail::lobpcg

}  // namespace heddle

namespace heddle::detail::lobpcg {

inline void check_options(const LobpcgOptions& options, std::int64_t rows) {
  if (rows < 1 || options.count < 1 || options.constraints < 0 ||
      options.count + std::int64_t{options.constraints} > rows) {
    throw Error("options.count is " + std::to_string(options.count) + " and constraints " +
                    std::to_string(options.constraints) + ", of a matrix of " +
                    std::to_string(rows) + " rows",
                "ask for at least one pair, and no more than there are");
  }
  if (options.tolerance && !(*options.tolerance > 0)) {
    throw Error("options.tolerance is " + std::to_string(*options.tolerance),
                "give a positive one");
  }
  if (options.max_iterations < 0) {
    throw Error("options.max_iterations is " + std::to_string(options.max_iterations),
                "give 0 or more");
  }
  if (options.stagnation_window < 1) {
    throw Error("options.stagnation_window is " + std::to_string(options.stagnation_window),
                "give one or more");
  }
  if (!(options.max_seconds >= 0)) {
    throw Error("options.max_seconds is " + std::to_string(options.max_seconds), "give 0 or more");
  }
}

/// B is there exactly if the options say so, and as large as A.
template <class B>
void check_mass(const LobpcgOptions& options, std::int64_t rows, B& mass) {
  if (is_given<B> != options.generalized) {
    throw Error(is_given<B> ? "solve was given B, and options.generalized is false"
                            : "options.generalized is true, and solve was given no B",
                "make a solver for the problem that is solved");
  }
  if constexpr (is_given<B>) {
    if (mass.rows() != rows || mass.columns() != rows) {
      throw Error("the solver is for " + std::to_string(rows) + " rows, and B is " +
                      std::to_string(mass.rows()) + " x " + std::to_string(mass.columns()),
                  "give B of the size of A");
    }
  }
}

/// The memory of a solver, and what is done to whole blocks of vectors: a basis S = [X P W] with
/// its products, residuals of X, constraints.
template <ExecutionSpace Exec, Scalar S>
class Basis {
 public:
  using Space = typename Exec::memory_space;
  using Sum = krylov::Wide<S>;
  using Vectors = krylov::SolverVectors<Exec, S>;
  template <class T>
  using Small =
      Kokkos::View<T**, Kokkos::LayoutLeft, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using OnHost = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class T>
  using Numbers = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr double epsilon = std::numeric_limits<heddle::RealOf<S>>::epsilon();

  Basis() = default;
  Basis(const Exec& exec, std::int64_t rows, const LobpcgOptions& options)
      : rows_(rows),
        k_(options.count),
        most_constraints_(options.constraints),
        generalized_(options.generalized) {
    const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(k_),
               c = static_cast<std::size_t>(options.constraints);
    const std::size_t sets = options.generalized ? 3 : 2;
    const std::size_t vectors = (6 * sets + 2) * k + sets * c;
    const std::size_t small = std::max({9 * k * k, c * c, c * k});
    const std::size_t numbers = std::max(10 * k, k + c);
    arena_ = Arena<Space>(exec, "heddle::lobpcg::vectors",
                          arena_bytes<S, S, Sum, Sum, double>(vectors * n, std::max(k, c),
                                                              2 * small, small, numbers));
    S* next = arena_.template take<S>(vectors * n).data();
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
    factors_ = arena_.template take<S>(std::max(k, c)).data();
    grams_ = arena_.template take<Sum>(2 * small).data();
    coefficients_ = arena_.template take<Sum>(small).data();
    norms_ = arena_.template take<double>(numbers).data();
    workspace_ = VectorWorkspace<Exec, Sum>(exec, static_cast<int>(small));
  }

  Vectors span(S* of, int first, int count) const {
    const auto n = static_cast<std::size_t>(rows_);
    return Vectors(of + static_cast<std::size_t>(first) * n, n, static_cast<std::size_t>(count));
  }

  /// A and B times vectors [first, first + count) of the basis.
  template <class A, class B>
  void multiply(const Exec& exec, A& matrix, B& mass, int first, int count) {
    const Vectors of = span(now.vectors, first, count);
    krylov::apply<Exec, S>(exec, matrix, of, span(now.image, first, count));
    if constexpr (is_given<B>) {
      krylov::apply<Exec, S>(exec, mass, of, span(now.mass, first, count));
    }
  }

  /// Constraints, orthonormal, and B times them.
  template <class B, class Y>
  void take_constraints(const Exec& exec, B& mass, const Y& constraints) {
    constrained_ = 0;
    if constexpr (is_given<Y>) {
      const auto y = detail::vectors::to_read(constraints);
      const int c = y.count;
      if (y.rows != rows_ || c > most_constraints_) {
        throw Error("the constraints are " + std::to_string(y.rows) + " x " + std::to_string(c) +
                        ", and the solver is for " + std::to_string(rows_) + " rows and " +
                        std::to_string(most_constraints_) + " constraints",
                    "set options.constraints");
      }
      if (c == 0) return;
      const Vectors given = span(given_constraints_, 0, c),
                    with_mass = span(constraints_mass_, 0, c);
      heddle::vectors::axpby(exec, 1, constraints, 0, given);
      normalize(exec, given);  // whose squares might overflow or vanish
      if constexpr (is_given<B>) {
        krylov::apply<Exec, S>(exec, mass, given, with_mass);
      }
      const Small<Sum> gram(grams_, c, c);
      heddle::vectors::inner_products(exec, given, is_given<B> ? with_mass : given, workspace_,
                                      gram);
      Dense<Sum> g(c, c);
      Kokkos::deep_copy(kokkos_space(exec), OnHost<Sum>(g.entries.data(), c, c), gram);
      exec.fence("heddle::lobpcg::constraints");
      if (!finite(g)) throw Error("NaN or infinity in the constraints", "leave them out");
      const Dense<Sum> t = orthonormal(g, 16 * epsilon * c);
      constrained_ = t.columns;
      if (constrained_ == 0) return;
      const Small<Sum> on_device(coefficients_, c, constrained_);
      Kokkos::deep_copy(kokkos_space(exec), on_device,
                        OnHost<const Sum>(t.entries.data(), c, constrained_));
      const Vectors own = span(constraints_, 0, constrained_);
      heddle::vectors::combine(exec, 1, given, on_device, 0, own);
      if constexpr (is_given<B>) {
        krylov::apply<Exec, S>(exec, mass, own, span(constraints_mass_, 0, constrained_));
      }
      exec.fence("heddle::lobpcg::constraints");  // for t
    } else if (most_constraints_ > 0) {
      throw Error("options.constraints is " + std::to_string(most_constraints_) +
                      ", and solve was given none",
                  "give them, or leave the option out");
    }
  }

  /// w -= V V' B w, of V with V' B V = I.
  void project(const Exec& exec, S* vectors, S* mass, int count, const Vectors& w) {
    if (count == 0) return;
    const Small<Sum> along(coefficients_, count, static_cast<int>(w.extent(1)));
    heddle::vectors::inner_products(exec, span(mass, 0, count), w, workspace_, along);
    heddle::vectors::combine(exec, -1, span(vectors, 0, count), along, 1, w);
  }
  /// w of norm one, so that what is left of it beside others is told from rounding.
  void normalize(const Exec& exec, const Vectors& w) {
    take_norms(exec, w, k_);
    parallel_for(exec, "heddle::lobpcg::reciprocals", static_cast<std::int64_t>(w.extent(1)),
                 Reciprocals<S>{factors_, norms_ + k_});
    heddle::vectors::scale(exec, Numbers<const S>(factors_, w.extent(1)), w);
  }
  void project_constraints(const Exec& exec, const Vectors& w) {
    project(exec, constraints_, constraints_mass_, constrained_, w);
  }

  /// S' B S and S' A S of the first m vectors, and norms: the wait of an iteration. Of `known`
  /// vectors before the others, orthonormal, S' A S is what h holds, and is not measured again.
  void measure(const Exec& exec, int m, int known, Dense<Sum>& g, Dense<Sum>& h, Norms& norms) {
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
        g(i, j) = conjugated(g(j, i));
        h(i, j) = conjugated(h(j, i));
      }
    }
    note_sizes(g, norms, generalized_ ? 0 : known);
  }
  /// Those of R, of A times the vectors [known, m), and with B of m vectors and of A and B times
  /// them.
  void read_norms(const Exec& exec, int m, int known, Norms& norms) {
    const auto take = [&](S* of, int first, int at) {
      if (first < m) take_norms(exec, span(of, first, m - first), at + first);
    };
    if (generalized_) {
      take(now.vectors, 0, k_);
      take(now.mass, 0, 7 * k_);
    }
    take(now.image, generalized_ ? 0 : known, 4 * k_);
    const int count = 10 * k_;
    norms.k = k_;
    norms.all.resize(static_cast<std::size_t>(count));
    Kokkos::deep_copy(kokkos_space(exec), OnHost<double>(norms.all.data(), count, 1),
                      Small<double>(norms_, count, 1));
    exec.fence("heddle::lobpcg::check");
  }
  /// The sizes of A and B as a random vector shows them: a guess of null vectors shows none.
  template <class A, class B>
  void begin_sizes(const Exec& exec, A& matrix, B& mass) {
    const Vectors of = span(residual, 0, 1), image = span(gathered, 0, 1);
    parallel_for(exec, "heddle::lobpcg::random", rows_, RandomEntry<S>{of.data(), 0});
    take_norms(exec, of, 0);
    krylov::apply<Exec, S>(exec, matrix, of, image);
    take_norms(exec, image, 1);
    if constexpr (is_given<B>) {
      krylov::apply<Exec, S>(exec, mass, of, image);
      take_norms(exec, image, 2);
    }
    double norms[3] = {};
    Kokkos::deep_copy(kokkos_space(exec), OnHost<double>(norms, 3, 1), Small<double>(norms_, 3, 1));
    exec.fence("heddle::lobpcg::sizes");
    largest_a = largest_b = 0;
    smallest_b = std::numeric_limits<double>::infinity();
    raise(largest_a, norms[1] / norms[0]);
    if (generalized_) raise(largest_b, norms[2] / norms[0]);
  }
  /// The largest |A s| / |s| and |B s| / |s| and the smallest s' B s / s' s, with those of the
  /// vectors from `first` on.
  void note_sizes(const Dense<Sum>& g, const Norms& norms, int first) {
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
  static void raise(double& largest, double to) {
    if (to > largest && std::isfinite(to)) largest = to;
  }
  void take_norms(const Exec& exec, const Vectors& of, int at) {
    heddle::vectors::norm(exec, of, workspace_, Numbers<double>(norms_ + at, of.extent(1)));
  }
  static bool finite(const Dense<Sum>& of) {
    return std::all_of(of.entries.begin(), of.entries.end(), [](const Sum& value) {
      return std::isfinite(static_cast<double>(Kokkos::abs(value)));
    });
  }
  /// [X P] = S C, and the same of A S and B S.
  void combine(const Exec& exec, int m, const Ritz<Sum>& ritz) {
    const int columns = ritz.c.columns;
    sent_ = ritz.c.entries;  // which lives until the next wait
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

  /// R = A X - B X Lambda, and its norms.
  void take_residuals(const Exec& exec, const std::vector<double>& values) {
    sent_values_.assign(values.begin(), values.end());
    for (Sum& value : sent_values_) value = -value;
    Kokkos::deep_copy(kokkos_space(exec), Small<Sum>(coefficients_, k_, 1),
                      OnHost<Sum>(sent_values_.data(), k_, 1));
    const auto count = static_cast<std::size_t>(k_);
    const Vectors r = span(residual, 0, k_);
    heddle::vectors::copy(exec, span(now.image, 0, k_), r);
    heddle::vectors::axpy_norm(exec, Numbers<const Sum>(coefficients_, count),
                               span(now.mass, 0, k_), r, workspace_,
                               Numbers<double>(norms_, count));
  }

  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }

 private:
  std::int64_t rows_ = 0;
  int k_ = 0, most_constraints_ = 0, constrained_ = 0;
  bool generalized_ = false;
  Arena<Space> arena_;
  VectorWorkspace<Exec, Sum> workspace_;
  S *constraints_ = nullptr, *constraints_mass_ = nullptr, *given_constraints_ = nullptr;
  S* factors_ = nullptr;  ///< one for each of k vectors
  Sum *grams_ = nullptr, *coefficients_ = nullptr;
  double* norms_ = nullptr;
  std::vector<Sum> sent_, sent_values_;
  Block<S> next_;

 public:
  Block<S> now;
  S *residual = nullptr, *gathered = nullptr;
  double largest_a = 0, largest_b = 0, smallest_b = 0;  ///< see note_sizes
};

}  // namespace heddle::detail::lobpcg
