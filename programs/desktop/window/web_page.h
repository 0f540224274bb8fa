// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <webkit2/webkit2.h>

#include <string>
#include <vector>

#include "programs/desktop/desktop_settings.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

class WebPage;

class WebPageHandler {
 public:
  virtual ~WebPageHandler() = default;
  // The address of the page has changed.
  virtual void on_page_address(WebPage& page) = 0;
  // A download has ended. `words`: a sentence for a person.
  virtual void on_download(const std::string& words) = 0;
};

struct WebPageOptions {
  Language language = Language::english;
  double zoom = 1.0;
  bool devtools = false;
  bool keeps_data = true;  // false: the console's own data is lost at the program's end
};

// The console of one server. The page stays on the origin of its server: links to others open in
// the default browser. The console's data is apart from that of other servers.
class WebPage {
 public:
  WebPage(const ServerEntry& server, const WebPageOptions& options, WebPageHandler& handler);
  WebPage(const WebPage&) = delete;
  WebPage& operator=(const WebPage&) = delete;
  ~WebPage();

  GtkWidget* widget() const { return stack_; }
  // Shows the question or report `key`; if empty, the page as it is. Signs in, and then shows the
  // inbox, if the page is not loaded.
  void open(const std::string& key = {});
  // Loads the page again, also one that is still loading.
  void reload();
  void set_zoom(double zoom);
  // Loads the page if its last load failed.
  void on_server_reachable();
  // Empty until the page is loaded. Never contains the token.
  std::string address() const;
  void focus();

 private:
  enum class State { empty, loading, loaded, failed };

  void configure(WebKitWebView* view, const WebPageOptions& options);
  void watch_view(WebKitWebView* view);
  GtkWidget* build_message();
  void show_message(const std::string& words);
  // Begins a load, which is repeated if it takes too long.
  void load();
  void try_again();

  void settle();
  void on_load(WebKitWebView* view, WebKitLoadEvent event);
  gboolean on_load_failed(WebKitWebView* view, WebKitLoadEvent event, const char* uri,
                          GError* error);
  gboolean on_tls_failed(WebKitWebView* view, const char* uri, GTlsCertificate* certificate,
                         GTlsCertificateFlags flags);
  void on_ended(WebKitWebView* view, WebKitWebProcessTerminationReason reason);
  void on_address(WebKitWebView* view, GParamSpec* property);
  gboolean on_policy(WebKitWebView* view, WebKitPolicyDecision* decision,
                     WebKitPolicyDecisionType type);
  gboolean on_permission(WebKitWebView* view, WebKitPermissionRequest* request);
  GtkWidget* on_create(WebKitWebView* view, WebKitNavigationAction* action);
  void on_close(WebKitWebView* view);
  void on_notifications(WebKitWebContext* context);
  void on_download_started(WebKitWebContext* context, WebKitDownload* download);
  gboolean on_destination(WebKitDownload* download, const char* name);
  void on_download_finished(WebKitDownload* download);
  void on_download_failed(WebKitDownload* download, GError* error);
  void forget(WebKitDownload* download);

  bool is_own(const std::string& uri) const;
  void ask_for_microphone(WebKitPermissionRequest* request);

  ServerEntry server_;
  Language language_;
  WebPageHandler& handler_;
  ObjectPtr<WebKitWebContext> context_;
  std::vector<ObjectPtr<WebKitDownload>> downloads_;  // those that have not ended
  GtkWidget* stack_ = nullptr;
  WebKitWebView* view_ = nullptr;
  GtkLabel* message_ = nullptr;
  State state_ = State::empty;
  bool finished_ = false;  // the resources of the page are loaded
  std::string key_;        // item to show after the load; empty: none
  Timer retry_timer_;
  unsigned retry_delay_ = kFirstRetryMs;

  static constexpr unsigned kFirstRetryMs = 2'000;
  static constexpr unsigned kLongestRetryMs = 300'000;
  // Time after which a page that is not signed in is loaded again: a script that the network lost
  // leaves it empty.
  static constexpr unsigned kLoadPatienceMs = 15'000;
};

}  // namespace parley::desktop
