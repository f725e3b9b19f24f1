// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <filesystem>
#include <heddle/solve.hpp>
#include <system_error>

#include "../common/busy_threads.hpp"
#include "../common/run_contest.hpp"
#include "problem.hpp"

namespace heddle::bench {

void SystemRequest::define_limits(Settings& settings, double least_excess) {
  settings.option("tolerance", limits.tolerance, "Tolerance of the residual, relative to b")
      ->check(CLI::Range(1e-15, 0.1));
  settings.option("max-iterations", limits.max_iterations, "Maximal number of products")
      ->check(CLI::PositiveNumber);
  std::string about_excess =
      "Excess of a Laplacian that is made of a pattern: the diagonal over the other entries' "
      "magnitudes, less 1";
  if (least_excess < 0) about_excess += ". Below 0 for minres alone";
  settings.option("excess", excess, about_excess)->check(CLI::Range(least_excess, 1e9));
}

namespace {

void define(Settings& settings, SolveRequest& r) {
  settings
      .option(
          "method", r.method_name,
          "cg, minres, bicgstab or gmres. A file's values are used if the method can take them; "
          "else a Laplacian of its pattern is solved. With --auto, of baselines and of named "
          "preconditioners: gmres in place of cg where A is not symmetric with a positive diagonal")
      ->check(CLI::IsMember({"cg", "minres", "bicgstab", "gmres"}));
  settings.option("restart", r.restart, "Iterations after which gmres is restarted")
      ->check(CLI::Range(1, 1000));
  settings.option("basis", r.basis, "Precision of the basis: scalar; float for gmres alone")
      ->check(CLI::IsMember({"scalar", "float"}));
  settings.flag("flexible", r.flexible,
                "cg and gmres in their flexible forms, for preconditioners that change");
  r.define_limits(settings, -0.9);  // below 0: indefinite, for minres
  settings.option("block", r.block, "Rows of a block of block-jacobi")->check(CLI::Range(1, 32));
  settings.option("subdomains", r.subdomains, "Ranges of rows; entries between them are dropped")
      ->check(CLI::PositiveNumber);
  settings.option("expected-applies", r.expected_applies, "Number of applies that plans assume")
      ->check(CLI::PositiveNumber);
  settings
      .option("busy", r.busy,
              "Threads that compute beside, from the first set-up to the last solve, as another "
              "program would")
      ->check(CLI::Range(0, 4096));
  settings.flag(
      "auto", r.any_system,
      "Times whole solutions, each from a set-up on: auto, which is heddle::solve, beside "
      "each pair that it considered. A file's values are used in any case");
  settings
      .option("max-seconds", r.max_seconds,
              "Limit of time of a solve by auto or by a pair; a set-up is not interrupted")
      ->check(check_seconds);
  settings.app()
      .add_option("--write", r.write_to,
                  "Also write each system, for other programs: NAME.petsc, and b, a matrix of one "
                  "column, as NAME.b.petsc")
      ->type_name("FOLDER");
  r.define_contest(settings.app(),
                   "Preconditioners of Heddle (heddle-bench list names them), or \"all\" that go "
                   "with the method; with --auto also auto and pairs such as cg/multigrid, and "
                   "\"all\" is auto and what it considered");
}

/// The kind by which contestants are compared: the first word of the preconditioner's name. In a
/// baseline's name it follows the library, and `graph` if the loop is recorded. Incomplete LU and
/// Cholesky factors of the same level are one kind.
std::string kind(const ContestantResult& c) {
  std::string name = c.is_scheme ? c.name : c.name.substr(c.name.find('-') + 1);
  if (name.starts_with("graph-")) name.erase(0, name.find('-') + 1);
  name = name.substr(0, name.find('-'));
  return name.starts_with("ic") ? "ilu" + name.substr(2) : name;
}

void print_chosen(std::ostream& out, const MatrixResult& result) {
  print_rows(
      out, result,
      {setup_column(),
       {"iterations", 12, [](const ContestantResult& c) { return std::to_string(*c.iterations); }},
       time_column("solve"),
       spread_column(),
       {"with setup", 11, [](const ContestantResult& c) { return duration(once(c)); }}});
  // The set-up of a pair is an inspection that it does not need: its time is of a solution alone.
  const auto* const pair = fastest(
      result, [](const auto& c) { return c.is_scheme && c.name.find('/') != std::string::npos; },
      time_of);
  const auto* const own = fastest(result, [](const auto& c) { return c.name == "auto"; }, once);
  const auto* const peer = fastest(result, [](const auto& c) { return !c.is_scheme; }, once);
  if (pair) out << "\n  best pair in hindsight: " << pair->name << ", " << duration(time_of(*pair));
  if (pair && own) {
    out << "; auto took " << factor(once(*own) / time_of(*pair)) << " times that, "
        << format("%.1f %%", 100 * own->setup.median() / once(*own)) << " of it to choose";
  }
  if (peer) out << "\n  fastest of peers: " << peer->name << ", " << duration(once(*peer));
  out << '\n';
}

void print(std::ostream& out, const MatrixResult& result, const DeviceFigures&,
           const SolveRequest& request) {
  out << '\n'
      << result.name << ": " << (request.any_system ? "a chosen method" : request.method_name)
      << format(" to %g, %lld rows, %lld entries, ", request.limits.tolerance,
                static_cast<long long>(result.rows.rows),
                static_cast<long long>(result.rows.nonzeros))
      << result.choice_reason;
  if (request.busy > 0) out << "; " << BusyThreads::description(request.busy);
  out << "\n\n";
  if (request.any_system) return print_chosen(out, result);
  const auto peer_of = [&](const ContestantResult& c) {
    return fastest(
        result,
        [&](const ContestantResult& other) {
          return c.is_scheme && !other.is_scheme && kind(other) == kind(c);
        },
        once);
  };
  print_rows(
      out, result,
      {setup_column(),
       update_column("factor"),
       {"iterations", 12, [](const ContestantResult& c) { return std::to_string(*c.iterations); }},
       {"an iteration", 14,
        [](const ContestantResult& c) {
          return *c.iterations > 0 ? duration(time_of(c) / *c.iterations) : "-";
        }},
       time_column("solve"),
       spread_column(),
       {"with setup", 11, [](const ContestantResult& c) { return duration(once(c)); }},
       peer_column(peer_of, once)});
  const auto* const ours = fastest(result, [](const auto& c) { return c.is_scheme; }, once);
  const auto* const peer = fastest(result, [](const auto& c) { return !c.is_scheme; }, once);
  if (ours) out << "\n  fastest with setup: " << ours->name << ", " << duration(once(*ours));
  if (ours && peer) out << "; of peers " << peer->name << ", " << duration(once(*peer));
  out << '\n';
}

/// Words for --scheme beside preconditioners.
std::vector<std::string> words_of(const SolveRequest& request) {
  std::vector<std::string> words = {"all"};
  if (!request.any_system) return words;
  words.emplace_back("auto");
  for (const auto& [method, word] : heddle::detail::words<SolveMethod>) {
    for (const auto& [preconditioner, of] : heddle::detail::words<SolvePreconditioner>) {
      if (preconditioner == SolvePreconditioner::direct) continue;
      words.push_back(std::string(word) + "/" + of);
    }
  }
  return words;
}

void prepare(SolveRequest& request) {
  check_names(request.schemes, "preconditioner", words_of(request), known_preconditioners());
  if (request.excess <= 0 && request.method() != Method::minres) {
    throw Error("--excess is " + format("%g", request.excess),
                "give one above 0: only minres solves an indefinite system");
  }
  if (request.basis == "float" && request.method() != Method::gmres) {
    throw Error("--basis float has no effect on " + request.method_name, "leave it out");
  }
  if (request.flexible && request.method() != Method::cg && request.method() != Method::gmres) {
    throw Error("--flexible has no effect on " + request.method_name, "leave it out");
  }
  if (request.write_to.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(request.write_to, failed);
  if (failed) {
    throw Error(request.write_to + ": the folder cannot be made: " + failed.message(),
                "give --write another one");
  }
  request.other_paths.push_back(request.write_to);
}

constexpr const char* help =
    "columns of the table:\n"
    "  setup         median of the repeated set-ups: plan of the matrix, preconditioner, "
    "solver\n"
    "  factor        the preconditioner again, for new values of the same pattern\n"
    "  iterations    products with the matrix, except those that compute a residual\n"
    "  an iteration  the solve over the iterations\n"
    "  solve         median of whole solves from zero\n"
    "  spread        the range of the middle half of these times over their median\n"
    "  with setup    setup and one solve\n"
    "  vs peer       this time of the fastest baseline with the same kind of preconditioner "
    "(none, "
    "jacobi,\n"
    "                ssor, factors of the same level) over this one's\n"
    "\nwith --auto:\n"
    "  setup         of auto and of pairs the inspection of A and the choice alone\n"
    "  solve         all else: the product's plan, set-ups, and the solve from zero\n"
    "\nexamples:\n"
    "  heddle-bench solve --generate grid2d:300\n"
    "  heddle-bench solve --set solve-judge --auto --baseline none --csv out.csv\n"
    "  heddle-bench solve --set solve-general --folder ~/matrices --method gmres --csv out.csv\n"
    "  heddle-bench solve --matrix A.mtx --scheme jacobi ic0 --baseline program --repeat 5\n"
    "  OMP_WAIT_POLICY=passive heddle-bench solve --generate grid2d:300 --busy 2\n\n";

void list(std::ostream& out) {
  list_names(out, "preconditioners of solve", known_preconditioners());
}

}  // namespace

Operation solve_operation() {
  return operation_of<SolveRequest>(
      {"solve",
       "Whole solves by a Krylov method: every preconditioner of Heddle beside other libraries",
       define, print, help, prepare, list});
}

}  // namespace heddle::bench
