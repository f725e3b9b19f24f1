// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "../../core/error.hpp"

/// Kernel launches on CUDA and HIP, and how they are recorded.
namespace heddle::backends {

/// Shape of a launch.
struct LaunchConfig {
  unsigned teams;
  unsigned threads;
  std::size_t scratch_bytes = 0;
  unsigned teams_per_cluster = 1;
  bool cooperative = false;
};

/// While it lives, the calling thread's launches on a stream become nodes of a graph, each after
/// the one before, and none runs. The stream is not captured: during a capture a wait for the
/// device in any thread fails and makes the capture void, and Kokkos waits so in each allocation.
/// `Api` has the functions of CUDA or HIP.
template <class Api>
class Recording {
 public:
  using Graph = typename Api::Graph;
  using Node = typename Api::Node;
  using Stream = typename Api::Stream;
  struct Destroy {
    void operator()(Graph* graph) const {
      if (graph) Api::destroy(graph);
    }
  };
  using Owned = std::unique_ptr<Graph, Destroy>;

  explicit Recording(Stream stream) : stream_(stream), graph_(Api::create()) { here_ = this; }
  ~Recording() { here_ = nullptr; }
  Recording(const Recording&) = delete;

  /// The calling thread's recording of `stream`, or null.
  static Recording* of(Stream stream) {
    return here_ && here_->stream_ == stream ? here_ : nullptr;
  }
  /// Whether the calling thread records anything.
  static bool any() { return here_ != nullptr; }

  void add_kernel(const char* label, const void* kernel, const LaunchConfig& config,
                  void** arguments) {
    add([&](Node* node, const Node* after, std::size_t count) {
      Api::add_kernel(label, node, graph_.get(), after, count, kernel, config, arguments);
    });
  }

  /// Adds what body() queues on the stream by other means, by capture, since its launches are not
  /// known. One capture at a time. Throws Error if the stream cannot be captured.
  template <class Body>
  void add_captured(const Body& body) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Suspended suspended(this);
    if (!Api::begin_capture(stream_)) throw not_captured();
    try {
      body();
    } catch (...) {
      const Owned nothing(Api::end_capture(stream_));
      throw;
    }
    const Owned captured(Api::end_capture(stream_));
    if (!captured) throw not_captured();
    add_graph(captured.get(), Api::nodes(captured.get()));
  }
  /// Adds a graph of so many launches, which is copied.
  void add_graph(Graph* graph, std::size_t nodes) {
    if (nodes == 0) return;
    add([&](Node* node, const Node* after, std::size_t count) {
      Api::add_graph(node, graph_.get(), after, count, graph);
    });
    nodes_ += nodes - 1;
  }

  Graph* graph() const { return graph_.get(); }
  Owned release() { return std::move(graph_); }
  /// Number of recorded launches.
  std::size_t nodes() const { return nodes_; }

 private:
  /// While it lives, launches of the calling thread go to the stream.
  struct Suspended {
    explicit Suspended(Recording* recording) : recording(recording) { here_ = nullptr; }
    ~Suspended() { here_ = recording; }
    Suspended(const Suspended&) = delete;
    Recording* recording;
  };

  static Error not_captured() {
    return Error("a stream cannot be captured",
                 "do not wait for the device in your operator's apply, or make its capturable() "
                 "false");
  }
  template <class Add>
  void add(const Add& add_node) {
    Node node;
    add_node(&node, nodes_ > 0 ? &last_ : nullptr, nodes_ > 0 ? 1 : 0);
    last_ = node;
    ++nodes_;
  }

  static constinit inline thread_local Recording* here_ = nullptr;

  Stream stream_;
  Owned graph_;
  Node last_{};
  std::size_t nodes_ = 0;
};

}  // namespace heddle::backends
