// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/icons.h"

#include <gtk/gtk.h>

#include "base/core/private_files.h"
#include "desktop_icon_files.h"

namespace parley::desktop {

std::string install_icons() {
  std::string folder = std::string(g_get_user_runtime_dir()) + "/parley-desktop";
  if (core::make_private_folder(folder)) {
    for (const auto& [name, text] : kIconFiles) {
      // A missing icon is no reason not to start: GTK and trays show a blank one.
      std::string file = folder;
      file.append("/").append(name).append(".svg");
      (void)core::write_private_file(file, text);
    }
  }
  gtk_icon_theme_append_search_path(gtk_icon_theme_get_default(), folder.c_str());
  gtk_window_set_default_icon_name(kAppIcon);
  return folder;
}

const char* icon_of(TrayState state) {
  switch (state) {
    case TrayState::asking:
      return "parley-asking";
    case TrayState::connected:
      return "parley-connected";
    case TrayState::offline:
      break;
  }
  return "parley-offline";
}

}  // namespace parley::desktop
