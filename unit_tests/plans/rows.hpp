// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all plans, solvers and preconditioners: how each is made, and which promises of the
// others it does not give.
#pragma once

#include <heddle/chebyshev.hpp>
#include <heddle/csr.hpp>
#include <heddle/direct.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/sgd.hpp>
#include <heddle/single_precision.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
#ifdef HEDDLE_EMULATED  // elsewhere the compiled part has them
#include "../../solvers/krylov/chebyshev_definitions.hpp"
#else
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/gmres.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/minres.hpp>
#endif

#include "../../backends/cooperative.hpp"
#include "../../solvers/direct/definitions.hpp"
#include "../../solvers/krylov/jacobi_definitions.hpp"
#include "../../solvers/krylov/single_precision_definitions.hpp"
#include "../../solvers/vectors/definitions.hpp"
#include "../support/gauss_seidel.hpp"
#include "../support/multigrid_plans.hpp"
#include "../support/shared_factors.hpp"
#include "../support/shared_sweeps.hpp"
#include "../support/shared_triangles.hpp"
#include "../support/sptrsv_check.hpp"
#include "any_plan.hpp"

namespace heddle::test {

/// Promises of one plan that differ from those of most.
struct Traits {
  bool in_place = false;  ///< x may be b
  int degree = -1;        ///< of x in the values of A, if it scales with them
  bool scales = true;
  int block = 1;               ///< rows; a bad diagonal is reported by the first of them
  bool diagonal = true;        ///< a bad diagonal is reported
  bool keeps_values = true;    ///< not those of the user
  bool new_plan_alike = true;  ///< new values give the bits of a new plan
  bool grid = false;           ///< takes no matrix but the symmetric one of a grid
  bool several = true;         ///< takes several vectors at once
  bool own_vectors = true;     ///< checks b and x; false: they are the test's own affair
  bool quiet = true;           ///< an apply is launches alone, and can be recorded
  bool checks_columns = true;
  double rounding = 1e-12;  ///< of x by one apply of several vectors, over that of each alone
  bool square = true;       ///< refuses other matrices when it is made
  bool no_rows = true;
};

/// Checks that cost a wait or launches, which options turn on.
struct Checks {
  bool pattern = false, overlap = false;
};

struct Row {
  std::string of;  ///< the class, as Errors name it
  std::string how;
  Traits is;
  bool can_check_pattern = false, can_check_overlap = false;
  std::function<std::unique_ptr<AnyPlan>(const Exec&, const Matrix&, const Checks&)> make = nullptr;
  std::function<std::unique_ptr<AnyPlan>(const Matrix&)> make_on_default = nullptr;
  std::function<std::unique_ptr<AnyPlan>()> make_empty = nullptr;

