// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "programs/desktop/desktop_options.h"
#include "programs/desktop/desktop_settings.h"
#include "programs/desktop/desktop_state.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/waiting_list.h"
#include "programs/desktop/window/main_window.h"
#include "programs/desktop/window/server_link.h"
#include "programs/desktop/window/tray.h"
#include "programs/desktop/window/typing_controller.h"
#include "programs/desktop/window/web_page.h"

namespace parley::desktop {

// The whole program: the settings, a connection to each server, the window, the tray.
class DesktopApp final : private TrayHandler,
                         private MainWindowHandler,
                         private ServerLinkHandler,
                         private WebPageHandler,
                         private TypingHandler {
 public:
  explicit DesktopApp(const DesktopOptions& options);
  DesktopApp(const DesktopApp&) = delete;
  DesktopApp& operator=(const DesktopApp&) = delete;
  ~DesktopApp() override;

  // Returns the exit code of the program: 0, 1 (settings that cannot be used, no display) or 2 (a
  // server or a token file of the command line that cannot be used).
  int run();

 private:
  // One enabled server.
  struct Site {
    ServerEntry entry;
    std::unique_ptr<ServerLink> link;
    WaitingList waiting;
    std::unique_ptr<WebPage> page;  // null until it is first shown
  };

  // --- assembly (desktop_app.cpp)
  core::Result<void> load();
  void find_local_server();
  int start_or_hand_over();
  void on_startup(GtkApplication* application);
  void on_activate(GtkApplication* application);
  void add_actions();
  void add_action(const char* name, const char* accelerator, std::function<void()> task);
  void add_switch(const char* name, bool on, std::function<void()> task);
  void set_switch(const char* name, bool on);
  void build();
  void take_apart();
  void apply(const DesktopSettings& settings);
  void save();
  void remember_place();
  void add_server(const ServerEntry& entry);
  Language language() const;
  std::string computer_name() const;
  std::string say_here(Text text, std::string_view part = {}) const;

  // --- events (desktop_events.cpp)
  void show_site(std::size_t index, const std::string& key = {});
  void show_waiting_pane();
  void attend(std::size_t site, const std::vector<WaitingItem>& fresh);
  void notify(std::size_t site, const WaitingItem& item);
  void tell(const std::string& heading, const std::string& words);
  void withdraw_notifications();
  std::set<std::string> waiting_ids() const;
  void toggle_pause();
  void toggle_typing();
  void configure_typing();
  void announce_typing();
  void open_settings();
  void open_target(const std::string& target);
  void zoom_by(double factor);
  void reload_shown();
  void quit();
  void changed();
  void update();
  DesktopState state() const;
  std::optional<std::size_t> site_of(const ServerLink& link) const;
  Site* site_with_id(const std::string& id);

  void on_tray_show() override;
  void on_tray_server(std::size_t index) override;
  void on_tray_pause() override;
  void on_tray_settings() override;
  void on_tray_quit() override;
  void on_choose_waiting() override;
  void on_choose_server(std::size_t index) override;
  void on_choose_item(std::size_t server, const std::string& key) override;
  void on_add_server() override;
  void on_window_close() override;
  void on_window_changed() override;
  void on_link_phase(ServerLink& link) override;
  void on_link_message(ServerLink& link, const pb::WebsocketMessage& message) override;
  void on_page_address(WebPage& page) override;
  void on_download(const std::string& words) override;
  void on_typed() override;
  void on_not_typed(const pb::ChatMessage& message, const std::string& server,
                    const std::string& reason) override;

  DesktopOptions options_;
  std::string program_;  // path of this program at its start
  std::string file_;     // the file of the settings; empty: they are not kept
  DesktopSettings settings_;
  ObjectPtr<GtkApplication> application_;
  std::string icon_folder_;
  std::unique_ptr<Tray> tray_;
  std::unique_ptr<MainWindow> window_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::optional<std::size_t> shown_;  // absent: the waiting list
  TypingController typing_;
  std::set<std::string> notified_;  // item ids of the notifications that may be shown
  std::string attended_;            // id of the item for which the window came up
  GtkWidget* settings_dialog_ = nullptr;
  Timer update_timer_;
  Timer failure_pause_;  // runs while a further failure to type is not notified
  std::string printed_;
  std::string typing_failure_;
  std::size_t typed_ = 0;
  bool paused_ = false;
  bool activated_ = false;
  bool told_of_tray_ = false;
};

}  // namespace parley::desktop
