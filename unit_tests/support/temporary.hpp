// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

/// Files and folders that are gone at the end of a test.
namespace files_test {

inline std::string temporary_path(const std::string& suffix) {
  static std::atomic<int> serial{0};
  static const unsigned process = std::random_device()();
  const std::string name = "heddle-test-" + std::to_string(process) + "-";
  return (std::filesystem::temp_directory_path() / (name + std::to_string(serial++) + suffix))
      .string();
}

inline std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// A file in the system's temporary folder, removed at the end of the scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& suffix) : path_(temporary_path(suffix)) {}
  TemporaryFile(const std::string& suffix, std::string_view content) : TemporaryFile(suffix) {
    write(content);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  std::string content() const { return content_of(path_); }
  void write(std::string_view content) const { std::ofstream(path_, std::ios::binary) << content; }

 private:
  std::string path_;
};

/// A folder, removed with its content at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(temporary_path("")) { std::filesystem::create_directory(path_); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Number of names in the folder, hidden ones too.
  std::size_t size() const {
    const std::filesystem::directory_iterator names(path_);
    return static_cast<std::size_t>(std::distance(begin(names), end(names)));
  }

 private:
  std::string path_;
};

}  // namespace files_test
