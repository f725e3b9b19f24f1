// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scipy.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "plain_cg.hpp"

namespace demo {

namespace {

/// A new folder, removed with what is in it.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "heddle-demo-XXXXXX") {
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

template <class T>
bool write(const std::string& path, const Array<T>& array) {
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), array);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(on_host.data()),
             static_cast<std::streamsize>(on_host.size() * sizeof(T)));
  return file.good();
}

bool read(const std::string& path, const Vector& x) {
  const auto on_host = Kokkos::create_mirror_view(x);
  const auto bytes = static_cast<std::streamsize>(on_host.size() * sizeof(double));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(on_host.data()), bytes);
  if (file.gcount() != bytes) return false;
  Kokkos::deep_copy(x, on_host);
  return true;
}

}  // namespace

std::optional<ByScipy> scipy_cg(const Rows& A, const Vector& b, const Vector& x) {
  if (std::system("python3 -c 'import scipy.sparse.linalg' >/dev/null 2>&1") != 0) return {};
  const Folder folder;
  if (folder.path().empty() || !write(folder.file("row_ptr"), A.row_ptr) ||
      !write(folder.file("col_idx"), A.col_idx) || !write(folder.file("values"), A.values) ||
      !write(folder.file("b"), b)) {
    return {};
  }
  char tolerance_text[32];
  std::snprintf(tolerance_text, sizeof tolerance_text, "%.1e", tolerance);
  const std::string command =
      "python3 '" DEMO_SCIPY_CG "' '" + folder.path() + "' " + tolerance_text + " 2>/dev/null";
  std::FILE* const output = popen(command.c_str(), "r");
  if (!output) return {};
  ByScipy found;
  const bool printed = std::fscanf(output, "%lf %d", &found.seconds, &found.iterations) == 2;
  if (pclose(output) != 0 || !printed || !read(folder.file("x"), x)) return {};
  return found;
}

}  // namespace demo
