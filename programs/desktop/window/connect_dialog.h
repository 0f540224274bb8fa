// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include <functional>
#include <optional>
#include <string>

#include "programs/desktop/desktop_settings.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

// The fields of one server, with the check of the entered values.
class ServerFields {
 public:
  ServerFields(const ServerEntry& entry, Language language);

  GtkWidget* widget() const { return grid_; }
  // Returns the entry; or std::nullopt, with `fault` set and the focus in the field at fault.
  std::optional<ServerEntry> read(std::string& fault) const;
  // Runs `task` at each Return key in a field.
  void on_activate(std::function<void()> task);

 private:
  GtkEntry* add_field(Text label, const std::string& value, int row);

  ServerEntry entry_;
  Language language_;
  GtkWidget* grid_;
  GtkEntry* alias_;
  GtkEntry* address_;
  GtkEntry* token_;
};

// Asks for the address and the token of a server. The dialog closes itself after a valid entry or
// when the person cancels; a fault is shown and the fields keep their texts.
void open_connect_dialog(GtkWindow* parent, Language language,
                         std::function<void(const ServerEntry&)> done);

// A new id for an entry.
std::string new_server_id();

}  // namespace parley::desktop
