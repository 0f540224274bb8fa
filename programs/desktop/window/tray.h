// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libayatana-appindicator/app-indicator.h>

#include <functional>
#include <string>
#include <vector>

#include "programs/desktop/desktop_state.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

class TrayHandler {
 public:
  virtual ~TrayHandler() = default;
  virtual void on_tray_show() = 0;
  virtual void on_tray_server(std::size_t index) = 0;
  virtual void on_tray_pause() = 0;
  virtual void on_tray_settings() = 0;
  virtual void on_tray_quit() = 0;
};

// The icon in the tray, a StatusNotifierItem, and its menu.
class Tray {
 public:
  Tray(const std::string& icon_folder, TrayHandler& handler);

  // `blinks`: the icon blinks while a question or a report is open.
  void show(const std::vector<ServerState>& servers, bool paused, bool blinks, Language language);

 private:
  void build_menu(const std::vector<ServerState>& servers, bool paused, Language language);
  void add_item(GtkMenu* menu, const std::string& label, std::function<void()> task);
  void blink();

  TrayHandler& handler_;
  ObjectPtr<AppIndicator> indicator_;
  TrayState state_ = TrayState::offline;
  std::string menu_text_;  // all labels of the current menu
  Timer blink_timer_;
  bool lit_ = true;
};

// The state of a server in words: "connected · Waiting: 2".
std::string server_words(const ServerState& server, Language language);

}  // namespace parley::desktop
