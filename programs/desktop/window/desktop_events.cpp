// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// DesktopApp: events of the servers, of the person and of the pages.
#include <algorithm>
#include <iostream>
#include <utility>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "programs/desktop/link_frames.h"
#include "programs/desktop/window/connect_dialog.h"
#include "programs/desktop/window/desktop_app.h"
#include "programs/desktop/window/settings_dialog.h"

namespace parley::desktop {
namespace {

constexpr std::size_t kMaxNotificationText = 300;
// Notifications at the same time; more would fill a screen.
constexpr std::size_t kMaxNotifications = 5;
// Time between two updates of the window, so that a flood of questions does not keep it busy.
constexpr guint kUpdateMs = 30;
// Time between two notifications of messages that were not typed.
constexpr guint kFailurePauseMs = 5'000;

Attention attention_for(const DesktopSettings& settings, const WaitingItem& item) {
  return item.kind == WaitingKind::report ? settings.on_report : settings.on_question;
}

std::string item_id(const std::string& server, const std::string& key) {
  return server + "\n" + key;
}

}  // namespace

// --- the window ----------------------------------------------------------------------------------

void DesktopApp::show_site(std::size_t index, const std::string& key) {
  if (index >= sites_.size()) return;
  Site& site = *sites_[index];
  if (!site.page) {
    const WebPageOptions options{language(), settings_.zoom, options_.devtools, !file_.empty()};
    WebPageHandler& handler = *this;
    site.page = std::make_unique<WebPage>(site.entry, options, handler);
    window_->add_page(index, site.page->widget());
  }
  shown_ = index;
  window_->show_server(index, site.entry.alias);
  site.page->open(key);
  site.page->focus();
  changed();
}

void DesktopApp::show_waiting_pane() {
  shown_.reset();
  window_->show_waiting();
  changed();
}

DesktopState DesktopApp::state() const {
  DesktopState state;
  for (const auto& site : sites_) {
    state.servers.push_back({site->entry.alias, site->link->phase(), site->waiting.items().size()});
  }
  state.visible = window_ && window_->visible();
  state.on_top = window_ && window_->on_top();
  state.paused = paused_;
  state.shown = shown_ ? sites_[*shown_]->entry.alias : "waiting";
  if (shown_ && sites_[*shown_]->page) state.page = sites_[*shown_]->page->address();
  state.typing = typing_.enabled();
  state.typed = typed_;
  state.typing_failure = typing_failure_;
  return state;
}

void DesktopApp::changed() {
  if (!update_timer_.pending()) update_timer_.start(kUpdateMs, [this] { update(); });
}

void DesktopApp::update() {
  if (!window_) return;
  const DesktopState now = state();
  std::vector<WaitingCard> cards;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    for (const WaitingItem& item : sites_[i]->waiting.items()) {
      cards.push_back({i, sites_[i]->entry.alias, item});
    }
  }
  std::stable_sort(cards.begin(), cards.end(), [](const WaitingCard& one, const WaitingCard& two) {
    return one.item.asked_at < two.item.asked_at;
  });
  window_->update_servers(now.servers);
  window_->set_cards(cards);
  if (cards.empty()) window_->end_on_top();
  const bool blinks = !paused_ && (settings_.on_question != Attention::none ||
                                   settings_.on_report != Attention::none);
  tray_->show(now.servers, paused_, blinks, language());
  withdraw_notifications();
  if (!options_.print_state) return;
  std::string line = state_line(state());
  if (line == printed_) return;
  printed_ = std::move(line);
  std::cout << printed_ << std::endl;
}

// --- questions and reports -----------------------------------------------------------------------

// The page does not change while a person works in the window: the lists show the new items.
void DesktopApp::attend(std::size_t site, const std::vector<WaitingItem>& fresh) {
  if (paused_ || fresh.empty()) return;
  Attention most = Attention::none;
  const WaitingItem* first = nullptr;
  for (const WaitingItem& item : fresh) {
    const Attention attention = attention_for(settings_, item);
    if (attention != Attention::none) notify(site, item);
    if (attention > most || first == nullptr) first = &item;
    most = std::max(most, attention);
  }
  if (most < Attention::popup || window_->active()) return;
  // The item for which the window came up stays shown until it is answered.
  const bool busy = window_->visible() && waiting_ids().contains(attended_);
  if (!busy) {
    attended_ = item_id(sites_[site]->entry.id, first->key);
    show_site(site, first->key);
  }
  window_->come_up(most == Attention::popup_on_top);
}

