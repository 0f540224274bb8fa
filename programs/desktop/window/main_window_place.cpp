// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// MainWindow: visibility, size, and place in front of other windows.
#include <gdk/gdk.h>

#include "programs/desktop/window/main_window.h"

namespace parley::desktop {

void MainWindow::restore(int width, int height, bool maximized) {
  width_ = width;
  height_ = height;
  gtk_window_set_default_size(GTK_WINDOW(window_), width, height);
  if (maximized) gtk_window_maximize(GTK_WINDOW(window_));
}

bool MainWindow::maximized() const { return gtk_window_is_maximized(GTK_WINDOW(window_)) != FALSE; }

gboolean MainWindow::on_configure(GtkWidget* /*widget*/, GdkEvent* /*event*/) {
  if (!maximized()) gtk_window_get_size(GTK_WINDOW(window_), &width_, &height_);
  return FALSE;
}

void MainWindow::present() {
  gtk_widget_show(window_);
  gtk_window_present(GTK_WINDOW(window_));
  handler_.on_window_changed();
}

void MainWindow::come_up(bool on_top) {
  if (active()) return;
  if (on_top) {
    on_top_ = true;
    gtk_window_set_keep_above(GTK_WINDOW(window_), TRUE);
  }
  gtk_window_set_focus_on_map(GTK_WINDOW(window_), FALSE);
  gtk_widget_show(window_);
  gtk_window_deiconify(GTK_WINDOW(window_));
  gtk_window_set_urgency_hint(GTK_WINDOW(window_), TRUE);
  if (GdkWindow* const surface = gtk_widget_get_window(window_)) gdk_window_raise(surface);
  gtk_window_set_focus_on_map(GTK_WINDOW(window_), TRUE);
  handler_.on_window_changed();
}

void MainWindow::hide() {
  end_on_top();
  gtk_widget_hide(window_);
  handler_.on_window_changed();
}

void MainWindow::end_on_top() {
  if (!on_top_) return;
  on_top_ = false;
  gtk_window_set_keep_above(GTK_WINDOW(window_), FALSE);
}

bool MainWindow::visible() const { return gtk_widget_get_visible(window_) != FALSE; }

bool MainWindow::active() const { return gtk_window_is_active(GTK_WINDOW(window_)) != FALSE; }

void MainWindow::on_active(GtkWindow* /*window*/, GParamSpec* /*property*/) {
  if (active()) gtk_window_set_urgency_hint(GTK_WINDOW(window_), FALSE);
  handler_.on_window_changed();
}

}  // namespace parley::desktop
