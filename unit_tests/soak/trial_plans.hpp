// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and triangular solves by plans of every format and scheme: applied, updated, moved,
// prepared late; and triangular solves without a plan.
#pragma once

#include "../../solvers/sptrsv/definitions.hpp"
#include "../../solvers/sptrsv/select/choose.hpp"
#include "../../testing/plan_types.hpp"
#include "../../testing/residual.hpp"
#include "../support/shared_formats.hpp"
#include "../support/symmetric.hpp"
#include "draw_vectors.hpp"

namespace heddle::test {

inline constexpr Op all_ops[] = {Op::none, Op::conjugate, Op::transpose, Op::conjugate_transpose};

/// The error of results that were summed in Acc and rounded to V once; "" if there is none.
template <Scalar Acc, VectorView Y>
std::string wrong_sum(const Reference& reference, const Y& y) {
  using V = typename Y::non_const_value_type;
  using Limits = std::numeric_limits<RealOf<V>>;
  if constexpr (Limits::epsilon() <= std::numeric_limits<RealOf<Acc>>::epsilon()) {
    return mismatch<Acc>(reference, y);
  } else {
    for (std::size_t at = 0; at < reference.values.size(); ++at) {
      const std::size_t i = at % reference.rows, k = at / reference.rows;
      const detail::Wide got(y(i, k)), expected = reference.values[at];
      const long double allowed = allowed_error<Acc>(reference, at) +
                                  Limits::epsilon() * detail::magnitude(expected) + Limits::min();
      if (detail::magnitude(got - expected) <= allowed) continue;
      return text("entry (", i, ", ", k, ") is ", got, ", not ", expected, " within ", allowed);
    }
    return "";
  }
}

/// Whether V or Acc has other digits than S, the type of a matrix in which entries may repeat.
template <Scalar S, Scalar V, Scalar Acc>
bool needs_coarse(const Pattern& pattern) {
  constexpr bool wider =
      !std::is_same_v<RealOf<S>, RealOf<V>> || !std::is_same_v<RealOf<S>, RealOf<Acc>>;
  return wider && !sorted(pattern, true);
}

/// T is a PlanType, V the type of vectors, Acc that of alpha, beta and sums.
template <class T, Scalar V, Scalar Acc>
class SpmvTrial {
 public:
  static void run(Random& random, Report& report) { SpmvTrial(random, report).run_plans(); }

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

  SpmvTrial(Random& random, Report& report)
      : random_(random),
        report_(report),
        exec_(draw_instance<Exec>(random, report)),
        symmetry_(!once_in(random, 8)  ? Symmetry::none
                  : once_in(random, 2) ? Symmetry::symmetric
                                       : Symmetry::hermitian),
        pattern_(symmetry_ == Symmetry::none ? draw_pattern(random)
                 : once_in(random, 2)        ? reversed(draw_lower(random))
                                             : draw_lower(random)),
        A_(exec_, pattern_, random, needs_coarse<S, V, Acc>(pattern_),
           [](const auto& host, std::uint64_t seed) {
             Random values(seed);
             fill_random(host.values(), values);
           }),
        op_(once_in(random, 2) ? Op::none : one_of(random, all_ops)),
        alpha_(draw_factor<Acc>(random)),
        beta_(draw_factor<Acc>(random)),
        count_(draw_count(random)) {
    add_operands(Op::none);
    if (op_ != Op::none) add_operands(op_);
    report.says(", symmetry ", name(symmetry_), ", ", pattern_.name, ", ", pattern_.nonzeros(),
                " nonzeros, op ", name(op_), ", alpha ", alpha_, ", beta ", beta_, ", ", count_,
                " vectors, strides ", operands_.back().x.words(), ' ', operands_.back().y.words());
  }

  void add_operands(Op op) {
    const auto& A = A_.now();
    operands_.push_back(
        {op, {random_, A.rows_of_x(op), count_}, {random_, A.rows_of_y(op), count_}});
    if (alpha_ != Acc(0)) operands_.back().x.fill(random_);
    if (beta_ != Acc(0)) operands_.back().y.fill(random_);
  }

