// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/x_display.h"

#include <cstring>

namespace parley::typing {

core::Result<std::shared_ptr<XDisplay>> XDisplay::open() {
  int number = 0;
  xcb_connection_t* const connection = xcb_connect(nullptr, &number);
  if (xcb_connection_has_error(connection) != 0) {
    xcb_disconnect(connection);
    const char* const display = std::getenv("DISPLAY");
    return core::fail(core::Code::unavailable,
                      display == nullptr || *display == '\0'
                          ? "There is no X display to type on: DISPLAY is not set."
                          : "The X server of DISPLAY=" + std::string(display) +
                                " cannot be reached, or refuses this user.");
  }
  xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
  for (; number > 0 && screens.rem > 1; --number) xcb_screen_next(&screens);
  return std::make_shared<XDisplay>(connection, screens.data);
}

xcb_atom_t XDisplay::atom(const std::string& name) {
  const auto cookie =
      xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
  const XReply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(connection_, cookie, nullptr));
  return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
}

std::string XDisplay::property(xcb_window_t window, const std::string& name) {
  const auto cookie = xcb_get_property(connection_, 0, window, atom(name),
                                       XCB_GET_PROPERTY_TYPE_ANY, 0, kMaxProperty / 4);
  const XReply<xcb_get_property_reply_t> reply(
      xcb_get_property_reply(connection_, cookie, nullptr));
  if (!reply) return {};
  return {static_cast<const char*>(xcb_get_property_value(reply.get())),
          static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
}

std::vector<std::uint32_t> XDisplay::numbers(xcb_window_t window, const std::string& name) {
  const std::string bytes = property(window, name);
  std::vector<std::uint32_t> out(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(std::uint32_t));
  return out;
}

core::Result<void> XDisplay::settle() {
  const XReply<xcb_get_input_focus_reply_t> reply(
      xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr));
  if (!reply) {
    return core::fail(core::Code::unavailable, "The X server has closed the connection.");
  }
  return {};
}

}  // namespace parley::typing
