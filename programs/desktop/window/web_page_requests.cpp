// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// WebPage: requests of the page to its window: links, new windows, permissions, downloads.
#include <string_view>

#include "programs/desktop/console_address.h"
#include "programs/desktop/window/web_page.h"

namespace parley::desktop {
namespace {

constexpr int kPopupWidth = 900;
constexpr int kPopupHeight = 700;

void open_in_browser(const std::string& uri) {
  for (const std::string_view scheme : {"https://", "http://", "mailto:"}) {
    if (uri.starts_with(scheme)) {
      g_app_info_launch_default_for_uri_async(uri.c_str(), nullptr, nullptr, nullptr, nullptr);
      return;
    }
  }
}

bool is_attachment(WebKitResponsePolicyDecision* decision) {
  WebKitURIResponse* const response = webkit_response_policy_decision_get_response(decision);
  SoupMessageHeaders* const headers = webkit_uri_response_get_http_headers(response);
  char* disposition = nullptr;
  if (headers == nullptr ||
      soup_message_headers_get_content_disposition(headers, &disposition, nullptr) == FALSE) {
    return false;
  }
  const TextPtr owned(disposition);
  return std::string_view(disposition) == "attachment";
}

// False for the camera and for the screen, with or without sound.
bool is_for_microphone_alone(WebKitPermissionRequest* request) {
  if (!WEBKIT_IS_USER_MEDIA_PERMISSION_REQUEST(request)) return false;
  auto* const media = WEBKIT_USER_MEDIA_PERMISSION_REQUEST(request);
  return webkit_user_media_permission_is_for_audio_device(media) != FALSE &&
         webkit_user_media_permission_is_for_video_device(media) == FALSE &&
         webkit_user_media_permission_is_for_display_device(media) == FALSE;
}

}  // namespace

bool WebPage::is_own(const std::string& uri) const {
  constexpr std::string_view kBlob = "blob:";
  if (uri.starts_with("about:")) return true;
  return same_origin(server_.url, uri.starts_with(kBlob) ? uri.substr(kBlob.size()) : uri);
}

gboolean WebPage::on_policy(WebKitWebView* /*view*/, WebKitPolicyDecision* decision,
                            WebKitPolicyDecisionType type) {
  if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
    auto* const response = WEBKIT_RESPONSE_POLICY_DECISION(decision);
    if (webkit_response_policy_decision_is_mime_type_supported(response) != FALSE &&
        !is_attachment(response)) {
      return FALSE;
    }
    webkit_policy_decision_download(decision);
    return TRUE;
  }
  WebKitNavigationAction* const action = webkit_navigation_policy_decision_get_navigation_action(
      WEBKIT_NAVIGATION_POLICY_DECISION(decision));
  const std::string uri =
      text_or_empty(webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)));
  if (is_own(uri)) return FALSE;
  if (webkit_navigation_action_is_user_gesture(action) != FALSE) open_in_browser(uri);
  webkit_policy_decision_ignore(decision);
  return TRUE;
}

GtkWidget* WebPage::on_create(WebKitWebView* view, WebKitNavigationAction* /*action*/) {
  GtkWidget* const window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  GtkWidget* const popup = webkit_web_view_new_with_related_view(view);
  gtk_window_set_default_size(GTK_WINDOW(window), kPopupWidth, kPopupHeight);
  gtk_window_set_title(GTK_WINDOW(window), server_.alias.c_str());
  gtk_container_add(GTK_CONTAINER(window), popup);
  watch_view(WEBKIT_WEB_VIEW(popup));
  connect<&WebPage::on_close>(popup, "close", this);
  // The window shares the origin and the data of the page, and is closed with it.
  gtk_window_set_destroy_with_parent(GTK_WINDOW(window), TRUE);
  GtkWidget* const parent = gtk_widget_get_toplevel(stack_);
  if (GTK_IS_WINDOW(parent)) gtk_window_set_transient_for(GTK_WINDOW(window), GTK_WINDOW(parent));
  g_signal_connect_swapped(popup, "ready-to-show", G_CALLBACK(gtk_widget_show_all), window);
  return popup;
}

void WebPage::on_close(WebKitWebView* view) {
  gtk_widget_destroy(gtk_widget_get_toplevel(GTK_WIDGET(view)));
}

void WebPage::on_notifications(WebKitWebContext* context) {
  GList* const own =
      g_list_append(nullptr, webkit_security_origin_new_for_uri(server_.url.c_str()));
  webkit_web_context_initialize_notification_permissions(context, own, nullptr);
  g_list_free_full(own, [](gpointer origin) {
    webkit_security_origin_unref(static_cast<WebKitSecurityOrigin*>(origin));
  });
}

