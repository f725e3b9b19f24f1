// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heddle's Gauss-Seidel plans as contestants, and the names of their schemes.
#pragma once

#include <heddle/gauss_seidel.hpp>
#include <heddle/spmv.hpp>

#include "../../../solvers/gauss_seidel/choose.hpp"
#include "../common/asked_schemes.hpp"
#include "../common/table.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// One line for each kernel, and one for the choice of a plan with colors.
inline std::vector<std::string> gs_scheme_names() {
  std::vector<std::string> names = kernel_usages(detail::gauss_seidel::grammar(listed_device()));
  names.push_back("multicolor: what a plan chooses in the order of colors");
  return names;
}

/// Products use CSR only: it is the format that is compiled, and that CPUs mostly choose.
using GsFormats = Formats<CsrFormat>;

/// A plan of Heddle as a contestant.
template <Scalar S, Offset Off>
class HeddleSweeps : public GsContestant<S> {
 public:
  HeddleSweeps(const Exec& exec, const GsProblem<S, Off>& problem,
               const GaussSeidelOptions& options)
      : problem_(problem), plan_(exec, problem.A, options), order_(options.order) {}

  void run(const Exec& exec) override {
    problem_.with_vectors([&](const auto& b, const auto& x) {
      if (problem_.from_zero) return plan_.apply(exec, b, x);
      plan_.relax(exec, b, x, problem_.sweeps);
    });
  }
  GsNumbers numbers() const override {
    const bool natural = order_ == GaussSeidelOrder::natural;
    const bool of_rows = problem_.options.block_size == 1;
    return natural && of_rows ? GsNumbers::sequential : GsNumbers::reordered;
  }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override { return plan_.scheme().to_string(); }
  std::string note() const override {
    const SweepDirection first = problem_.options.sweep == SweepDirection::backward
                                     ? SweepDirection::backward
                                     : SweepDirection::forward;
    const int colors = plan_.colors(), levels = plan_.levels(first);
    if (colors > 0) return std::to_string(colors) + " colors";
    if (levels == 0) return "";
    const double rows = static_cast<double>(problem_.A.rows()) / levels;
    return std::to_string(levels) + " levels of " + factor(rows) + " rows";
  }

 private:
  GsProblem<S, Off> problem_;
  GaussSeidelPlan<Exec, CsrMatrix<S, Index, Off, Space>> plan_;
  GaussSeidelOrder order_;
};

/// The product A b, whose rate sweeps are compared with.
template <Scalar S, Offset Off>
class HeddleProduct : public GsContestant<S> {
 public:
  HeddleProduct(const Exec& exec, const GsProblem<S, Off>& problem)
      : problem_(problem), plan_(exec, problem.A, options(problem), GsFormats()) {}

  void run(const Exec& exec) override {
    problem_.with_vectors(
        [&](const auto& b, const auto& x) { plan_.apply(exec, S(1), b, S(0), x); });
  }
  GsNumbers numbers() const override { return GsNumbers::product; }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::size_t moved_bytes() const override {
    return static_cast<std::size_t>(plan_.moved_bytes(Op::none, problem_.columns));
  }
  std::string scheme() const override { return plan_.scheme().to_string(); }

 private:
  static SpmvOptions options(const GsProblem<S, Off>& problem) {
    SpmvOptions options;
    options.vectors = problem.options.vectors;
    return options;
  }

  GsProblem<S, Off> problem_;
  SpmvPlan<Exec, CsrMatrix<S, Index, Off, Space>, S, S, GsFormats> plan_;
};

}  // namespace heddle::bench
