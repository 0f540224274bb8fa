// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/web_page.h"

#include <algorithm>
#include <utility>

#include "programs/desktop/console_address.h"

namespace parley::desktop {
namespace {

constexpr const char* kViewChild = "view";
constexpr const char* kMessageChild = "message";

WebKitWebContext* make_context(const ServerEntry& server, bool keeps_data) {
  if (!keeps_data) return webkit_web_context_new_ephemeral();
  const TextPtr data(
      g_build_filename(g_get_user_data_dir(), "parley", "desktop", server.id.c_str(), nullptr));
  const TextPtr cache(
      g_build_filename(g_get_user_cache_dir(), "parley", "desktop", server.id.c_str(), nullptr));
  const ObjectPtr<WebKitWebsiteDataManager> manager(webkit_website_data_manager_new(
      "base-data-directory", data.get(), "base-cache-directory", cache.get(), nullptr));
  return webkit_web_context_new_with_website_data_manager(manager.get());
}

void set_languages(WebKitWebContext* context, Language language) {
  const char* english[] = {"en", nullptr};
  const char* chinese[] = {"zh-CN", "zh", nullptr};
  webkit_web_context_set_preferred_languages(context,
                                             language == Language::chinese ? chinese : english);
}

}  // namespace

WebPage::WebPage(const ServerEntry& server, const WebPageOptions& options, WebPageHandler& handler)
    : server_(server),
      language_(options.language),
      handler_(handler),
      context_(make_context(server, options.keeps_data)),
      stack_(gtk_stack_new()) {
  g_object_ref_sink(stack_);
  set_languages(context_.get(), language_);
  connect<&WebPage::on_notifications>(context_.get(), "initialize-notification-permissions", this);
  connect<&WebPage::on_download_started>(context_.get(), "download-started", this);
  view_ = WEBKIT_WEB_VIEW(webkit_web_view_new_with_context(context_.get()));
  configure(view_, options);
  watch_view(view_);
  connect<&WebPage::on_load>(view_, "load-changed", this);
  connect<&WebPage::on_load_failed>(view_, "load-failed", this);
  connect<&WebPage::on_tls_failed>(view_, "load-failed-with-tls-errors", this);
  connect<&WebPage::on_ended>(view_, "web-process-terminated", this);
  connect<&WebPage::on_address>(view_, "notify::uri", this);
  gtk_stack_add_named(GTK_STACK(stack_), GTK_WIDGET(view_), kViewChild);
  gtk_stack_add_named(GTK_STACK(stack_), build_message(), kMessageChild);
  gtk_widget_show_all(stack_);
  gtk_stack_set_visible_child_name(GTK_STACK(stack_), kViewChild);
}

WebPage::~WebPage() {
  disconnect(view_, this);
  disconnect(context_.get(), this);
  for (const auto& download : downloads_) {
    disconnect(download.get(), this);
    webkit_download_cancel(download.get());
  }
  gtk_widget_destroy(stack_);
  g_object_unref(stack_);
}

void WebPage::configure(WebKitWebView* view, const WebPageOptions& options) {
  WebKitSettings* const settings = webkit_web_view_get_settings(view);
  webkit_settings_set_enable_developer_extras(settings, options.devtools ? TRUE : FALSE);
  webkit_settings_set_enable_media_stream(settings, TRUE);
  webkit_settings_set_javascript_can_access_clipboard(settings, TRUE);
  webkit_settings_set_enable_back_forward_navigation_gestures(settings, TRUE);
  webkit_web_view_set_zoom_level(view, options.zoom);
}

void WebPage::watch_view(WebKitWebView* view) {
  connect<&WebPage::on_policy>(view, "decide-policy", this);
  connect<&WebPage::on_permission>(view, "permission-request", this);
  connect<&WebPage::on_create>(view, "create", this);
}

GtkWidget* WebPage::build_message() {
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 16);
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  GtkWidget* const label = gtk_label_new(nullptr);
  gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
  message_ = GTK_LABEL(label);
  GtkWidget* const retry = gtk_button_new_with_label(say(language_, Text::try_now).c_str());
  gtk_widget_set_halign(retry, GTK_ALIGN_CENTER);
  connect_task(retry, "clicked", [this] { reload(); });
  gtk_container_add(GTK_CONTAINER(box), label);
  gtk_container_add(GTK_CONTAINER(box), retry);
  return box;
}

