// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// A device begins the work of queues of high priority before that of others.
enum class QueuePriority { normal, high };

}  // namespace heddle

namespace heddle::backends {

/// One device, whose queue is the default instance. An event waits when it is recorded.
template <class Exec>
struct SeveralDevices {
  static int count() { return 1; }
  static bool connect(const Exec&, const Exec&) { return true; }

  class Queue {
   public:
    explicit Queue(int, QueuePriority = QueuePriority::normal) {}
    const Exec& exec() const { return exec_; }

   private:
    Exec exec_;
  };
  class Event {
   public:
    explicit Event(const Exec&) {}
    void record(const Exec& exec) { exec.fence("heddle::event::record"); }
    void hold(const Exec&) const {}
  };
};

}  // namespace heddle::backends
