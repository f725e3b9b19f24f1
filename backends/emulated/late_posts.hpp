// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <vector>

#include "team_state.hpp"

namespace heddle::backends::emulated {

/// What was posted and other teams do not see yet. Memory has the new value at once, since the lane
/// that posted may read it plainly; the words of memory give other teams the old one.
class LatePosts {
 public:
  struct Post {
    const void* place;
    std::uint64_t old;
    const Lane* lane;
    std::uint64_t team;      ///< its serial number
    std::uint32_t syncs;     ///< of the warp, before it
    std::uint32_t barriers;  ///< of the team, before it
  };
  static constexpr std::size_t most = 24;

  bool empty() const { return posts_.empty(); }
  bool full() const { return posts_.size() == most; }
  std::size_t size() const { return posts_.size(); }
  void clear() { posts_.clear(); }

  template <class T>
  void add(const T* place, T old, Lane& lane) {
    Post post{place, 0, &lane, lane.team->serial, lane.warp->syncs, lane.team->barriers};
    std::memcpy(&post.old, &old, sizeof(T));
    posts_.push_back(post);
  }

  /// The post that `place` waits for, or null.
  const Post* at(const void* place) const {
    for (const Post& post : posts_) {
      if (post.place == place) return &post;
    }
    return nullptr;
  }

  Post take(std::size_t i) {
    const Post post = posts_[i];
    posts_[i] = posts_.back();
    posts_.pop_back();
    return post;
  }

  /// Whether a release by `lane` orders post i before it: the lane's own, and what its warp or team
  /// posted before they last met.
  bool released_by(std::size_t i, Lane& lane) const {
    const Post& post = posts_[i];
    if (post.team != lane.team->serial) return false;
    if (post.lane == &lane || post.barriers < lane.team->barriers) return true;
    return post.lane->warp == lane.warp && post.syncs < lane.warp->syncs;
  }

  std::size_t index_of(const void* place) const {
    std::size_t i = 0;
    while (i < posts_.size() && posts_[i].place != place) ++i;
    return i;
  }

 private:
  std::vector<Post> posts_;
};

}  // namespace heddle::backends::emulated
