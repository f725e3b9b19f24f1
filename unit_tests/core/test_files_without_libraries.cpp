// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with neither zlib nor liblzma, whatever other sources are compiled with.
#undef HEDDLE_HAVE_ZLIB
#define HEDDLE_HAVE_ZLIB 0
#undef HEDDLE_HAVE_LZMA
#define HEDDLE_HAVE_LZMA 0

#include "../support/files.hpp"

using files_test::error_of;
using files_test::TemporaryFile;
using files_test::TemporaryFolder;

TEST_CASE("without a library what needs it is an Error that names the library and its package") {
  using namespace std::string_literals;
  struct Kind {
    std::string content, suffix, library, package, otherwise;
  };
  const Kind kinds[] = {
      {"\x1f\x8b\x08"s, ".gz", "zlib", "zlib1g-dev", "unpack the file first with gunzip"},
      {"\xfd"s + "7zXZ\0"s, ".xz", "liblzma", "liblzma-dev", "unpack the file first with unxz"}};
  const auto matrix = files_test::random_matrix(3, 3, 4);
  for (const Kind& kind : kinds) {
    const TemporaryFile file(".mtx", kind.content);
    const auto reading = error_of([&] { heddle::read_matrix(file.path()); });
    CHECK(reading.problem() == "this Heddle was built without " + kind.library);
    CHECK(reading.where().file == file.path());
    CHECK(reading.remedy() ==
          "install it (Debian: " + kind.package + ") and configure again, or " + kind.otherwise);
    const TemporaryFolder folder;
    const std::string path = folder / ("a.mtx" + kind.suffix);
    const auto writing = error_of([&] { heddle::write_matrix_market(path, matrix.matrix()); });
    CHECK(writing.problem() == reading.problem());
    CHECK(writing.remedy().ends_with("write to a name that does not end in " + kind.suffix));
    CHECK(folder.size() == 0);
  }
}
