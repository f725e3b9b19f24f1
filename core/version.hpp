// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle {

/// The number of a Version at one time. Equal numbers mean equal states of one object. Only a
/// Version can make one.
class VersionNumber {
 public:
  bool operator==(const VersionNumber&) const = default;

 private:
  friend class Version;
  explicit VersionNumber(std::uint64_t value) : value_(value) {}

  std::uint64_t value_;
};

/// A member that identifies one state of an object among all states of all objects of this program,
/// also at the same address, so that launches recorded for one state never run for another. It has
/// a unique number from its construction on. A copy gets a new number; so do both sides of a move,
/// and the target of an assignment.
class Version {
 public:
  Version() = default;
  Version(const Version&) : Version() {}
  Version(Version&& other) noexcept : Version() { other.renew(); }
  Version& operator=(const Version&) {
    renew();
    return *this;
  }
  Version& operator=(Version&& other) noexcept {
    renew();
    other.renew();
    return *this;
  }
  ~Version() = default;

  /// Marks a new state: call it when values change, or anything else that the host passes to
  /// launches.
  void renew() { number_ = next(); }
  VersionNumber number() const { return number_; }

 private:
  static VersionNumber next() {
    static std::atomic<std::uint64_t> last{0};
    return VersionNumber(last.fetch_add(1, std::memory_order_relaxed) + 1);
  }

  VersionNumber number_ = next();
};

/// Whether T has a version() that returns a VersionNumber.
template <class T>
concept HasVersion = requires(const T& part) {
  { part.version() } -> std::same_as<VersionNumber>;
};

namespace detail {

/// The Version of an object that applies others: it is renewed if one of theirs has changed.
template <std::size_t N>
class VersionOverParts {
 public:
  VersionNumber number(const std::array<VersionNumber, N>& parts) const {
    if (parts_ != parts) {
      parts_ = parts;
      own_.renew();
    }
    return own_.number();
  }

 private:
  mutable Version own_;
  mutable std::optional<std::array<VersionNumber, N>> parts_;
};

}  // namespace detail

}  // namespace heddle