std::set<std::string> DesktopApp::waiting_ids() const {
  std::set<std::string> ids;
  for (const auto& site : sites_) {
    for (const WaitingItem& item : site->waiting.items()) {
      ids.insert(item_id(site->entry.id, item.key));
    }
  }
  return ids;
}

void DesktopApp::notify(std::size_t site, const WaitingItem& item) {
  if (window_->active() || notified_.size() >= kMaxNotifications) return;
  const Site& from = *sites_[site];
  std::string who = core::visible_line(item.agent);
  if (who.empty()) who = say_here(Text::some_agent);
  std::string heading =
      say_here(item.kind == WaitingKind::report ? Text::reports : Text::asks, who);
  if (sites_.size() > 1) heading += " · " + from.entry.alias;
  const ObjectPtr<GNotification> notification(g_notification_new(heading.c_str()));
  const std::string text = core::visible_text(core::utf8_truncate(item.text, kMaxNotificationText));
  g_notification_set_body(notification.get(), text.c_str());
  const std::string id = item_id(from.entry.id, item.key);
  g_notification_set_default_action_and_target(notification.get(), "app.open", "s", id.c_str());
  g_application_send_notification(G_APPLICATION(application_.get()), id.c_str(),
                                  notification.get());
  notified_.insert(id);
}

void DesktopApp::withdraw_notifications() {
  if (notified_.empty()) return;
  const std::set<std::string> open = waiting_ids();
  std::erase_if(notified_, [&](const std::string& id) {
    if (open.contains(id)) return false;
    g_application_withdraw_notification(G_APPLICATION(application_.get()), id.c_str());
    return true;
  });
}

void DesktopApp::open_target(const std::string& target) {
  const std::size_t end = target.find('\n');
  if (end == std::string::npos) return;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (sites_[i]->entry.id == target.substr(0, end)) on_choose_item(i, target.substr(end + 1));
  }
  window_->present();
}

void DesktopApp::tell(const std::string& heading, const std::string& words) {
  const ObjectPtr<GNotification> notification(g_notification_new(heading.c_str()));
  g_notification_set_body(notification.get(), words.c_str());
  g_application_send_notification(G_APPLICATION(application_.get()), nullptr, notification.get());
}

// --- the servers ---------------------------------------------------------------------------------

std::optional<std::size_t> DesktopApp::site_of(const ServerLink& link) const {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (sites_[i]->link.get() == &link) return i;
  }
  return std::nullopt;
}

DesktopApp::Site* DesktopApp::site_with_id(const std::string& id) {
  const auto found = std::find_if(sites_.begin(), sites_.end(),
                                  [&](const auto& site) { return site->entry.id == id; });
  return found == sites_.end() ? nullptr : found->get();
}

void DesktopApp::on_link_phase(ServerLink& link) {
  const auto index = site_of(link);
  if (index && link.phase() == LinkPhase::online && sites_[*index]->page) {
    sites_[*index]->page->on_server_reachable();
  }
  changed();
}

void DesktopApp::on_link_message(ServerLink& link, const pb::WebsocketMessage& message) {
  const auto index = site_of(link);
  if (!index) return;
  Site& site = *sites_[*index];
  if (message.cmd() == "ChatMessageNotification") {
    typing_.take(message.chatmessagenotification().chat_message(), site.entry.id);
    return;
  }
  if (message.cmd() == "ForwardStateQuery") {
    const pb::ForwardStateQueryRequest& query = message.forwardstatequeryrequest();
    if (!typing_.enabled() || !typing_.program().found()) {
      link.send(typing_answer(query, false, {}));
      return;
    }
    typing_.program().list_windows(
        [this, query, id = site.entry.id](const std::vector<TypingWindow>& windows) {
          if (Site* const asked = site_with_id(id)) {
            asked->link->send(typing_answer(query, typing_.enabled(), windows));
          }
        });
    return;
  }
  attend(*index, site.waiting.apply(message));
  changed();
}

