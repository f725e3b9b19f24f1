// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by plans of every format and scheme: applied, updated, moved, prepared late.
#pragma once

#include "../../testing/plan_types.hpp"
#include "../support/symmetric.hpp"
#include "draw_spmv_options.hpp"
#include "draw_triangle.hpp"
#include "draw_values.hpp"
#include "draw_vectors.hpp"
#include "error_bound.hpp"
#include "trial.hpp"

namespace heddle::test {

/// T is a PlanType, V the type of vectors, Acc that of alpha, beta and sums.
template <class T, Scalar V = typename T::Scalar, Scalar Acc = V>
class SpmvTrial {
 public:
  static Outcome run(Random& random) { return SpmvTrial(random).run_plans(); }

 private:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Plan = typename T::template Plan<V, Acc>;

  /// Vectors for an op, and the results of each matrix.
  struct Operands {
    Op op;
    DrawnVectors<V> x, y;
    std::array<std::optional<Reference>, 2> expected{};
  };

  explicit SpmvTrial(Random& random)
      : random_(random),
        exec_(draw_instance<Exec>(random)),
        symmetry_(!once_in(random, 8)  ? Symmetry::none
                  : once_in(random, 2) ? Symmetry::symmetric
                                       : Symmetry::hermitian),
        pattern_(symmetry_ == Symmetry::none ? draw_pattern(random) : draw_half(random)),
        A_(exec_, pattern_, random, wider_than_values<S, V, Acc>,
           [](const auto& host, std::uint64_t seed) {
             Random values(seed);
             fill_random(host.values(), values);
           }),
        op_(once_in(random, 2) ? Op::none : one_of(random, all_ops)),
        alpha_(draw_factor<Acc>(random)),
        beta_(draw_factor<Acc>(random)),
        count_(draw_count(random)),
        kept_{true, sorted(pattern_)} {
    add_operands(Op::none);
    if (op_ != Op::none) add_operands(op_);
  }

  /// One triangle of a symmetric matrix, with its diagonal.
  static Pattern draw_half(Random& random) {
    const Pattern lower = draw_lower(random);
    return once_in(random, 2) ? reversed(lower) : lower;
  }

  void add_operands(Op op) {
    const auto& A = A_.now();
    operands_.push_back(
        {op, {random_, A.rows_of_x(op), count_}, {random_, A.rows_of_y(op), count_}});
    const auto& [_, x, y, expected] = operands_.back();
    x.fill(random_);
    y.fill(random_);
    if (beta_ == Acc(0)) fill_with_poison(y.data);
    if (alpha_ == Acc(0)) fill_with_poison(x.data);
  }

  Outcome run_plans() {
    std::ostringstream text;
    text << "threads " << exec_.concurrency() << ", symmetry " << name(symmetry_) << ", "
         << pattern_.name << ", " << pattern_.nonzeros() << " nonzeros, op " << name(op_)
         << ", alpha " << alpha_ << ", beta " << beta_ << ", " << count_ << " vectors, x "
         << operands_.back().x.words() << ", y " << operands_.back().y.words();
    outcome_.what = text.str();
    std::vector<Scheme> schemes = T::Formats::variants(backends::describe(exec_));
    if (symmetry_ != Symmetry::none && once_in(random_, 2)) {  // csb alone holds it as it is
      std::erase_if(schemes, [](const Scheme& scheme) { return scheme.format() != "csb"; });
    }
    const auto bytes = static_cast<std::int64_t>(sizeof(S) + sizeof(typename T::Ordinal)) *
                       (pattern_.nonzeros() + 1);
    for (int i = 0; i < 3 && outcome_.problem.empty(); ++i) {
      run_plan(draw_spmv_options(random_, schemes, kept_, op_, symmetry_, bytes));
    }
    return outcome_;
  }

