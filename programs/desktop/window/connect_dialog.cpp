// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/connect_dialog.h"

#include <memory>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/entropy.h"
#include "base/core/id.h"
#include "base/http_client/url.h"
#include "programs/desktop/console_address.h"

namespace parley::desktop {
namespace {

constexpr int kFieldWidth = 44;

std::string text_of_entry(GtkEntry* entry) {
  return std::string(core::trimmed(gtk_entry_get_text(entry)));
}

std::string host_of(const std::string& url) {
  const auto parts = http_client::split_url(url);
  return parts ? parts->host : url;
}

void split_link(GtkEntry* address, GtkEntry* token) {
  const auto link = read_server_link(gtk_entry_get_text(address));
  if (!link || link->token.empty()) return;
  gtk_entry_set_text(token, link->token.c_str());
  gtk_entry_set_text(address, link->url.c_str());
}

// The open dialog; freed with its widget.
struct ConnectDialog {
  ServerFields fields;
  GtkWidget* dialog;
  GtkLabel* fault;
  std::function<void(const ServerEntry&)> done;

  void on_response(GtkDialog* /*dialog*/, gint response) {
    std::string words;
    if (response == GTK_RESPONSE_ACCEPT) {
      const std::optional<ServerEntry> entry = fields.read(words);
      if (!entry) {
        gtk_label_set_text(fault, words.c_str());
        return;
      }
      const auto finish = done;
      gtk_widget_destroy(dialog);
      finish(*entry);
      return;
    }
    gtk_widget_destroy(dialog);
  }
};

}  // namespace

std::string new_server_id() {
  core::SystemEntropy entropy;
  return "s" + core::random_hex(entropy, 8);
}

ServerFields::ServerFields(const ServerEntry& entry, Language language)
    : entry_(entry), language_(language), grid_(gtk_grid_new()) {
  gtk_grid_set_row_spacing(GTK_GRID(grid_), 8);
  gtk_grid_set_column_spacing(GTK_GRID(grid_), 12);
  address_ = add_field(Text::address, entry.url, 0);
  token_ = add_field(Text::token, entry.token, 1);
  alias_ = add_field(Text::alias, entry.alias, 2);
  gtk_entry_set_visibility(token_, FALSE);
  gtk_entry_set_input_purpose(token_, GTK_INPUT_PURPOSE_PASSWORD);
  gtk_entry_set_placeholder_text(address_, "http://127.0.0.1:22080");
  GtkEntry* const address = address_;
  GtkEntry* const token = token_;
  // A link is split when the field loses the focus, so that its token does not stay readable.
  connect_task(address, "notify::has-focus", [address, token] {
    if (gtk_widget_has_focus(GTK_WIDGET(address)) == FALSE) split_link(address, token);
  });
}

GtkEntry* ServerFields::add_field(Text label, const std::string& value, int row) {
  GtkWidget* const name = gtk_label_new(say(language_, label).c_str());
  gtk_label_set_xalign(GTK_LABEL(name), 0);
  GtkWidget* const entry = gtk_entry_new();
  gtk_entry_set_text(GTK_ENTRY(entry), value.c_str());
  gtk_entry_set_width_chars(GTK_ENTRY(entry), kFieldWidth);
  gtk_widget_set_hexpand(entry, TRUE);
  gtk_label_set_mnemonic_widget(GTK_LABEL(name), entry);
  gtk_grid_attach(GTK_GRID(grid_), name, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(grid_), entry, 1, row, 1, 1);
  return GTK_ENTRY(entry);
}

void ServerFields::on_activate(std::function<void()> task) {
  for (GtkEntry* const entry : {address_, token_, alias_}) connect_task(entry, "activate", task);
}

std::optional<ServerEntry> ServerFields::read(std::string& fault) const {
  split_link(address_, token_);
  const auto link = read_server_link(gtk_entry_get_text(address_));
  if (!link) {
    fault = say(language_, Text::bad_address);
    gtk_widget_grab_focus(GTK_WIDGET(address_));
    return std::nullopt;
  }
  ServerEntry entry = entry_;
  entry.url = link->url;
  entry.token = text_of_entry(token_);
  entry.alias = text_of_entry(alias_);
  if (entry.alias.empty()) entry.alias = host_of(entry.url);
  if (!fault_of_token(entry.token).empty()) {
    fault = say(language_, Text::bad_token);
    gtk_widget_grab_focus(GTK_WIDGET(token_));
    return std::nullopt;
  }
  return entry;
}

void open_connect_dialog(GtkWindow* parent, Language language,
                         std::function<void(const ServerEntry&)> done) {
  GtkWidget* const dialog = gtk_dialog_new_with_buttons(
      say(language, Text::connect_title).c_str(), parent, GTK_DIALOG_MODAL,
      say(language, Text::cancel).c_str(), GTK_RESPONSE_CANCEL,
      say(language, Text::connect).c_str(), GTK_RESPONSE_ACCEPT, nullptr);
  ServerEntry entry;
  entry.id = new_server_id();
  auto* const open = new ConnectDialog{ServerFields(entry, language), dialog,
                                       GTK_LABEL(gtk_label_new(nullptr)), std::move(done)};
  g_object_set_data_full(G_OBJECT(dialog), "parley-fields", open,
                         [](gpointer data) { delete static_cast<ConnectDialog*>(data); });
  GtkWidget* const content = gtk_dialog_get_content_area(GTK_DIALOG(dialog));
  gtk_box_set_spacing(GTK_BOX(content), 12);
  gtk_container_set_border_width(GTK_CONTAINER(content), 16);
  GtkWidget* const hint = gtk_label_new(say(language, Text::connect_hint).c_str());
  gtk_label_set_xalign(GTK_LABEL(hint), 0);
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(open->fault)),
                              "parley-fault");
  gtk_container_add(GTK_CONTAINER(content), hint);
  gtk_container_add(GTK_CONTAINER(content), open->fields.widget());
  gtk_container_add(GTK_CONTAINER(content), GTK_WIDGET(open->fault));
  gtk_dialog_set_default_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT);
  open->fields.on_activate(
      [dialog] { gtk_dialog_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT); });
  connect<&ConnectDialog::on_response>(dialog, "response", open);
  gtk_widget_show_all(dialog);
}

}  // namespace parley::desktop
