// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/main_window.h"

#include <algorithm>
#include <string_view>

#include "programs/desktop/window/icons.h"
#include "programs/desktop/window/tray.h"
#include "programs/desktop/window/waiting_card.h"

namespace parley::desktop {
namespace {

constexpr const char* kWaitingChild = "waiting";
constexpr const char* kEmptyChild = "empty";
constexpr const char* kCardsChild = "cards";
constexpr const char* kCountName = "count";
constexpr const char* kIconName = "icon";
constexpr int kSidebarWidth = 200;
// More cards than a person reads. Each costs GTK a layout.
constexpr std::size_t kMaxCards = 200;

std::string child_of(std::size_t server) { return "server-" + std::to_string(server); }

void set_part(GtkWidget* row, const char* name, GtkWidget* part) {
  g_object_set_data(G_OBJECT(row), name, part);
}

GtkWidget* part_of(GtkWidget* row, const char* name) {
  return GTK_WIDGET(g_object_get_data(G_OBJECT(row), name));
}

void show_count(GtkWidget* row, std::size_t count) {
  GtkWidget* const label = part_of(row, kCountName);
  gtk_label_set_text(GTK_LABEL(label), std::to_string(count).c_str());
  gtk_widget_set_visible(label, count > 0 ? TRUE : FALSE);
}

void remove_children(GtkContainer* container) {
  gtk_container_foreach(
      container, [](GtkWidget* child, gpointer) { gtk_widget_destroy(child); }, nullptr);
}

}  // namespace

MainWindow::MainWindow(GtkApplication* application, MainWindowHandler& handler, Language language)
    : handler_(handler), language_(language), window_(gtk_application_window_new(application)) {
  gtk_window_set_title(GTK_WINDOW(window_), "Parley");
  gtk_window_set_titlebar(GTK_WINDOW(window_), build_header());
  GtkWidget* const columns = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  sidebar_ = build_list();
  pages_ = GTK_STACK(gtk_stack_new());
  gtk_stack_add_named(pages_, build_cards(), kWaitingChild);
  gtk_stack_add_named(pages_, build_empty(), kEmptyChild);
  gtk_box_pack_start(GTK_BOX(columns), sidebar_, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(columns), GTK_WIDGET(pages_), TRUE, TRUE, 0);
  gtk_container_add(GTK_CONTAINER(window_), columns);
  gtk_widget_show_all(columns);
  connect<&MainWindow::on_delete>(window_, "delete-event", this);
  connect<&MainWindow::on_configure>(window_, "configure-event", this);
  connect<&MainWindow::on_active>(window_, "notify::is-active", this);
}

MainWindow::~MainWindow() {
  disconnect(window_, this);
  gtk_widget_destroy(window_);
}

GtkWidget* MainWindow::build_header() {
  GtkWidget* const header = gtk_header_bar_new();
  header_ = GTK_HEADER_BAR(header);
  gtk_header_bar_set_show_close_button(header_, TRUE);
  gtk_header_bar_set_title(header_, "Parley");
  GtkWidget* const button = gtk_menu_button_new();
  gtk_button_set_image(GTK_BUTTON(button),
                       gtk_image_new_from_icon_name("open-menu-symbolic", GTK_ICON_SIZE_BUTTON));
  const ObjectPtr<GMenu> menu(g_menu_new());
  const std::pair<Text, const char*> entries[] = {{Text::reload, "app.reload"},
                                                  {Text::pause, "app.pause"},
                                                  {Text::typing, "app.typing"},
                                                  {Text::settings, "app.settings"},
                                                  {Text::quit, "app.quit"}};
  for (const auto& [text, action] : entries) {
    g_menu_append(menu.get(), say(language_, text).c_str(), action);
  }
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu.get()));
  gtk_header_bar_pack_end(header_, button);
  gtk_widget_show_all(header);
  return header;
}

GtkWidget* MainWindow::build_list() {
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget* const scroll = gtk_scrolled_window_new(nullptr, nullptr);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroll), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request(scroll, kSidebarWidth, -1);
  GtkWidget* const list = gtk_list_box_new();
  gtk_widget_set_margin_top(list, 4);
  gtk_style_context_add_class(gtk_widget_get_style_context(list), "parley-list");
  list_ = GTK_LIST_BOX(list);
  connect<&MainWindow::on_row>(list, "row-activated", this);
  gtk_container_add(GTK_CONTAINER(scroll), list);
  gtk_box_pack_start(GTK_BOX(box), scroll, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(box), gtk_separator_new(GTK_ORIENTATION_VERTICAL), FALSE, FALSE, 0);
  return box;
}

GtkWidget* MainWindow::build_cards() {
  GtkWidget* const stack = gtk_stack_new();
  cards_or_hint_ = GTK_STACK(stack);
  GtkWidget* const scroll = gtk_scrolled_window_new(nullptr, nullptr);
  GtkWidget* const list = gtk_list_box_new();
  gtk_widget_set_margin_top(list, 8);
  gtk_widget_set_margin_bottom(list, 8);
  gtk_style_context_add_class(gtk_widget_get_style_context(list), "parley-cards");
  gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
  cards_ = GTK_LIST_BOX(list);
  connect<&MainWindow::on_card>(list, "row-activated", this);
  gtk_container_add(GTK_CONTAINER(scroll), list);
  gtk_stack_add_named(
      cards_or_hint_,
      build_hint(say(language_, Text::nothing_waits), say(language_, Text::nothing_waits_hint)),
      kEmptyChild);
  gtk_stack_add_named(cards_or_hint_, scroll, kCardsChild);
  return stack;
}

