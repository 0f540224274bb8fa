// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include "programs/desktop/texts.h"
#include "programs/desktop/window/main_window.h"

namespace parley::desktop {

// One card: the server, the agent, the project, and the beginning of the text.
GtkWidget* build_waiting_card(const WaitingCard& card, Language language);

// A heading and a hint in the middle of an empty page.
GtkWidget* build_hint(const std::string& heading, const std::string& hint);

// The styles of the window; call once GTK has a display.
void install_styles();

}  // namespace parley::desktop