  std::unique_ptr<AnyPlan> operator()(const Exec& exec, const Matrix& A,
                                      const Checks& checks = {}) const {
    return make(exec, A, checks);
  }
};

/// An option as the table sets it: room for three vectors, and these checks.
template <class Option>
Option prepared(Option option, const Checks& checks) {
  if constexpr (requires { option.vectors.count; }) option.vectors.count = 3;
  if constexpr (requires { option.check_pattern; }) option.check_pattern = checks.pattern;
  if constexpr (requires { option.check_overlap; }) option.check_overlap = checks.overlap;
  return option;
}

template <class Option>
inline constexpr bool has_pattern_check = requires(const Option& option) { option.check_pattern; };
template <class Option>
inline constexpr bool has_overlap_check = requires(const Option& option) { option.check_overlap; };

/// The row of plans Plan(exec, A, options...).
template <class Plan, class... Options>
Row row(std::string of, std::string how, const Traits& is, const Options&... options) {
  Row made{std::move(of), std::move(how), is};
  made.can_check_pattern = (has_pattern_check<Options> || ...);
  made.can_check_overlap = (has_overlap_check<Options> || ...);
  made.make = [=](const Exec& exec, const Matrix& A, [[maybe_unused]] const Checks& checks) {
    return std::make_unique<Of<Plan>>(Plan(exec, A, prepared(options, checks)...));
  };
  if constexpr (std::is_constructible_v<Plan, const Matrix&, const Options&...>) {
    made.make_on_default = [=](const Matrix& A) {
      return std::make_unique<Of<Plan>>(Plan(A, prepared(options, {})...));
    };
  }
  if constexpr (std::is_default_constructible_v<Plan>) {
    made.make_empty = [] { return std::make_unique<Of<Plan>>(Plan()); };
  }
  return made;
}

/// A A by a MultiplyPlan, A' A A by a GalerkinPlan, applied by the test.
template <class Plan>
class ProductOf {
 public:
  ProductOf() = default;
  ProductOf(const Exec& exec, const Matrix& A, const MultiplyOptions& options)
      : plan_(exec, A, A, options) {
    update_values(exec, A);
  }
  void update_values(const Exec& exec, const Matrix& A) { plan_.numeric(exec, A, A); }
  void apply(const Exec& exec, const Vector& b, const Vector& x) const {
    const auto C = plan_.matrix();
    heddle::detail::parallel_for(exec, "heddle::test::product", std::int64_t{C.rows()},
                                 SquareOperator::Row{C.row_ptr().data(), C.col_idx().data(),
                                                     C.values().data(), b.data(), x.data()});
  }
  std::size_t bytes() const { return plan_.bytes(); }
  std::vector<Call> calls(const Exec& exec, const Matrix& A) {
    std::vector<Call> all{{"numeric", [=, this] { plan_.numeric(exec, A, A); }},
                          {"matrix", [this] { (void)plan_.matrix(); }},
                          {"storage", [this] { (void)plan_.storage(); }},
                          {"products", [this] { (void)plan_.products(); }},
                          {"bytes", [this] { (void)plan_.bytes(); }},
                          {"peak_bytes", [this] { (void)plan_.peak_bytes(); }}};
    if constexpr (requires { plan_.rows(); }) {
      all.push_back({"numeric", [=, this] { plan_.numeric(exec, 1, A, A, 1, A); }});
      all.push_back({"rows", [this] { (void)plan_.rows(); }});
      all.push_back({"columns", [this] { (void)plan_.columns(); }});
      all.push_back({"nonzeros", [this] { (void)plan_.nonzeros(); }});
    } else {
      all.push_back({"product_with_P", [this] { (void)plan_.product_with_P(); }});
    }
    return all;
  }

 private:
  Plan plan_;
};

/// An epoch of factors of rank 1, whose ratings are the entries of A; x is the factor of rows.
class Epoch {
 public:
  static constexpr const char* applied_by = "start";

  Epoch() = default;
  Epoch(const Exec& exec, const Matrix& A, const SgdOptions& options)
      : q_("heddle::test::factor", static_cast<std::size_t>(A.columns()), 1) {
    const auto rows = static_cast<std::size_t>(A.rows());
    const Kokkos::View<int*, Kokkos::HostSpace> row_ptr("heddle::test::row_ptr", rows + 1);
    Kokkos::deep_copy(row_ptr, A.row_ptr());
    std::vector<int> row;
    for (std::size_t i = 0; i < rows; ++i) {
      row.insert(row.end(), static_cast<std::size_t>(row_ptr(i + 1) - row_ptr(i)),
                 static_cast<int>(i));
    }
    row_ = copy_in<Space>(row);
    const Kokkos::View<const int*, Space> column(A.col_idx().data(), row.size());
    const Kokkos::View<const double*, Space> value(A.values().data(), row.size());
    plan_ = SgdPlan<Exec, double>(exec, {A.rows(), A.columns(), row_, column, value}, options);
  }
  void apply(const Exec& exec, const Vector&, const Vector& x) const {
    const Kokkos::View<double**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged> p(
        x.data(), x.extent(0), 1);
    plan_.start(exec, p, q_);
    plan_.epoch(exec, p, q_, 0.01, 0.01);
  }
  std::size_t bytes() const { return plan_.bytes(); }

