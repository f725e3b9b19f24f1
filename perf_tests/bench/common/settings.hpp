// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "json.hpp"

namespace heddle::bench {

/// Options of an operation's own, each of which is a setting in its results.
class Settings {
 public:
  explicit Settings(CLI::App& app) : app_(&app) {}

  /// Adds the option --NAME; its setting has that name, or `key`.
  template <class T>
  CLI::Option* option(const std::string& name, T& value, const std::string& about,
                      std::string key = "") {
    tell(name, value, std::move(key));
    return app_->add_option("--" + name, value, about)->capture_default_str();
  }
  void flag(const std::string& name, bool& value, const std::string& about) {
    tell(name, value, "");
    app_->add_flag("--" + name, value, about);
  }
  CLI::App& app() { return *app_; }

  /// The settings after the command line was read.
  Json json() const {
    Json told = Json::object();
    for (const auto& [key, value] : told_) told[key] = value();
    return told;
  }

 private:
  template <class T>
  void tell(std::string name, const T& value, std::string key) {
    std::replace(name.begin(), name.end(), '-', '_');
    told_.emplace_back(key.empty() ? name : std::move(key), [&value] { return Json(value); });
  }

  CLI::App* app_;
  std::vector<std::pair<std::string, std::function<Json()>>> told_;
};

}  // namespace heddle::bench
