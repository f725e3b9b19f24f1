// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fstream>
#include <istream>
#include <sstream>
#include <string>

#include "../../core/error.hpp"
#include "model.hpp"

namespace heddle {

namespace detail {

/// Reads the lines of a model's text, each a word and what belongs to it.
class ModelReader {
 public:
  ModelReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  Model read() {
    expect("heddle-model");
    if (number<int>() != version) fail("it is of another version of Heddle");
    Model model;
    expect("device");
    std::getline(line_ >> std::ws, model.device);
    expect("scalar_bytes");
    model.scalar_bytes = number<int>();
    expect("vectors");
    model.vectors = number<std::int64_t>();
    expect("apart");
    model.apart = number<int>() != 0;
    expect("share");
    model.share = number<double>();
    expect("margin");
    model.margin = number<double>();
    expect("inputs");
    for (const std::string_view known : model_input_names) {
      std::string input;
      if (!(line_ >> input) || input != known) fail("it was learned from other inputs");
    }
    while (next() && word_ == "group") read_group(model);
    if (word_ != "end") fail("it ends before its end");
    return model;
  }

 private:
  static constexpr int version = 1;

  void read_group(Model& model) {
    std::string group;
    line_ >> group;
    std::vector<ModelTree>& trees = model.groups[group];
    for (int left = number<int>(); left > 0; --left) {
      expect("tree");
      trees.push_back(tree(number<int>()));
    }
  }

  /// Children stand behind their parents, so that every walk ends.
  ModelTree tree(int size) {
    if (size < 1) fail("a tree has no nodes");
    ModelTree nodes;
    for (int at = 0; at < size; ++at) {
      if (!next()) fail("it ends before its end");
      line_.seekg(0);
      ModelNode node;
      node.input = number<int>();
      node.value = number<double>();
      if (node.input >= static_cast<int>(model_input_names.size()))
        fail("a tree asks for an input that there is not");
      if (node.input >= 0) {
        node.left = number<int>();
        node.right = number<int>();
        const bool behind = node.left > at && node.right > at;
        if (!behind || node.left >= size || node.right >= size) fail("a tree is not one");
      }
      nodes.push_back(node);
    }
    return nodes;
  }

  bool next() {
    std::string text;
    word_.clear();
    if (!std::getline(in_, text)) return false;
    ++at_;
    line_.clear();
    line_.str(text);
    return static_cast<bool>(line_ >> word_);
  }
  void expect(const char* word) {
    if (!next() || word_ != word) {
      fail(at_ <= 1 ? "it is no model" : std::string("there is no \"") + word + '"');
    }
  }
  template <class Number>
  Number number() {
    Number value{};
    if (!(line_ >> value) || !std::isfinite(static_cast<double>(value)))
      fail("a number is missing");
    return value;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error("model " + name_ + ", line " + std::to_string(at_) + ": " + why,
                "train one with perf_tests/model/train.py of this version");
  }

  std::istream& in_;
  std::string name_, word_;
  std::istringstream line_;
  int at_ = 0;
};

}  // namespace detail

/// A model out of its text; `name` is for errors. Throws Error where the text is cut, no model, of
/// another version, or asks for other inputs than this library has.
inline Model read_model(std::istream& in, const std::string& name) {
  return detail::ModelReader(in, name).read();
}

/// The same of a file, for SpmvOptions::model. Read it once, and give it to all plans.
inline std::shared_ptr<const Model> read_model(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read model " + path, "does the file exist?");
  return std::make_shared<const Model>(read_model(file, path));
}

}  // namespace heddle
