// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves by plans of every scheme, and without a plan.
#pragma once

#include "../../solvers/sptrsv/definitions.hpp"
#include "../../solvers/sptrsv/select/candidates.hpp"
#include "../support/sptrsv_check.hpp"
#include "draw_triangle.hpp"
#include "draw_values.hpp"
#include "draw_vectors.hpp"
#include "error_bound.hpp"
#include "trial.hpp"

namespace heddle::test {

/// T is a TriangleType, V the type of vectors, Acc that of alpha and sums.
template <class T, Scalar V = typename T::Scalar, Scalar Acc = V>
class SptrsvTrial {
 public:
  static Outcome run(Random& random) { return SptrsvTrial(random).run_plans(); }

 private:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Host = typename DeviceMatrix<T>::Host;
  using Plan = typename T::template Plan<V, Acc>;

  explicit SptrsvTrial(Random& random)
      : random_(random),
        exec_(draw_instance<Exec>(random)),
        drawn_(draw_triangle(random)),
        A_(exec_, drawn_.pattern, random, wider_than_values<S, V, Acc>,
           [this](const Host& host, std::uint64_t seed) { set_values(host, seed); }) {}

  /// Values that a solve may not read are poison: entries outside, and a unit diagonal.
  void set_values(const Host& host, std::uint64_t seed) const {
    set_triangle_values(host, seed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(host.rows()); ++i) {
      for (auto k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
        const auto e = static_cast<std::size_t>(k);
        const auto j = static_cast<std::size_t>(host.col_idx()(e));
        const bool outside = drawn_.triangle == Triangle::lower ? j > i : j < i;
        const bool unread = outside || (j == i && drawn_.diagonal == Diagonal::unit);
        if (unread) host.values()(e) = poison<S>();
      }
    }
  }

  Outcome run_plans() {
    outcome_.what = "threads " + std::to_string(exec_.concurrency()) + ", " + drawn_.pattern.name +
                    ", " + std::to_string(drawn_.pattern.nonzeros()) + " entries";
    const std::vector<Scheme> schemes = draw_schemes();
    for (int i = 0; i < 3 && outcome_.problem.empty(); ++i) {
      const bool pinned = !once_in(random_, 5);
      try {
        if constexpr (std::is_same_v<V, Acc>) {
          if (once_in(random_, 6)) {
            solve_without_plan();
            continue;
          }
        }
        follow(draw_options(pinned ? &one_of(random_, schemes) : nullptr));
      } catch (const std::exception& error) {
        fail(error.what());
      }
    }
    return outcome_;
  }

  std::vector<Scheme> draw_schemes() {
    const Device device = backends::describe(exec_);
    if (once_in(random_, 2)) return sptrsv_variants(device);
    return heddle::detail::sptrsv::candidates(drawn_.pattern.columns, drawn_.pattern.nonzeros(),
                                              static_cast<int>(1 + random_.below(1000)), device);
  }

  SptrsvOptions draw_options(const Scheme* scheme) {
    SptrsvOptions options;
    options.triangle = drawn_.triangle;
    options.diagonal = drawn_.diagonal;
    options.ignore_outside = drawn_.ignore_outside;
    options.expected_applies = once_in(random_, 2) ? 1 : 1000;
    if (scheme) options.scheme = *scheme;
    options.vectors = {static_cast<int>(draw_count(random_)), !once_in(random_, 3)};
    if (once_in(random_, 2)) options.ops = {Op::transpose};
    return options;
  }

  void follow(const SptrsvOptions& options) {
    events_ = (options.scheme ? options.scheme->to_string() : "chosen") + " for " +
              std::to_string(options.vectors.count) + " vectors";
    std::optional<Plan> plan(std::in_place, exec_, A_.now().matrix(), options);
    events_ += "; " + plan->scheme().to_string();
    bool prepared = !options.ops.empty();
    for (std::int64_t event = random_.below(5); event >= 0 && outcome_.problem.empty(); --event) {
      switch (random_.below(6)) {
        case 0: update(*plan); break;
        case 1: move(plan, options); break;
        case 2: take_other_instance(); break;
        default: break;
      }
      if (!prepared && once_in(random_, 2)) {
        events_ += "; prepared";
        plan->prepare(exec_, Op::transpose);
        prepared = true;
      }
      // Once all ops are prepared the plan does not read the matrix any more.
      const bool spoiled = prepared && once_in(random_, 2);
      if (spoiled) A_.spoil(A_.index());
      const Op ops[] = {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose};
      const Op op = ops[random_.below(prepared ? 4 : 2)];
      events_ += std::string("; solved ") + name(op);
      solve(op, draw_factor<Acc>(random_),
            [&](Acc alpha, const auto& b, const auto& x) { plan->apply(exec_, op, alpha, b, x); });
      if (spoiled) A_.restore();
    }
    if (outcome_.problem.empty()) plan->check_values(exec_);
  }

