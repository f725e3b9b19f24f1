// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of eigenpairs: guesses, searches, and errors of pairs in
// sums of the host. A source that includes this needs HEDDLE_DEFINITIONS.
#pragma once

#include <heddle/lobpcg.hpp>
#include <numbers>

#include "krylov.hpp"
#include "wrong_pairs.hpp"

namespace heddle::test {

template <class S>
using EigenBlock = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;

template <class S>
EigenBlock<S> random_guess(std::int64_t n, int count, std::uint64_t seed = 7) {
  const EigenBlock<S> x("heddle::test::x", static_cast<std::size_t>(n),
                        static_cast<std::size_t>(count));
  const auto host = Kokkos::create_mirror_view(x);
  const auto numbers = random_vector<S>(static_cast<std::size_t>(n * count), seed);
  for (int j = 0; j < count; ++j) {
    for (std::int64_t i = 0; i < n; ++i) host(i, j) = numbers[static_cast<std::size_t>(j * n + i)];
  }
  Kokkos::deep_copy(x, host);
  return x;
}

/// Errors of the eigenpairs of a search; B is an operator or NoMassMatrix.
template <class S, class B>
PairErrors errors_of_pairs(const PlainOperator<Exec, S>& a, const B& b, const EigenBlock<S>& x,
                           const LobpcgResult& result) {
  const PlainOperator<Exec, S>* mass = nullptr;
  if constexpr (!std::is_same_v<B, NoMassMatrix>) mass = &b;
  return PairErrors(a, mass, x, result, EigenBlock<S>("heddle::test::none", 0, 0));
}

/// The largest |A x - lambda x| / |x|.
template <class S>
double residual_of_pairs(const PlainOperator<Exec, S>& a, const EigenBlock<S>& x,
                         const LobpcgResult& result) {
  NoMassMatrix none;
  return std::ranges::max(errors_of_pairs(a, none, x, result).residuals);
}

/// A search from x, with the options that B and constraints need.
template <class S, class M = NoPreconditioner, class B = NoMassMatrix, class Y = NoConstraints>
LobpcgResult search(PlainOperator<Exec, S>& a, const EigenBlock<S>& x, LobpcgOptions options,
                    M&& m = M(), B&& b = B(), const Y& y = Y()) {
  options.count = static_cast<int>(x.extent(1));
  options.generalized = !std::is_same_v<std::decay_t<B>, NoMassMatrix>;
  if constexpr (!std::is_same_v<Y, NoConstraints>) {
    options.constraints = static_cast<int>(y.extent(1));
  }
  LobpcgSolver<Exec, S> solver(Exec(), a.n, options);
  return solver.solve(Exec(), a, x, m, b, y);
}

/// Checks that all pairs converged, by their true residuals, to the expected values.
template <class S, class B = NoMassMatrix>
void check_pairs(PlainOperator<Exec, S>& a, const EigenBlock<S>& x, const LobpcgResult& result,
                 const std::vector<double>& expected, double tolerance, B&& b = B()) {
  constexpr bool generalized = !std::is_same_v<std::decay_t<B>, NoMassMatrix>;
  CHECK_MESSAGE(result.converged(), name(result.outcome));
  const PairErrors errors = errors_of_pairs(a, b, x, result);
  CHECK(std::ranges::max(errors.residuals) <= 1.5 * tolerance * result.scale);
  const double rounding = std::numeric_limits<RealOf<S>>::epsilon() * errors.terms;
  CHECK(errors.skew < (generalized ? 1e4 : 100) * rounding);
  REQUIRE(result.pairs.size() == expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) {
    CAPTURE(j);
    CHECK(result.pairs[j].converged);
    const double error = std::abs(result.pairs[j].value - expected[j]);
    CHECK(error <= (generalized ? 1e3 * tolerance * (1 + std::abs(expected[j]))
                                : 1.5 * tolerance * result.scale));
  }
}

/// value(0), value(1), ...
template <class Value>
std::vector<double> first_values(int count, const Value& value) {
  std::vector<double> values;
  for (int j = 0; j < count; ++j) values.push_back(value(j));
  return values;
}

/// Solves with a symmetric positive definite tridiagonal matrix, on one thread: the ideal
/// preconditioner.
struct TridiagonalSolve {
  Kokkos::View<double*, Space> diagonal, beside, scratch;

  template <class Entry>
  TridiagonalSolve(int n, const Entry& entry)
      : diagonal("heddle::test::diagonal", static_cast<std::size_t>(n)),
        beside("heddle::test::beside", static_cast<std::size_t>(n)) {
    const auto d = Kokkos::create_mirror_view(diagonal), o = Kokkos::create_mirror_view(beside);
    for (int i = 0; i < n; ++i) {  // L D L'
      o(i) = i > 0 ? entry(i, i - 1) / d(i - 1) : 0;
      d(i) = entry(i, i) - (i > 0 ? o(i) * entry(i, i - 1) : 0);
    }
    Kokkos::deep_copy(diagonal, d);
    Kokkos::deep_copy(beside, o);
  }

  template <class B, class X>
  struct Run {
    Kokkos::View<double*, Space> d, o;
    B b;
    X x;
    KOKKOS_FUNCTION void operator()(std::int64_t) const {
      const auto n = static_cast<std::int64_t>(x.extent(0));
      for (std::int64_t i = 0; i < n; ++i) x(i) = b(i) - (i > 0 ? o(i) * x(i - 1) : 0.0);
      for (std::int64_t i = n - 1; i >= 0; --i) {
        x(i) = x(i) / d(i) - (i + 1 < n ? o(i + 1) * x(i + 1) : 0.0);
      }
    }
  };
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) {
    heddle::detail::parallel_for(exec, "heddle::test::tridiagonal_solve", 1,
                                 Run<B, X>{diagonal, beside, b, x});
  }
  bool symmetric() const { return true; }
};

}  // namespace heddle::test
