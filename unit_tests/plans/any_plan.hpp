// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One interface to plans of all classes, so that each promise is compiled once.
#pragma once

#include <functional>
#include <heddle/spmv.hpp>
#include <heddle/vectors.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support/grid_operator.hpp"
#include "../support/moves_only.hpp"

namespace heddle::test {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using SquareOperator = PlainOperator<Exec, double>;
using Matrix = SquareOperator::Matrix;
using Vector = Kokkos::View<double*, Space>;
using ByColumns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
using ByRows = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

/// A function of a plan, by the name that its Errors give.
struct Call {
  std::string name;
  std::function<void()> run;
};
/// A way to apply a plan: x from b.
struct WayToApply {
  std::string name;
  std::function<void(const Exec&, const Vector& b, const Vector& x)> run;
};

class AnyPlan {
 public:
  virtual ~AnyPlan() = default;
  virtual void apply(const Exec& exec, const Vector& b, const Vector& x) = 0;
  virtual void apply(const Exec& exec, const ByColumns& b, const ByColumns& x) = 0;
  virtual void apply(const Exec& exec, const ByRows& b, const ByRows& x) = 0;
  virtual void update_values(const Exec& exec, const Matrix& A) = 0;
  virtual void check_values(const Exec& exec) const = 0;
  /// The number that bad_row() holds; -1 for a plan without one.
  virtual std::int64_t bad_row() const = 0;
  /// On the default instance.
  virtual void update_values(const Matrix& A) = 0;
  virtual void apply(const Vector& b, const Vector& x) = 0;
  virtual std::size_t bytes() const = 0;
  /// Whether the version has changed since the last call; true for a plan without one.
  virtual bool has_new_version() = 0;
  /// All ways to apply the plan to one vector.
  virtual std::vector<WayToApply> ways(std::size_t rows) = 0;
  /// All functions that a plan without content refuses.
  virtual std::vector<Call> calls(const Exec& exec, const Matrix& A, const Vector& b,
                                  const Vector& x) = 0;
  /// A new object with this plan, which is moved from.
  virtual std::unique_ptr<AnyPlan> moved() = 0;
  /// Assigns the plan of another object, which is moved from.
  virtual void take(AnyPlan& other) = 0;
};

template <class Plan>
class Of : public AnyPlan {
  static_assert(moves_only<Plan>);

 public:
  explicit Of(Plan&& plan) : plan_(std::move(plan)) {}