gboolean WebPage::on_permission(WebKitWebView* /*view*/, WebKitPermissionRequest* request) {
  if (WEBKIT_IS_NOTIFICATION_PERMISSION_REQUEST(request)) {
    webkit_permission_request_allow(request);
    return TRUE;
  }
  if (is_for_microphone_alone(request)) {
    ask_for_microphone(request);
    return TRUE;
  }
  return FALSE;  // denied by WebKit
}

void WebPage::ask_for_microphone(WebKitPermissionRequest* request) {
  GtkWidget* const parent = gtk_widget_get_toplevel(stack_);
  const std::string question = say(language_, Text::microphone, server_.alias);
  GtkWidget* const dialog =
      gtk_message_dialog_new(GTK_IS_WINDOW(parent) ? GTK_WINDOW(parent) : nullptr, GTK_DIALOG_MODAL,
                             GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, "%s", question.c_str());
  gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", server_.url.c_str());
  gtk_window_set_title(GTK_WINDOW(dialog), say(language_, Text::microphone_title).c_str());
  gtk_dialog_add_button(GTK_DIALOG(dialog), say(language_, Text::deny).c_str(), GTK_RESPONSE_NO);
  gtk_dialog_add_button(GTK_DIALOG(dialog), say(language_, Text::allow).c_str(), GTK_RESPONSE_YES);
  // The request is freed with the closure. WebKit denies a request without an answer.
  g_signal_connect_data(
      dialog, "response", G_CALLBACK(+[](GtkDialog* closed, gint response, gpointer asked) {
        if (response == GTK_RESPONSE_YES) {
          webkit_permission_request_allow(WEBKIT_PERMISSION_REQUEST(asked));
        } else {
          webkit_permission_request_deny(WEBKIT_PERMISSION_REQUEST(asked));
        }
        gtk_widget_destroy(GTK_WIDGET(closed));
      }),
      g_object_ref(request), [](gpointer asked, GClosure*) { g_object_unref(asked); },
      static_cast<GConnectFlags>(0));
  gtk_widget_show(dialog);
}

void WebPage::on_download_started(WebKitWebContext* /*context*/, WebKitDownload* download) {
  downloads_.emplace_back(WEBKIT_DOWNLOAD(g_object_ref(download)));
  connect<&WebPage::on_destination>(download, "decide-destination", this);
  connect<&WebPage::on_download_finished>(download, "finished", this);
  connect<&WebPage::on_download_failed>(download, "failed", this);
}

// The download waits until its destination is set.
gboolean WebPage::on_destination(WebKitDownload* download, const char* name) {
  GtkWidget* const parent = gtk_widget_get_toplevel(stack_);
  const std::string title = say(language_, Text::save);
  GtkFileChooserNative* const chooser = gtk_file_chooser_native_new(
      title.c_str(), GTK_IS_WINDOW(parent) ? GTK_WINDOW(parent) : nullptr,
      GTK_FILE_CHOOSER_ACTION_SAVE, title.c_str(), say(language_, Text::cancel).c_str());
  auto* const files = GTK_FILE_CHOOSER(chooser);
  gtk_file_chooser_set_do_overwrite_confirmation(files, TRUE);
  gtk_file_chooser_set_current_name(files, name);
  if (const char* folder = g_get_user_special_dir(G_USER_DIRECTORY_DOWNLOAD)) {
    gtk_file_chooser_set_current_folder(files, folder);
  }
  g_signal_connect_data(
      chooser, "response", G_CALLBACK(+[](GtkNativeDialog* closed, gint response, gpointer of) {
        WebKitDownload* const waiting = WEBKIT_DOWNLOAD(of);
        if (response == GTK_RESPONSE_ACCEPT) {
          const TextPtr destination(gtk_file_chooser_get_uri(GTK_FILE_CHOOSER(closed)));
          webkit_download_set_allow_overwrite(waiting, TRUE);  // confirmed in the dialog
          webkit_download_set_destination(waiting, destination.get());
        } else {
          webkit_download_cancel(waiting);
        }
        g_object_unref(closed);
      }),
      g_object_ref(download), [](gpointer of, GClosure*) { g_object_unref(of); },
      static_cast<GConnectFlags>(0));
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser));
  return TRUE;
}

void WebPage::forget(WebKitDownload* download) {
  disconnect(download, this);
  std::erase_if(downloads_, [&](const auto& each) { return each.get() == download; });
}

void WebPage::on_download_finished(WebKitDownload* download) {
  const std::string uri = text_or_empty(webkit_download_get_destination(download));
  const TextPtr path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  handler_.on_download(say(language_, Text::saved, path ? path.get() : uri.c_str()));
  forget(download);
}

void WebPage::on_download_failed(WebKitDownload* download, GError* error) {
  const bool cancelled = g_error_matches(error, WEBKIT_DOWNLOAD_ERROR,
                                         WEBKIT_DOWNLOAD_ERROR_CANCELLED_BY_USER) != FALSE;
  if (!cancelled) handler_.on_download(say(language_, Text::not_saved, error->message));
  forget(download);
}

}  // namespace parley::desktop
