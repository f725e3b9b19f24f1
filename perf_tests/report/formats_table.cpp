// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle_formats_table [--check] FILE...: writes the table of all formats between the marks of each
// Markdown file, or with --check fails if the file has another one.
#include <fstream>
#include <iostream>
#include <sstream>

#include "../../formats/all_formats.hpp"

namespace {

constexpr const char* begin_mark = "<!-- formats: begin -->\n";
constexpr const char* end_mark = "<!-- formats: end -->";

/// A table cell: lines break after commas, so that a column may be narrow, and bars are escaped.
std::string cell(const std::string& usage) {
  std::string text = "`";
  for (std::size_t i = 0; i < usage.size(); ++i) {
    if (usage.compare(i, 2, ", ") == 0) {
      text += "`<br>`";
      ++i;
    } else {
      if (usage[i] == '|') text += '\\';
      text += usage[i];
    }
  }
  return text + "`";
}

template <class Format>
std::string row(const heddle::Device& gpu, const heddle::Device& cpu) {
  const std::string on_gpu = Format::grammar(gpu).usage(), on_cpu = Format::grammar(cpu).usage();
  int native = 0, schemes = 0;
  const heddle::Features features{heddle::RowFeatures{}};
  for (const heddle::Scheme& scheme : Format::candidates(features, gpu)) {
    native += Format::applies(heddle::Op::transpose, scheme);
    ++schemes;
  }
  const std::string transposes = native == 0         ? "by a stored transpose"
                                 : native == schemes ? "itself"
                                                     : "itself, by some schemes";
  std::string notes;
  if constexpr (heddle::takes_triangles<Format>)
    notes += "takes one triangle of a symmetric matrix";
  if constexpr (heddle::merges_repeats<Format>) notes += "adds up repeated entries when inspected";
  return std::string("| [") + Format::name + "](#" + Format::name + ") | " + cell(on_gpu) + " | " +
         (on_cpu == on_gpu ? "the same" : cell(on_cpu)) + " | " + transposes + " | " + notes +
         " |\n";
}

std::string table() {
  heddle::Device gpu, cpu;
  gpu.backend = heddle::BackendKind::cuda;
  gpu.lanes = 32;
  std::string text =
      "| format | schemes on CUDA | on a CPU | transposes | |\n| --- | --- | --- | --- | --- |\n";
  heddle::AllFormats::for_each([&](auto format) { text += row<decltype(format)>(gpu, cpu); });
  return text;
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writes the table into the file unless it is only checked; returns whether the file has it.
bool put(const std::string& path, bool check) {
  const std::string text = read(path);
  const std::size_t begin = text.find(begin_mark), end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos) {
    std::cerr << path << ": there is no " << begin_mark;
    return false;
  }
  const std::size_t first = begin + std::string(begin_mark).size();
  const std::string wanted = text.substr(0, first) + table() + text.substr(end);
  if (wanted == text) return true;
  if (check) {
    std::cerr << path << ": the table of formats is not what the code says; run "
              << "heddle_formats_table " << path << '\n';
    return false;
  }
  return static_cast<bool>(std::ofstream(path) << wanted);
}

}  // namespace

int main(int argc, char** argv) {
  bool well = argc > 1;
  bool check = false;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--check") {
      check = true;
    } else {
      well = put(argv[i], check) && well;
    }
  }
  return well ? 0 : 1;
}
