// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// check_schema SCHEMA FILE...: exits with 1 where a file does not obey the schema, and says where.
#include <fstream>
#include <iostream>
#include <nlohmann/json-schema.hpp>
#include <nlohmann/json.hpp>

namespace {

nlohmann::json read(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return nlohmann::json::parse(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: check_schema SCHEMA FILE...\n";
    return 2;
  }
  int code = 0;
  try {
    nlohmann::json_schema::json_validator validator;
    validator.set_root_schema(read(argv[1]));
    for (int i = 2; i < argc; ++i) {
      try {
        validator.validate(read(argv[i]));
        std::cout << argv[i] << ": obeys the schema\n";
      } catch (const std::exception& error) {
        std::cerr << argv[i] << ": " << error.what() << '\n';
        code = 1;
      }
    }
  } catch (const std::exception& error) {
    std::cerr << "check_schema: " << error.what() << '\n';
    return 2;
  }
  return code;
}