  void run_plans() {
    std::vector<Scheme> schemes = T::Formats::variants(backends::describe(exec_));
    if (symmetry_ != Symmetry::none && once_in(random_, 2)) {  // csb alone holds it as it is
      std::erase_if(schemes, [](const Scheme& scheme) { return scheme.format() != "csb"; });
    }
    for (int i = 0; i < 3 && report_.problem.empty(); ++i) {
      const SpmvOptions options = draw_options(schemes);
      try {
        follow(options);
      } catch (const Refusal& refusal) {
        ++report_.refusals;
        // csr keeps nothing and accepts every matrix, unless a transpose exceeds the budget.
        const bool takes_all = !transposes(op_) && symmetry_ == Symmetry::none;
        if (!options.scheme && takes_all) report_.take(text("refused: ", refusal.what()));
      }
    }
  }

  /// An op that needs a transpose is requested here, or left to a later prepare.
  SpmvOptions draw_options(const std::vector<Scheme>& schemes) {
    SpmvOptions options;
    if (!once_in(random_, 8)) options.scheme = one_of(random_, schemes);
    if (once_in(random_, 4)) options.transposed_scheme = one_of(random_, schemes);
    options.vectors = {once_in(random_, 2) ? 1 : up_to(random_, 40), !once_in(random_, 3)};
    options.expected_applies = once_in(random_, 2) ? 1 : 1000;
    if (transposes(op_) && !once_in(random_, 3)) options.ops = {op_};
    options.symmetry = symmetry_;
    const bool op_is_known = !transposes(op_) || !options.ops.empty();
    if (!options.scheme && op_is_known && symmetry_ == Symmetry::none) {
      options.values_in_place = once_in(random_, 4);
    }
    const auto bytes = static_cast<std::int64_t>(sizeof(S) + sizeof(typename T::Ordinal)) *
                       (pattern_.nonzeros() + 1);
    if (once_in(random_, 4)) {
      options.max_bytes = static_cast<std::size_t>(
          random_.below(1 + one_of<std::int64_t>(random_, {1, 5000, bytes, 3 * bytes})));
    }
    options.check = !once_in(random_, 3);
    options.promises = {once_in(random_, 3), sorted(pattern_) && once_in(random_, 3)};
    options.check_promises = once_in(random_, 4);
    options.check_overlap = once_in(random_, 4);
    report_.says("; ", options.scheme ? options.scheme->to_string() : "chosen", " for ",
                 options.vectors.count, options.vectors.apart ? " apart" : " side by side");
    if (options.transposed_scheme) {
      report_.says(", transposed ", options.transposed_scheme->to_string());
    }
    if (options.values_in_place) report_.says(", values in place");
    if (options.max_bytes != no_bound) report_.says(", at most ", options.max_bytes, " bytes");
    return options;
  }

  void follow(const SpmvOptions& options) {
    bool prepared = !transposes(op_) || !options.ops.empty();
    draw_events(
        random_, exec_, report_,
        [&] { return Plan(exec_, A_.now().matrix(), options, typename T::Formats()); },
        [&](Plan& plan) { A_.update(exec_, plan); },
        [&](Plan& plan) {
          if (!prepared && once_in(random_, 2)) {
            report_.says("; prepared");
            plan.prepare(exec_, op_);
            prepared = true;
          }
          if (plan.bytes() > options.max_bytes) {
            report_.take(text("the plan keeps ", plan.bytes(), " bytes"));
          }
          const bool either = prepared && !once_in(random_, 3);
          apply(plan, either ? operands_.back() : operands_.front());
        });
  }

