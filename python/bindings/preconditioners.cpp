// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/sptrsv.hpp>
#include <optional>

#include "bind.hpp"
#include "preconditioner.hpp"

namespace heddle::python {

namespace {

template <class P>
class PreconditionerOf final : public Preconditioner {
 public:
  explicit PreconditionerOf(std::unique_ptr<P> plan) : plan_(std::move(plan)) {}
  ~PreconditionerOf() override {
    if (forked()) static_cast<void>(plan_.release());
  }
  void give_back() override { plan_.reset(); }

  void apply(const Exec& exec, bool transposed, const Vectors<const double>& b,
             const Vectors<double>& x) override {
    if constexpr (requires { plan().apply(exec, Op::transpose, b, x); }) {
      if (transposed) return plan().apply(exec, Op::transpose, b, x);
    } else if constexpr (requires { plan().apply(exec, Op::transpose, 1.0, b, x); }) {
      if (transposed) return plan().apply(exec, Op::transpose, 1.0, b, x);
    } else if (transposed) {
      throw Error(name() + " has no transpose", "take an IluPlan, an IcPlan or a SptrsvPlan");
    }
    plan().apply(exec, b, x);
  }
  void prepare_transpose(const Exec& exec) override {
    if constexpr (requires { plan().prepare(exec, Op::transpose); }) {
      plan().prepare(exec, Op::transpose);
    }
  }
  void update_values(const Exec& exec, const Matrix::Csr& A) override {
    plan().update_values(exec, A);
    plan().check_values(exec);
  }
  bool symmetric() const override { return plan().symmetric(); }
  std::string name() const override { return plan().name(); }
  std::string scheme() const override {
    if constexpr (requires { plan().scheme(); }) {
      return plan().scheme().to_string();
    } else {
      return plan().levels().to_string();
    }
  }
  double setup_seconds() const override { return plan().setup_seconds(); }
  std::size_t bytes() const override { return plan().bytes(); }

 private:
  P& plan() const {
    begin();
    return *plan_;
  }

