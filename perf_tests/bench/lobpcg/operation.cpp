// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <cmath>
#include <heddle/cg.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>
#include <iostream>
#include <memory>

#include "../common/load.hpp"
#include "../common/options.hpp"
#include "../common/table.hpp"
#include "products.hpp"

namespace heddle::bench {

namespace {

using Storage = HostStorage<double, std::int32_t>;
using Matrix = CsrMatrix<double, std::int32_t, std::int32_t, Space>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

struct Request {
  MatrixOptions matrices;
  int count = 8, max_iterations = 2000;
  double tolerance = 1e-6;
  bool largest = false, baselines = false;
  std::vector<std::string> preconditioners = {"none", "jacobi"};
};

/// A symmetric matrix: the source's own, or for a pattern its Laplacian plus the identity.
Storage symmetric_matrix(const Source& source, std::uint64_t seed) {
  const Kokkos::DefaultHostExecutionSpace host;
  const auto loaded = load<double, std::int32_t>(source, seed);
  Storage A = add_up_repeats(host, loaded.matrix.matrix()).storage();
  if (A.rows() != A.columns()) throw Error(source.short_name() + " is not square", "use another");
  if (!loaded.own_values) {
    for (std::int32_t i = 0; i < A.rows(); ++i) {
      const auto row = std::pair(A.row_ptr()(i), A.row_ptr()(i + 1));
      for (auto k = row.first; k < row.second; ++k) {
        A.values()(k) = A.col_idx()(k) == i ? row.second - row.first : -1.0;
      }
    }
  }
  if (!hermitian(A)) {
    throw Error(source.short_name() + " is not symmetric", "give a symmetric matrix");
  }
  return A;
}

/// A plan, or another library's products instead, that counts the columns that it multiplies.
struct Counted {
  const SpmvPlan<Exec, Matrix>& plan;
  ColumnProducts* other;
  std::int64_t size;
  std::int64_t products = 0;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    const int count = X::rank() == 1 ? 1 : static_cast<int>(x.extent(X::rank() - 1));
    products += count;
    if (other) return other->apply(exec, x.data(), y.data(), count);
    plan.apply(exec, 1.0, x, 0.0, y);
  }
  std::int64_t rows() const { return size; }
  std::int64_t columns() const { return size; }
  static constexpr bool takes_several_vectors = true;
};

/// The largest |A x - lambda x| / |x|, and the largest |x_i . x_j| for i != j, by plain host loops.
std::pair<double, double> true_errors(const Storage& A, const Columns& modes,
                                      const LobpcgResult& result) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), modes);
  double worst = 0, skew = 0;
  for (std::size_t j = 0; j < x.extent(1); ++j) {
    double square = 0, norm = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      double sum = -result.pairs[j].value * x(i, j);
      each_entry(A, i, [&](std::size_t column, double value) { sum += value * x(column, j); });
      square += sum * sum;
      norm += x(i, j) * x(i, j);
    }
    worst = std::max(worst, std::sqrt(square / norm));
    for (std::size_t k = 0; k < j; ++k) {
      double dot = 0;
      for (std::size_t i = 0; i < x.extent(0); ++i) dot += x(i, j) * x(i, k);
      skew = std::max(skew, std::abs(dot));
    }
  }
  return {worst, skew};
}

/// Solves and prints a row; returns whether the result is as accurate as it claims.
template <class M>
bool run_one(const Exec& exec, const Request& request, const Storage& host, const Counted& product,
             const std::string& name, double setup, M&& m) {
  const auto n = static_cast<std::int64_t>(host.rows());
  LobpcgSolver<Exec, double> solver(exec, n,
                                    {.count = request.count,
                                     .wanted = request.largest ? Wanted::largest : Wanted::smallest,
                                     .relative_tolerance = request.tolerance,
                                     .max_iterations = request.max_iterations});
  const Columns modes("heddle::bench::modes", static_cast<std::size_t>(n),
                      static_cast<std::size_t>(request.count));
  Counted A = product;
  exec.fence("heddle::bench::lobpcg");
  const Kokkos::Timer timer;
  const LobpcgResult result = solver.solve(exec, A, modes, m);
  const double seconds = timer.seconds();
  const auto [residual, skew] = true_errors(host, modes, result);
  const double over = residual / result.scale;
  const bool right = !result.converged() || (over <= 1.5 * request.tolerance && skew < 1e-8);
  std::cout << format("  %-10s %9s %9s %6d %9lld %10.1e %9.3g %14.8g %14.8g  %s%s\n", name.c_str(),
                      setup > 0 ? duration(setup).c_str() : "-", duration(seconds).c_str(),
                      result.iterations, static_cast<long long>(A.products), over, result.scale,
                      result.pairs.front().value, result.pairs.back().value,
                      heddle::name(result.outcome), right ? "" : "  WRONG");
  return right;
}