  void apply(Plan& plan, Operands& operands) {
    const Op op = operands.op;
    const DrawnVectors<V>&x = operands.x, &y = operands.y;
    report_.says("; applied ", name(op), " by ", plan.scheme(op).to_string());
    auto& reference = operands.expected[A_.index()];
    if (!reference) {
      const auto& stored = A_.now().host;
      const auto host =
          symmetry_ == Symmetry::none ? stored : both_triangles<DeviceMatrix<T>>(stored, symmetry_);
      reference =
          reference_spmv(op, alpha_, host.matrix(), x.view_of(x.data), beta_, y.view_of(y.data));
    }
    // Additions in no fixed order go to y itself; with one stored triangle this is so for every op.
    const bool in_order =
        reproducible(plan.scheme(op), symmetry_ == Symmetry::none ? op : Op::transpose);
    // A second sweep over a triangle adds to the sums of the first, rounded to the type of y.
    const bool summed_once = in_order && !plan.scheme(op).has("sweep");
    const auto x_device = copy_to<typename Exec::memory_space>(x.data);
    const bool one = count_ == 1 && once_in(random_, 2);
    report_.take(wrong_result(
        random_, exec_, y, in_order,
        [&](const auto& to) {
          one ? plan.apply(exec_, op, alpha_, x.first_of(x_device), beta_, y.first_of(to))
              : plan.apply(exec_, op, alpha_, x.view_of(x_device), beta_, y.view_of(to));
        },
        [&](const auto& result) {
          return summed_once ? wrong_sum<Acc>(*reference, result) : mismatch(*reference, result);
        }));
  }

  Random& random_;
  Report& report_;
  Exec exec_;
  Symmetry symmetry_;
  Pattern pattern_;
  TwoMatrices<T> A_;
  Op op_;
  Acc alpha_, beta_;
  std::size_t count_;
  std::vector<Operands> operands_;
};

/// T is a TriangleType, V the type of vectors, Acc that of alpha and sums.
template <class T, Scalar V, Scalar Acc>
class SptrsvTrial {
 public:
  static void run(Random& random, Report& report) { SptrsvTrial(random, report).run_plans(); }

 private:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Host = typename DeviceMatrix<T>::Host;
  using Plan = typename T::template Plan<V, Acc>;

  SptrsvTrial(Random& random, Report& report)
      : random_(random),
        report_(report),
        exec_(draw_instance<Exec>(random, report)),
        drawn_(draw_triangle(random)),
        A_(exec_, drawn_.pattern, random, needs_coarse<S, V, Acc>(drawn_.pattern),
           [this](const Host& host, std::uint64_t seed) { set_values(host, seed); }) {
    report.says(", ", drawn_.pattern.name, ", ", drawn_.pattern.nonzeros(), " entries");
  }

  /// Values that a solve may not read are poison: entries outside, and a unit diagonal.
  void set_values(const Host& host, std::uint64_t seed) const {
    set_triangle_values(host, seed);
    const bool lower = drawn_.triangle == Triangle::lower, unit = drawn_.diagonal == Diagonal::unit;
    std::int64_t i = 0;
    std::size_t e = 0;
    for (const auto row : drawn_.pattern.rows) {
      for (const std::int64_t j : row) {
        const bool outside = lower ? j > i : j < i;
        if (outside || (j == i && unit)) host.values()(e) = poison<S>();
        ++e;
      }
      ++i;
    }
  }

  void run_plans() {
    for (int i = 0; i < 3 && report_.problem.empty(); ++i) {
      if constexpr (std::is_same_v<V, Acc>) {
        if (once_in(random_, 6)) {
          solve_without_plan();
          continue;
        }
      }
      follow(draw_options());
    }
  }

  SptrsvOptions draw_options() {
    const Device device = backends::describe(exec_);
    const auto schemes =
        once_in(random_, 2)
            ? sptrsv_variants(device)
            : heddle::detail::sptrsv::candidates(drawn_.pattern.columns, drawn_.pattern.nonzeros(),
                                                 up_to(random_, 1000), device);
    SptrsvOptions options{drawn_.triangle, drawn_.diagonal, drawn_.ignore_outside};
    options.expected_applies = once_in(random_, 2) ? 1 : 1000;
    if (!once_in(random_, 5)) options.scheme = one_of(random_, schemes);
    options.vectors = {static_cast<int>(draw_count(random_)), !once_in(random_, 3)};
    if (once_in(random_, 2)) options.ops = {Op::transpose};
    report_.says("; ", options.scheme ? options.scheme->to_string() : "chosen", " for ",
                 options.vectors.count);
    return options;
  }

