// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xcb/xcb.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/core/result.h"

// A connection to the X server of $DISPLAY. Only the X files of this folder include this header.
namespace parley::typing {

struct FreeReply {
  void operator()(void* reply) const { std::free(reply); }
};
template <typename T>
using XReply = std::unique_ptr<T, FreeReply>;

class XDisplay {
 public:
  // Errors: `unavailable`.
  static core::Result<std::shared_ptr<XDisplay>> open();
  XDisplay(xcb_connection_t* connection, xcb_screen_t* screen)
      : connection_(connection), screen_(screen) {}
  XDisplay(const XDisplay&) = delete;
  XDisplay& operator=(const XDisplay&) = delete;
  ~XDisplay() { xcb_disconnect(connection_); }

  xcb_connection_t* connection() { return connection_; }
  xcb_window_t root() const { return screen_->root; }
  const xcb_setup_t& setup() { return *xcb_get_setup(connection_); }
  xcb_atom_t atom(const std::string& name);
  // The value of a property, at most kMaxProperty bytes; empty: none.
  std::string property(xcb_window_t window, const std::string& name);
  std::vector<std::uint32_t> numbers(xcb_window_t window, const std::string& name);
  // Blocks until the server has processed all requests. Errors: `unavailable`.
  core::Result<void> settle();

 private:
  xcb_connection_t* connection_;
  xcb_screen_t* screen_;
};

inline constexpr std::uint32_t kMaxProperty = 1U << 16U;

}  // namespace parley::typing