  void update(Plan& plan) {
    events_ += "; updated";
    const std::size_t before = A_.index();
    A_.turn();
    plan.update_values(exec_, A_.now().matrix());
    exec_.fence("heddle::test::updated");
    A_.spoil(before);
  }

  void move(std::optional<Plan>& plan, const SptrsvOptions& options) {
    if (once_in(random_, 2)) {
      events_ += "; moved";
      Plan taken(std::move(*plan));
      plan.emplace(std::move(taken));
    } else {
      events_ += "; assigned";
      Plan other(exec_, A_.now().matrix(), options);
      other = std::move(*plan);
      plan.emplace(std::move(other));
    }
  }

  void take_other_instance() {
    exec_.fence("heddle::test::instance");
    exec_ = draw_instance<Exec>(random_);
    events_ += "; threads " + std::to_string(exec_.concurrency());
  }

  void solve_without_plan() {
    events_ = "without a plan";
    const auto rows = drawn_.pattern.columns;
    const SptrsvWorkspace<Exec, V> workspace(exec_, rows + random_.below(3),
                                             static_cast<int>(1 + random_.below(4)));
    const SptrsvOptions options{drawn_.triangle, drawn_.diagonal, drawn_.ignore_outside};
    solve(Op::none, draw_factor<V>(random_), [&](V alpha, const auto& b, const auto& x) {
      sptrsv(exec_, alpha, A_.now().matrix(), b, x, workspace, options);
    });
  }

  /// Solves for random right-hand sides, with x poisoned or b itself, and checks the residual; a
  /// second solve must give the same bits.
  template <class Run>
  void solve(Op op, Acc alpha, const Run& run) {
    const auto rows = static_cast<std::size_t>(drawn_.pattern.columns);
    const std::size_t count = draw_count(random_);
    DrawnVectors<V> b(random_, rows, count), x(random_, rows, count);
    b.fill(random_);
    const bool in_place = once_in(random_, 3) && alpha != Acc(0);
    if (alpha == Acc(0)) fill_with_poison(b.data);
    events_ += " with " + std::to_string(count) + " vectors " + b.words() +
               (in_place ? " in place" : ", x " + x.words());
    const auto& layout = in_place ? b : x;
    const auto solve_once = [&] {
      const auto b_device = copy_to<typename T::Space>(b.data);
      const auto x_device = in_place ? b_device : copy_to<typename T::Space>(x.data);
      run(alpha, b.view_of(b_device), layout.view_of(x_device));
      exec_.fence("heddle::test::solved");
      ++outcome_.applies;
      return to_host(x_device);
    };
    const auto result = solve_once();
    if (!layout.same_outside(result)) return fail("something was written beside x");
    const auto solution = layout.view_of(result);
    if (alpha == Acc(0)) {
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t i = 0; i < rows; ++i) {
          if (solution(i, k) != V(0)) return fail("x is not zero where alpha is");
        }
      }
      return;
    }
    const Host T_ = triangle_of(A_.now().host, drawn_.triangle, drawn_.diagonal);
    const double off = residual(T_, op, solution, alpha, b.view());
    if (!(off <= 1))
      return fail("the residual is " + std::to_string(off) + " times what it may be");
    if (!once_in(random_, 3)) return;
    const auto again = solve_once();
    if (!same_bits(solution, layout.view_of(again))) fail("other bits the second time");
  }

  void fail(const std::string& problem) { outcome_.problem = events_ + ": " + problem; }

  Random& random_;
  Exec exec_;
  DrawnTriangle drawn_;
  TwoMatrices<T> A_;
  std::string events_;
  Outcome outcome_;
};

}  // namespace heddle::test
