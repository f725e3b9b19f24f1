// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "../../core/error.hpp"
#include "../krylov/concepts.hpp"
#include "../vectors/operations.hpp"
#include "fields.hpp"
#include "small_dense.hpp"

namespace heddle::detail::lobpcg {

/// Result of Rayleigh-Ritz on a basis [X P W].
template <class T>
struct Ritz {
  std::vector<double> values;
  Dense<T> c;        ///< coefficients of the new [X P], orthonormal
  int found = 0;     ///< columns of X; fewer than wanted if the basis has fewer
  Dense<T> h;        ///< [X P]' A [X P]
  double scale = 0;  ///< the largest Ritz value of the basis, in magnitude
  double least = 0;  ///< the lowest eigenvalue of G for vectors of norm one
  double kept = 1;   ///< the lowest of those that [X P] is made of: rounding grows by its inverse
};

/// Coefficients of P for the `active` columns of X: the part of the new X outside the old X, made
/// orthonormal to the new X. Source: U. Hetmaniuk and R. Lehoucq (2006).
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

/// The wanted pairs of A in the span of a basis, from its Gram matrices G = S' B S and H = S' A S.
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

/// The argument of solve for A x = lambda x, if constraints follow it.
struct NoMassMatrix {};
/// The argument of solve without constraints.
struct NoConstraints {};

namespace detail::lobpcg {

template <class B>
inline constexpr bool is_given = !std::is_same_v<std::decay_t<B>, NoMassMatrix> &&
                                 !std::is_same_v<std::decay_t<B>, NoConstraints>;

/// Vectors of a basis, and their products with A and with B. Without B, mass points to the vectors.
template <class S>
struct Block {
  S *vectors = nullptr, *image = nullptr, *mass = nullptr;
};

/// Places of norms in an array: those of R for each of k pairs, then those of the vectors of a
/// basis, of A times them and of B times them, for 3 k vectors each.
struct NormPlaces {
  int k = 0;

  int residual(int j) const { return j; }
  int vector(int j) const { return k + j; }
  int image(int j) const { return 4 * k + j; }
  int mass(int j) const { return 7 * k + j; }
  int count() const { return 10 * k; }
};

/// The norms that the host has read last.
struct Norms {
  NormPlaces places;
  std::vector<double> all;

  double residual(int j) const { return at(places.residual(j)); }
  double vector(int j) const { return at(places.vector(j)); }
  double image(int j) const { return at(places.image(j)); }
  double mass(int j) const { return at(places.mass(j)); }

 private:
  double at(int place) const { return all[static_cast<std::size_t>(place)]; }
};

/// Number of columns from `at` on that follow each other in `columns`.
inline int run_length(const std::vector<int>& columns, std::size_t at) {
  std::size_t end = at + 1;
  while (end < columns.size() && columns[end] == columns[end - 1] + 1) ++end;
  return static_cast<int>(end - at);
}

}  // namespace detail::lobpcg

}  // namespace heddle

namespace heddle::detail::lobpcg {

inline void check_options(const LobpcgOptions& options, std::int64_t rows) {
  check_fields(options);
  if (options.count + std::int64_t{options.constraints} > rows) {
    throw Error("options.count is " + std::to_string(options.count) + " and constraints " +
                    std::to_string(options.constraints) + ", for " + std::to_string(rows) + " rows",
                "ask for no more pairs than there are");
  }
}

/// Throws Error unless B is given exactly if the options say so, and is as large as A.
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

/// The memory of a solver, and the operations on blocks of vectors: a basis S = [X P W] with its
/// products, residuals of X, constraints.
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

  Block<S> now;
  S *residual = nullptr, *gathered = nullptr;
  /// The largest |A s| / |s| and |B s| / |s|, and the smallest s' B s / s' s, of all vectors so
  /// far.
  double largest_a = 0, largest_b = 0, smallest_b = 0;

  Basis() = default;
  Basis(const Exec& exec, std::int64_t rows, const LobpcgOptions& options);

  Vectors span(S* of, int first, int count) const {
    const auto n = static_cast<std::size_t>(rows_);
    return Vectors(of + static_cast<std::size_t>(first) * n, n, static_cast<std::size_t>(count));
  }

  /// Computes A and B times vectors [first, first + count) of the basis.
  template <class A, class B>
  void multiply(const Exec& exec, A& matrix, B& mass, int first, int count) {
    const Vectors of = span(now.vectors, first, count);
    krylov::apply<Exec, S>(exec, matrix, of, span(now.image, first, count));
    if constexpr (is_given<B>) {
      krylov::apply<Exec, S>(exec, mass, of, span(now.mass, first, count));
    }
  }

