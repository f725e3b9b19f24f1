// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "hash.hpp"

namespace heddle::detail {

/// A hash of a text, equal on every machine.
inline std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t bits = hash_of(text.size());
  for (const char c : text) bits = hash_of(bits ^ static_cast<unsigned char>(c));
  return bits;
}

/// A file of chosen schemes. Each line has a mark, a checksum, a key, the scheme and the seconds of
/// an apply.
///
/// A line is appended by one write, so that programs may share a file without losing lines. An
/// incomplete line, after a full disk or a killed program, fails its checksum and is skipped. A
/// file that begins otherwise is no tuning cache, and is neither read nor written. Nothing here
/// throws: without the file a plan chooses again.
class TuningCache {
 public:
  struct Entry {
    std::string scheme;
    double seconds = 0;  ///< 0 if not measured
  };

  explicit TuningCache(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  /// The last entry that was added under a key.
  std::optional<Entry> find(std::string_view key) const {
    std::ifstream file(path_, std::ios::binary);
    if (!file) return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!is_a_cache(text)) return std::nullopt;
    std::optional<Entry> found;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) break;  // the last line is incomplete
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      if (std::optional<Entry> entry = read(line, key)) found = std::move(entry);
      begin = end + 1;
    }
    return found;
  }

  /// Adds an entry. Returns the reason if that fails, else nothing. A key has no tabs or line ends.
  std::string add(std::string_view key, const Entry& entry) const {
    {
      std::ifstream file(path_, std::ios::binary);
      char first[2 * mark.size()];
      file.read(first, sizeof(first));
      if (!is_a_cache({first, static_cast<std::size_t>(file.gcount())})) {
        return "it is no tuning cache";
      }
    }
    const std::string content = content_of(key, entry);
    const std::string line =
        std::string(mark) + hexadecimal(hash_of_text(content)) + "\t" + content + "\n";
    const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return std::strerror(errno);
    const ssize_t written = ::write(file, line.data(), line.size());
    const int error = errno;
    ::close(file);
    if (written == static_cast<ssize_t>(line.size())) return "";
    return written < 0 ? std::strerror(error) : "the disk is full";
  }

 private:
  static constexpr std::string_view mark = "heddle-cache-1\t";

  /// Whether a file begins with a mark, or with an incomplete mark before a whole one, or is empty.
  static bool is_a_cache(std::string_view text) {
    const std::size_t whole = text.find(mark);
    const std::string_view cut = text.substr(0, whole);
    return cut.size() < mark.size() && mark.substr(0, cut.size()) == cut;
  }

  static std::string hexadecimal(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
    return text;
  }

  static std::string content_of(std::string_view key, const Entry& entry) {
    char seconds[32];
    std::snprintf(seconds, sizeof(seconds), "%.3e", entry.seconds);
    return std::string(key) + "\t" + entry.scheme + "\t" + seconds;
  }

  /// Parses a line if its key is `key`. An incomplete line before it may begin the same line.
  static std::optional<Entry> read(std::string_view line, std::string_view key) {
    const std::size_t begin = line.rfind(mark);
    if (begin == std::string_view::npos) return std::nullopt;
    line.remove_prefix(begin + mark.size());
    const std::size_t checksum = line.find('\t');
    if (checksum == std::string_view::npos) return std::nullopt;
    const std::string_view content = line.substr(checksum + 1);
    if (content.substr(0, key.size()) != key) return std::nullopt;
    if (line.substr(0, checksum) != hexadecimal(hash_of_text(content))) return std::nullopt;
    std::string_view rest = content.substr(key.size());
    if (rest.empty() || rest.front() != '\t') return std::nullopt;
    rest.remove_prefix(1);
    const std::size_t tab = rest.find('\t');
    if (tab == std::string_view::npos) return std::nullopt;
    double seconds = 0;
    std::from_chars(rest.data() + tab + 1, rest.data() + rest.size(), seconds);
    if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
    return Entry{std::string(rest.substr(0, tab)), seconds};
  }

  std::string path_;
};

/// Result of a plan's choice with a cache: remembered(entry) if there is an entry and it is still
/// possible, else choose(), after which measured(made), if it is an entry, is added. `note` says in
/// words what the cache did.
template <class Remembered, class Choose, class Measured>
auto through_cache(const TuningCache& cache, const std::string& key, std::string& note,
                   const Remembered& remembered, const Choose& choose, const Measured& measured) {
  if (const auto entry = cache.find(key)) {
    try {
      auto made = remembered(*entry);
      note = "found in " + cache.path();
      return made;
    } catch (const Error&) {  // the cached scheme does not suit this plan
    }
  }
  auto made = choose();
  const std::optional<TuningCache::Entry> entry = measured(made);
  if (!entry) {
    note = "nothing for this in " + cache.path();
    return made;
  }
  const std::string problem = cache.add(key, *entry);
  note = problem.empty() ? "added to " + cache.path()
                         : cache.path() + " could not be written: " + problem;
  return made;
}

}  // namespace heddle::detail
