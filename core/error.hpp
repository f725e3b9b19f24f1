// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace heddle {

/// Position of an error: a line of a file, a row or an entry of a matrix. Lines count from 1 as in
/// editors; rows and entries from 0 as in arrays. Unknown parts stay empty or -1.
struct Where {
  std::string file = {};
  std::int64_t line = -1;
  std::int64_t row = -1;
  std::int64_t entry = -1;

  [[gnu::cold]] std::string to_string() const {
    std::string text;
    auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (!file.empty()) add(line >= 0 ? file + ":" + std::to_string(line) : file);
    if (file.empty() && line >= 0) add("line " + std::to_string(line));
    if (row >= 0) add("row " + std::to_string(row));
    if (entry >= 0) add("entry " + std::to_string(entry));
    return text;
  }
};

/// The base of every error that Heddle throws: the problem, its position and the remedy. The
/// functions that compose texts are cold, here and in scheme.hpp, since every source compiles them.
class Error : public std::runtime_error {
 public:
  [[gnu::cold]] Error(std::string problem, Where where, std::string remedy)
      : std::runtime_error(compose(problem, where, remedy)),
        problem_(std::move(problem)),
        where_(std::move(where)),
        remedy_(std::move(remedy)) {}
  Error(std::string problem, std::string remedy)
      : Error(std::move(problem), Where{}, std::move(remedy)) {}

  const std::string& problem() const { return problem_; }
  const Where& where() const { return where_; }
  const std::string& remedy() const { return remedy_; }

 private:
  [[gnu::cold]] static std::string compose(const std::string& problem, const Where& where,
                                           const std::string& remedy) {
    const std::string place = where.to_string();
    return "heddle: " + (place.empty() ? "" : place + ": ") + problem +
           (remedy.empty() ? "" : "; " + remedy);
  }

  std::string problem_;
  Where where_;
  std::string remedy_;
};

/// The requested memory is not available.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace heddle