  void run_plan(const SpmvOptions& options) {
    events_ = in_words(options);
    try {
      follow(options);
    } catch (const Refusal& refusal) {
      ++outcome_.refusals;
      // csr keeps nothing and accepts every matrix, unless a transpose exceeds the budget.
      const bool takes_all = !transposes(op_) && symmetry_ == Symmetry::none;
      if (!options.scheme && takes_all) fail(std::string("refused: ") + refusal.what());
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  void follow(const SpmvOptions& options) {
    std::optional<Plan> plan(std::in_place, exec_, A_.now().matrix(), options,
                             typename T::Formats());
    events_ += "; " + plan->scheme().to_string();
    const bool needs_prepare = transposes(op_) && options.ops.empty();
    bool prepared = !needs_prepare;
    for (std::int64_t event = random_.below(5); event >= 0 && outcome_.problem.empty(); --event) {
      switch (random_.below(6)) {
        case 0: update(*plan); break;
        case 1: move(plan, options); break;
        case 2: take_other_instance(); break;
        default: break;
      }
      if (!prepared && (event == 0 || once_in(random_, 2))) {
        events_ += "; prepared";
        plan->prepare(exec_, op_);
        prepared = true;
      }
      if (plan->bytes() > options.max_bytes) {
        return fail("the plan keeps " + std::to_string(plan->bytes()) + " bytes");
      }
      const bool either = prepared && !once_in(random_, 3);
      apply(*plan, either ? operands_.back() : operands_.front());
    }
  }

  void update(Plan& plan) {
    events_ += "; updated";
    const std::size_t before = A_.index();
    A_.turn();
    plan.update_values(exec_, A_.now().matrix());
    exec_.fence("heddle::test::updated");
    A_.spoil(before);
  }

  /// Moves the plan into a new one, or into one of another matrix.
  void move(std::optional<Plan>& plan, const SpmvOptions& options) {
    if (once_in(random_, 2)) {
      events_ += "; moved";
      Plan taken(std::move(*plan));
      plan.emplace(std::move(taken));
    } else {
      events_ += "; assigned";
      Plan other(exec_, A_.now().matrix(), options, typename T::Formats());
      other = std::move(*plan);
      plan.emplace(std::move(other));
    }
  }

  void take_other_instance() {
    exec_.fence("heddle::test::instance");
    exec_ = draw_instance<Exec>(random_);
    events_ += "; threads " + std::to_string(exec_.concurrency());
  }

  void apply(Plan& plan, Operands& operands) {
    auto& [op, x, y, expected] = operands;
    events_ += std::string("; applied ") + name(op);
    if (op != Op::none) events_ += " by " + plan.scheme(op).to_string();
    const auto x_device = copy_to<typename T::Space>(x.data);
    const auto result = apply_once(plan, operands, x_device);
    auto& reference = expected[A_.index()];
    if (!reference) {
      const auto& stored = A_.now().host;
      const auto host =
          symmetry_ == Symmetry::none ? stored : both_triangles<DeviceMatrix<T>>(stored, symmetry_);
      reference = reference_spmv(op, alpha_, host.matrix(), x.view(), beta_, y.view());
    }
    // Additions in no fixed order go to y itself; with one stored triangle this is so for every op.
    const bool in_order =
        reproducible(plan.scheme(op), symmetry_ == Symmetry::none ? op : Op::transpose);
    // A second sweep over a triangle adds to the sums of the first, rounded to the type of y.
    const bool by_two_sweeps = plan.scheme(op).has("sweep");
    const auto y_after = y.view_of(result);
    const std::string wrong = in_order && !by_two_sweeps ? wrong_sum<Acc>(*reference, y_after)
                                                         : mismatch(*reference, y_after);
    if (!wrong.empty()) return fail(wrong);
    if (!y.same_outside(result)) return fail("something was written beside y");
    if (!in_order || !once_in(random_, 3)) return;
    const auto again = apply_once(plan, operands, x_device);
    if (!same_bits(y_after, y.view_of(again))) fail("other bits the second time");
  }

  template <class X>
  auto apply_once(Plan& plan, const Operands& operands, const X& x) {
    const auto y = copy_to<typename T::Space>(operands.y.data);
    if (count_ == 1 && once_in(random_, 2)) {
      plan.apply(exec_, operands.op, alpha_, operands.x.first_of(x), beta_, operands.y.first_of(y));
    } else {
      plan.apply(exec_, operands.op, alpha_, operands.x.view_of(x), beta_, operands.y.view_of(y));
    }
    exec_.fence("heddle::test::applied");
    ++outcome_.applies;
    return to_host(y);
  }

  void fail(const std::string& problem) { outcome_.problem = events_ + ": " + problem; }

  static constexpr Op all_ops[4] = {Op::none, Op::transpose, Op::conjugate,
                                    Op::conjugate_transpose};

  Random& random_;
  Exec exec_;
  Symmetry symmetry_;
  Pattern pattern_;
  TwoMatrices<T> A_;
  Op op_;
  Acc alpha_, beta_;
  std::size_t count_;
  Promises kept_;
  std::vector<Operands> operands_;
  std::string events_;
  Outcome outcome_;
};

}  // namespace heddle::test
