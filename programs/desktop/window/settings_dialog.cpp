// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/settings_dialog.h"

#include <initializer_list>
#include <memory>
#include <utility>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "programs/desktop/window/connect_dialog.h"
#include "programs/desktop/window/glib_object.h"

namespace parley::desktop {
namespace {

constexpr int kServerListHeight = 320;
constexpr std::size_t kMaxTitleBytes = 60;

// The open dialog; freed with its widget.
class SettingsDialog {
 public:
  SettingsDialog(GtkWidget* dialog, const SettingsDialogInput& input,
                 std::function<void(const DesktopSettings&)> save)
      : dialog_(dialog), input_(input), save_(std::move(save)) {}

  void build();
  void on_response(GtkDialog* dialog, gint response);

 private:
  struct Row {
    std::unique_ptr<ServerFields> fields;
    GtkWidget* frame;
    GtkWidget* enabled;
  };

  GtkWidget* build_general();
  GtkWidget* build_servers();
  void add_server(const ServerEntry& entry);
  GtkWidget* add_choice(GtkGrid* grid, int row, Text label,
                        const std::vector<std::pair<std::string, std::string>>& choices,
                        const std::string& chosen);
  GtkWidget* add_check(GtkGrid* grid, int row, Text label, bool on);
  GtkWidget* add_attention(GtkGrid* grid, int row, Text label, Attention chosen);
  GtkWidget* add_windows(GtkGrid* grid, int row);
  bool read_servers(DesktopSettings& settings);
  std::string word(Text text) const { return say(input_.language, text); }

  GtkWidget* dialog_;
  SettingsDialogInput input_;
  std::function<void(const DesktopSettings&)> save_;
  std::vector<Row> rows_;
  GtkWidget* tabs_ = nullptr;
  GtkWidget* servers_ = nullptr;
  GtkLabel* fault_ = nullptr;
  GtkWidget* on_question_ = nullptr;
  GtkWidget* on_report_ = nullptr;
  GtkWidget* close_to_tray_ = nullptr;
  GtkWidget* autostart_ = nullptr;
  GtkWidget* language_ = nullptr;
  GtkWidget* typing_ = nullptr;
  GtkWidget* window_ = nullptr;
  GtkEntry* nickname_ = nullptr;
};

bool is_checked(GtkWidget* check) {
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(check)) != FALSE;
}

int chosen_in(GtkWidget* choice) { return gtk_combo_box_get_active(GTK_COMBO_BOX(choice)); }

GtkGrid* new_grid() {
  GtkWidget* const grid = gtk_grid_new();
  gtk_grid_set_row_spacing(GTK_GRID(grid), 10);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 16);
  gtk_container_set_border_width(GTK_CONTAINER(grid), 16);
  return GTK_GRID(grid);
}

void add_label(GtkGrid* grid, int row, const std::string& text) {
  GtkWidget* const label = gtk_label_new(text.c_str());
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_grid_attach(grid, label, 0, row, 1, 1);
}

GtkWidget* SettingsDialog::add_choice(
    GtkGrid* grid, int row, Text label,
    const std::vector<std::pair<std::string, std::string>>& choices, const std::string& chosen) {
  add_label(grid, row, word(label));
  GtkWidget* const box = gtk_combo_box_text_new();
  for (const auto& [id, text] : choices) {
    gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(box), id.c_str(), text.c_str());
  }
  gtk_combo_box_set_active_id(GTK_COMBO_BOX(box), chosen.c_str());
  gtk_widget_set_hexpand(box, TRUE);
  gtk_grid_attach(grid, box, 1, row, 1, 1);
  return box;
}

GtkWidget* SettingsDialog::add_check(GtkGrid* grid, int row, Text label, bool on) {
  GtkWidget* const check = gtk_check_button_new_with_label(word(label).c_str());
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(check), on ? TRUE : FALSE);
  gtk_grid_attach(grid, check, 0, row, 2, 1);
  return check;
}

GtkWidget* SettingsDialog::add_attention(GtkGrid* grid, int row, Text label, Attention chosen) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const auto& [attention, text] : {std::pair(Attention::none, Text::attention_none),
                                        std::pair(Attention::tray, Text::attention_tray),
                                        std::pair(Attention::popup, Text::attention_popup),
                                        std::pair(Attention::popup_on_top, Text::attention_top)}) {
    choices.emplace_back(attention_name(attention), word(text));
  }
  return add_choice(grid, row, label, choices, std::string(attention_name(chosen)));
}

