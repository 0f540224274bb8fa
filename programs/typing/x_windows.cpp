// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/x_windows.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/core/utf8.h"

namespace parley::typing {
namespace {

// Limit (agentassistant-input, ms): waiting for a window to come to the front. Reached: exit code
// 2.
constexpr std::chrono::milliseconds kActivation{2'000};
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr std::uint32_t kFromPager = 2;  // source of a request by the user (EWMH)

std::string title_of(XDisplay& display, xcb_window_t window) {
  std::string title = display.property(window, "_NET_WM_NAME");
  if (title.empty()) title = display.property(window, "WM_NAME");
  return title.substr(0, core::utf8_prefix(title));
}

// Null: no such window.
XReply<xcb_get_window_attributes_reply_t> attributes_of(XDisplay& display, xcb_window_t window) {
  xcb_connection_t* const connection = display.connection();
  return XReply<xcb_get_window_attributes_reply_t>(xcb_get_window_attributes_reply(
      connection, xcb_get_window_attributes(connection, window), nullptr));
}

bool is_shown(XDisplay& display, xcb_window_t window) {
  const auto attributes = attributes_of(display, window);
  return attributes && attributes->map_state == XCB_MAP_STATE_VIEWABLE;
}

std::vector<xcb_window_t> top_windows(XDisplay& display) {
  xcb_connection_t* const connection = display.connection();
  const XReply<xcb_query_tree_reply_t> tree(
      xcb_query_tree_reply(connection, xcb_query_tree(connection, display.root()), nullptr));
  if (!tree) return {};
  const xcb_window_t* const windows = xcb_query_tree_children(tree.get());
  return {windows, windows + xcb_query_tree_children_length(tree.get())};
}

bool manager_can_activate(XDisplay& display) {
  const std::vector<std::uint32_t> can = display.numbers(display.root(), "_NET_SUPPORTED");
  return std::find(can.begin(), can.end(), display.atom("_NET_ACTIVE_WINDOW")) != can.end();
}

core::Result<void> ask_manager(XDisplay& display, xcb_window_t window) {
  xcb_client_message_event_t message{};
  message.response_type = XCB_CLIENT_MESSAGE;
  message.format = 32;
  message.window = window;
  message.type = display.atom("_NET_ACTIVE_WINDOW");
  message.data.data32[0] = kFromPager;
  xcb_send_event(display.connection(), 0, display.root(),
                 XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                 reinterpret_cast<const char*>(&message));
  const auto deadline = std::chrono::steady_clock::now() + kActivation;
  while (std::chrono::steady_clock::now() < deadline) {
    const std::vector<std::uint32_t> active = display.numbers(display.root(), "_NET_ACTIVE_WINDOW");
    if (!active.empty() && active.front() == window) return {};
    std::this_thread::sleep_for(kLookAgain);
  }
  return core::fail(core::Code::unavailable, "The window was not activated in time.");
}

}  // namespace

std::vector<Window> list_windows(XDisplay& display) {
  std::vector<xcb_window_t> ids = display.numbers(display.root(), "_NET_CLIENT_LIST");
  const bool managed = !ids.empty();
  if (!managed) ids = top_windows(display);
  std::vector<Window> out;
  for (const xcb_window_t id : ids) {
    Window window{id, title_of(display, id)};
    if (managed || (!window.title.empty() && is_shown(display, id)))
      out.push_back(std::move(window));
  }
  return out;
}

core::Result<void> activate_window(XDisplay& display, std::uint32_t id) {
  if (!attributes_of(display, id)) {
    return core::fail(core::Code::not_found, "There is no window " + std::to_string(id) + ".");
  }
  if (manager_can_activate(display)) return ask_manager(display, id);
  const std::uint32_t above = XCB_STACK_MODE_ABOVE;
  xcb_configure_window(display.connection(), id, XCB_CONFIG_WINDOW_STACK_MODE, &above);
  xcb_set_input_focus(display.connection(), XCB_INPUT_FOCUS_PARENT, id, XCB_CURRENT_TIME);
  return display.settle();
}

}  // namespace parley::typing
