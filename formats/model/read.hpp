// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/scheme.hpp"
#include "model.hpp"
#include "triangles.hpp"

namespace heddle {

namespace detail {

/// Reads the text of a model line by line; each line is a word and its values.
class ModelReader {
 public:
  ModelReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// Reads the whole text, which must be correct even if only a part is needed.
  void read() {
    expect("heddle-model");
    if (number<int>() != version) fail("it is of another version of Heddle");
    std::string device;
    expect("device");
    std::getline(line_ >> std::ws, device);
    expect("scalar_bytes");
    const auto scalar_bytes = number<int>();
    expect("vectors");
    const auto vectors = number<std::int64_t>();
    expect("apart");
    const bool apart = number<int>() != 0;
    const auto begin = [&](auto& model) {
      model.device = device;
      model.scalar_bytes = scalar_bytes;
      model.vectors = vectors;
      model.apart = apart;
    };
    next();
    if (word_ == "products") {
      begin(products_.emplace());
      read_products(*products_);
    }
    if (word_ == "blocks") {
      if (!products_) {
        begin(products_.emplace());
        products_->corrects = false;
      }
      read_lanes(products_->lanes);
    }
    if (word_ == "triangles") {
      begin(triangles_.emplace());
      read_triangles(*triangles_);
    }
    if (word_ != "end") fail("the text is truncated");
  }

  /// The models that were read. Throws Error if there is none of that kind.
  Model products() {
    if (!products_) fail("it holds no model of products or of their blocks of rows");
    return std::move(*products_);
  }
  TriangleModel triangles() {
    if (!triangles_) fail("it holds no model of triangular solves");
    return std::move(*triangles_);
  }

 private:
  static constexpr int version = 3;

  void read_products(Model& model) {
    expect("share");
    model.share = number<double>();
    expect("margin");
    model.margin = number<double>();
    expect_inputs(model_input_names);
    while (next() && word_ == "group") read_group(model);
  }

  template <class Names>
  void expect_inputs(const Names& names) {
    expect("inputs");
    for (const std::string_view known : names) {
      std::string input;
      if (!(line_ >> input) || input != known) fail("it was learned from other inputs");
    }
  }

  void read_triangles(TriangleModel& model) {
    model.threads = number<int>();
    model.applies = number<std::int64_t>();
    expect_inputs(triangle_input_names);
    expect("center");
    for (double& center : model.center) center = number<double>();
    expect("scale");
    for (double& scale : model.scale) {
      scale = number<double>();
      if (!(scale > 0)) fail("the scale of an input is not above zero");
    }
    std::size_t inputs = TriangleModel::terms;
    while (next() && word_ == "layer") {
      model.layers.push_back(layer(inputs));
      inputs = model.layers.back().bias.size();
    }
    if (model.layers.empty()) fail("it has no layers");
    for (std::size_t left = inputs; left > 0; --left) {
      if (word_ != "scheme") fail("there is no \"scheme\"");
      std::string scheme;
      line_ >> scheme;
      try {
        model.schemes.push_back(Scheme::parse(scheme).to_string());
      } catch (const Error&) {
        fail("it names no scheme");
      }
      next();
    }
  }

  TriangleModel::Layer layer(std::size_t inputs) {
    constexpr std::size_t most = 1024;
    TriangleModel::Layer layer{inputs, {}, {}};
    const auto neurons = number<std::size_t>();
    if (neurons < 1 || neurons > most) fail("a layer has no neurons, or too many");
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      expect("neuron");
      layer.bias.push_back(number<double>());
      for (std::size_t i = 0; i < inputs; ++i) layer.weights.push_back(number<double>());
    }
    return layer;
  }

  void read_group(Model& model) {
    std::string group;
    line_ >> group;
    std::vector<ModelTree>& trees = model.groups[group];
    for (int left = number<int>(); left > 0; --left) {
      trees.push_back(tree(model_input_names.size()));
    }
  }

  void read_lanes(LaneForest& lanes) {
    const auto count = number<int>();
    if (count < 1 || count > LaneForest::most_trees) fail("there are no trees, or too many");
    expect_inputs(lane_input_names);
    for (int left = count; left > 0; --left) {
      lanes.trees.push_back(tree(lane_input_names.size()));
      for (const ModelNode& node : lanes.trees.back()) {
        const bool is_leaf = node.input < 0, is_whole = node.value == std::floor(node.value);
        if (is_leaf && !(is_whole && node.value >= 0 && node.value <= LaneForest::most_bits)) {
          fail("a leaf of the tree above names no number of lanes");
        }
      }
    }
    next();
  }

  /// Children come after their parents, so that every walk ends.
  ModelTree tree(std::size_t inputs) {
    expect("tree");
    const auto size = number<int>();
    if (size < 1) fail("a tree has no nodes");
    ModelTree nodes;
    for (int at = 0; at < size; ++at) {
      if (!next()) fail("the text is truncated");
      line_.seekg(0);
      ModelNode node;
      node.input = number<int>();
      node.value = number<double>();
      if (node.input >= static_cast<int>(inputs)) fail("a tree reads an input that does not exist");
      if (node.input >= 0) {
        node.left = number<int>();
        node.right = number<int>();
        const bool behind = node.left > at && node.right > at;
        if (!behind || node.left >= size || node.right >= size) fail("a child is wrong");
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
  std::optional<Model> products_;
  std::optional<TriangleModel> triangles_;
};

inline std::ifstream model_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("model " + path + " cannot be read", "check the path");
  return file;
}

}  // namespace detail

/// The model of products in a model's text; errors name it `name`. Throws Error if the text is
/// truncated, is no model, has another version, needs inputs that this library lacks, or has
/// neither a model of products nor lanes of csr/blocks.
inline Model read_model(std::istream& in, const std::string& name) {
  detail::ModelReader reader(in, name);
  reader.read();
  return reader.products();
}
/// The model of triangular solves in a model's text.
inline TriangleModel read_triangle_model(std::istream& in, const std::string& name) {
  detail::ModelReader reader(in, name);
  reader.read();
  return reader.triangles();
}

/// Reads a file, for SpmvOptions::model. Read it once and share it among plans.
inline std::shared_ptr<const Model> read_model(const std::string& path) {
  std::ifstream file = detail::model_file(path);
  return std::make_shared<const Model>(read_model(file, path));
}
/// Reads a file, for SptrsvOptions::model.
inline std::shared_ptr<const TriangleModel> read_triangle_model(const std::string& path) {
  std::ifstream file = detail::model_file(path);
  return std::make_shared<const TriangleModel>(read_triangle_model(file, path));
}

}  // namespace heddle