// The ids are titles, because the numbers of windows change. A chosen window that is not open now
// stays chosen.
GtkWidget* SettingsDialog::add_windows(GtkGrid* grid, int row) {
  const std::string& chosen = input_.settings.typing_window;
  std::vector<std::pair<std::string, std::string>> choices = {{"", word(Text::focused_window)}};
  bool is_open = chosen.empty();
  for (const TypingWindow& window : input_.windows) {
    if (window.title.empty()) continue;
    is_open = is_open || window.title == chosen;
    choices.emplace_back(window.title,
                         core::visible_line(core::utf8_truncate(window.title, kMaxTitleBytes)));
  }
  if (!is_open) choices.emplace_back(chosen, core::visible_line(chosen));
  return add_choice(grid, row, Text::typing_into, choices, chosen);
}

GtkWidget* SettingsDialog::build_general() {
  const DesktopSettings& now = input_.settings;
  GtkGrid* const grid = new_grid();
  on_question_ = add_attention(grid, 0, Text::on_question, now.on_question);
  on_report_ = add_attention(grid, 1, Text::on_report, now.on_report);
  close_to_tray_ = add_check(grid, 2, Text::close_to_tray, now.close_to_tray);
  autostart_ = add_check(grid, 3, Text::autostart, now.autostart);
  language_ = add_choice(grid, 4, Text::language,
                         {{"0", word(Text::automatic)}, {"1", "English"}, {"2", "中文"}},
                         std::to_string(static_cast<int>(now.language)));
  add_label(grid, 5, word(Text::computer_name));
  nickname_ = GTK_ENTRY(gtk_entry_new());
  gtk_entry_set_text(nickname_, now.nickname.c_str());
  gtk_entry_set_placeholder_text(nickname_, input_.computer_name.c_str());
  gtk_entry_set_max_length(nickname_, 40);
  gtk_grid_attach(grid, GTK_WIDGET(nickname_), 1, 5, 1, 1);
  gtk_grid_attach(grid, gtk_separator_new(GTK_ORIENTATION_HORIZONTAL), 0, 6, 2, 1);
  typing_ = add_check(grid, 7, Text::typing, now.typing);
  const std::string name = now.nickname.empty() ? input_.computer_name : now.nickname;
  GtkWidget* const hint = gtk_label_new(say(input_.language, Text::typing_hint, name).c_str());
  gtk_label_set_xalign(GTK_LABEL(hint), 0);
  gtk_label_set_line_wrap(GTK_LABEL(hint), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(hint), 56);
  gtk_style_context_add_class(gtk_widget_get_style_context(hint), "parley-dim");
  gtk_grid_attach(grid, hint, 0, 8, 2, 1);
  window_ = add_windows(grid, 9);
  return GTK_WIDGET(grid);
}

GtkWidget* SettingsDialog::build_servers() {
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  gtk_container_set_border_width(GTK_CONTAINER(box), 16);
  GtkWidget* const scroll = gtk_scrolled_window_new(nullptr, nullptr);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroll), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request(scroll, -1, kServerListHeight);
  servers_ = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  gtk_container_add(GTK_CONTAINER(scroll), servers_);
  gtk_box_pack_start(GTK_BOX(box), scroll, TRUE, TRUE, 0);
  GtkWidget* const add = gtk_button_new_with_label(word(Text::add).c_str());
  gtk_widget_set_halign(add, GTK_ALIGN_START);
  connect_task(add, "clicked", [this] {
    ServerEntry entry;
    entry.id = new_server_id();
    add_server(entry);
  });
  gtk_box_pack_start(GTK_BOX(box), add, FALSE, FALSE, 0);
  for (const ServerEntry& entry : input_.settings.servers) add_server(entry);
  return box;
}