  void apply(const Exec& exec, const Vector& b, const Vector& x) override {
    plan_.apply(exec, b, x);
  }
  void apply(const Exec& exec, const ByColumns& b, const ByColumns& x) override {
    if constexpr (requires { plan_.apply(exec, b, x); }) plan_.apply(exec, b, x);
  }
  void apply(const Exec& exec, const ByRows& b, const ByRows& x) override {
    if constexpr (requires { plan_.apply(exec, b, x); }) plan_.apply(exec, b, x);
  }
  void update_values(const Exec& exec, const Matrix& A) override {
    if constexpr (requires { plan_.update_values(exec, A); }) plan_.update_values(exec, A);
  }
  void check_values(const Exec& exec) const override {
    if constexpr (requires { plan_.check_values(exec); }) plan_.check_values(exec);
  }
  std::int64_t bad_row() const override {
    std::int64_t row = -1;
    if constexpr (requires { plan_.bad_row(); }) Kokkos::deep_copy(row, plan_.bad_row());
    return row;
  }
  void update_values(const Matrix& A) override {
    if constexpr (requires { plan_.update_values(A); }) plan_.update_values(A);
  }
  void apply(const Vector& b, const Vector& x) override {
    if constexpr (requires { plan_.apply(b, x); }) plan_.apply(b, x);
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  bool has_new_version() override {
    if constexpr (requires { plan_.version(); }) {
      const auto before = std::exchange(version_, plan_.version());
      return version_ != before;
    }
    return true;
  }
  std::unique_ptr<AnyPlan> moved() override { return std::make_unique<Of>(std::move(plan_)); }
  void take(AnyPlan& other) override { plan_ = std::move(dynamic_cast<Of&>(other).plan_); }

  std::vector<WayToApply> ways(std::size_t rows) override;
  std::vector<Call> calls(const Exec& exec, const Matrix& A, const Vector& b,
                          const Vector& x) override;

 private:
  Plan plan_;
  std::optional<VersionNumber> version_;
};

template <class Plan>
std::vector<WayToApply> Of<Plan>::ways(std::size_t rows) {
  using Work = decltype(WayToApply::run);
  std::vector<WayToApply> all;
  const auto add = [&](const char* name, Work run) { all.push_back({name, std::move(run)}); };
  const Vector other("heddle::test::other", rows);
  [[maybe_unused]] const Vector& v = other;
  Plan& p = plan_;
  add("apply", [&p](auto& exec, auto& b, auto& x) { p.apply(exec, b, x); });
  if constexpr (requires { p.apply(Exec(), 2.0, v, v); }) {
    add("with a factor", [&p](auto& exec, auto& b, auto& x) { p.apply(exec, 2.0, b, x); });
    add("with zero", [&p](auto& exec, auto& b, auto& x) { p.apply(exec, 0.0, b, x); });
  }
  if constexpr (requires { p.apply(Exec(), Op::transpose, 1.0, v, v); }) {
    add("transposed",
        [&p](auto& exec, auto& b, auto& x) { p.apply(exec, Op::transpose, 1.0, b, x); });
  }
  if constexpr (requires { p.apply(Exec(), Op::transpose, v, v); }) {
    add("transposed", [&p](auto& exec, auto& b, auto& x) { p.apply(exec, Op::transpose, b, x); });
  }
  if constexpr (requires { p.apply(Exec(), 2.0, v, 0.5, v); }) {
    add("added", [&p](auto& exec, auto& b, auto& x) { p.apply(exec, 2.0, b, 0.5, x); });
    add("transposed",
        [&p](auto& exec, auto& b, auto& x) { p.apply(exec, Op::transpose, 2.0, b, 0.0, x); });
  }
  if constexpr (requires { p.has_dot(); }) {
    using Number = Kokkos::View<double, Space, Kokkos::MemoryUnmanaged>;
    const auto workspace =
        std::make_shared<VectorWorkspace<Exec, double>>(Exec(), 1, static_cast<std::int64_t>(rows));
    add("dot", [&p, other, workspace](auto& exec, auto& b, auto& x) {
      p.apply_dot(exec, b, other, *workspace, Number(x.data()));
    });
  }
  if constexpr (requires { p.relax(Exec(), v, v, 2, v); }) {
    add("residual", [&p, other](auto& exec, auto& b, auto& r) { p.apply(exec, b, other, r); });
    add("sweeps", [&p, other](auto& exec, auto& b, auto& x) { p.relax(exec, b, x, 2, other); });
  }
  return all;
}

template <class Plan>
std::vector<Call> Of<Plan>::calls(const Exec& exec, const Matrix& A, const Vector& b,
                                  const Vector& x) {
  std::vector<Call> all;
  const auto add = [&](const char* name, std::function<void()> run) {
    all.push_back({name, std::move(run)});
  };
  Plan& p = plan_;
  if constexpr (requires { p.calls(exec, A); }) return p.calls(exec, A);
  if constexpr (requires { Plan::applied_by; }) {  // a class of the test's around one of Heddle's
    add(Plan::applied_by, [=, &p] { p.apply(exec, b, x); });
    return all;
  }
  for (const WayToApply& way : ways(b.extent(0))) {
    add(way.name == "sweeps" ? "relax" : "apply", [=] { way.run(exec, b, x); });
  }
  // clang-format off
  if constexpr (requires { p.prepare(exec, Op::none); }) add("prepare", [=, &p] { p.prepare(exec, Op::none); });
  if constexpr (requires { p.update_values(exec, A); }) add("update_values", [=, &p] { p.update_values(exec, A); });
  if constexpr (requires { p.reserve(exec, 2); }) add("reserve", [=, &p] { p.reserve(exec, 2); });
  if constexpr (requires { p.check_values(exec); }) add("check_values", [=, &p] { p.check_values(exec); });
  if constexpr (requires { p.features(exec); }) add("features", [=, &p] { (void)p.features(exec); });
  if constexpr (requires { p.residual(exec, A); }) add("residual", [=, &p] { (void)p.residual(exec, A); });
  if constexpr (requires { p.factors(exec); }) add("factors", [=, &p] { (void)p.factors(exec); });
  if constexpr (requires { p.inverse_diagonal(); }) add("inverse_diagonal", [&p] { (void)p.inverse_diagonal(); });
  if constexpr (requires { p.bad_row(); }) add("bad_row", [&p] { (void)p.bad_row(); });
  if constexpr (requires { p.scheme(); }) add("scheme", [&p] { (void)p.scheme(); });
  if constexpr (requires { p.reason(); }) add("reason", [&p] { (void)p.reason(); });
  if constexpr (requires { p.explain(); }) add("explain", [&p] { (void)p.explain(); });
  if constexpr (requires { p.ranking(); }) add("ranking", [&p] { (void)p.ranking(); });
  if constexpr (requires { p.setup_seconds(); }) add("setup_seconds", [&p] { (void)p.setup_seconds(); });
  if constexpr (requires { p.setup_seconds(); }) add("bytes", [&p] { (void)p.bytes(); });
  if constexpr (requires { p.levels(); }) add("levels", [&p] { (void)p.levels(); });
  if constexpr (requires { p.colors(); }) add("colors", [&p] { (void)p.colors(); });
  if constexpr (requires { p.diagonal_growth(); }) add("diagonal_growth", [&p] { (void)p.diagonal_growth(); });
  if constexpr (requires { p.asymmetry(); }) add("asymmetry", [&p] { (void)p.asymmetry(); });
  if constexpr (requires { p.asymmetry(); }) add("symmetric", [&p] { (void)p.symmetric(); });
  if constexpr (requires { p.apply_from(exec, 0, b, x); }) add("apply_from", [=, &p] { p.apply_from(exec, 0, b, x); });
  if constexpr (requires { p.rows(); }) add("rows", [&p] { (void)p.rows(); });
  if constexpr (requires { p.has_dot(); }) add("has_dot", [&p] { (void)p.has_dot(); });
  if constexpr (requires { p.columns(); }) add("columns", [&p] { (void)p.columns(); });
  if constexpr (requires { p.moved_bytes(); }) add("moved_bytes", [&p] { (void)p.moved_bytes(); });
  if constexpr (requires { p.result(); }) add("result", [&p] { (void)p.result(); });
  if constexpr (requires { p.results(); }) add("results", [&p] { (void)p.results(); });
  // clang-format on
  return all;
}

}  // namespace heddle::test