/// Prints a table with a row for each preconditioner; returns whether all results are right.
bool run_products(const Exec& exec, const Request& request, const Source& source,
                  const Storage& host, const Matrix& matrix, const Counted& product,
                  const std::string& scheme) {
  std::cout << format(
      "\n%s: %d rows, %d entries, %s; the %d %s pairs to %.0e\n  %-10s %9s %9s %6s %9s %10s %9s "
      "%14s %14s\n",
      source.short_name().c_str(), host.rows(), static_cast<int>(host.nonzeros()), scheme.c_str(),
      request.count, request.largest ? "largest" : "smallest", request.tolerance, "M", "set-up",
      "solve", "its", "products", "residual", "scale", "first", "last");
  bool right = true;
  for (const std::string& word : request.preconditioners) {
    const Kokkos::Timer timer;
    const auto setup = [&] {
      exec.fence("heddle::bench::set_up");
      return timer.seconds();
    };
    const auto solve = [&](auto&& m) {
      const double seconds = setup();
      right = run_one(exec, request, host, product, word, seconds, m) && right;
    };
    if (word == "none") {
      right = run_one(exec, request, host, product, word, 0, NoPreconditioner()) && right;
    }
    if (word == "jacobi") solve(JacobiPreconditioner<Exec, double>(exec, matrix));
    if (word == "multigrid") solve(MultigridPlan<Exec, Matrix>(exec, matrix));
  }
  return right;
}

bool run_matrix(const Exec& exec, const Request& request, const Source& source) {
  const Storage host = symmetric_matrix(source, request.matrices.seed);
  const auto device = host.copy_to<Space>(exec);
  exec.fence("heddle::bench::copied");
  const SpmvPlan<Exec, Matrix> plan(exec, device.matrix(), {.vectors = {.count = request.count}});
  Counted product{plan, nullptr, static_cast<std::int64_t>(host.rows())};
  bool right = run_products(exec, request, source, host, device.matrix(), product,
                            plan.scheme().to_string());
  if (!request.baselines) return right;
  for (const auto& baseline : baselines<LobpcgProblem>()) {
    const auto other = baseline.setup(exec, {device.matrix()});
    product.other = other.get();
    right =
        run_products(exec, request, source, host, device.matrix(), product, baseline.name) && right;
  }
  return right;
}

int run(const Request& request) {
  const Exec exec;
  bool right = true, all_run = true;
  for (const Source& source : request.matrices.sources()) {
    try {
      right = run_matrix(exec, request, source) && right;
    } catch (const Error& error) {
      std::cerr << source.short_name() << " is left out: " << error.what() << '\n';
      all_run = false;
    }
  }
  if (!right) return wrong_result;
  return all_run ? all_well : bad_input;
}

}  // namespace

Operation lobpcg_operation() {
  const auto request = std::make_shared<Request>();
  const auto define = [request](CLI::App& app) {
    request->matrices.define(app);
    app.add_option("--count", request->count, "Pairs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--tolerance", request->tolerance,
                   "Tolerance of the residual, over the largest Ritz value")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--max-iterations", request->max_iterations, "The limit")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--largest", request->largest, "The largest pairs");
    app.add_flag("--baselines", request->baselines,
                 "The same search over other libraries' products: cuSPARSE's, with CUDA");
    app.add_option("--preconditioner", request->preconditioners, "none, jacobi, multigrid")
        ->check(CLI::IsMember({"none", "jacobi", "multigrid"}));
  };
  return {.name = "lobpcg",
          .description = "Eigenpairs at an end of the spectrum of symmetric matrices",
          .define = define,
          .run = [request](const std::vector<std::string>&) { return run(*request); },
          .help = matrix_help() +
                  "\nA pattern without values of its own becomes its Laplacian, with one\n"
                  "more on the diagonal where it has one. \"products\" counts columns that A was\n"
                  "multiplied with; \"residual\" is the largest |A x - lambda x| / |x|\n"
                  "over \"scale\", by a plain loop.\n"};
}

}  // namespace heddle::bench
