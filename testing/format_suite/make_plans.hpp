// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tests make plans: every scheme of the formats under test, and each plan compared with the one
// that its printed scheme gives.
#pragma once

#include <doctest/doctest.h>

#include "../plan_types.hpp"
#include "check.hpp"

namespace heddle::test {

/// The schemes of a list of formats: base schemes, without any parameter that may be left out, and
/// variations of them by one parameter.
template <class T>
class TestedSchemes {
 public:
  explicit TestedSchemes(const typename T::Exec& exec) {
    for (Scheme& scheme : T::Formats::variants(backends::describe(exec))) {
      const bool varies = std::any_of(base_.begin(), base_.end(), [&](const Scheme& base) {
        return base.format() == scheme.format() &&
               std::all_of(base.terms().begin(), base.terms().end(), [&](const SchemeTerm& term) {
                 return std::find(scheme.terms().begin(), scheme.terms().end(), term) !=
                        scheme.terms().end();
               });
      });
      (varies ? variations_ : base_).push_back(std::move(scheme));
    }
  }

  const std::vector<Scheme>& base() const { return base_; }
  std::vector<Scheme> all() const {
    std::vector<Scheme> schemes = base_;
    schemes.insert(schemes.end(), variations_.begin(), variations_.end());
    return schemes;
  }

  /// The base schemes and every `stride`-th variation, shifted by `turn`, so that over `stride`
  /// turns each is used; in full tests all of them.
  std::vector<Scheme> in_turn(std::size_t turn, std::size_t stride) const {
    std::vector<Scheme> schemes = base_;
    if (emulated) {  // about four, others at every call
      stride = std::max(4 * (stride - 1), variations_.size() / 4 + 1);
      turn += calls_++;
    }
    for (std::size_t v = 0; v < variations_.size(); ++v) {
      if (full_tests || (v + turn) % stride == 0) schemes.push_back(variations_[v]);
    }
    return schemes;
  }

 private:
  std::vector<Scheme> base_, variations_;
  mutable std::size_t calls_ = 0;
};

/// Makes the plans of a test, each for one matrix and some options; none if the format refuses. A
/// test in which every plan is refused fails.
///
/// The scheme that a plan prints is parsed again and pinned: that plan must give the same bits from
/// the same x.
template <class T>
class PlanMaker {
 public:
  using S = typename T::Scalar;

  explicit PlanMaker(const typename T::Exec& exec) : exec_(exec) {}
  PlanMaker(const PlanMaker&) = delete;
  ~PlanMaker() {
    CHECK_MESSAGE(made_ > 0, refused_, " plans were refused and none was made: ", last_refusal_);
  }

  template <Scalar V = S, Scalar Acc = V>
  std::optional<typename T::template Plan<V, Acc>> operator()(const DeviceMatrix<T>& A,
                                                              const SpmvOptions& options) {
    using Plan = typename T::template Plan<V, Acc>;
    try {
      Plan plan(exec_, A.matrix(), options, typename T::Formats());
      ++made_;
      check_name<V>(plan, A, options);
      return plan;
    } catch (const Refusal& refusal) {
      ++refused_;
      last_refusal_ = refusal.what();
      return std::nullopt;
    }
  }

 private:
  template <Scalar V, class Plan>
  void check_name(Plan& plan, const DeviceMatrix<T>& A, const SpmvOptions& options) {
    SpmvOptions pinned;
    pinned.scheme = Scheme::parse(plan.scheme().to_string());
    pinned.ops = options.ops;
    for (const Op op : options.ops) {
      if (!T::Formats::applies(op, plan.scheme())) {
        pinned.transposed_scheme = Scheme::parse(plan.scheme(op).to_string());
      }
    }
    Plan again(exec_, A.matrix(), pinned, typename T::Formats());
    std::vector<Op> ops{Op::none};
    ops.insert(ops.end(), options.ops.begin(), options.ops.end());
    for (const Op op : ops) {
      const Scheme& scheme = plan.scheme(op);
      CHECK(again.scheme(op) == scheme);
      if (!reproducible(scheme, op)) continue;
      const auto first = some_product<V>(plan, A, op, options.vectors);
      const bool same = same_bits(first, some_product<V>(again, A, op, options.vectors));
      CHECK_MESSAGE(same, A.name, ", ", scheme.to_string(), " pinned gives other bits, op ",
                    name(op));
    }
  }

  template <Scalar V, class Plan>
  auto some_product(Plan& plan, const DeviceMatrix<T>& A, Op op, const ExpectedVectors& vectors) {
    const auto count = static_cast<std::size_t>(vectors.count);
    using Space = typename T::Space;
    const std::size_t x_rows = A.rows_of_x(op);
    const Vectors<V, Space> x(copy_to<Space>(random_vector<V>(x_rows * count, 17)), x_rows, count,
                              vectors.apart);
    const Vectors<V, Space> y(A.rows_of_y(op), count, vectors.apart);
    plan.apply(exec_, op, 1, x.view(), 0, y.view());
    exec_.fence("heddle::test::applied");
    return to_host(y.data());
  }

  const typename T::Exec& exec_;
  int made_ = 0;
  int refused_ = 0;
  std::string last_refusal_;
};

/// The choice of choose() from a list of formats for a matrix.
template <class List, class T>
Choice chosen_for(const typename T::Exec& exec, const DeviceMatrix<T>& A) {
  const auto matrix = A.matrix();
  const Features features = features_of(exec, matrix, row_features(exec, matrix));
  return choose<List>(features, backends::describe(exec));
}

}  // namespace heddle::test
