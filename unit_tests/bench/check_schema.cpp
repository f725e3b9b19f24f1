// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check_schema SCHEMA... -- FILE...: exits with 1 if a file does not obey the schema of its own
// schema_version, and prints where.
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json-schema.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Validator = nlohmann::json_schema::json_validator;

nlohmann::json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(file);
}

void check(const std::map<int, Validator>& schemas, const std::string& path) {
  const nlohmann::json file = read(path);
  const int version = file.at("schema_version");
  const auto schema = schemas.find(version);
  if (schema == schemas.end()) {
    throw std::runtime_error("there is no schema of schema_version " + std::to_string(version));
  }
  schema->second.validate(file);
  std::cout << path << ": obeys schema " << version << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::map<int, Validator> schemas;
  bool in_files = false;
  int code = 0;
  for (const std::string& word : words) {
    try {
      if (word == "--") {
        in_files = true;
      } else if (in_files) {
        check(schemas, word);
      } else {
        const nlohmann::json schema = read(word);
        const int version = schema.at("properties").at("schema_version").at("const");
        schemas[version].set_root_schema(schema);
      }
    } catch (const std::exception& error) {
      std::cerr << word << ": " << error.what() << '\n';
      code = 1;
    }
  }
  if (schemas.empty() || !in_files) {
    std::cerr << "usage: check_schema SCHEMA... -- FILE...\n";
    return 2;
  }
  return code;
}