 private:
  ByRows q_;
  Kokkos::View<int*, Space> row_;
  SgdPlan<Exec, double> plan_;
};

using ProductPlan = SpmvPlan<Exec, Matrix, double, double, SharedFormats>;

/// A polynomial in D^-1 A, with the operator and the diagonal that it borrows.
class Polynomial {
 public:
  static constexpr const char* applied_by = "apply";

  Polynomial(const Exec& exec, const Matrix& A)
      : product_(std::make_unique<ProductPlan>(exec, A)),
        jacobi_(std::make_unique<JacobiPreconditioner<Exec, double>>(exec, A)),
        polynomial_(exec, *product_, *jacobi_, SpectrumBounds{0.05, 2.0}, 2) {
    polynomial_.reserve(exec, 3);
  }
  void update_values(const Exec& exec, const Matrix& A) {
    product_->update_values(exec, A);
    jacobi_->update_values(exec, A);
  }
  template <class B, class X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    polynomial_.apply(exec, b, x);
  }
  void check_values(const Exec& exec) const { jacobi_->check_values(exec); }
  VersionNumber version() const { return polynomial_.version(); }
  std::size_t bytes() const { return product_->bytes() + jacobi_->bytes() + polynomial_.bytes(); }

 private:
  std::unique_ptr<ProductPlan> product_;
  std::unique_ptr<JacobiPreconditioner<Exec, double>> jacobi_;
  ChebyshevPreconditioner<Exec, double, ProductPlan> polynomial_;
};

/// Jacobi's preconditioner in float.
class RoundedJacobi : public SinglePrecision<Exec, Matrix, JacobiPreconditioner<Exec, float>> {
 public:
  RoundedJacobi() = default;
  RoundedJacobi(const Exec& exec, const Matrix& A)
      : SinglePrecision(exec, A, [&](const auto& rounded) {
          return JacobiPreconditioner<Exec, float>(exec, rounded);
        }) {
    reserve(exec, 3);
  }
};

#ifndef HEDDLE_EMULATED
/// A few steps of a solver from zero, or of LOBPCG from the guess b.
template <class Solver, class Options>
class Steps {
 public:
  static constexpr const char* applied_by = "solve";

  Steps() = default;
  Steps(const Exec& exec, const Matrix& A, const Options& options)
      : product_(exec, A), solver_(exec, A.rows(), options) {}
  Steps(const Matrix& A, const Options& options) : product_(A), solver_(A.rows(), options) {}
  void update_values(const Exec& exec, const Matrix& A) { product_.update_values(exec, A); }
  void update_values(const Matrix& A) { product_.update_values(A); }
  void apply(const Exec& exec, const Vector& b, const Vector& x) {
    if constexpr (std::same_as<Options, LobpcgOptions>) {
      heddle::vectors::axpby(exec, 1.0, b, 0.0, x);
      solver_.solve(exec, product_, x);
    } else {
      solver_.solve(exec, product_, b, x);
    }
  }
  void apply(const Vector& b, const Vector& x) {
    if constexpr (std::same_as<Options, LobpcgOptions>) {
      Kokkos::deep_copy(x, b);
      solver_.solve(product_, x);
    } else {
      solver_.solve(product_, b, x);
    }
  }
  std::size_t bytes() const { return product_.bytes() + solver_.bytes(); }

 private:
  ProductPlan product_;
  Solver solver_;
};
#endif

