// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "../common/table.hpp"

namespace heddle::bench {

namespace {

using Times = std::map<std::string, const KeptTime*>;

std::map<std::string, Times> by_name(const KeptRun& run, const std::vector<std::string>& names) {
  std::map<std::string, Times> found;
  for (const KeptMatrix& matrix : run.matrices) {
    Times& times = found[matrix.name];
    for (const KeptTime& time : matrix.times) {
      const bool wanted =
          names.empty() || std::find(names.begin(), names.end(), time.name) != names.end();
      if (wanted) times.emplace(time.name, &time);
    }
  }
  return found;
}

/// Names that `run` has and `other` lacks; for a missing matrix only its own name.
std::vector<std::string> missing(const std::map<std::string, Times>& run,
                                 const std::map<std::string, Times>& other) {
  std::vector<std::string> names;
  for (const auto& [matrix, times] : run) {
    const auto found = other.find(matrix);
    if (found == other.end()) {
      names.push_back(matrix);
      continue;
    }
    for (const auto& [name, time] : times) {
      if (!found->second.contains(name)) names.push_back(matrix + ": " + name);
    }
  }
  return names;
}

struct Sum {
  int matrices = 0, slower = 0, faster = 0;
  double log_ratio = 0, worst = 0;
};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

const char* verdict(const Change& change) {
  return change.slower() ? "slower" : change.faster() ? "faster" : "";
}

void print_names(std::ostream& out, const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t most = 6;  // keeps the text on one line
  if (names.empty()) return;
  out << what;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    out << (i > 0 ? ", " : " ") << names[i];
  }
  if (names.size() > most) out << " and " << names.size() - most << " others";
  out << '\n';
}

}  // namespace

bool Comparison::any_slower() const {
  return std::any_of(changes.begin(), changes.end(), [](const Change& c) { return c.slower(); });
}

Comparison compare(const KeptRun& before, const KeptRun& after,
                   const std::vector<std::string>& names, double least) {
  const auto first = by_name(before, names), second = by_name(after, names);
  Comparison found;
  found.lost = missing(first, second);
  found.added = missing(second, first);
  for (const KeptMatrix& matrix : before.matrices) {
    const auto other = second.find(matrix.name);
    if (other == second.end()) continue;
    for (const KeptTime& time : matrix.times) {
      const auto same = other->second.find(time.name);
      if (same == other->second.end() || time.seconds <= 0) continue;
      found.changes.push_back({matrix.name, time.name, time.seconds, same->second->seconds,
                               std::max({least, time.spread, same->second->spread})});
    }
  }
  return found;
}

void print(std::ostream& out, const Comparison& comparison, bool all) {
  std::size_t matrix_width = 6, name_width = 10;
  std::map<std::string, Sum> sums;
  for (const Change& change : comparison.changes) {
    matrix_width = std::max(matrix_width, change.matrix.size());
    name_width = std::max(name_width, change.name.size());
    Sum& sum = sums[change.name];
    ++sum.matrices;
    sum.slower += change.slower();
    sum.faster += change.faster();
    sum.log_ratio += std::log(change.ratio());
    sum.worst = std::max(sum.worst, change.ratio());
  }
  out << padded("matrix", matrix_width) << "  " << padded("contestant", name_width)
      << "      before       after  after/before  margin\n";
  for (const Change& change : comparison.changes) {
    if (!all && !change.slower() && !change.faster()) continue;
    out << padded(change.matrix, matrix_width) << "  " << padded(change.name, name_width)
        << format("  %10s  %10s  %12.3f  %5.1f%%  %s\n", duration(change.before_seconds).c_str(),
                  duration(change.after_seconds).c_str(), change.ratio(), 100 * change.margin,
                  verdict(change));
  }
  out << '\n'
      << padded("contestant", name_width) << "  matrices  slower  faster  geometric mean  worst\n";
  for (const auto& [name, sum] : sums) {
    out << padded(name, name_width)
        << format("  %8d  %6d  %6d  %14.3f  %5.3f\n", sum.matrices, sum.slower, sum.faster,
                  std::exp(sum.log_ratio / sum.matrices), sum.worst);
  }
  print_names(out, "only before:", comparison.lost);
  print_names(out, "only after:", comparison.added);
}

}  // namespace heddle::bench
