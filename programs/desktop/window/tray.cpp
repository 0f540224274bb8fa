// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/tray.h"

#include <utility>

#include "programs/desktop/window/icons.h"

namespace parley::desktop {
namespace {

constexpr guint kBlinkMs = 700;

Text phase_text(LinkPhase phase) {
  switch (phase) {
    case LinkPhase::online:
      return Text::state_online;
    case LinkPhase::connecting:
      return Text::state_connecting;
    case LinkPhase::waiting:
      return Text::state_offline;
    case LinkPhase::denied:
      return Text::state_denied;
    case LinkPhase::off:
      break;
  }
  return Text::state_off;
}

}  // namespace

std::string server_words(const ServerState& server, Language language) {
  std::string words = say(language, phase_text(server.phase));
  if (server.waiting > 0) {
    words += " · " + say(language, Text::waiting) + ": " + std::to_string(server.waiting);
  }
  return words;
}

Tray::Tray(const std::string& icon_folder, TrayHandler& handler)
    : handler_(handler),
      indicator_(app_indicator_new_with_path("parley-desktop", icon_of(TrayState::offline),
                                             APP_INDICATOR_CATEGORY_COMMUNICATIONS,
                                             icon_folder.c_str())) {
  app_indicator_set_title(indicator_.get(), "Parley");
  app_indicator_set_attention_icon_full(indicator_.get(), icon_of(TrayState::asking), "Parley");
}

void Tray::show(const std::vector<ServerState>& servers, bool paused, bool blinks,
                Language language) {
  state_ = tray_state(servers);
  build_menu(servers, paused, language);
  const bool asking = state_ == TrayState::asking;
  if (!asking) {
    app_indicator_set_icon_full(indicator_.get(), icon_of(state_), "Parley");
  }
  app_indicator_set_status(indicator_.get(),
                           asking ? APP_INDICATOR_STATUS_ATTENTION : APP_INDICATOR_STATUS_ACTIVE);
  if (asking && blinks) {
    if (!blink_timer_.pending()) blink();
    return;
  }
  blink_timer_.cancel();
  lit_ = true;
  app_indicator_set_attention_icon_full(indicator_.get(), icon_of(TrayState::asking), "Parley");
}

void Tray::blink() {
  lit_ = !lit_;
  app_indicator_set_attention_icon_full(
      indicator_.get(), icon_of(lit_ ? TrayState::asking : TrayState::connected), "Parley");
  blink_timer_.start(kBlinkMs, [this] { blink(); });
}

void Tray::add_item(GtkMenu* menu, const std::string& label, std::function<void()> task) {
  GtkWidget* const item = gtk_menu_item_new_with_label(label.c_str());
  connect_task(item, "activate", std::move(task));
  gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

// The menu is replaced only if its labels differ, because a replaced menu closes.
void Tray::build_menu(const std::vector<ServerState>& servers, bool paused, Language language) {
  std::vector<std::string> lines;
  lines.reserve(servers.size());
  std::string text = say(language, Text::pause) + (paused ? "1" : "0");
  for (const ServerState& server : servers) {
    lines.push_back(server.alias + " – " + server_words(server, language));
    text.append("\n").append(lines.back());
  }
  if (text == menu_text_) return;
  menu_text_ = text;
  GtkMenu* const menu = GTK_MENU(gtk_menu_new());
  add_item(menu, say(language, Text::show), [this] { handler_.on_tray_show(); });
  gtk_menu_shell_append(GTK_MENU_SHELL(menu), gtk_separator_menu_item_new());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    add_item(menu, lines[i], [this, i] { handler_.on_tray_server(i); });
  }
  gtk_menu_shell_append(GTK_MENU_SHELL(menu), gtk_separator_menu_item_new());
  GtkWidget* const pause = gtk_check_menu_item_new_with_label(say(language, Text::pause).c_str());
  gtk_check_menu_item_set_active(GTK_CHECK_MENU_ITEM(pause), paused ? TRUE : FALSE);
  connect_task(pause, "toggled", [this] { handler_.on_tray_pause(); });
  gtk_menu_shell_append(GTK_MENU_SHELL(menu), pause);
  add_item(menu, say(language, Text::settings), [this] { handler_.on_tray_settings(); });
  add_item(menu, say(language, Text::quit), [this] { handler_.on_tray_quit(); });
  gtk_widget_show_all(GTK_WIDGET(menu));
  app_indicator_set_menu(indicator_.get(), menu);
}

}  // namespace parley::desktop