  std::unique_ptr<P> plan_;
};

template <class P, class... Arguments>
Preconditioner* make(const Arguments&... arguments) {
  return new PreconditionerOf<P>(
      run([&](const Exec& exec) { return std::make_unique<P>(exec, arguments...); }));
}

using Word = std::optional<std::string>;

std::optional<Scheme> scheme_of(const Word& word) {
  return word ? std::optional<Scheme>(Scheme(*word)) : std::nullopt;
}

/// The value whose name(value) the word is; throws Error, naming the option, for any other.
template <class E, std::size_t n>
E value_of(const char* option, const std::string& word, const E (&values)[n],
           const char* (*name_of)(E), const char* remedy) {
  for (const E value : values) {
    if (word == name_of(value)) return value;
  }
  throw Error(std::string(option) + " is '" + word + "'", remedy);
}

Preconditioner* make_sptrsv(const Matrix& T, bool lower, bool unit_diagonal, bool ignore_outside,
                            std::int64_t expected_applies, const Word& scheme, int vectors,
                            bool transpose) {
  SptrsvOptions options;
  options.triangle = lower ? Triangle::lower : Triangle::upper;
  options.diagonal = unit_diagonal ? Diagonal::unit : Diagonal::stored;
  options.ignore_outside = ignore_outside;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  if (transpose) options.ops = {Op::transpose};
  return make<SptrsvPlan<Exec, Matrix::Csr>>(T.csr, options);
}

Preconditioner* make_gauss_seidel(const Matrix& A, const std::string& sweep, double omega,
                                  const std::string& order, int block_size,
                                  std::int64_t expected_applies, const Word& scheme, int vectors) {
  GaussSeidelOptions options;
  using enum SweepDirection;
  options.sweep = value_of<SweepDirection>("sweep", sweep, {forward, backward, symmetric}, name,
                                           "give 'forward', 'backward' or 'symmetric'");
  options.omega = omega;
  using enum GaussSeidelOrder;
  options.order = value_of<GaussSeidelOrder>("order", order, {natural, multicolor}, name,
                                             "give 'natural' or 'multicolor'");
  options.block_size = block_size;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  return make<GaussSeidelPlan<Exec, Matrix::Csr>>(A.csr, options);
}

template <class P>
Preconditioner* make_factors(const Matrix& A, int fill_level, double pivot_floor, int retries,
                             int block_size, int subdomains, bool single_precision,
                             std::int64_t expected_applies, const Word& scheme, int vectors,
                             bool transpose) {
  IluOptions options;
  options.fill_level = fill_level;
  options.pivot_floor = pivot_floor;
  options.retries = retries;
  options.block_size = block_size;
  options.subdomains = subdomains;
  if (single_precision) options.factor_values = FactorValues::single_precision;
  options.expected_applies = expected_applies;
  options.scheme = scheme_of(scheme);
  options.vectors = {.count = vectors, .apart = false};
  if (transpose) options.ops = {Op::transpose};
  return make<P>(A.csr, options);
}

Preconditioner* make_multigrid(const Matrix& A, std::optional<Input> near_nullspace,
                               double strength, int block_size, const std::string& smoother,
                               int degree, int coarsest_rows, int max_levels,
                               std::int64_t expected_applies, int vectors) {
  MultigridOptions options;
  options.strength = strength;
  options.block_size = block_size;
  if (smoother != "chebyshev" && smoother != "l1-jacobi") {
    throw Error("smoother is '" + smoother + "'", "give 'chebyshev' or 'l1-jacobi'");
  }
  options.smoother =
      smoother == "chebyshev" ? MultigridSmoother::chebyshev : MultigridSmoother::l1_jacobi;
  options.degree = degree;
  options.coarsest_rows = coarsest_rows;
  options.max_levels = max_levels;
  options.expected_applies = expected_applies;
  options.vectors = {.count = vectors, .apart = false};
  using Plan = MultigridPlan<Exec, Matrix::Csr>;
  if (!near_nullspace) return make<Plan>(A.csr, options);
  return make<Plan>(A.csr, vectors_of<const double>(*near_nullspace), options);
}

void apply(Preconditioner& plan, bool transposed, const Input& b, const Output& x) {
  const auto from = vectors_of<const double>(b);
  const auto to = vectors_of<double>(x);
  run([&](const Exec& exec) { plan.apply(exec, transposed, from, to); });
}

}  // namespace

void bind_preconditioners(nb::module_& m) {
  nb::class_<Preconditioner>(m, "Preconditioner")
      .def("apply", &apply, nb::arg(), nb::arg().noconvert(), nb::arg().noconvert())
      .def("prepare_transpose",
           [](Preconditioner& plan) {
             run([&](const Exec& exec) { plan.prepare_transpose(exec); });
           })
      .def("update_values",
           [](Preconditioner& plan, const Matrix& A) {
             run([&](const Exec& exec) { plan.update_values(exec, A.csr); });
           })
      .def("scheme", &Preconditioner::scheme)
      .def("symmetric", &Preconditioner::symmetric)
      .def("setup_seconds", &Preconditioner::setup_seconds)
      .def("bytes", &Preconditioner::bytes);
  const nb::arg any;
  m.def("sptrsv_plan", &make_sptrsv, any, any, any, any, any, nb::arg().none(), any, any);
  m.def("gauss_seidel_plan", &make_gauss_seidel, any, any, any, any, any, any, nb::arg().none(),
        any);
  m.def("ilu_plan", &make_factors<IluPlan<Exec, Matrix::Csr>>, any, any, any, any, any, any, any,
        any, nb::arg().none(), any, any);
  m.def("ic_plan", &make_factors<IcPlan<Exec, Matrix::Csr>>, any, any, any, any, any, any, any, any,
        nb::arg().none(), any, any);
  m.def("multigrid_plan", &make_multigrid, any, nb::arg().none(), any, any, any, any, any, any, any,
        any);
}

}  // namespace heddle::python
