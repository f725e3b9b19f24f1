// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/error.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "results.hpp"
#include "timing.hpp"

namespace heddle::bench {

/// An operation compiled for one scalar and one width of offsets, in a translation unit of its own:
/// its instance.cpp, compiled once a pair.
template <class Request>
struct Instance {
  std::string scalar;
  int offset_bits;
  MatrixResult (*run)(const Request&, const Source&, Progress&);
  std::vector<std::string> (*scheme_names)();
  /// Name and description of each baseline.
  std::vector<std::pair<std::string, std::string>> (*baseline_names)();
};

template <class Request>
std::vector<Instance<Request>>& instances() {
  static std::vector<Instance<Request>> list;
  return list;
}

template <class Problem>
std::vector<std::pair<std::string, std::string>> baseline_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& baseline : baselines<Problem>()) {
    names.emplace_back(baseline.name, baseline.description);
  }
  return names;
}

/// Registers a Contest, whose run is Run(request, source, progress).run(); `schemes` are listed by
/// name if the operation has any.
template <class Run>
bool enter_instance(
    const char* scalar,
    std::vector<std::string> (*schemes)() = [] { return std::vector<std::string>{}; }) {
  using Request = typename Run::Request;
  using Problem = typename Run::Problem;
  instances<Request>().push_back(
      {scalar, 8 * static_cast<int>(sizeof(typename Problem::Matrix::offset_type)),
       [](const Request& request, const Source& source, Progress& progress) {
         return Run(request, source, progress).run();
       },
       schemes, baseline_names<Problem>});
  return true;
}

template <class Request>
const Instance<Request>& find_instance(const Request& request) {
  std::string known;
  for (const Instance<Request>& instance : instances<Request>()) {
    if (instance.scalar == request.scalar && instance.offset_bits == request.offset_bits) {
      return instance;
    }
    known +=
        (known.empty() ? "" : ", ") + instance.scalar + "/" + std::to_string(instance.offset_bits);
  }
  throw Error("this build lacks scalar " + request.scalar + " with offsets of " +
                  std::to_string(request.offset_bits) + " bits",
              "use " + known + "; add more by -DHEDDLE_BENCH_SCALARS and -DHEDDLE_BENCH_OFFSETS");
}

template <class Request>
void check_baselines(const Request& request, const Instance<Request>& instance) {
  for (const std::string& word : request.baselines) {
    bool known = word == "all" || word == "none";
    std::string names = "all, none";
    for (const auto& [name, description] : instance.baseline_names()) {
      known = known || ContestOptions::names(word, name);
      names += ", " + name;
    }
    if (!known) throw Error("this build lacks baseline \"" + word + "\"", "use one of " + names);
  }
}

template <class Request>
void list_baselines(std::ostream& out, const std::string& operation) {
  out << "baselines of " << operation << ":\n";
  std::set<std::string> seen;
  for (const Instance<Request>& instance : instances<Request>()) {
    for (const auto& [name, description] : instance.baseline_names()) {
      if (!seen.insert(name).second) continue;
      out << "  " << name << std::string(name.size() < 20 ? 20 - name.size() : 1, ' ')
          << description << '\n';
    }
  }
  if (seen.empty()) out << "  none\n";
  out << '\n';
}

template <class Request>
void list_schemes_and_baselines(std::ostream& out, const std::string& operation) {
  const auto& all = instances<Request>();
  const auto names = all.empty() ? std::vector<std::string>() : all.front().scheme_names();
  if (!names.empty()) out << "schemes of " << operation << ":\n";
  for (const std::string& name : names) out << "  " << name << '\n';
  if (!names.empty()) out << '\n';
  list_baselines<Request>(out, operation);
}

template <class Request>
void list_scalars(std::ostream& out) {
  out << "scalar types / bits of an offset:\n ";
  for (const auto& i : instances<Request>()) out << ' ' << i.scalar << '/' << i.offset_bits;
  out << "\n\n";
}

}  // namespace heddle::bench