inline void add_products(std::vector<Row>& rows) {
  Traits product{.degree = 1, .diagonal = false, .keeps_values = false, .square = false};
  for (const std::string scheme : {"csr/scalar", "csr/subwarp=8", "csr/adaptive", "csr/merge",
                                   "csr/merge,search=apply", "csr/blocks", "ell", "blocked-ell",
                                   "coo", "gcsr", "hyb", "bcsr/2x2", "tiled/16", "csb", "dia"}) {
    product.grid = scheme == "dia" || scheme == "ell" || scheme == "blocked-ell";
    const SpmvOptions options{.scheme = Scheme(scheme), .ops = {Op::transpose}};
    rows.push_back(row<ProductPlan>("SpmvPlan", scheme, product, options));
  }
  using Multiply = ProductOf<MultiplyPlan<Exec, Matrix>>;
  using Galerkin = ProductOf<GalerkinPlan<Exec, Matrix>>;
  Traits is{.degree = 2, .diagonal = false, .several = false, .own_vectors = false};
  for (const bool list : {true, false}) {
    const MultiplyOptions options{.keep_products = list};
    rows.push_back(row<Multiply>("MultiplyPlan", list ? "by a list" : "by a search", is, options));
  }
  is.degree = 3;
  rows.push_back(row<Galerkin>("GalerkinPlan", "", is, MultiplyOptions()));
}

inline void add_triangles(std::vector<Row>& rows) {
  using Plan = SptrsvPlan<Exec, Matrix>;
  const Device device = backends::describe(Exec());
  auto schemes = sptrsv_samples(device, 3);
  for (const Scheme& scheme : sptrsv_samples(device, 8)) {
    if (emulated || schemes.size() < 40) schemes.push_back(scheme);
  }
  for (const Scheme& scheme : schemes) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const bool lower = triangle == Triangle::lower;
      SptrsvOptions options{.triangle = triangle, .ignore_outside = true};
      options.threads = 2;
      options.ops = {Op::transpose};
      options.scheme = scheme;
      rows.push_back(row<Plan>("SptrsvPlan", scheme.to_string() + (lower ? "" : ", upper"),
                               {.in_place = true}, options));
    }
  }
  SptrsvOptions unit{.diagonal = Diagonal::unit, .ignore_outside = true};
  unit.ops = {Op::transpose};
  rows.push_back(row<Plan>("SptrsvPlan", "unit diagonal",
                           {.in_place = true, .scales = false, .diagonal = false}, unit));
}

inline void add_sweeps(std::vector<Row>& rows) {
  using Plan = GaussSeidelPlan<Exec, Matrix, SweepFormats<Exec, Matrix>>;
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    const bool of_blocks = !scheme.has("split") && !scheme.has("hand-over");
    for (const auto sweep : {SweepDirection::forward, SweepDirection::symmetric}) {
      for (const auto order : {GaussSeidelOrder::natural, GaussSeidelOrder::multicolor}) {
        for (const int block : {1, 3, 8}) {
          if (scheme.has("split") && order == GaussSeidelOrder::multicolor) continue;
          if (block > 1 && (!of_blocks || (emulated && sweep == SweepDirection::forward))) continue;
          GaussSeidelOptions options{.sweep = sweep, .omega = 1.2, .order = order};
          options.block_size = block;
          options.scheme = scheme;
          options.threads = 2;
          rows.push_back(row<Plan>("GaussSeidelPlan",
                                   scheme.to_string() + ", " + name(sweep) + ", " + name(order) +
                                       ", blocks of " + std::to_string(block),
                                   {.block = block}, options));
        }
      }
    }
  }
}

inline void add_factors(std::vector<Row>& rows) {
  for (const int fill : {0, 1}) {
    for (const auto values : {FactorValues::same, FactorValues::single_precision}) {
      IluOptions options{.fill_level = fill}, transposed = options;
      options.factor_values = transposed.factor_values = values;
      transposed.ops = {Op::transpose};
      const std::string how = std::string(fill ? "fill 1" : "fill 0") +
                              (values == FactorValues::same ? "" : ", single precision");
      rows.push_back(row<IluPlan<Exec, Matrix>>("IluPlan", how, {.in_place = true}, transposed));
      rows.push_back(
          row<IcPlan<Exec, Matrix>>("IcPlan", how, {.in_place = true, .grid = true}, options));
    }
  }
}

