// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>

#include "recording.hpp"

/// Graphs of CUDA and HIP, which differ in the names of their functions: Api. A graph that is
/// launched while the calling thread records another on that stream becomes a part of it.
namespace heddle::backends {

template <class Api>
class StreamGraph {
 public:
  static constexpr bool exists = true;

  template <class Exec, class Body>
  bool record(const Exec& exec, const Body& body) {
    clear();
    const auto stream = Api::stream(exec);
    if (Recording<Api>::any() || Api::is_capturing(stream)) return false;
    Recording<Api> recording(stream);
    try {
      body();
    } catch (...) {  // launches throw again if the fault is their own
      return false;
    }
    graph_.reset(Api::instantiate(recording.graph()));
    launches_ = graph_ ? recording.nodes() : 0;
    if (graph_) recorded_ = recording.release();
    return graph_ != nullptr;
  }
  template <class Exec>
  void launch(const Exec& exec) const {
    if (auto* const recording = Recording<Api>::of(Api::stream(exec))) {
      recording->add_graph(recorded_.get(), launches_);
    } else {
      Api::launch(graph_.get(), exec);
    }
  }
  std::size_t launches() const { return launches_; }
  void clear() {
    graph_.reset();
    recorded_.reset();
    launches_ = 0;
  }

 private:
  struct Destroy {
    void operator()(typename Api::Executable* graph) const { Api::destroy(graph); }
  };

  std::unique_ptr<typename Api::Executable, Destroy> graph_;
  typename Recording<Api>::Owned recorded_;
  std::size_t launches_ = 0;
};

/// Implementation of record_captured in graph.hpp.
template <class Api, class Exec, class Body>
void record_captured_on(const Exec& exec, const Body& body) {
  Recording<Api>* const recording = Recording<Api>::of(Api::stream(exec));
  if (!recording) return body();
  recording->add_captured(body);
}

}  // namespace heddle::backends