// --- typing --------------------------------------------------------------------------------------

void DesktopApp::configure_typing() {
  typing_.configure(settings_.typing, settings_.typing_window, language());
}

void DesktopApp::announce_typing() {
  for (const auto& site : sites_) site->link->send(typing_changed(settings_.typing, {}));
}

void DesktopApp::toggle_typing() {
  settings_.typing = !settings_.typing;
  set_switch("typing", settings_.typing);
  configure_typing();
  save();
  announce_typing();
  changed();
}

void DesktopApp::on_typed() {
  ++typed_;
  typing_failure_.clear();
  changed();
}

void DesktopApp::on_not_typed(const pb::ChatMessage& message, const std::string& server,
                              const std::string& reason) {
  typing_failure_ = reason;
  if (!failure_pause_.pending()) {
    tell(say_here(Text::not_typed), reason);
    failure_pause_.start(kFailurePauseMs, [] {});
  }
  if (Site* const site = site_with_id(server)) site->link->send(typing_failed(message, reason));
  changed();
}

// --- the person ----------------------------------------------------------------------------------

void DesktopApp::toggle_pause() {
  paused_ = !paused_;
  set_switch("pause", paused_);
  changed();
}

void DesktopApp::open_settings() {
  if (settings_dialog_ != nullptr) {
    gtk_window_present(GTK_WINDOW(settings_dialog_));
    return;
  }
  window_->present();
  const auto open = [this](std::vector<TypingWindow> windows) {
    if (settings_dialog_ != nullptr) return;
    settings_dialog_ = open_settings_dialog(
        window_->widget(), {settings_, language(), computer_name(), std::move(windows)},
        [this](const DesktopSettings& settings) { apply(settings); });
    connect_task(settings_dialog_, "destroy", [this] { settings_dialog_ = nullptr; });
  };
  if (typing_.program().found()) {
    typing_.program().list_windows(open);
  } else {
    open({});
  }
}

void DesktopApp::zoom_by(double factor) {
  settings_.zoom = factor == 0 ? 1.0 : std::clamp(settings_.zoom * factor, kMinZoom, kMaxZoom);
  for (const auto& site : sites_) {
    if (site->page) site->page->set_zoom(settings_.zoom);
  }
}

void DesktopApp::reload_shown() {
  if (!shown_) return;
  sites_[*shown_]->link->retry_now();
  sites_[*shown_]->page->reload();
}

void DesktopApp::quit() {
  remember_place();
  save();
  g_application_quit(G_APPLICATION(application_.get()));
}

void DesktopApp::on_tray_show() { window_->present(); }
void DesktopApp::on_tray_server(std::size_t index) {
  show_site(index);
  window_->present();
}
void DesktopApp::on_tray_pause() { toggle_pause(); }
void DesktopApp::on_tray_settings() { open_settings(); }
void DesktopApp::on_tray_quit() { quit(); }

void DesktopApp::on_choose_waiting() { show_waiting_pane(); }
void DesktopApp::on_choose_server(std::size_t index) { show_site(index); }
void DesktopApp::on_choose_item(std::size_t server, const std::string& key) {
  show_site(server, key);
}

void DesktopApp::on_add_server() {
  if (settings_.servers.size() >= kMaxServers) {  // all of them are off
    open_settings();
    return;
  }
  open_connect_dialog(window_->widget(), language(),
                      [this](const ServerEntry& entry) { add_server(entry); });
}

void DesktopApp::on_window_close() {
  if (!settings_.close_to_tray || sites_.empty()) {
    quit();
    return;
  }
  window_->hide();
  if (std::exchange(told_of_tray_, true)) return;
  tell(say_here(Text::in_the_tray), say_here(Text::in_the_tray_hint));
}

void DesktopApp::on_window_changed() { changed(); }
void DesktopApp::on_page_address(WebPage& /*page*/) { changed(); }
void DesktopApp::on_download(const std::string& words) { tell("Parley", words); }

}  // namespace parley::desktop
