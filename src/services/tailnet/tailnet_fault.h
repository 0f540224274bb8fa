// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace parley::tailnet {

// The reason why this computer cannot be reached over its tailnet, in sentences for a person.
// Text of other programs in it is cut and its hidden characters are visible.
struct Fault {
  std::string what;
  std::string why;
  std::string next;  // advice
};

template <typename T>
using Found = tl::expected<T, Fault>;

inline tl::unexpected<Fault> fault(std::string what, std::string why, std::string next) {
  return tl::unexpected<Fault>(Fault{std::move(what), std::move(why), std::move(next)});
}

}  // namespace parley::tailnet
