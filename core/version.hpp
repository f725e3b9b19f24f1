// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace heddle {

/// What a Version is at the moment. Two that are equal stand for one state of one object. Only a
/// Version gives one, so that a part whose version() returns it cannot have made it up.
class VersionNumber {
 public:
  bool operator==(const VersionNumber&) const = default;

 private:
  friend class Version;
  explicit VersionNumber(std::uint64_t value) : value_(value) {}

  std::uint64_t value_;
};

/// A member that tells one state of an object from all others that this program has had, of this
/// object and of any other, also at the same address: launches that were recorded for one state are
/// never run for another. It has a number of its own as soon as it is made. A copy takes a number
/// that nobody had; so do both sides of a move, and what is assigned to.
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

  /// For a new state: values that changed, and all else that the host puts into launches.
  void renew() { number_ = next(); }
  VersionNumber number() const { return number_; }

 private:
  static VersionNumber next() {
    static std::atomic<std::uint64_t> last{0};
    return VersionNumber(last.fetch_add(1, std::memory_order_relaxed) + 1);
  }

  VersionNumber number_ = next();
};

/// Whether T's version() is that of a Version.
template <class T>
concept HasVersion = requires(const T& part) {
  { part.version() } -> std::same_as<VersionNumber>;
};

namespace detail {

/// The Version of an object that applies others: new when one of theirs is, at the next question.
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
