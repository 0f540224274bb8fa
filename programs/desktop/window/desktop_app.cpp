// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/desktop_app.h"

#include <glib-unix.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "agents/mcp/settings.h"
#include "base/core/result.h"
#include "programs/desktop/autostart.h"
#include "programs/desktop/console_address.h"
#include "programs/desktop/window/connect_dialog.h"
#include "programs/desktop/window/icons.h"
#include "programs/desktop/window/waiting_card.h"

namespace parley::desktop {
namespace {

constexpr const char* kApplicationId = "org.parley.Desktop";
// The entry of the server that runs for this user on this computer.
constexpr const char* kLocalId = "local";
constexpr int kBadSettings = 1;
constexpr int kBadFlags = 2;

void show_fault(const std::string& heading, const std::string& words) {
  std::cerr << "parley-desktop: " << words << '\n';
  GtkWidget* const dialog =
      gtk_message_dialog_new(nullptr, static_cast<GtkDialogFlags>(0), GTK_MESSAGE_ERROR,
                             GTK_BUTTONS_CLOSE, "%s", heading.c_str());
  gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", words.c_str());
  gtk_window_set_title(GTK_WINDOW(dialog), "Parley");
  gtk_dialog_run(GTK_DIALOG(dialog));
  gtk_widget_destroy(dialog);
}

// The environment is read, because setlocale() knows only the locales that are installed.
std::string locale_name() {
  for (const char* const name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    std::string value = text_or_empty(g_getenv(name));
    if (!value.empty()) return value;
  }
  return {};
}

// The name of a server without one: its address without the scheme.
std::string alias_of(const std::string& url) { return url.substr(url.find("//") + 2); }

// Call at the start: after an upgrade of the package the link ends with " (deleted)".
std::string own_program() {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string("parley-desktop") : path.string();
}

}  // namespace

DesktopApp::DesktopApp(const DesktopOptions& options)
    : options_(options), program_(own_program()), typing_(*this) {}

DesktopApp::~DesktopApp() { take_apart(); }

// --- settings ------------------------------------------------------------------------------------

core::Result<void> DesktopApp::load() {
  if (!options_.server.empty()) {
    PARLEY_TRY(const ServerAddress link, read_server_link(options_.server));
    PARLEY_TRY(const std::string token, read_token_file(options_.token_file));
    settings_.servers = {{"only", alias_of(link.url), link.url, token, true}};
    return {};
  }
  file_ = desktop_settings_file();
  PARLEY_TRY(settings_, load_desktop_settings(file_));
  find_local_server();
  return {};
}

// The first start takes the running server of this user; later ones follow its address and token.
void DesktopApp::find_local_server() {
  const auto local = std::find_if(settings_.servers.begin(), settings_.servers.end(),
                                  [](const ServerEntry& entry) { return entry.id == kLocalId; });
  if (!settings_.servers.empty() && local == settings_.servers.end()) return;
  const auto running = mcp::discover_server(mcp::UserPlaces::of_this_process().data);
  if (!running) return;
  if (local != settings_.servers.end()) {
    local->url = running->base_url;
    local->token = running->token;
  } else {
    settings_.servers.push_back(
        {kLocalId, computer_name(), running->base_url, running->token, true});
  }
}

Language DesktopApp::language() const { return language_of(settings_.language, locale_name()); }

std::string DesktopApp::computer_name() const { return g_get_host_name(); }

std::string DesktopApp::say_here(Text text, std::string_view part) const {
  return say(language(), text, part);
}

void DesktopApp::save() {
  if (file_.empty()) return;
  const auto saved = save_desktop_settings(settings_, file_);
  const auto started = set_autostart(autostart_file(), program_, settings_.autostart);
  if (!saved) tell(say_here(Text::settings_unsaved), saved.error().message);
  if (!started) tell(say_here(Text::settings_unsaved), started.error().message);
}

void DesktopApp::remember_place() {
  if (!window_) return;
  settings_.width = std::max(window_->width(), 200);
  settings_.height = std::max(window_->height(), 200);
  settings_.maximized = window_->maximized();
}

void DesktopApp::apply(const DesktopSettings& settings) {
  const bool rebuild = settings.servers != settings_.servers ||
                       settings.language != settings_.language ||
                       settings.nickname != settings_.nickname;
  remember_place();
  const DesktopSettings place = settings_;
  settings_ = settings;
  settings_.width = place.width;
  settings_.height = place.height;
  settings_.maximized = place.maximized;
  settings_.zoom = place.zoom;
  save();
  set_switch("typing", settings_.typing);
  configure_typing();
  if (rebuild) {
    take_apart();
    build();
    window_->present();
  }
  announce_typing();
  changed();
}

void DesktopApp::add_server(const ServerEntry& entry) {
  DesktopSettings settings = settings_;
  settings.servers.push_back(entry);
  apply(settings);
}

// --- the application -----------------------------------------------------------------------------

int DesktopApp::run() {
  const auto flags =
      options_.server.empty() ? G_APPLICATION_DEFAULT_FLAGS : G_APPLICATION_NON_UNIQUE;
  application_.reset(gtk_application_new(kApplicationId, flags));
  connect<&DesktopApp::on_startup>(application_.get(), "startup", this);
  connect<&DesktopApp::on_activate>(application_.get(), "activate", this);
  const int code = start_or_hand_over();
  disconnect(application_.get(), this);
  return code;
}

int DesktopApp::start_or_hand_over() {
  GApplication* const application = G_APPLICATION(application_.get());
  if (gtk_init_check(nullptr, nullptr) == FALSE) {
    std::cerr << "parley-desktop: there is no display: start it in a graphical session.\n";
    return kBadSettings;
  }
  // The running program can be ended even if the settings have a fault.
  if (const auto loaded = options_.quit ? core::Result<void>() : load(); !loaded) {
    if (options_.server.empty()) {
      show_fault(say_here(Text::settings_fault), loaded.error().message);
      return kBadSettings;
    }
    std::cerr << "parley-desktop: " << loaded.error().message << '\n';
    return kBadFlags;
  }
  g_application_register(application, nullptr, nullptr);
  const bool remote = g_application_get_is_remote(application) != FALSE;
  if (options_.quit) {
    if (remote) g_action_group_activate_action(G_ACTION_GROUP(application), "quit", nullptr);
    // The request is sent before the connection to the bus closes.
    if (GDBusConnection* const bus = g_application_get_dbus_connection(application)) {
      g_dbus_connection_flush_sync(bus, nullptr, nullptr);
    }
    return 0;
  }
  if (remote && options_.hidden) return 0;
  return g_application_run(application, 0, nullptr);
}

void DesktopApp::on_startup(GtkApplication* application) {
  if (options_.quit) return;
  for (const int signal : {SIGINT, SIGTERM}) {
    g_unix_signal_add(
        signal,
        [](gpointer self) -> gboolean {
          static_cast<DesktopApp*>(self)->quit();
          return G_SOURCE_REMOVE;
        },
        this);
  }
  g_application_hold(G_APPLICATION(application));
  icon_folder_ = install_icons();
  install_styles();
  add_actions();
  TrayHandler& tray_handler = *this;
  tray_ = std::make_unique<Tray>(icon_folder_, tray_handler);
  configure_typing();
  build();
  save();
}

void DesktopApp::on_activate(GtkApplication* /*application*/) {
  const bool first = !std::exchange(activated_, true);
  if (first && options_.hidden && !sites_.empty()) {
    changed();
    return;
  }
  window_->present();
  if (first && settings_.servers.empty()) on_add_server();
  changed();
}

void DesktopApp::build() {
  MainWindowHandler& window_handler = *this;
  window_ = std::make_unique<MainWindow>(application_.get(), window_handler, language());
  window_->restore(settings_.width, settings_.height, settings_.maximized);
  const std::string nickname = settings_.nickname.empty() ? computer_name() : settings_.nickname;
  for (const ServerEntry& entry : settings_.servers) {
    if (!entry.enabled) continue;
    auto site = std::make_unique<Site>();
    site->entry = entry;
    ServerLinkHandler& link_handler = *this;
    site->link = std::make_unique<ServerLink>(entry.url, entry.token, nickname, link_handler);
    sites_.push_back(std::move(site));
  }
  window_->set_servers(state().servers);
  if (sites_.empty()) {
    window_->show_empty();
  } else if (sites_.size() == 1) {
    show_site(0);
  } else {
    show_waiting_pane();
  }
  for (const auto& site : sites_) site->link->start();
}

void DesktopApp::take_apart() {
  update_timer_.cancel();
  sites_.clear();
  shown_.reset();
  window_.reset();
}

// --- actions -------------------------------------------------------------------------------------

void DesktopApp::add_action(const char* name, const char* accelerator, std::function<void()> task) {
  const ObjectPtr<GSimpleAction> action(g_simple_action_new(name, nullptr));
  connect_task(action.get(), "activate", std::move(task));
  g_action_map_add_action(G_ACTION_MAP(application_.get()), G_ACTION(action.get()));
  if (accelerator == nullptr) return;
  const TextPtr detailed(g_strconcat("app.", name, nullptr));
  const char* keys[] = {accelerator, nullptr};
  gtk_application_set_accels_for_action(application_.get(), detailed.get(), keys);
}

// Adds an action with a state. `task` switches the state and calls set_switch().
void DesktopApp::add_switch(const char* name, bool on, std::function<void()> task) {
  const ObjectPtr<GSimpleAction> action(
      g_simple_action_new_stateful(name, nullptr, g_variant_new_boolean(on ? TRUE : FALSE)));
  connect_task(action.get(), "activate", std::move(task));
  g_action_map_add_action(G_ACTION_MAP(application_.get()), G_ACTION(action.get()));
}

void DesktopApp::set_switch(const char* name, bool on) {
  GAction* const action = g_action_map_lookup_action(G_ACTION_MAP(application_.get()), name);
  if (action != nullptr) {
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(on ? TRUE : FALSE));
  }
}