void SettingsDialog::add_server(const ServerEntry& entry) {
  if (rows_.size() >= kMaxServers) {
    const std::string most = std::to_string(kMaxServers);
    gtk_label_set_text(fault_, say(input_.language, Text::too_many_servers, most).c_str());
    return;
  }
  Row row;
  row.fields = std::make_unique<ServerFields>(entry, input_.language);
  row.frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_style_context_add_class(gtk_widget_get_style_context(row.frame), "parley-card");
  GtkWidget* const foot = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  row.enabled = gtk_check_button_new_with_label(word(Text::enabled).c_str());
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(row.enabled), entry.enabled ? TRUE : FALSE);
  GtkWidget* const remove = gtk_button_new_with_label(word(Text::remove).c_str());
  GtkWidget* const frame = row.frame;
  connect_task(remove, "clicked", [this, frame] {
    std::erase_if(rows_, [&](const Row& each) { return each.frame == frame; });
    gtk_widget_hide(frame);  // destroyed with the dialog: its button is being clicked
  });
  gtk_box_pack_start(GTK_BOX(foot), row.enabled, FALSE, FALSE, 0);
  gtk_box_pack_end(GTK_BOX(foot), remove, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(row.frame), row.fields->widget());
  gtk_container_add(GTK_CONTAINER(row.frame), foot);
  gtk_box_pack_start(GTK_BOX(servers_), row.frame, FALSE, FALSE, 0);
  gtk_widget_show_all(row.frame);
  rows_.push_back(std::move(row));
}

void SettingsDialog::build() {
  GtkWidget* const content = gtk_dialog_get_content_area(GTK_DIALOG(dialog_));
  fault_ = GTK_LABEL(gtk_label_new(nullptr));
  gtk_style_context_add_class(gtk_widget_get_style_context(GTK_WIDGET(fault_)), "parley-fault");
  tabs_ = gtk_notebook_new();
  gtk_notebook_append_page(GTK_NOTEBOOK(tabs_), build_general(),
                           gtk_label_new(word(Text::settings).c_str()));
  gtk_notebook_append_page(GTK_NOTEBOOK(tabs_), build_servers(),
                           gtk_label_new(word(Text::servers).c_str()));
  gtk_container_add(GTK_CONTAINER(content), tabs_);
  gtk_container_add(GTK_CONTAINER(content), GTK_WIDGET(fault_));
  connect<&SettingsDialog::on_response>(dialog_, "response", this);
}

bool SettingsDialog::read_servers(DesktopSettings& settings) {
  settings.servers.clear();
  for (const Row& row : rows_) {
    std::string fault;
    std::optional<ServerEntry> entry = row.fields->read(fault);
    if (!entry) {
      gtk_notebook_set_current_page(GTK_NOTEBOOK(tabs_), 1);
      row.fields->read(fault);  // its page is shown now, so its field takes the focus
      gtk_label_set_text(fault_, fault.c_str());
      return false;
    }
    entry->enabled = is_checked(row.enabled);
    settings.servers.push_back(std::move(*entry));
  }
  return true;
}

void SettingsDialog::on_response(GtkDialog* /*dialog*/, gint response) {
  if (response == GTK_RESPONSE_ACCEPT) {
    DesktopSettings settings = input_.settings;
    if (!read_servers(settings)) return;
    settings.on_question = static_cast<Attention>(chosen_in(on_question_));
    settings.on_report = static_cast<Attention>(chosen_in(on_report_));
    settings.close_to_tray = is_checked(close_to_tray_);
    settings.autostart = is_checked(autostart_);
    settings.language = static_cast<LanguageChoice>(chosen_in(language_));
    settings.nickname = gtk_entry_get_text(nickname_);
    settings.typing = is_checked(typing_);
    settings.typing_window = text_or_empty(gtk_combo_box_get_active_id(GTK_COMBO_BOX(window_)));
    const auto save = save_;
    gtk_widget_destroy(dialog_);
    save(settings);
    return;
  }
  gtk_widget_destroy(dialog_);
}

}  // namespace

GtkWidget* open_settings_dialog(GtkWindow* parent, const SettingsDialogInput& input,
                                std::function<void(const DesktopSettings&)> save) {
  GtkWidget* const dialog = gtk_dialog_new_with_buttons(
      say(input.language, Text::settings).c_str(), parent, GTK_DIALOG_DESTROY_WITH_PARENT,
      say(input.language, Text::cancel).c_str(), GTK_RESPONSE_CANCEL,
      say(input.language, Text::save).c_str(), GTK_RESPONSE_ACCEPT, nullptr);
  auto* const open = new SettingsDialog(dialog, input, std::move(save));
  g_object_set_data_full(G_OBJECT(dialog), "parley-settings", open,
                         [](gpointer data) { delete static_cast<SettingsDialog*>(data); });
  open->build();
  gtk_widget_show_all(dialog);
  return dialog;
}

}  // namespace parley::desktop
