// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

/// Graphs of CUDA and HIP, which differ in the names of their functions: Api.
namespace heddle::backends {

template <class Api>
class StreamGraph {
 public:
  static constexpr bool exists = true;

  /// Captures the instance's stream, in the mode that leaves other threads alone.
  template <class Exec, class Body>
  bool record(const Exec& exec, const Body& body) {
    clear();
    const auto stream = Api::stream(exec);
    if (Api::is_capturing(stream) || !Api::begin(stream)) return false;
    bool complete = true;
    try {
      body();
    } catch (...) {  // by launches it throws again, if the trouble is its own
      complete = false;
    }
    const std::unique_ptr<typename Api::Graph, Destroy> graph(Api::end(stream));
    if (!complete || !graph) return false;
    graph_.reset(Api::instantiate(graph.get()));
    launches_ = graph_ ? Api::nodes(graph.get()) : 0;
    return graph_ != nullptr;
  }
  template <class Exec>
  void launch(const Exec& exec) const {
    Api::launch(graph_.get(), exec);
  }
  std::size_t launches() const { return launches_; }
  void clear() {
    graph_.reset();
    launches_ = 0;
  }

 private:
  struct Destroy {
    void operator()(typename Api::Graph* graph) const { Api::destroy(graph); }
    void operator()(typename Api::Executable* graph) const { Api::destroy(graph); }
  };

  std::unique_ptr<typename Api::Executable, Destroy> graph_;
  std::size_t launches_ = 0;
};

}  // namespace heddle::backends