GtkWidget* MainWindow::build_empty() {
  GtkWidget* const box =
      build_hint(say(language_, Text::no_servers), say(language_, Text::connect_hint));
  GtkWidget* const add = gtk_button_new_with_label(say(language_, Text::add).c_str());
  gtk_widget_set_halign(add, GTK_ALIGN_CENTER);
  connect_task(add, "clicked", [this] { handler_.on_add_server(); });
  gtk_container_add(GTK_CONTAINER(box), add);
  return box;
}

GtkWidget* MainWindow::build_row(const char* icon, const std::string& label) {
  GtkWidget* const row = gtk_list_box_row_new();
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget* const image = gtk_image_new_from_icon_name(icon, GTK_ICON_SIZE_LARGE_TOOLBAR);
  GtkWidget* const name = gtk_label_new(label.c_str());
  gtk_label_set_xalign(GTK_LABEL(name), 0);
  gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_END);
  GtkWidget* const count = gtk_label_new(nullptr);
  gtk_style_context_add_class(gtk_widget_get_style_context(count), "parley-count");
  gtk_widget_set_valign(count, GTK_ALIGN_CENTER);
  gtk_box_pack_start(GTK_BOX(box), image, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(box), name, TRUE, TRUE, 0);
  gtk_box_pack_end(GTK_BOX(box), count, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(row), box);
  set_part(row, kIconName, image);
  set_part(row, kCountName, count);
  gtk_widget_show_all(row);
  gtk_container_add(GTK_CONTAINER(list_), row);
  return row;
}

void MainWindow::set_servers(const std::vector<ServerState>& servers) {
  remove_children(GTK_CONTAINER(list_));
  build_row("mail-unread-symbolic", say(language_, Text::waiting));
  for (const ServerState& server : servers) {
    build_row(icon_of(TrayState::offline), server.alias);
  }
  gtk_widget_set_visible(sidebar_, servers.size() > 1 ? TRUE : FALSE);
  update_servers(servers);
}

void MainWindow::fill_row(std::size_t row, const ServerState& server) {
  GtkWidget* const widget = GTK_WIDGET(gtk_list_box_get_row_at_index(list_, static_cast<int>(row)));
  gtk_image_set_from_icon_name(GTK_IMAGE(part_of(widget, kIconName)), icon_of(tray_state({server})),
                               GTK_ICON_SIZE_LARGE_TOOLBAR);
  gtk_widget_set_tooltip_text(widget, server_words(server, language_).c_str());
  show_count(widget, server.waiting);
}

void MainWindow::update_servers(const std::vector<ServerState>& servers) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    fill_row(i + 1, servers[i]);
    total += servers[i].waiting;
  }
  show_count(GTK_WIDGET(gtk_list_box_get_row_at_index(list_, 0)), total);
}

void MainWindow::set_cards(const std::vector<WaitingCard>& cards) {
  const auto same = [](const WaitingCard& one, const WaitingCard& two) {
    return one.server == two.server && one.item.key == two.item.key && one.alias == two.alias;
  };
  const std::size_t shown = std::min(cards.size(), kMaxCards);
  if (cards.size() == total_cards_ && shown == shown_cards_.size() &&
      std::equal(shown_cards_.begin(), shown_cards_.end(), cards.begin(), same)) {
    return;
  }
  total_cards_ = cards.size();
  shown_cards_.assign(cards.begin(), cards.begin() + static_cast<std::ptrdiff_t>(shown));
  remove_children(GTK_CONTAINER(cards_));
  for (const WaitingCard& card : shown_cards_) {
    gtk_container_add(GTK_CONTAINER(cards_), build_waiting_card(card, language_));
  }
  if (shown < cards.size()) {
    const std::string rest = std::to_string(cards.size() - shown);
    gtk_container_add(GTK_CONTAINER(cards_),
                      gtk_label_new(say(language_, Text::more_wait, rest).c_str()));
  }
  gtk_widget_show_all(GTK_WIDGET(cards_));
  gtk_stack_set_visible_child_name(cards_or_hint_, cards.empty() ? kEmptyChild : kCardsChild);
}

void MainWindow::add_page(std::size_t server, GtkWidget* page) {
  gtk_stack_add_named(pages_, page, child_of(server).c_str());
  gtk_widget_show(page);
}

void MainWindow::choose(const std::string& child, const std::string& title, int row) {
  gtk_stack_set_visible_child_name(pages_, child.c_str());
  gtk_header_bar_set_title(header_, title.c_str());
  if (row >= 0) gtk_list_box_select_row(list_, gtk_list_box_get_row_at_index(list_, row));
}

void MainWindow::show_server(std::size_t server, const std::string& title) {
  choose(child_of(server), title, static_cast<int>(server) + 1);
}

void MainWindow::show_waiting() { choose(kWaitingChild, say(language_, Text::waiting), 0); }

void MainWindow::show_empty() { choose(kEmptyChild, "Parley", -1); }

gboolean MainWindow::on_delete(GtkWidget* /*widget*/, GdkEvent* /*event*/) {
  handler_.on_window_close();
  return TRUE;
}

void MainWindow::on_row(GtkListBox* /*list*/, GtkListBoxRow* row) {
  const int index = gtk_list_box_row_get_index(row);
  if (index == 0) {
    handler_.on_choose_waiting();
  } else {
    handler_.on_choose_server(static_cast<std::size_t>(index - 1));
  }
}

void MainWindow::on_card(GtkListBox* /*list*/, GtkListBoxRow* row) {
  const auto index = static_cast<std::size_t>(gtk_list_box_row_get_index(row));
  if (index >= shown_cards_.size()) return;
  const WaitingCard card = shown_cards_[index];
  handler_.on_choose_item(card.server, card.item.key);
}

}  // namespace parley::desktop