inline void add_direct(std::vector<Row>& rows) {
  const Traits is{.in_place = true, .diagonal = false};  // its diagonal may have zeros
  for (const char* scheme :
       {"direct/dense", "direct/band,ordering=natural", "direct/band,ordering=rcm"}) {
    for (const int steps : {0, 1}) {
      const DirectOptions options{.refinement_steps = steps, .scheme = scheme};
      rows.push_back(row<DirectPlan<Exec, Matrix>>(
          "DirectPlan", scheme + std::string(steps > 0 ? ", refined" : ""), is, options));
    }
  }
}

inline void add_multigrid(std::vector<Row>& rows) {
  using Plan = MultigridOf<Exec, double>;
  const Traits is{.new_plan_alike = false, .grid = true};
  for (const auto smoother : {MultigridSmoother::chebyshev, MultigridSmoother::l1_jacobi,
                              MultigridSmoother::gauss_seidel}) {
    rows.push_back(row<Plan>("MultigridPlan", name(smoother), is,
                             MultigridOptions{.smoother = smoother, .coarsest_rows = 20}));
  }
  rows.push_back(row<Plan>(
      "MultigridPlan", "block Chebyshev", is,
      MultigridOptions{
          .block_size = 3, .smoother = MultigridSmoother::block_chebyshev, .coarsest_rows = 20}));
  rows.push_back(row<Plan>("MultigridPlan", "evolution, relaxed vectors", is,
                           MultigridOptions{.strength_measure = MultigridMeasure::evolution,
                                            .improve_candidates = 2,
                                            .coarsest_rows = 20}));
  Traits inverted = is;  // with pivots: its diagonal may have zeros
  inverted.diagonal = false;
  rows.push_back(
      row<Plan>("MultigridPlan", "inverted", inverted, MultigridOptions{.coarsest_rows = 1000}));
  rows.push_back(row<Plan>("MultigridPlan", "smoothed alone", is,
                           MultigridOptions{.coarsest_rows = 0, .max_levels = 1}));
  for (const auto cycle : {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k}) {
    Traits of_cycle = is;
    of_cycle.rounding = 1e-10;
    rows.push_back(row<Plan>("MultigridPlan",
                             std::string("plain aggregation, ") + name(cycle) + " cycle", of_cycle,
                             MultigridOptions{.kind = MultigridKind::plain_aggregation,
                                              .cycle = cycle,
                                              .coarsest_rows = 8,
                                              .one_launch_entries = 0}));
  }
  if (backends::has_cooperative<Exec>) {
    rows.push_back(row<Plan>("MultigridPlan", "in one launch", is,
                             MultigridOptions{.coarsest_rows = 8, .one_launch_entries = 1 << 30}));
  }
#ifndef HEDDLE_EMULATED
  if (heddle::detail::is_compiled<Exec, Matrix>()) {
    // Rounding to float decides between neighbours that are equally strong, and is a vector's
    // error.
    Traits in_float = is;
    in_float.scales = false;
    in_float.rounding = 1e-6;
    rows.push_back(row<Plan>(
        "MultigridPlan", "single precision", in_float,
        MultigridOptions{.values = MultigridValues::single_precision, .coarsest_rows = 20}));
  }
#endif
}

/// A polynomial of degree 3 in D^-1 A, where D has blocks of 3 rows.
class PolynomialOfBlocks : public ChebyshevPlan<Exec, Matrix, ProductPlan> {
 public:
  using Base = ChebyshevPlan<Exec, Matrix, ProductPlan>;
  PolynomialOfBlocks() = default;
  PolynomialOfBlocks(const Exec& exec, const Matrix& A)
      : Base(exec, A, bounds, 3, SpmvOptions(), 3) {}

