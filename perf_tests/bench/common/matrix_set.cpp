// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix_set.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include "../../../core/error.hpp"

namespace heddle::bench {

namespace fs = std::filesystem;

fs::path this_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

fs::path shipped_folder(const std::string& name) {
  std::error_code ignored;
  const fs::path program = this_program().parent_path();
  const fs::path installed = program / ".." / HEDDLE_BENCH_SHARE / name;
  return fs::is_directory(installed, ignored) ? installed : program / name;
}

namespace {

fs::path sets_folder() { return shipped_folder("sets"); }

std::string trimmed(const std::string& text) {
  constexpr const char* blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::string> find_file(const fs::path& folder, const std::string& name) {
  const fs::path path(name);
  const fs::path last = path.filename();
  for (const fs::path& where : {path / last, path, last / last, last}) {
    for (const char* ending : {".mtx", ".mtx.xz", ".mtx.gz", ".petsc", ""}) {
      const fs::path file = (folder / where).concat(ending);
      std::error_code ignored;
      if (fs::is_regular_file(file, ignored)) return file.string();
    }
  }
  return std::nullopt;
}

std::ifstream open_set(const std::string& name) {
  std::ifstream file(sets_folder() / (name + ".txt"));
  std::error_code ignored;
  if (!file && fs::is_regular_file(name, ignored)) file.open(name);
  if (file) return file;
  std::string known;
  for (const KnownSet& set : known_sets()) known += (known.empty() ? "" : ", ") + set.name;
  throw Error("the set \"" + name + "\" is unknown",
              known.empty() ? "give the path of a file with a matrix a line"
                            : "use one of " + known + ", or the path of a file like those");
}

}  // namespace

MatrixSet read_set(const std::string& name, const std::string& folder) {
  MatrixSet set;
  std::ifstream file = open_set(name);
  for (std::string line; std::getline(file, line);) {
    const std::string text = trimmed(line.substr(0, line.find('#')));
    if (text.empty()) continue;
    if (text.find(':') != std::string::npos) {
      set.sources.push_back({text, true});
    } else if (const auto path = find_file(folder, text)) {
      set.sources.push_back({*path, false});
    } else {
      set.missing.push_back(text);
    }
  }
  return set;
}

std::vector<KnownSet> known_sets() {
  std::vector<KnownSet> sets;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sets_folder(), ignored)) {
    if (entry.path().extension() != ".txt") continue;
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    sets.push_back(
        {entry.path().stem().string(), trimmed(line.substr(line.find_first_not_of('#')))});
  }
  std::sort(sets.begin(), sets.end(),
            [](const KnownSet& a, const KnownSet& b) { return a.name < b.name; });
  return sets;
}

}  // namespace heddle::bench
