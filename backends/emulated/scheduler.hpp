// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../../core/error.hpp"
#include "fibers.hpp"
#include "report.hpp"
#include "space.hpp"
#include "team_state.hpp"

namespace heddle::backends::emulated {

/// The labels of the kernels that a program has launched so far.
class Labels {
 public:
  void add(const char* label) {
    const std::lock_guard lock(mutex_);
    all_.insert(label);
  }
  std::set<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> all_;
};

inline Labels& launched_labels() {
  static Labels labels;
  return labels;
}

/// Posts that other teams do not see yet. Memory has the new value at once, since the lane that
/// posted may read it plainly; the functions of memory.hpp give other teams the old one.
class LatePosts {
 public:
  struct Post {
    const void* place;
    std::uint64_t old;
    const Lane* lane;
    std::uint64_t team;      ///< serial number of the lane's team
    std::uint32_t syncs;     ///< of the warp, before the post
    std::uint32_t barriers;  ///< of the team, before the post
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

  /// The late post at `place`, or null.
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

  /// Whether a release by `lane` orders post i before it: a post of its own, or one that its warp
  /// or team made before they last met.
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

/// The lane that this thread runs now, or null.
constinit inline thread_local Lane* current_lane = nullptr;

/// Runs the lanes of one launch in turn on the calling thread. Any ready lane may run next, at
/// every function that meets, waits or touches memory that other lanes read.
class Scheduler {
 public:
  static Scheduler& here() {
    thread_local Scheduler scheduler;
    return scheduler;
  }

  /// Throws Error if a lane breaks a rule or no lane can run. Exceptions of a lane pass through.
  void run(const Launch& launch);
  const Launch& launch() const { return *launch_; }

