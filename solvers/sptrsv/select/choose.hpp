// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "grammar.hpp"

namespace heddle::detail::sptrsv {

/// A scheme for a triangle of so many rows and entries off the diagonal, where none is pinned: by
/// what is known before its levels are. What a CPU really runs is left to the wavefronts of the
/// triangle, unless that is sequential: heddle::detail::wavefronts::choose.
inline Scheme choose(std::int64_t rows, std::int64_t entries, const Device& device) {
  if (waits_on_lanes(device)) return Scheme("sptrsv", {{"self-scheduled"}});
  if (device.backend != BackendKind::host) return Scheme("sptrsv", {{"level-set"}});
  const bool looks = device.multiprocessors > 1 && rows * row_steps + entries > least_work;
  return Scheme("sptrsv", {{looks ? "point-to-point" : "sequential"}});
}

/// How a GPU runs a triangle: lanes a row, and warps that a multiprocessor runs at once.
struct GpuShape {
  int lanes;
  int warps;
};

/// By how many rows there are to a level, and how many entries off the diagonal to a row: where
/// levels are wide, a lane a row keeps the device busy, and where they are narrow, more lanes make
/// a row shorter. Fitted to 22 triangles on an H200: docs/sptrsv.md.
inline GpuShape gpu_shape(std::int64_t rows, std::int64_t entries, int levels) {
  const double row =
      static_cast<double>(entries) / static_cast<double>(std::max<std::int64_t>(1, rows));
  const double level = static_cast<double>(rows) / std::max(1, levels);
  if (level >= 2500) return {1, row < 4 ? 8 : 4};
  if (level >= 700) return {4, 8};
  if (row >= 7) return {32, level < 100 ? 8 : 16};
  return {4, level < 500 ? 4 : 8};
}

/// A scheme of a GPU with the parameters that it leaves out.
inline Scheme resolved(const Scheme& scheme, const GpuShape& shape) {
  std::vector<SchemeTerm> terms{scheme.terms().front()};
  const auto add = [&](const char* key, int otherwise) {
    terms.emplace_back(key, scheme.has(key) ? scheme.value(key) : std::to_string(otherwise));
  };
  add("lanes", shape.lanes);
  add("warps", shape.warps);
  return Scheme(scheme.format(), std::move(terms));
}

}  // namespace heddle::detail::sptrsv
