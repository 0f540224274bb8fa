// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include <functional>
#include <string>
#include <vector>

#include "programs/desktop/desktop_settings.h"
#include "programs/desktop/link_frames.h"
#include "programs/desktop/texts.h"

namespace parley::desktop {

struct SettingsDialogInput {
  DesktopSettings settings;
  Language language = Language::english;
  std::string computer_name;          // stands for an empty nickname
  std::vector<TypingWindow> windows;  // the open windows
};

// Shows the settings. `save` is called with the new ones when the person saves.
GtkWidget* open_settings_dialog(GtkWindow* parent, const SettingsDialogInput& input,
                                std::function<void(const DesktopSettings&)> save);

}  // namespace parley::desktop
