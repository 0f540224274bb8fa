// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtk/gtk.h>

#include <cstddef>
#include <string>
#include <vector>

#include "programs/desktop/desktop_state.h"
#include "programs/desktop/texts.h"
#include "programs/desktop/waiting_list.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {

// A card of the merged list: an item and its server.
struct WaitingCard {
  std::size_t server = 0;  // index
  std::string alias;
  WaitingItem item;
};

class MainWindowHandler {
 public:
  virtual ~MainWindowHandler() = default;
  virtual void on_choose_waiting() = 0;
  virtual void on_choose_server(std::size_t index) = 0;
  virtual void on_choose_item(std::size_t server, const std::string& key) = 0;
  virtual void on_add_server() = 0;
  // The person closes the window.
  virtual void on_window_close() = 0;
  // The window was shown, hidden or given the focus.
  virtual void on_window_changed() = 0;
};

// The window: a list of servers at the left, if there are several, and the chosen page.
class MainWindow {
 public:
  MainWindow(GtkApplication* application, MainWindowHandler& handler, Language language);
  MainWindow(const MainWindow&) = delete;
  MainWindow& operator=(const MainWindow&) = delete;
  ~MainWindow();

  // Replaces the rows at the left. Call before the pages are added.
  void set_servers(const std::vector<ServerState>& servers);
  void update_servers(const std::vector<ServerState>& servers);
  void set_cards(const std::vector<WaitingCard>& cards);
  void add_page(std::size_t server, GtkWidget* page);
  void show_server(std::size_t server, const std::string& title);
  void show_waiting();
  void show_empty();

  // Brings the window to the front and gives it the focus.
  void present();
  // Brings the window up without taking the focus from the window in which a person types.
  void come_up(bool on_top);
  void hide();
  void end_on_top();
  bool visible() const;
  bool active() const;  // the window has the focus
  bool on_top() const { return on_top_; }
  GtkWindow* widget() const { return GTK_WINDOW(window_); }

  // Sets the size that the window has when it is not maximized; width() and height() return it.
  void restore(int width, int height, bool maximized);
  int width() const { return width_; }
  int height() const { return height_; }
  bool maximized() const;

 private:
  GtkWidget* build_header();
  GtkWidget* build_list();
  GtkWidget* build_cards();
  GtkWidget* build_empty();
  GtkWidget* build_row(const char* icon, const std::string& label);
  void fill_row(std::size_t row, const ServerState& server);
  void choose(const std::string& child, const std::string& title, int row);

  gboolean on_delete(GtkWidget* widget, GdkEvent* event);
  void on_row(GtkListBox* list, GtkListBoxRow* row);
  void on_card(GtkListBox* list, GtkListBoxRow* row);
  gboolean on_configure(GtkWidget* widget, GdkEvent* event);
  void on_active(GtkWindow* window, GParamSpec* property);

  MainWindowHandler& handler_;
  Language language_;
  GtkWidget* window_ = nullptr;
  GtkHeaderBar* header_ = nullptr;
  GtkWidget* sidebar_ = nullptr;
  GtkListBox* list_ = nullptr;
  GtkListBox* cards_ = nullptr;
  GtkStack* cards_or_hint_ = nullptr;
  GtkStack* pages_ = nullptr;
  std::vector<WaitingCard> shown_cards_;
  std::size_t total_cards_ = 0;
  int width_ = 0;
  int height_ = 0;
  bool on_top_ = false;
};

}  // namespace parley::desktop
