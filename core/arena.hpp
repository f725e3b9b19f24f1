// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "error.hpp"
#include "huge_pages.hpp"
#include "types.hpp"

namespace heddle {

/// Alignment of every array in an arena, enough for the widest load of any device.
inline constexpr std::size_t arena_alignment_bytes = 256;

/// `bytes`, rounded up to a multiple of the alignment.
constexpr std::size_t arena_padded_bytes(std::size_t bytes) {
  return ceil_div(bytes, arena_alignment_bytes) * arena_alignment_bytes;
}

/// Bytes of an arena that holds arrays of `counts` elements of types T..., one count for each type.
template <class... T, std::convertible_to<std::size_t>... Count>
constexpr std::size_t arena_bytes(Count... counts) {
  static_assert(sizeof...(T) == sizeof...(Count), "one count for each type");
  return (std::size_t{0} + ... + arena_padded_bytes(sizeof(T) * static_cast<std::size_t>(counts)));
}

/// An array for an arena to allocate: its number of elements, and the pointer or View that the
/// arena sets to it.
template <class To>
struct ArenaArray {
  To& to;
  std::size_t count;
};
template <class To, std::integral Count>
ArenaArray<To> arena_array(To& to, Count count) {
  return {to, static_cast<std::size_t>(count)};
}

/// One allocation that hands out aligned arrays one after the other.
///
/// Device allocators round every block up to 512 bytes or more and every copy pays a latency, so
/// the arrays of a matrix share one allocation and one copy. An arena is a handle: copies share the
/// memory, and the arrays stay valid while one handle lives. The last handle waits for the instance
/// that the arena was made on before it frees the memory, since kernels of that instance may still
/// read the arrays. The memory is not initialized.
///
/// Idea: one block for a CSR matrix, measured in docs/design/formats.md.
template <MemorySpace Space>
class Arena {
 public:
  using memory_space = Space;
  template <class T>
  using Array = Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Arena() = default;

  /// Allocates `bytes` (see arena_bytes) under `label`, in the order of `exec` if `exec` can access
  /// the memory. Throws OutOfMemory, with both, if the memory is not available.
  template <ExecutionSpace Exec>
  Arena(const Exec& exec, const std::string& label, std::size_t bytes)
      : block_(std::make_shared<BlockOn<Exec>>(
            exec, allocate(exec, label, bytes + arena_alignment_bytes))),
        bytes_(bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(block_->bytes.data());
    first_ = block_->bytes.data() + (arena_padded_bytes(address) - address);
    if constexpr (std::same_as<Space, Kokkos::HostSpace>) detail::prefer_huge_pages(first_, bytes);
  }

  /// Allocates the bytes that the arrays need, and sets the pointers or Views (of type Array):
  ///
  ///     memory = Arena<Space>(exec, "heddle::op::phase", arena_array(row_ptr, rows + 1),
  ///                           arena_array(values, nonzeros));
  ///
  /// Throws OutOfMemory if the memory is not available.
  template <ExecutionSpace Exec, class... To>
  Arena(const Exec& exec, const std::string& label, const ArenaArray<To>&... arrays)
      : Arena(exec, label,
              (std::size_t{0} + ... + arena_padded_bytes(sizeof(Element<To>) * arrays.count))) {
    (hand_out(arrays), ...);
  }

  /// The next `count` elements of type T. Throws Error if less is left in the arena.
  template <class T>
  Array<T> take(std::size_t count) {
    const std::size_t left = bytes_ - used_;
    if (count > left / sizeof(T) || arena_padded_bytes(sizeof(T) * count) > left) {
      throw Error("an arena of " + std::to_string(bytes_) + " bytes, " + std::to_string(used_) +
                      " of them used, cannot hold " + std::to_string(count) + " elements of " +
                      std::to_string(sizeof(T)) + " bytes more",
                  "size it with arena_bytes over the same types and counts");
    }
    Array<T> array(reinterpret_cast<T*>(first_ + used_), count);
    used_ += arena_padded_bytes(sizeof(T) * count);
    return array;
  }

  /// A copy of all arrays in another memory space: one allocation and one copy. Take the arrays
  /// from the result in the same order. The copy is ordered after the work on `exec`; fence `exec`
  /// before you change or release the source, or read the copy elsewhere.
  template <MemorySpace Target, ExecutionSpace Exec>
  Arena<Target> copy_to(const Exec& exec) const {
    Arena<Target> target(exec, block_ ? block_->bytes.label() : "", bytes_);
    Kokkos::deep_copy(kokkos_space(exec),
                      typename Arena<Target>::template Array<std::byte>(target.first_, bytes_),
                      Array<std::byte>(first_, bytes_));
    return target;
  }

  /// Bytes requested. The allocation has arena_alignment_bytes more, to align the first array.
  std::size_t bytes() const { return bytes_; }

 private:
  template <MemorySpace>
  friend class Arena;

  using Bytes = Kokkos::View<std::byte*, Space>;

  template <class To>
  struct ElementOf {
    using type = typename To::value_type;
  };
  template <class T>
  struct ElementOf<T*> {
    using type = T;
  };
  template <class To>
  using Element = typename ElementOf<To>::type;

  template <class To>
  void hand_out(const ArenaArray<To>& array) {
    const auto taken = take<Element<To>>(array.count);
    if constexpr (std::is_pointer_v<To>) {
      array.to = taken.data();
    } else {
      array.to = taken;
    }
  }

  struct Block {
    Bytes bytes;
    explicit Block(Bytes memory) : bytes(std::move(memory)) {}
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    virtual ~Block() = default;
  };
  template <ExecutionSpace Exec>
  struct BlockOn final : Block {
    Exec exec;
    BlockOn(const Exec& instance, Bytes memory) : Block(std::move(memory)), exec(instance) {}
    ~BlockOn() override { exec.fence("heddle::arena::release"); }
  };

  template <ExecutionSpace Exec>
  static Bytes allocate(const Exec& exec, const std::string& label, std::size_t bytes) {
    try {
      if constexpr (Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Space>::accessible) {
        return Bytes(Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing, label),
                     bytes);
      } else {
        return Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), bytes);
      }
    } catch (const std::exception& error) {  // its type depends on Kokkos' version
      throw OutOfMemory(std::string(Space::name()) + " has no " + std::to_string(bytes) +
                            " bytes for " + label + " (" + error.what() + ")",
                        "free memory, or lower SpmvOptions::max_bytes");
    }
  }

  std::shared_ptr<const Block> block_;
  std::byte* first_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t used_ = 0;
};

}  // namespace heddle
