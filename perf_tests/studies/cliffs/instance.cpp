// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET; it is empty except
// for double with 32-bit offsets.
#include <heddle/gauss_seidel.hpp>
#include <heddle/sptrsv.hpp>

#include "../../../formats/all_formats.hpp"
#include "../../../solvers/gauss_seidel/choose.hpp"
#include "../../../solvers/ilu/schemes.hpp"
#include "../../bench/common/plans.hpp"
#include "cases.hpp"
#include "matrix_operations.hpp"

namespace heddle::bench {

namespace {

template <class Plan>
using Planned = PlannedOperator<double, std::int32_t, Plan>;

using Schemes = std::vector<std::pair<std::string, std::optional<Scheme>>>;

/// Every kernel of a grammar with its other parameters left to the inspector, and "auto".
template <class Grammar>
Schemes schemes_of(const Grammar& legal) {
  Schemes found{{"auto", std::nullopt}};
  for (const SchemeKernel& kernel : legal.kernels) {
    const Scheme scheme(legal.format, {{kernel.key.key}});
    found.emplace_back(scheme.to_string(), scheme);
  }
  return found;
}

template <class Matrix>
void add_products(const Device& device, std::vector<CliffCase>& cases) {
  Schemes schemes{{"auto", std::nullopt}};
  for (const SchemeGrammar& legal : AllFormats::grammars(device)) {
    for (const Scheme& variant : variants_of(legal)) {
      // The first variant of each kernel is timed: it leaves other parameters to the inspector.
      const std::string name =
          legal.kernels.empty() ? legal.format : legal.format + "/" + variant.terms().front().key;
      const auto same = [&](const auto& one) { return one.first == name; };
      if (std::none_of(schemes.begin(), schemes.end(), same)) schemes.emplace_back(name, variant);
    }
  }
  for (const auto& [name, scheme] : schemes) {
    cases.push_back({"SpmvPlan", name, [scheme](const Exec& exec, const Matrix& A) {
                       SpmvOptions options;
                       options.scheme = scheme;
                       return make_product<double, std::int32_t>(exec, A, options);
                     }});
  }
}

template <class Matrix>
void add_solves(const Device& device, std::vector<CliffCase>& cases) {
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const auto& [name, scheme] : schemes_of(detail::sptrsv::grammar(device))) {
      cases.push_back({triangle == Triangle::lower ? "SptrsvPlan lower" : "SptrsvPlan upper", name,
                       [triangle, scheme](const Exec& exec, const Matrix& A) {
                         SptrsvOptions options;
                         options.triangle = triangle;
                         options.ignore_outside = true;
                         options.scheme = scheme;
                         using Plan = SptrsvPlan<Exec, Matrix>;
                         return std::make_unique<Planned<Plan>>(exec, A, options);
                       }});
    }
  }
}

template <class Matrix>
void add_sweeps(const Device& device, std::vector<CliffCase>& cases) {
  for (const auto order : {GaussSeidelOrder::natural, GaussSeidelOrder::multicolor}) {
    for (const auto& [name, scheme] : schemes_of(detail::gauss_seidel::grammar(device))) {
      const bool split = name == "gauss-seidel/split";  // needs rows in their own order
      if (split && order == GaussSeidelOrder::multicolor) continue;
      cases.push_back({std::string("GaussSeidelPlan ") + heddle::name(order), name,
                       [order, scheme](const Exec& exec, const Matrix& A) {
                         GaussSeidelOptions options;
                         options.order = order;
                         options.scheme = scheme;
                         using Plan = GaussSeidelPlan<Exec, Matrix>;
                         return std::make_unique<Planned<Plan>>(exec, A, options);
                       }});
    }
  }
}

template <class Matrix>
void add_factors(const Device& device, std::vector<CliffCase>& cases) {
  const std::tuple<const char*, bool, FactorValues> kinds[] = {
      {"IluPlan", false, FactorValues::same},
      {"IluPlan in float", false, FactorValues::single_precision},
      {"IcPlan", true, FactorValues::same},
      {"IcPlan in float", true, FactorValues::single_precision}};
  for (const auto& [plan, ic, values] : kinds) {
    for (const auto& [name, scheme] : schemes_of(detail::ilu::grammar(ic ? "ic" : "ilu", device))) {
      cases.push_back({plan, name, [scheme, ic, values](const Exec& exec, const Matrix& A) {
                         IluOptions options;
                         options.scheme = scheme;
                         options.factor_values = values;
                         return make_preconditioner<double, std::int32_t>(exec, A, options, ic);
                       }});
    }
  }
}

template <class Operation>
void add_operation(const char* name, std::vector<CliffCase>& cases) {
  cases.push_back({name, "auto", [](const Exec& exec, const CliffMatrix& A) {
                     return std::make_unique<Operation>(exec, A);
                   }});
}

template <class Matrix>
void add_matrix_operations(std::vector<CliffCase>& cases) {
  static_assert(std::same_as<Matrix, CliffMatrix>);
  add_operation<TriangleProduct>("SpmvPlan of a triangle", cases);
  add_operation<MatrixOperation<ProductWithP>>("MultiplyPlan A P", cases);
  add_operation<MatrixOperation<ProductAndSum>>("MultiplyPlan I A + 2 A", cases);
  add_operation<MatrixOperation<TripleProduct>>("GalerkinPlan P' A P", cases);
  add_operation<MatrixOperation<SumWithTranspose>>("add A + A'", cases);
}

template <class S, class Off>
bool enter() {
  if constexpr (std::same_as<S, double> && sizeof(Off) == sizeof(std::int32_t)) {
    cliff_cases() = [](const Device& device) {
      std::vector<CliffCase> cases;
      add_products<CsrMatrix<S, Index, Off, Space>>(device, cases);
      add_solves<CsrMatrix<S, Index, Off, Space>>(device, cases);
      add_sweeps<CsrMatrix<S, Index, Off, Space>>(device, cases);
      add_factors<CsrMatrix<S, Index, Off, Space>>(device, cases);
      add_matrix_operations<CsrMatrix<S, Index, Off, Space>>(cases);
      return cases;
    };
  }
  return true;
}

[[maybe_unused]] const bool entered = enter<HEDDLE_BENCH_SCALAR, HEDDLE_BENCH_OFFSET>();

}  // namespace

}  // namespace heddle::bench