  /// Makes the constraints orthonormal, and computes B times them. Waits.
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
      normalize(exec, given);  // squares might overflow or vanish
      if constexpr (is_given<B>) {
        krylov::apply<Exec, S>(exec, mass, given, with_mass);
      }
      const Dense<Sum> g = gram(exec, given, is_given<B> ? with_mass : given);
      if (!finite(g)) throw Error("the constraints are not finite", "give finite ones");
      const Dense<Sum> t = orthonormal(g, 16 * epsilon * c);
      constrained_ = t.columns;
      if (constrained_ == 0) return;
      const Vectors own = span(constraints_, 0, constrained_);
      combine_vectors(exec, given, t, own);
      if constexpr (is_given<B>) {
        krylov::apply<Exec, S>(exec, mass, own, span(constraints_mass_, 0, constrained_));
      }
      exec.fence("heddle::lobpcg::constraints");  // for the copy of t to the device
    } else if (most_constraints_ > 0) {
      throw Error("options.constraints is " + std::to_string(most_constraints_) +
                      ", and solve was given none",
                  "give them, or leave the option out");
    }
  }

  /// w -= V V' B w, for V with V' B V = I.
  void project(const Exec& exec, S* vectors, S* mass, int count, const Vectors& w);
  void project_constraints(const Exec& exec, const Vectors& w) {
    project(exec, constraints_, constraints_mass_, constrained_, w);
  }
  /// Scales w to norm one, so that what projections leave can be compared with rounding.
  void normalize(const Exec& exec, const Vectors& w);
  /// Fills w with numbers in [-1, 1) of their places and a seed, the same on all devices.
  void randomize(const Exec& exec, const Vectors& w, std::uint64_t seed);

  /// Computes S' B S and S' A S of the first m vectors, and norms: the wait of an iteration. The
  /// first `known` vectors are orthonormal, and their S' A S is taken from h.
  void measure(const Exec& exec, int m, int known, Dense<Sum>& g, Dense<Sum>& h, Norms& norms);
  /// Reads the norms of R and of A times the vectors [known, m); with B, of R, of m vectors, and of
  /// A and B times them. Waits.
  void read_norms(const Exec& exec, int m, int known, Norms& norms);
  /// Estimates the sizes of A and B by a random vector, since a guess of null vectors shows none.
  template <class A, class B>
  void begin_sizes(const Exec& exec, A& matrix, B& mass) {
    const Vectors of = span(residual, 0, 1), image = span(gathered, 0, 1);
    randomize(exec, of, 0);
    take_norms(exec, of, 0);
    krylov::apply<Exec, S>(exec, matrix, of, image);
    take_norms(exec, image, 1);
    if constexpr (is_given<B>) {
      krylov::apply<Exec, S>(exec, mass, of, image);
      take_norms(exec, image, 2);
    }
    read_sizes(exec);
  }
  static bool finite(const Dense<Sum>& of) {
    return std::all_of(of.entries.begin(), of.entries.end(), [](const Sum& value) {
      return std::isfinite(static_cast<double>(Kokkos::abs(value)));
    });
  }
  /// [X P] = S C, and its images are A S C and B S C.
  void combine(const Exec& exec, int m, const Ritz<Sum>& ritz);
  /// R = A X - B X Lambda, and its norms.
  void take_residuals(const Exec& exec, const std::vector<double>& values);

  std::size_t bytes() const { return arena_.bytes() + workspace_.bytes(); }

 private:
  /// v' w, on the host. Waits.
  Dense<Sum> gram(const Exec& exec, const Vectors& v, const Vectors& w);
  /// to = from t. sent_ holds the entries of t until the next wait.
  void combine_vectors(const Exec& exec, const Vectors& from, const Dense<Sum>& t,
                       const Vectors& to);
  /// Reads the sizes of A and B from the norms of a random vector and of A and B times it. Waits.
  void read_sizes(const Exec& exec);
  /// Updates the sizes of A and B by the vectors from `first` on.
  void note_sizes(const Dense<Sum>& g, const Norms& norms, int first);
  static void raise(double& largest, double to) {
    if (to > largest && std::isfinite(to)) largest = to;
  }
  void take_norms(const Exec& exec, const Vectors& of, int at);

  std::int64_t rows_ = 0;
  int k_ = 0, most_constraints_ = 0, constrained_ = 0;
  bool generalized_ = false;
  NormPlaces places_;
  Arena<Space> arena_;
  VectorWorkspace<Exec, Sum> workspace_;
  S *constraints_ = nullptr, *constraints_mass_ = nullptr, *given_constraints_ = nullptr;
  S* factors_ = nullptr;  ///< one for each vector that is normalized
  Sum *grams_ = nullptr, *coefficients_ = nullptr;
  double* norms_ = nullptr;
  std::vector<Sum> sent_, sent_values_;
  Block<S> next_;
};

}  // namespace heddle::detail::lobpcg