void WebPage::show_message(const std::string& words) {
  state_ = State::failed;
  retry_timer_.cancel();
  gtk_label_set_text(message_, words.c_str());
  gtk_stack_set_visible_child_name(GTK_STACK(stack_), kMessageChild);
  handler_.on_page_address(*this);
}

// Within a loaded page, another fragment is a step of the console's router and loads nothing.
void WebPage::open(const std::string& key) {
  if (state_ == State::loaded) {
    if (!key.empty()) webkit_web_view_load_uri(view_, item_link(server_.url, key).c_str());
    return;
  }
  if (!key.empty()) key_ = key;
  if (state_ == State::loading) return;
  retry_delay_ = kFirstRetryMs;
  load();
}

void WebPage::load() {
  state_ = State::loading;
  finished_ = false;
  retry_timer_.start(std::max(retry_delay_, kLoadPatienceMs), [this] { try_again(); });
  webkit_web_view_load_uri(view_, sign_in_link(server_.url, server_.token).c_str());
}

void WebPage::try_again() {
  retry_delay_ = std::min(2 * retry_delay_, kLongestRetryMs);
  load();
}

void WebPage::reload() {
  if (state_ == State::loaded) {
    webkit_web_view_reload(view_);
  } else {
    state_ = State::empty;
    open();
  }
}

void WebPage::set_zoom(double zoom) { webkit_web_view_set_zoom_level(view_, zoom); }

void WebPage::on_server_reachable() {
  if (state_ == State::failed) open();
}

std::string WebPage::address() const {
  const std::string uri = text_or_empty(webkit_web_view_get_uri(view_));
  return state_ == State::loaded && !contains_token(uri) ? uri : std::string();
}

void WebPage::focus() { gtk_widget_grab_focus(GTK_WIDGET(view_)); }

void WebPage::on_load(WebKitWebView* /*view*/, WebKitLoadEvent event) {
  if (event != WEBKIT_LOAD_FINISHED || state_ == State::failed) return;
  finished_ = true;
  settle();
}

// The page counts as loaded after the console has taken the token: another address before that
// would sign nobody in.
void WebPage::settle() {
  if (state_ != State::loading || !finished_) return;
  if (contains_token(text_or_empty(webkit_web_view_get_uri(view_)))) return;
  state_ = State::loaded;
  retry_timer_.cancel();
  gtk_stack_set_visible_child_name(GTK_STACK(stack_), kViewChild);
  const std::string key = std::exchange(key_, {});
  if (!key.empty()) webkit_web_view_load_uri(view_, item_link(server_.url, key).c_str());
  handler_.on_page_address(*this);
}

// WebKit's own page for errors would show the address, which may contain the token. A loaded page
// stays when a load is interrupted, by a download or a redirect to another origin. An interrupted
// first load leaves no page.
gboolean WebPage::on_load_failed(WebKitWebView* /*view*/, WebKitLoadEvent /*event*/,
                                 const char* /*uri*/, GError* error) {
  if (g_error_matches(error, WEBKIT_POLICY_ERROR,
                      WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE) != FALSE) {
    if (state_ == State::loading) show_message(say(language_, Text::no_console));
  } else if (g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED) ==
             FALSE) {
    show_message(say(language_, Text::unreachable));
    retry_timer_.start(retry_delay_, [this] { try_again(); });
  }
  return TRUE;
}

gboolean WebPage::on_tls_failed(WebKitWebView* /*view*/, const char* /*uri*/,
                                GTlsCertificate* /*certificate*/, GTlsCertificateFlags /*flags*/) {
  show_message(say(language_, Text::bad_certificate));
  return TRUE;
}

void WebPage::on_ended(WebKitWebView* /*view*/, WebKitWebProcessTerminationReason /*reason*/) {
  show_message(say(language_, Text::page_ended));
  retry_timer_.start(retry_delay_, [this] { try_again(); });
}

void WebPage::on_address(WebKitWebView* /*view*/, GParamSpec* /*property*/) {
  if (state_ == State::loaded) {
    handler_.on_page_address(*this);
  } else {
    settle();
  }
}

}  // namespace parley::desktop
