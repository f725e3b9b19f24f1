// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../perf_tests/bench/common/matrix_set.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "../../core/error.hpp"
#include "../../testing/generate.hpp"
#include "../support/temporary.hpp"

using files_test::TemporaryFolder;
using heddle::bench::known_sets;
using heddle::bench::MatrixSet;
using heddle::bench::read_set;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> texts(const MatrixSet& set) {
  std::vector<std::string> all;
  for (const auto& source : set.sources) all.push_back(source.text);
  return all;
}

}  // namespace

TEST_CASE("a set names generators and files, wherever these lie under the folder") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  for (const char* name : {"Group/Inside/Inside.mtx", "Group/grouped.mtx.xz", "alone/alone.mtx",
                           "flat.mtx.gz", "binary.petsc", "whole.bin", "set.txt"}) {
    write(name, "");
  }
  write("mine.txt",
        "# what it is\n\ngrid2d:9,5  # small\r\nGroup/Inside\nGroup/grouped\nGroup/alone\n"
        "\t flat\nAny/binary\nwhole.bin\nGroup/missing # gone\nGroup\n");
  const MatrixSet set = read_set(folder / "mine.txt", folder.path());
  const auto at = [&](const char* name) { return folder / name; };
  CHECK(texts(set) == std::vector<std::string>{"grid2d:9,5", at("Group/Inside/Inside.mtx"),
                                               at("Group/grouped.mtx.xz"), at("alone/alone.mtx"),
                                               at("flat.mtx.gz"), at("binary.petsc"),
                                               at("whole.bin")});
  CHECK(set.missing == std::vector<std::string>{"Group/missing", "Group"});
  CHECK(set.sources[0].generated);
  CHECK(!set.sources[1].generated);
}

TEST_CASE("a set that is not there is told, with those that are") {
  std::string remedy;
  try {
    read_set("nobody", ".");
  } catch (const heddle::Error& error) {
    remedy = error.remedy();
  }
  CHECK(remedy.find("dense, generated-fit") != std::string::npos);
  CHECK_THROWS_AS(read_set(fs::temp_directory_path().string(), "."), heddle::Error);
}

TEST_CASE("every set of this checkout can be run, and nobody is judged by what he was fitted to") {
  const TemporaryFolder nothing;
  const auto entries = [&](const std::string& name) {
    const MatrixSet set = read_set(name, nothing.path());
    auto all = texts(set);
    for (const std::string& text : all) {
      const auto& known = heddle::test::generators();
      CHECK_MESSAGE(std::any_of(known.begin(), known.end(),
                                [&](const auto& g) { return text.starts_with(g.name + ":"); }),
                    text);
    }
    all.insert(all.end(), set.missing.begin(), set.missing.end());
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    return all;
  };
  for (const auto& set : known_sets()) {
    CAPTURE(set.name);
    CHECK(!set.description.empty());
    CHECK(!entries(set.name).empty());
  }
  for (const std::string kind : {"generated", "real", "solve"}) {
    const auto fit = entries(kind + "-fit"), judge = entries(kind + "-judge");
    for (const auto& text : fit) CHECK(!std::binary_search(judge.begin(), judge.end(), text));
  }
}