  std::uint64_t random() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// A number below n.
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(((random() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

  /// Another lane may run first.
  void give_way(Lane& lane) {
    ++steps_;
    go_on(lane, any_ready());
  }
  void perhaps_give_way(Lane& lane) {
    if (one_in(4)) give_way(lane);
  }
  /// Blocks the lane and runs `next`, if it is not null. Returns when the lane is woken.
  void wait(Lane& lane, LaneState state, Word word, Lane* next = nullptr) {
    remove(lane);
    lane.state = state;
    lane.word = word;
    ++steps_;
    if (next) return go_on(lane, *next);
    if (!ready_.empty()) return go_on(lane, any_ready());
    jump(lane.fiber->stop, main_);
  }
  void wake(Lane& lane) {
    lane.state = LaneState::ready;
    lane.word = Word::none;
    lane.at = static_cast<std::uint32_t>(ready_.size());
    ready_.push_back(&lane);
  }

  /// Late posts, and the waits of lanes for memory: memory.hpp.
  LatePosts posts;
  void sleep(Lane& lane, Word word, const void* place);
  void doze(Lane& lane, const void* place);
  /// Wakes lanes that wait for `place`, whose value has changed for all.
  void changed(const void* place, const Lane* writer, std::uint64_t writers_team);
  void reveal(std::size_t post);
  void reveal_at(const void* place) {
    const std::size_t post = posts.index_of(place);
    if (post < posts.size()) reveal(post);
  }

  /// Ends the launch with this text. Called by a lane, it does not return.
  void fail(const std::string& what);
  std::int64_t tick() { return ++steps_; }
  std::string who(const Lane& lane) const { return emulated::who(*launch_, lane); }

 private:
  Scheduler() : fibers_(&Scheduler::enter) {}

  static void enter(boost::context::detail::transfer_t from) {
    const races::Unwatched unwatched;
    Scheduler& scheduler = here();
    scheduler.leaving_->context = from.fctx;
    scheduler.work(*current_lane->fiber);
  }
  /// Body of a fiber: runs one lane after the other.
  [[noreturn]] void work(Fiber& fiber);
  void leave(Lane& lane);
  void start_units();
  void start(ClusterState& cluster, std::int64_t unit);
  bool stir();

  /// Any ready lane. Half of the time one warp lags: its lanes are seldom chosen, so that others
  /// soon overwrite what it has not read yet.
  Lane& any_ready() {
    Lane* lane = ready_[below(ready_.size())];
    if (steps_ >= lags_until_) {
      lagging_ = one_in(2) ? lane->warp : nullptr;
      lags_until_ = steps_ + static_cast<std::int64_t>(below(longest_lag));
    }
    for (int i = 0; i < 8 && lane->warp == lagging_; ++i) lane = ready_[below(ready_.size())];
    return *lane;
  }
  void remove(Lane& lane) {
    Lane* const last = ready_.back();
    ready_[lane.at] = last;
    last->at = lane.at;
    ready_.pop_back();
  }
  /// The lane's fiber. A lane that begins takes one.
  Fiber& fiber_of(Lane& lane) {
    if (!lane.fiber) lane.fiber = &fibers_.take();
    return *lane.fiber;
  }
  void go_on(Lane& from, Lane& to) {
    if (&from == &to) return;
    current_lane = &to;
    jump(from.fiber->stop, fiber_of(to).stop);
  }
  /// Jumps from `here` to `there`, and returns when a fiber jumps back.
  void jump(Stop& here, const Stop& there) {
    leaving_ = &here;
    there.thread.goes_on();
    const auto from = boost::context::detail::jump_fcontext(there.context, nullptr);
    leaving_->context = from.fctx;
  }

  Fibers fibers_;
  Stop main_;
  Stop* leaving_ = nullptr;

  const Launch* launch_ = nullptr;
  std::uint64_t state_ = 0, seed_ = 0, launches_ = 0, serial_ = 0;
  std::int64_t next_unit_ = 0, stride_ = 1, first_unit_ = 0;
  std::vector<ClusterState> clusters_;  ///< resident units
  std::vector<TeamState> teams_;
  std::vector<ClusterState*> free_;
  std::vector<Lane*> ready_, sleeping_, dozing_;
  std::array<int, 1024> sleeping_at_{};
  std::int64_t progress_ = 0, futile_looks_ = 0, steps_ = 0;
  static constexpr std::size_t longest_lag = 4000;  ///< steps; a team of 32 warps may take as many
  const WarpState* lagging_ = nullptr;
  std::int64_t lags_until_ = 0;
  int futile_rounds_ = 0;
  bool failed_ = false;
  std::string problem_;
  std::exception_ptr thrown_;

  static std::size_t bucket(const void* place) {
    return (reinterpret_cast<std::uintptr_t>(place) >> 2) % 1024;
  }
};

inline void Scheduler::sleep(Lane& lane, Word word, const void* place) {
  lane.place = place;
  sleeping_.push_back(&lane);
  ++sleeping_at_[bucket(place)];
  wait(lane, LaneState::sleeps, word);
}

inline void Scheduler::doze(Lane& lane, const void* place) {
  ++futile_looks_;
  lane.looks = lane.progress == progress_ ? lane.looks + 1 : 0;
  lane.progress = progress_;
  if (lane.looks < (4 << (futile_rounds_ < 12 ? futile_rounds_ : 12))) return;
  lane.looks = 0;
  lane.place = place;
  dozing_.push_back(&lane);
  wait(lane, LaneState::dozes, Word::look);
}

inline void Scheduler::changed(const void* place, const Lane* writer, std::uint64_t writers_team) {
  ++progress_;
  futile_looks_ = 0;
  futile_rounds_ = 0;
  for (Lane* const lane : dozing_) wake(*lane);
  dozing_.clear();
  if (!place || sleeping_at_[bucket(place)] == 0) return;
  for (std::size_t i = 0; i < sleeping_.size();) {
    Lane& lane = *sleeping_[i];
    if (lane.place != place) {
      ++i;
      continue;
    }
    lane.woken_by = writer;
    lane.woken_by_team = writers_team;
    --sleeping_at_[bucket(place)];
    sleeping_[i] = sleeping_.back();
    sleeping_.pop_back();
    wake(lane);
  }
}

inline void Scheduler::reveal(std::size_t post) {
  const LatePosts::Post seen = posts.take(post);
  changed(seen.place, seen.lane, seen.team);
}

inline void Scheduler::work(Fiber& fiber) {
  for (;;) {
    Lane& lane = *current_lane;
    try {
      races::acquire(launch_);
      races::acquire(lane.team->ended_before());
      const races::Watched watched;
      launch_->run(launch_->kernel, lane);
    } catch (...) {
      thrown_ = std::current_exception();
      failed_ = true;
    }
    races::release(this);
    races::release(lane.team->ended());
    if (!failed_) leave(lane);
    lane.fiber = nullptr;
    Lane* const next = failed_ || ready_.empty() ? nullptr : &any_ready();
    if (!races::watched && next && !next->fiber) {  // this fiber runs it
      next->fiber = &fiber;
      current_lane = next;
      continue;
    }
    fibers_.park(fiber);
    current_lane = next;
    jump(fiber.stop, next ? fiber_of(*next).stop : main_);
  }
}

inline void Scheduler::leave(Lane& lane) {
  TeamState& team = *lane.team;
  WarpState& warp = *lane.warp;
  const int in_warp = lane.in_warp;
  remove(lane);
  lane.state = LaneState::left;
  for (int level = 1; warp.levels >> level != 0; ++level) {
    if (warp.meeting(in_warp, level).arrived != 0) {
      return fail(who(lane) + " has left, while others of its subwarp wait for it");
    }
  }
  if (team.at_barrier > 0) {
    return fail(who(lane) + " has left, while others of its team wait for it at a barrier");
  }
  ClusterState& cluster = *team.cluster;
  if (lane.arrived_in_cluster || cluster.arrived > 0) {
    return fail(who(lane) + " has left between the halves of its cluster's barrier");
  }
  warp.left |= std::uint64_t{1} << in_warp;
  changed(nullptr, nullptr, 0);
  --team.alive;
  if (team.alive == 0 && !team.fence_stands()) {
    return fail("team " + std::to_string(team.index) + " wrote beyond its scratch of " +
                std::to_string(team.scratch_bytes) + " bytes");
  }
  if (--cluster.alive == 0) {
    free_.push_back(&cluster);
    start_units();
  }
}

/// Starts as many units as there are free places, in the order of the launch.
inline void Scheduler::start_units() {
  while (!free_.empty() && next_unit_ < launch_->units) {
    ClusterState& place = *free_.back();
    free_.pop_back();
    const std::int64_t unit = launch_->order == StartOrder::any
                                  ? (first_unit_ + next_unit_ * stride_) % launch_->units
                                  : next_unit_;
    ++next_unit_;
    start(place, unit);
  }
}

inline void Scheduler::start(ClusterState& cluster, std::int64_t unit) {
  cluster.threads = cluster.alive = cluster.teams * launch_->team_threads;
  cluster.arrived = 0;
  cluster.barriers = 0;
  for (int t = 0; t < cluster.teams; ++t) {
    TeamState& team = cluster.first[t];
    team.begin(++serial_, unit * cluster.teams + t);
    if (launch_->order != StartOrder::by_ticket) team.index = team.place;
    for (Lane& lane : team.lanes) wake(lane);
  }
}

/// Called if no lane can run: reveals a late post or wakes dozing lanes; false if there is neither.
inline bool Scheduler::stir() {
  if (!posts.empty()) {
    reveal(below(posts.size()));
    return true;
  }
  if (dozing_.empty() || futile_looks_ > emulated_options().futile_looks) return false;
  ++futile_rounds_;
  for (Lane* const lane : dozing_) wake(*lane);
  dozing_.clear();
  return true;
}

inline void Scheduler::run(const Launch& launch) {
  if (current_lane)
    throw Error(std::string(launch.label) + " is launched by a lane", "launch it from the host");
  races::release(&launch);
  const races::Unwatched unwatched;
  main_.thread.is_this();
  launched_labels().add(launch.label);
  launch_ = &launch;
  if (seed_ != emulated_options().seed) {
    seed_ = emulated_options().seed;
    launches_ = 0;
  }
  ++launches_;
  state_ = seed_ * 0x2545f4914f6cdd1du + launches_ * 0xd1342543de82ef95u;
  // Another stream may occupy some places for ever: teams that wait in an order have at least one.
  std::size_t places =
      static_cast<std::size_t>(std::min<std::int64_t>(launch.places, launch.units));
  if (launch.order != StartOrder::any) places = 1 + below(places);
  clusters_.assign(places, ClusterState{});
  teams_.resize(places * static_cast<std::size_t>(launch.teams_per_unit));
  free_.clear();
  ready_.clear();
  sleeping_.clear();
  dozing_.clear();
  sleeping_at_.fill(0);
  posts.clear();
  progress_ = futile_looks_ = steps_ = lags_until_ = 0;
  futile_rounds_ = 0;
  failed_ = false;
  thrown_ = nullptr;
  for (TeamState& team : teams_) {
    team.scheduler = this;
    team.reserve(launch.team_threads, launch.warp_width, launch.scratch_bytes);
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    ClusterState& cluster = clusters_[c];
    cluster.teams = launch.teams_per_unit;
    cluster.first = &teams_[c * static_cast<std::size_t>(launch.teams_per_unit)];
    for (int t = 0; t < cluster.teams; ++t) cluster.first[t].cluster = &cluster;
    free_.push_back(&cluster);
  }
  next_unit_ = 0;
  first_unit_ = static_cast<std::int64_t>(below(static_cast<std::size_t>(launch.units)));
  do {
    stride_ = 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(launch.units)));
  } while (std::gcd(stride_, launch.units) != 1);
  start_units();

  for (bool goes_on = true; goes_on && !failed_;) {
    if (!ready_.empty()) {
      Lane& next = any_ready();
      current_lane = &next;
      jump(main_, fiber_of(next).stop);
    } else if (free_.size() == clusters_.size()) {
      goes_on = false;  // all units have ended
    } else if (!stir()) {
      current_lane = nullptr;
      fail("no lane can go on");
    }
  }
  current_lane = nullptr;
  races::acquire(this);
  if (!failed_) return;
  fibers_.restart_all();
  if (thrown_) std::rethrow_exception(thrown_);
  throw Error(problem_, "run it again with this seed, under a debugger: docs/emulated.md");
}

inline void Scheduler::fail(const std::string& what) {
  problem_ = std::string(launch_->label) + ": " + what + "\n" +
             report(*launch_, teams_, launch_->units - next_unit_) + "  seed " +
             std::to_string(seed_) + ", launch " + std::to_string(launches_);
  failed_ = true;
  Lane* const lane = current_lane;
  if (!lane || lane->state == LaneState::left) return;  // its fiber ends without a jump
  jump(lane->fiber->stop, main_);
}

}  // namespace heddle::backends::emulated