 private:
  static constexpr SpectrumBounds bounds{0.05, 2.0};
};

inline void add_polynomials(std::vector<Row>& rows) {
  rows.push_back(row<JacobiPreconditioner<Exec, double>>(
      "JacobiPreconditioner", "", {.in_place = true, .checks_columns = false}));
  rows.push_back(row<BlockJacobiPreconditioner<Exec, double>>(
      "BlockJacobiPreconditioner", "", {.block = 3, .checks_columns = false}, 3));
  rows.push_back(
      row<Polynomial>("ChebyshevPreconditioner", "", {.in_place = true, .keeps_values = false}));
  rows.push_back(row<ChebyshevPlan<Exec, Matrix, ProductPlan>>(
      "ChebyshevPlan", "", {.in_place = true}, SpectrumBounds{0.05, 2.0}, 3));
  rows.push_back(row<RoundedJacobi>("SinglePrecision", "Jacobi", {.in_place = true}));
  rows.push_back(
      row<PolynomialOfBlocks>("ChebyshevPlan", "blocks", {.in_place = true, .block = 3}));
}

inline void add_others(std::vector<Row>& rows) {
  rows.push_back(row<Epoch>(
      "SgdPlan", "",
      {.scales = false, .diagonal = false, .several = false, .own_vectors = false, .square = false},
      SgdOptions{.rank = 1}));
#ifndef HEDDLE_EMULATED
  const Traits solver{.diagonal = false, .keeps_values = false, .several = false, .square = false};
  Traits of_grid = solver;
  of_grid.grid = true;
  const KrylovOptions few{.max_iterations = 4, .check_every = 0, .zero_guess = true};
  const auto add = [&]<class Solver>(const char* name, std::type_identity<Solver>, const Traits& is,
                                     const auto& options, const char* how = "") {
    rows.push_back(row<Steps<Solver, std::decay_t<decltype(options)>>>(name, how, is, options));
  };
  add("CgSolver", std::type_identity<CgSolver<Exec, double>>(), of_grid, few);
  add("GmresSolver", std::type_identity<GmresSolver<Exec, double>>(), solver, few);
  add("BicgstabSolver", std::type_identity<BicgstabSolver<Exec, double>>(), solver, few);
  add("MinresSolver", std::type_identity<MinresSolver<Exec, double>>(), of_grid, few);
  KrylovOptions flexible = few;
  flexible.flexible = true;
  add("CgSolver", std::type_identity<CgSolver<Exec, double>>(), of_grid, flexible, "flexible");
  add("GmresSolver", std::type_identity<GmresSolver<Exec, double>>(), solver, flexible, "flexible");
  KrylovOptions in_float = few;
  in_float.basis = KrylovBasis::in_float;
  add("GmresSolver", std::type_identity<GmresSolver<Exec, double>>(), solver, in_float, "in float");
  KrylovOptions bounded = few;
  bounded.bounds = SpectrumBounds{0.1, 100};
  Traits of_bounds = of_grid;
  of_bounds.scales = false;
  add("ChebyshevSolver", std::type_identity<ChebyshevSolver<Exec, double>>(), of_bounds, bounded);
  of_grid.quiet = of_grid.no_rows = of_grid.own_vectors = false;
  of_grid.scales = false;  // an eigenvector has either sign
  add("LobpcgSolver", std::type_identity<LobpcgSolver<Exec, double>>(), of_grid,
      LobpcgOptions{.count = 1, .max_iterations = 4});
#endif
}

inline std::vector<Row> every_plan() {
  std::vector<Row> rows;
  add_products(rows);
  add_triangles(rows);
  add_sweeps(rows);
  add_factors(rows);
  add_direct(rows);
  add_multigrid(rows);
  add_polynomials(rows);
  add_others(rows);
  return rows;
}

}  // namespace heddle::test
