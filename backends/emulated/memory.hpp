// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../host/memory.hpp"
#include "scheduler.hpp"

namespace heddle::backends {

/// Memory order between the lanes of an emulated device, for values of 4 or 8 bytes; outside of a
/// lane, between the threads of the host. At every access another lane may run.
struct EmulatedMemory {
  template <class T>
  static void publish(T* place, T value) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::publish(place, value);
    const emulated::races::Unwatched unwatched;
    release(*me);
    before_change(*me, place);
    emulated::races::release(place);
    emulated::races::store(place, value);
    changed(*me, place);
  }
  template <class T>
  static T acquire(const T* place) {
    if (!emulated::current_lane) return HostMemory::acquire(place);
    const T value = look(place);
    emulated::races::acquire(place);
    return value;
  }

  template <class T>
  static void post(T* place, T value) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::post(place, value);
    check_memory(*me, place, "posts");
    const emulated::races::Unwatched unwatched;
    emulated::Scheduler& scheduler = before_change(*me, place);
    if (scheduler.one_in(2)) {
      if (scheduler.posts.full()) scheduler.reveal(scheduler.below(scheduler.posts.size()));
      scheduler.posts.add(place, *place, *me);
    }
    emulated::races::store(place, value);
    changed(*me, place);
  }

  template <class T>
  static T peek(const T* place) {
    if (emulated::Lane* const me = emulated::current_lane) check_memory(*me, place, "looks at");
    return look(place);
  }
  /// Reads as peek does, from scratch too.
  template <class T>
  static T look(const T* place) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::peek(place);
    const emulated::races::Unwatched unwatched;
    emulated::Scheduler& scheduler = *me->team->scheduler;
    scheduler.perhaps_give_way(*me);
    scheduler.doze(*me, place);
    if (!scheduler.posts.empty() && scheduler.one_in(32)) {
      scheduler.reveal(scheduler.below(scheduler.posts.size()));
    }
    return seen(*me, place);
  }
  template <class T>
  static void peek_if(const T* place, bool wanted, T& value) {
    if (wanted) value = peek(place);
  }

  template <class T, class Ready>
  static T await(const T* place, const Ready& ready) {
    return wait(emulated::Word::await, place, ready);
  }
  template <class T, class Ready>
  static T collect(const T* place, const Ready& ready) {
    if (emulated::Lane* const me = emulated::current_lane) check_memory(*me, place, "collects");
    return wait(emulated::Word::collect, place, ready);
  }

  static int arrive(int* counter) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::arrive(counter);
    const emulated::races::Unwatched unwatched;
    release(*me);
    before_change(*me, counter);
    emulated::races::release(counter);
    me->counter = counter;
    const int before = emulated::races::load(counter);
    emulated::races::store(counter, before + 1);
    changed(*me, counter);
    return before;
  }
  static std::uint32_t next_ticket(std::uint32_t* next, std::uint32_t teams) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::next_ticket(next, teams);
    const emulated::races::Unwatched unwatched;
    before_change(*me, next);
    const std::uint32_t ticket = emulated::races::load(next);
    emulated::races::store(next, ticket == teams - 1 ? 0 : ticket + 1);
    changed(*me, next);
    return ticket;
  }
  static void fence() {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) return HostMemory::fence();
    const emulated::races::Unwatched unwatched;
    release(*me);
    if (me->counter) emulated::races::acquire(me->counter);
    me->team->scheduler->perhaps_give_way(*me);
  }
  static void pause() {
    if (!emulated::current_lane) HostMemory::pause();
  }
  template <class T>
  static T load(const T* place, bool wanted) {
    if (!wanted) return T(0);
    if (emulated::Lane* const me = emulated::current_lane) check_memory(*me, place, "loads");
    return *place;
  }
  template <class T>
  static T load_once(const T* place, bool wanted) {
    return load(place, wanted);
  }

  /// While in scope, a lane changes a place by Kokkos' atomics.
  class Atomic {
   public:
    explicit Atomic(const void* place) : place_(place) {
      if (emulated::Lane* const me = emulated::current_lane) before_change(*me, place);
    }
    ~Atomic() {
      if (emulated::Lane* const me = emulated::current_lane) changed(*me, place_);
    }
    Atomic(const Atomic&) = delete;

   private:
    const emulated::races::Unwatched unwatched_;  // Kokkos reads plainly before it exchanges
    const void* place_;
  };

  /// Makes visible to all lanes what the lane's release orders before it.
  static void release(emulated::Lane& me) {
    emulated::Scheduler& scheduler = *me.team->scheduler;
    for (std::size_t i = 0; i < scheduler.posts.size();) {
      if (scheduler.posts.released_by(i, me)) {
        scheduler.reveal(i);
      } else {
        ++i;
      }
    }
  }

 private:
  /// Fails if the place is in scratch: on CUDA such an access of global memory would fault.
  static void check_memory(const emulated::Lane& me, const void* place, const char* verb) {
    if (!me.team->holds(place)) return;
    emulated::Scheduler& scheduler = *me.team->scheduler;
    scheduler.fail(scheduler.who(me) + " " + verb + " a place in scratch, which is for memory");
  }
  /// The value in memory, or the one before a post that this team does not see yet.
  template <class T>
  static T seen(const emulated::Lane& me, const T* place) {
    const emulated::Scheduler& scheduler = *me.team->scheduler;
    if (!scheduler.posts.empty()) {
      const emulated::LatePosts::Post* const post = scheduler.posts.at(place);
      if (post && post->team != me.team->serial) {
        T old;
        std::memcpy(&old, &post->old, sizeof old);
        return old;
      }
    }
    return emulated::races::load(place);
  }
  static emulated::Scheduler& before_change(emulated::Lane& me, const void* place) {
    emulated::Scheduler& scheduler = *me.team->scheduler;
    scheduler.perhaps_give_way(me);
    if (!scheduler.posts.empty()) scheduler.reveal_at(place);
    return scheduler;
  }
  static void changed(const emulated::Lane& me, const void* place) {
    me.team->scheduler->changed(place, &me, me.team->serial);
  }
  /// Waits. Fails if a lane of the waiter's own warp ended the wait, which would never end on a
  /// device whose warps run in step.
  template <class T, class Ready>
  static T wait(emulated::Word word, const T* place, const Ready& ready) {
    emulated::Lane* const me = emulated::current_lane;
    if (!me) {
      T value = HostMemory::acquire(place);
      for (; !ready(value); value = HostMemory::acquire(place)) HostMemory::pause();
      return value;
    }
    const emulated::races::Unwatched unwatched;
    emulated::TeamState& team = *me->team;
    emulated::Scheduler& scheduler = *team.scheduler;
    scheduler.perhaps_give_way(*me);
    bool waited = false;
    for (T value = seen(*me, place);; value = seen(*me, place)) {
      if (ready(value)) {
        if (waited && me->woken_by && me->woken_by_team == team.serial &&
            me->woken_by->warp == me->warp) {
          scheduler.fail(scheduler.who(*me) + " waits in " + name(word) +
                         " for a lane of its own warp, " + scheduler.who(*me->woken_by));
        }
        if (word == emulated::Word::await) emulated::races::acquire(place);
        return value;
      }
      waited = true;
      scheduler.sleep(*me, word, place);
    }
  }
};

}  // namespace heddle::backends