  void follow(const SptrsvOptions& options) {
    bool prepared = !options.ops.empty();
    draw_events(
        random_, exec_, report_, [&] { return Plan(exec_, A_.now().matrix(), options); },
        [&](Plan& plan) { A_.update(exec_, plan); },
        [&](Plan& plan) {
          if (!prepared && once_in(random_, 2)) {
            report_.says("; prepared");
            plan.prepare(exec_, Op::transpose);
            prepared = true;
          }
          // Once all ops are prepared the plan does not read the matrix any more.
          const bool spoiled = prepared && once_in(random_, 2);
          if (spoiled) A_.spoil(exec_, A_.index());
          const Op op = all_ops[random_.below(prepared ? 4 : 2)];
          solve(op, draw_factor<Acc>(random_), [&](Acc alpha, const auto& b, const auto& x) {
            plan.apply(exec_, op, alpha, b, x);
          });
          if (spoiled) A_.restore(exec_);
          plan.check_values(exec_);
        });
  }

  void solve_without_plan() {
    report_.says("; without a plan");
    const std::int64_t rows = drawn_.pattern.columns + random_.below(3);
    const SptrsvWorkspace<Exec, V> workspace(exec_, rows, up_to(random_, 4));
    const SptrsvOptions options{drawn_.triangle, drawn_.diagonal, drawn_.ignore_outside};
    solve(Op::none, draw_factor<V>(random_), [&](V alpha, const auto& b, const auto& x) {
      sptrsv(exec_, alpha, A_.now().matrix(), b, x, workspace, options);
    });
  }

  /// Solves for random right-hand sides, with x poisoned or b itself, and checks the residual.
  template <class Run>
  void solve(Op op, Acc alpha, const Run& run) {
    const auto rows = static_cast<std::size_t>(drawn_.pattern.columns);
    const std::size_t count = draw_count(random_);
    const DrawnVectors<V> b(random_, rows, count), x(random_, rows, count);
    if (alpha != Acc(0)) b.fill(random_);
    const bool in_place = once_in(random_, 3) && alpha != Acc(0);
    report_.says("; solved ", name(op), " with ", count, " vectors, strides ", b.words(), ' ',
                 in_place ? "in place" : x.words());
    const auto& to = in_place ? b : x;
    const auto b_device = copy_to<typename Exec::memory_space>(b.data);
    report_.take(wrong_result(
        random_, exec_, to, true,
        [&](const auto& result) {
          run(alpha, b.view_of(in_place ? result : b_device), to.view_of(result));
        },
        [&](const auto& solution) {
          if (alpha == Acc(0)) return wrong_zeros(solution);
          const Host triangle = triangle_of(A_.now().host, drawn_.triangle, drawn_.diagonal);
          const double off = residual(triangle, op, solution, alpha, b.view_of(b.data));
          if (off <= 1) return std::string();
          return text("the residual is ", off, " times what it may be");
        }));
  }
  template <class X>
  static std::string wrong_zeros(const X& x) {
    for (std::size_t k = 0; k < x.extent(1); ++k) {
      for (std::size_t i = 0; i < x.extent(0); ++i) {
        if (x(i, k) != V(0)) return "x is not zero where alpha is";
      }
    }
    return "";
  }

  Random& random_;
  Report& report_;
  Exec exec_;
  DrawnTriangle drawn_;
  TwoMatrices<T> A_;
};

/// Adds products and triangular solves in a type, with vectors of V and sums in Acc, if it is
/// among TestedTypes.
template <class T, Scalar V = typename T::Scalar, Scalar Acc = V>
struct AddTrialsOf {
  explicit AddTrialsOf(const std::string& types) {
    if constexpr (is_tested<T>) {
      using Triangle = TriangleType<typename T::Exec, typename T::Scalar,
                                    Indices<typename T::Ordinal, typename T::Offset>>;
      AddTrial("spmv " + types, &SpmvTrial<WithFormats<SharedFormats, T>, V, Acc>::run);
      AddTrial("sptrsv " + types, &SptrsvTrial<Triangle, V, Acc>::run);
    }
  }
};

}  // namespace heddle::test
