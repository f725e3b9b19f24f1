// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "growth.hpp"

#include <algorithm>
#include <cmath>

#include "../../bench/common/table.hpp"

namespace heddle::bench {

namespace {

constexpr CliffPhase phases[] = {CliffPhase::setup, CliffPhase::update, CliffPhase::apply};

/// A quoted field of a CSV file.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string cell(const CliffSeries& series) {
  if (series.sizes.empty()) return "-";
  const CliffTimes& largest = series.sizes.back();
  std::string text;
  for (const CliffPhase phase : phases) {
    text += text.empty() ? "" : " / ";
    const std::string time = format("%.2g", 1e3 * largest.of(phase));
    const bool marked = series.cliff(phase);
    text += marked ? format("**%s (x%.1f)**", time.c_str(), series.worst_growth(phase)) : time;
  }
  if (!series.ended.empty()) text += format(" at %lld", static_cast<long long>(largest.rows));
  return text;
}

template <class Of>
std::vector<std::string> distinct(const std::vector<CliffSeries>& all, const Of& of) {
  std::vector<std::string> found;
  for (const CliffSeries& series : all) {
    if (std::find(found.begin(), found.end(), of(series)) == found.end()) {
      found.push_back(of(series));
    }
  }
  return found;
}

}  // namespace

double growth(const CliffTimes& less, const CliffTimes& more, CliffPhase phase) {
  if (more.entries <= less.entries || less.of(phase) <= 0) return 0;
  if (more.of(phase) < least_grown_seconds) return 0;
  const double doublings =
      std::log2(static_cast<double>(more.entries) / static_cast<double>(less.entries));
  return std::pow(more.of(phase) / less.of(phase), 1 / doublings);
}

double CliffSeries::worst_growth(CliffPhase phase) const {
  double worst = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    double lasting = growth(sizes[i - 1], sizes[i], phase);
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      lasting = std::min(lasting, growth(sizes[i - 1], sizes[j], phase));
    }
    worst = std::max(worst, lasting);
  }
  return worst;
}

bool CliffSeries::cliff() const {
  return std::any_of(std::begin(phases), std::end(phases),
                     [&](CliffPhase phase) { return cliff(phase); });
}

std::string cliffs_csv(const std::vector<CliffSeries>& all) {
  std::string text =
      "pattern,plan,scheme,rows,entries,setup_seconds,update_seconds,apply_seconds,setup_growth,"
      "update_growth,apply_growth,ended\n";
  for (const CliffSeries& series : all) {
    const std::string name = series.pattern + "," + series.plan + "," + quoted(series.scheme) + ",";
    for (std::size_t i = 0; i < series.sizes.size(); ++i) {
      const CliffTimes& times = series.sizes[i];
      text += name + std::to_string(times.rows) + "," + std::to_string(times.entries);
      for (const double seconds : times.seconds) text += format(",%.3e", seconds);
      for (const CliffPhase phase : phases) {
        const double by = i == 0 ? 0 : growth(series.sizes[i - 1], times, phase);
        text += by > 0 ? format(",%.2f", by) : ",";
      }
      text += ",\n";
    }
    if (!series.ended.empty()) text += name + std::string(8, ',') + quoted(series.ended) + "\n";
  }
  return text;
}

std::string cliffs_table(const std::vector<CliffSeries>& all) {
  const auto patterns = distinct(all, [](const CliffSeries& s) { return s.pattern; });
  const auto runs = distinct(all, [](const CliffSeries& s) { return s.plan + " | " + s.scheme; });
  std::string text = "| plan | scheme |", rule = "| --- | --- |";
  for (const std::string& pattern : patterns) text += " " + pattern + " |", rule += " --- |";
  text += "\n" + rule + "\n";
  for (const std::string& run : runs) {
    text += "| " + run + " |";
    for (const std::string& pattern : patterns) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const CliffSeries& s) {
        return s.pattern == pattern && s.plan + " | " + s.scheme == run;
      });
      text += " " + (found == all.end() ? std::string("-") : cell(*found)) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace heddle::bench
