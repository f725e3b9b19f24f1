// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "../../../backends/device.hpp"
#include "../../../formats/inspect/definitions.hpp"
#include "../../../formats/model/model.hpp"
#include "../../../solvers/sptrsv/transform/features.hpp"
#include "../common/load.hpp"
#include "../common/options.hpp"
#include "../common/table.hpp"
#include "../common/timing.hpp"

namespace heddle::bench {

namespace {

struct Request {
  MatrixOptions matrices;
  int repetitions = 0;
  std::string triangle;  ///< "lower" or "upper", or empty for the whole matrix
  bool csv = false;
};

/// Block sizes that `choose` counts: those of bcsr's candidates, and the tiles of tiled.
constexpr int counted_blocks[] = {2, 3, 4, 6, 8, 16};

using Fields = std::vector<std::pair<std::string, std::string>>;

template <class Value>
std::string text_of(const Value& value) {
  std::ostringstream text;
  text.precision(10);
  text << value;
  return text.str();
}

template <class Features>
Fields fields_of(const Features& features) {
  Fields fields;
  visit_features(features, [&](const std::string& name, auto value, const std::string&) {
    fields.emplace_back(name, text_of(value));
  });
  return fields;
}

/// Prints a line of fields, and before the first one a line of their names.
void print_line(const std::string& matrix, const Fields& fields, bool first) {
  const auto line = [&](const std::string& begin, auto part) {
    std::cout << begin;
    for (const auto& field : fields) std::cout << ',' << part(field);
    std::cout << std::endl;
  };
  if (first) line("matrix", [](const auto& field) { return field.first; });
  line('"' + matrix + '"', [](const auto& field) { return field.second; });
}

template <class Exec, class Matrix>
TriangleFeatures features_of_triangle(const Exec& exec, const Matrix& A, Triangle triangle) {
  if (A.rows() != A.columns()) {
    throw Error("the matrix is " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()),
                "give a square matrix");
  }
  using Graph = heddle::detail::triangle::DependencyGraph<typename Matrix::ordinal_type,
                                                          typename Matrix::offset_type>;
  return heddle::detail::sptrsv::find_features(
      exec, Graph{A.row_ptr().data(), A.col_idx().data(), A.rows(), triangle},
      static_cast<std::int64_t>(A.nonzeros()));
}

/// Prints the times of the features, from launch to result on the host: medians of runs of about a
/// millisecond, in turns, so that other load of the machine affects all alike.
template <class Exec, class Matrix>
void print_times(const Exec& exec, const Matrix& A, int repetitions) {
  const std::pair<const char*, std::function<void()>> works[] = {
      {"row features ", [&] { row_features(exec, A); }},
      {", with the check of columns ", [&] { row_features(exec, A, Check::columns); }},
      {", pattern features ", [&] { pattern_features(exec, A); }}};
  const auto seconds = [&](const auto& work, int times) {
    exec.fence("heddle::bench::before");
    const double begin = host_seconds();
    for (int i = 0; i < times; ++i) work();
    exec.fence("heddle::bench::after");
    return (host_seconds() - begin) / times;
  };
  Samples samples[std::size(works)];
  int times[std::size(works)];
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    for (std::size_t k = 0; k < std::size(works); ++k) {
      const auto& work = works[k].second;
      if (repetition < 0) {
        work();
        times[k] = std::clamp(static_cast<int>(1e-3 / seconds(work, 3)), 1, 200);
      } else {
        samples[k].seconds.push_back(seconds(work, times[k]));
      }
    }
  }
  for (std::size_t k = 0; k < std::size(works); ++k) {
    std::cout << works[k].first << duration(samples[k].median());
  }
  std::cout << std::endl;
}

void print_features(const Source& source, const Request& request, bool first) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const Exec exec;
  const auto host = load<double, std::int64_t>(source, request.matrices.seed).matrix;
  const auto device = host.copy_to<Exec::memory_space>(exec);
  exec.fence("heddle::bench::copied");
  const auto A = device.matrix();
  const auto show = [&](const std::string& name, const auto& features, const Fields& more) {
    if (!request.csv) {
      std::cout << name << '\n' << features << std::endl;
      return;
    }
    Fields fields = fields_of(features);
    fields.insert(fields.end(), more.begin(), more.end());
    print_line(name, fields, first);
  };
  if (!request.triangle.empty()) {
    const auto triangle = detail::value_of<Triangle>("--triangle", request.triangle);
    show(source.short_name() + '/' + request.triangle, features_of_triangle(exec, A, triangle), {});
    return;
  }
  const PatternFeatures features = pattern_features(exec, A);
  Fields blocks;
  if (request.csv) {
    for (const int size : counted_blocks) {
      blocks.emplace_back("blocks_of_" + std::to_string(size),
                          text_of(estimated_blocks(exec, A, size, size, features.longest_row)));
    }
    const int slice_rows = sector_slice_rows(backends::describe(exec));
    blocks.emplace_back("sectors",
                        text_of(estimated_blocks(exec, A, slice_rows, 4, features.longest_row)));
  }
  show(source.short_name(), features, blocks);
  if (request.repetitions > 0) print_times(exec, A, request.repetitions);
}

}  // namespace

Operation features_operation() {
  const auto request = std::make_shared<Request>();
  const auto define = [request](CLI::App& app) {
    request->matrices.define(app);
    app.add_option("--repeat", request->repetitions,
                   "Also time them: medians of this number of runs of a millisecond; 0: do not")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--triangle", request->triangle,
                   "Features of this triangle instead: those that a solve depends on")
        ->check(CLI::IsMember(detail::word_list<Triangle>()));
    app.add_flag("--csv", request->csv,
                 "A line a matrix, behind a line of names, with the square blocks that choose "
                 "estimates");
  };
  const auto run = [request](const std::vector<std::string>&) -> int {
    int code = all_well;
    bool first = true;
    for (const Source& source : request->matrices.sources()) {
      try {
        print_features(source, *request, std::exchange(first, false));
      } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        code = bad_input;
      }
    }
    return code;
  };
  return {.name = "features",
          .description = "Features of matrices, as docs/choose.md defines them",
          .define = define,
          .run = run,
          .help = matrix_help() + "\n"};
}

}  // namespace heddle::bench
