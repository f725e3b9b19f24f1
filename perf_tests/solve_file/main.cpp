// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-solve A.mtx [b.mtx] [-o x.mtx]: solves a system from files by heddle::solve, and prints
// the report.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <heddle/matrix_market.hpp>
#include <heddle/read_matrix.hpp>
#include <heddle/solve.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Host = Kokkos::HostSpace;
using Vector = Kokkos::View<double*, Space>;

constexpr const char* help = R"(heddle-solve A.mtx [b.mtx] [-o x.mtx] [OPTIONS]

Solves A x = b by a method and a preconditioner that are chosen for A, and prints what was found in A,
what ran and how it ended. A and b are Matrix Market or PETSc files, plain or compressed; b has one
column, and is a vector of ones without a file.

  -o FILE               writes x as a Matrix Market file of one column
  --tolerance T         bound of |b - A x| / |b| (1e-8)
  --max-iterations N    limit of products with A (10000)
  --max-seconds S       limit of time
  --pair PAIR           runs one pair alone, such as cg/multigrid
  --definite            A is positive definite
  --quiet               prints no progress
  --help                prints this text

Ends with 0 if the solve converged, 1 if it did not, 2 after wrong arguments or files.
)";

struct Arguments {
  std::string matrix, right, to;
  bool quiet = false, help = false;
  heddle::SolveOptions options;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments of;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    const auto value = [&]() -> std::string {
      if (k + 1 == argc) {
        throw heddle::Error(std::string(argument) + " has no value", "give one after it");
      }
      return argv[++k];
    };
    const auto number = [&] {
      const std::string text = value();
      char* end = nullptr;
      const double of_text = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != '\0' || !(of_text >= 0)) {
        throw heddle::Error(std::string(argument) + " is '" + text + "'",
                            "give a number from 0 on");
      }
      return of_text;
    };
    if (argument == "--help") {
      of.help = true;
    } else if (argument == "--quiet") {
      of.quiet = true;
    } else if (argument == "--definite") {
      of.options.positive_definite = true;
    } else if (argument == "-o") {
      of.to = value();
    } else if (argument == "--tolerance") {
      of.options.relative_tolerance = number();
    } else if (argument == "--max-iterations") {
      of.options.max_iterations = static_cast<int>(std::min(number(), 1e9));
    } else if (argument == "--max-seconds") {
      of.options.max_seconds = number();
    } else if (argument == "--pair") {
      of.options.pair = value();
    } else if (argument.starts_with("-")) {
      throw heddle::Error("there is no option " + std::string(argument), "see --help");
    } else {
      files.emplace_back(argument);
    }
  }
  if (!of.help && (files.empty() || files.size() > 2)) {
    throw heddle::Error(std::to_string(files.size()) + " files were given",
                        "give that of A, and if you like that of b");
  }
  if (!files.empty()) of.matrix = files[0];
  if (files.size() > 1) of.right = files[1];
  return of;
}

/// The column of a file, or ones without one.
Vector right_hand_side(const std::string& file, std::int64_t rows) {
  const Vector b("heddle::solve_file::b", static_cast<std::size_t>(rows));
  if (file.empty()) {
    Kokkos::deep_copy(b, 1.0);
    return b;
  }
  const auto read = heddle::read_matrix<double, int, std::int64_t>(file);
  if (read.rows() != rows || read.columns() != 1) {
    throw heddle::Error(
        file + " is " + std::to_string(read.rows()) + " x " + std::to_string(read.columns()),
        "give a b of " + std::to_string(rows) + " rows and one column");
  }
  const auto host = Kokkos::create_mirror_view(b);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    for (auto k = read.row_ptr()(i); k < read.row_ptr()(i + 1); ++k) {
      host(i) += read.values()(static_cast<std::size_t>(k));
    }
  }
  Kokkos::deep_copy(b, host);
  return b;
}

void write_solution(const std::string& file, const Vector& x) {
  const auto host = Kokkos::create_mirror_view_and_copy(Host(), x);
  const auto rows = static_cast<std::int64_t>(host.extent(0));
  std::vector<std::int64_t> row_ptr;
  for (std::int64_t i = 0; i <= rows; ++i) row_ptr.push_back(i);
  const std::vector<int> col_idx(host.extent(0), 0);
  heddle::write_matrix_market(
      file, heddle::CsrMatrix<double, int, std::int64_t, Host>(rows, 1, rows, row_ptr.data(),
                                                               col_idx.data(), host.data()));
}

/// Draws how many of the wanted digits the residual has gained.
bool show_progress(int iterations, double residual, double tolerance) {
  constexpr int width = 40;
  const double part = std::log(residual) / std::log(tolerance);
  const int full = std::isfinite(part) ? static_cast<int>(width * std::clamp(part, 0.0, 1.0)) : 0;
  const std::string bar = std::string(static_cast<std::size_t>(full), '#') +
                          std::string(static_cast<std::size_t>(width - full), '.');
  std::fprintf(stderr, "\r[%s] %d iterations, residual %.2e ", bar.c_str(), iterations, residual);
  return true;
}

int run(int argc, char** argv) {
  Arguments arguments = arguments_of(argc, argv);
  if (arguments.help) {
    std::fputs(help, stdout);
    return 0;
  }
  const Exec exec;
  const auto stored =
      heddle::read_matrix<double, int, std::int64_t>(arguments.matrix).copy_to<Space>(exec);
  const auto A = stored.matrix();
  const Vector b = right_hand_side(arguments.right, A.rows());
  if (!arguments.quiet) {
    const double tolerance = arguments.options.relative_tolerance.value_or(1e-8);
    arguments.options.callback = [tolerance](int iterations, double residual) {
      return show_progress(iterations, residual, tolerance);
    };
  }
  const auto [x, report] = heddle::solve(exec, A, b, arguments.options);
  if (!arguments.quiet) std::fputc('\n', stderr);
  std::fputs(report.to_string().c_str(), stdout);
  if (!arguments.to.empty()) write_solution(arguments.to, x);
  return report.converged() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run(argc, argv);
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
