// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of multigrid: systems, and checks of a preconditioner.
#pragma once

#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <map>

#include "krylov.hpp"
#include "multigrid_plans.hpp"
#include "wrong_form.hpp"
#ifdef HEDDLE_EMULATED
#include "../../solvers/krylov/cg_definitions.hpp"
#endif

namespace heddle::test {

/// One of several numbers, selected by the turn of dev/test.
template <class... More>
constexpr double number_in_turn(double first, More... more) {
  const double numbers[] = {first, more...};
#ifdef HEDDLE_TURN
  return numbers[HEDDLE_TURN % (1 + sizeof...(More))];
#else
  return numbers[0];
#endif
}

/// Poisson's equation with Dirichlet boundaries.
template <ExecutionSpace E, Scalar S>
PlainOperator<E, S> poisson(int width, int height, int depth) {
  const S middle(depth > 1 ? 6 : 4);
  return star_operator<E, S>(width, height, depth,
                             [=](int i, int j) { return i == j ? middle : S(-1); });
}

/// A square matrix from the entries of each row, by column.
template <ExecutionSpace E, Scalar S>
PlainOperator<E, S> operator_of(const std::vector<std::map<int, S>>& rows) {
  const auto row_of = [&](int i) -> const auto& { return rows[static_cast<std::size_t>(i)]; };
  const auto columns = [&](int i, const auto& add) {
    for (const auto& [j, value] : row_of(i)) add(j);
  };
  return operator_where<E, S>(static_cast<int>(rows.size()), columns,
                              [&](int i, int j) { return row_of(i).at(j); });
}

/// Paths of `length` nodes without boundary values, with edges of weight 10^-spread to 10^spread.
template <ExecutionSpace E, Scalar S>
PlainOperator<E, S> chains(int parts, int length, double spread, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::map<int, S>> rows(static_cast<std::size_t>(parts * length));
  for (int i = 0; i < parts * length; ++i) {
    if (i % length + 1 == length) continue;
    const auto weight = static_cast<S>(std::pow(10.0, spread * random.scalar<double>()));
    auto &row = rows[static_cast<std::size_t>(i)], &next = rows[static_cast<std::size_t>(i) + 1];
    row[i + 1] = next[i] = -weight;
    row[i] += weight;
    next[i + 1] += weight;
  }
  return operator_of<E, S>(rows);
}

struct System {
  std::string name;
  PlainOperator<Exec, double> matrix;
};

/// A grid's matrix: entry(i, j) is the exchange of two neighbours, held(i) an additional loss of a
/// node.
template <ExecutionSpace E, Scalar S, class Exchange, class Held>
PlainOperator<E, S> exchange(int width, int height, int depth, const Exchange& exchange,
                             const Held& held) {
  const Star star{width, height, depth};
  return operator_where<E, S>(star.nodes(), star, [=](int i, int j) {
    const auto flow = [&](int k) { return exchange(std::min(i, k), std::max(i, k)); };
    if (i != j) return static_cast<double>(-flow(j));
    double sum = held(i);
    star(i, [&](int k) { sum += k == i ? 0.0 : flow(k); });
    return sum;
  });
}

/// Symmetric systems, positive definite or with a nullspace.
template <ExecutionSpace E, Scalar S>
std::vector<System> symmetric_systems() {
  const int side = emulated ? 12 : 40, edge = emulated ? 6 : 14;
  const auto one = [](int, int) { return 1.0; };
  const auto corner = [](int i) { return i == 0 ? 1.0 : 0.0; };
  const auto none = [](int) { return 0.0; };
  const auto jumps = [=](int i, int j) {
    const auto of = [=](int k) { return (k % side / 5 + k / side / 5) % 2 ? 1e6 : 1.0; };
    return 2 / (1 / of(i) + 1 / of(j));
  };
  return {
      {"Poisson on a square", poisson<E, S>(side, side, 1)},
      {"Poisson on a cube", poisson<E, S>(edge, edge, edge)},
      {"held in one corner", exchange<E, S>(side, side, 1, one, corner)},
      {"weak in one direction",
       exchange<E, S>(
           side, side, 1, [](int i, int j) { return j == i + 1 ? 1.0 : 0.01; }, corner)},
      {"jumps of a million", exchange<E, S>(side, side, 1, jumps, [](int) { return 1e-3; })},
      {"held nowhere", exchange<E, S>(side, side, 1, one, none)},
      {"in two parts",
       exchange<E, S>(
           side, side, 1,
           [=](int i, int j) { return i / side < side / 2 && j / side >= side / 2 ? 0.0 : 1.0; },
           corner)},
      {"rows that are given",
       exchange<E, S>(
           side, side, 1, [](int i, int j) { return i % 7 == 0 || j % 7 == 0 ? 0.0 : 1.0; },
           [](int i) { return i % 7 == 0 ? 1.0 : 0.1; })},
      {"a diagonal",
       exchange<E, S>(
           side, side, 1, [](int, int) { return 0.0; }, [](int i) { return 1.0 + i % 5; })},
  };
}

/// A matrix of A's pattern with changed values.
template <ExecutionSpace E, Scalar S, class Change>
PlainOperator<E, S> with_values(const PlainOperator<E, S>& a, const Change& change) {
  PlainOperator<E, S> other = a;
  const auto from = to_host(a.values);
  std::vector<S> values;
  for (std::size_t k = 0; k < from.extent(0); ++k) values.push_back(change(from(k)));
  other.values = copy_in<typename E::memory_space>(values);
  return other;
}

/// W A W with a diagonal matrix of weights.
template <ExecutionSpace E, Scalar S, class Weight>
PlainOperator<E, S> weighted(const PlainOperator<E, S>& a, const Weight& weight) {
  PlainOperator<E, S> other = a;
  std::vector<S> values;
  each_entry(a, [&](S value, std::size_t i, std::size_t j) {
    values.push_back(S(weight(static_cast<int>(i)) * weight(static_cast<int>(j))) * value);
  });
  other.values = copy_in<typename E::memory_space>(values);
  return other;
}

/// M b, on the host.
template <ExecutionSpace E, class Plan, class B>
auto applied(const E& exec, const Plan& plan, const B& b) {
  const B x("heddle::test::x", b.extent(0));
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  return to_host(x);
}

/// Checks x' M y = y' M x up to rounding, and x' M x > 0, for random vectors.
template <Scalar S, ExecutionSpace E, class Plan>
void check_positive_definite(const E& exec, Plan& plan,
                             double tolerance = std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-11) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto x = right_hand_side<S, typename E::memory_space>(plan.rows(), seed);
    const auto y = right_hand_side<S, typename E::memory_space>(plan.rows(), seed + 10);
    const auto Mx = applied(exec, plan, x), My = applied(exec, plan, y);
    CHECK(wrong_form(to_host(x), to_host(y), Mx, My, tolerance) == "");
  }
}