void DesktopApp::add_actions() {
  constexpr double kStep = 1.1;
  add_action("quit", "<Primary>q", [this] { quit(); });
  add_action("close", "<Primary>w", [this] { on_window_close(); });
  add_action("settings", "<Primary>comma", [this] { open_settings(); });
  add_action("reload", "<Primary>r", [this] { reload_shown(); });
  add_action("reload-too", "F5", [this] { reload_shown(); });
  add_action("zoom-in", "<Primary>plus", [this] { zoom_by(kStep); });
  add_action("zoom-in-too", "<Primary>equal", [this] { zoom_by(kStep); });
  add_action("zoom-out", "<Primary>minus", [this] { zoom_by(1 / kStep); });
  add_action("zoom-reset", "<Primary>0", [this] { zoom_by(0); });
  add_action("waiting", "<Alt>0", [this] { on_choose_waiting(); });
  for (std::size_t i = 0; i < 9; ++i) {
    const std::string name = "server-" + std::to_string(i + 1);
    const std::string keys = "<Alt>" + std::to_string(i + 1);
    add_action(name.c_str(), keys.c_str(), [this, i] { on_choose_server(i); });
  }
  add_switch("pause", false, [this] { toggle_pause(); });
  add_switch("typing", settings_.typing, [this] { toggle_typing(); });
  const ObjectPtr<GSimpleAction> open(g_simple_action_new("open", G_VARIANT_TYPE_STRING));
  g_signal_connect_data(
      open.get(), "activate", G_CALLBACK(+[](GSimpleAction*, GVariant* target, gpointer self) {
        static_cast<DesktopApp*>(self)->open_target(g_variant_get_string(target, nullptr));
      }),
      this, nullptr, static_cast<GConnectFlags>(0));
  g_action_map_add_action(G_ACTION_MAP(application_.get()), G_ACTION(open.get()));
}

}  // namespace parley::desktop
