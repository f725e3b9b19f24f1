// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace heddle::bench {

namespace {

constexpr const char* started_again = "HEDDLE_THREADS_BOUND";

std::string& placement() {
  static std::string how = "not asked for";
  return how;
}

int processors_of_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/// Number of threads from Kokkos' argument, else from its variable, else from OpenMP's, else 0.
int threads_asked_for(int argc, char** argv) {
  constexpr std::string_view option = "--kokkos-num-threads=";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(option)) return std::atoi(argv[i] + option.size());
  }
  for (const char* name : {"KOKKOS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return 0;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Whether the running file is the one that the command line names, not a loader or an emulator.
bool runs_itself(const char* name) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 && last_part({path, static_cast<std::size_t>(length)}) == last_part(name);
}

const char* asked_of_binding() {
  for (const char* name : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    if (const char* value = std::getenv(name)) return value;
  }
  return nullptr;
}

}  // namespace

std::string reason_not_to_bind(const char* asked, int threads, int processors) {
  if (asked) return std::string("the environment asks for \"") + asked + '"';
  if (processors == 0) return "this system does not say which processors there are";
  if (threads > processors) {
    return std::to_string(threads) + " threads share " + std::to_string(processors) +
           (processors == 1 ? " processor" : " processors");
  }
  return "";
}

namespace {

/// See bind_threads().
std::string bind(int argc, char** argv) {
  if (std::getenv(started_again)) return "bound, each to a processor";
  const char* asked = asked_of_binding();
  if (asked && std::string_view(asked) != "false" && std::string_view(asked) != "FALSE") {
    return std::string("bound as the environment says: ") + asked;
  }
  std::string reason =
      reason_not_to_bind(asked, threads_asked_for(argc, argv), processors_of_process());
  if (reason.empty() && !runs_itself(argv[0])) reason = "another program runs this one";
  if (reason.empty()) {
    const bool places = std::getenv("OMP_PLACES") != nullptr;
    setenv("OMP_PROC_BIND", "spread", 1);
    if (!places) setenv("OMP_PLACES", "threads", 1);
    setenv(started_again, "1", 1);
    execv("/proc/self/exe", argv);
    reason = std::string("the program cannot be started again: ") + std::strerror(errno);
    for (const char* name : {"OMP_PROC_BIND", started_again}) unsetenv(name);
    if (!places) unsetenv("OMP_PLACES");
  }
  return "not bound, since " + reason;
}

}  // namespace

std::string bind_threads(int argc, char** argv) { return placement() = bind(argc, argv); }

const std::string& placement_of_threads() { return placement(); }

}  // namespace heddle::bench