/// Gives a plan four times the values of A: M b is a quarter of what it was, to the bit, since a
/// power of two changes no rounding.
template <ExecutionSpace E, class Plan>
void check_four_times(const E& exec, const PlainOperator<E, double>& a, Plan& plan) {
  const auto b = right_hand_side<double, typename E::memory_space>(plan.rows());
  const auto before = applied(exec, plan, b);
  plan.update_values(exec, with_values(a, [](double value) { return 4 * value; }).matrix());
  plan.check_values(exec);
  const auto after = applied(exec, plan, b);
  bool same = true;
  for (std::size_t i = 0; i < before.extent(0); ++i) same = same && before(i) == 4 * after(i);
  CHECK(same);
}

/// |x - y| over |y|, of largest entries; NaN if y is zero.
template <class X, class Y>
double relative_difference(const X& x, const Y& y) {
  double largest = 0, most = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, static_cast<double>(Kokkos::abs(y[i])));
    most = std::max(most, static_cast<double>(Kokkos::abs(x[i] - y[i])));
  }
  return most / largest;
}

/// CG's iterations to 1e-8 for a b in the range of A; the host confirms the residual.
template <class Plan>
int iterations_with(const Exec& exec, const PlainOperator<Exec, double>& system, Plan& plan) {
  auto a = system;
  const auto of = right_hand_side<double>(a.n);
  const Kokkos::View<double*, Space> b("heddle::test::b", static_cast<std::size_t>(a.n));
  a.apply(exec, of, b);
  const Kokkos::View<double*, Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  CgSolver<Exec, double> cg(exec, a.n);
  const KrylovResult result = cg.solve(exec, a, b, x, plan);
  CHECK(result.converged());
  CHECK(relative_residual(a, b, x) < 1.01e-8);
  return result.iterations;
}

}  // namespace heddle::test
