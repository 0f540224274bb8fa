// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/window/waiting_card.h"

#include <string>
#include <string_view>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"

namespace parley::desktop {
namespace {

constexpr std::size_t kMaxCardText = 400;
constexpr int kCardLines = 3;
constexpr int kProseWidth = 72;

// Amber stands for "you are being asked", as in the console.
constexpr const char* kStyles = R"css(
.parley-card { padding: 12px 16px; border-radius: 10px; border: 1px solid alpha(@theme_fg_color, 0.14);
               background: @theme_base_color; }
.parley-cards, .parley-cards row, .parley-list { background: transparent; }
.parley-cards row { padding: 4px 12px; }
.parley-list row { padding: 8px 10px; border-radius: 6px; margin: 2px 6px; }
.parley-list row:selected { background: alpha(@theme_fg_color, 0.1); color: @theme_fg_color; }
.parley-label { font-size: 12px; font-weight: 600; padding: 1px 8px; border-radius: 6px;
                background: alpha(@theme_fg_color, 0.08); }
.parley-count { font-size: 12px; font-weight: 700; padding: 0 7px; border-radius: 9px;
                background: #e0900f; color: #23201b; }
.parley-dim { opacity: 0.72; font-size: 12px; }
.parley-heading { font-size: 18px; font-weight: 600; }
.parley-fault { color: #b42318; }
)css";

GtkWidget* label_of(const std::string& text, const char* style) {
  GtkWidget* const label = gtk_label_new(text.c_str());
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class(gtk_widget_get_style_context(label), style);
  return label;
}

std::string from_words(const WaitingItem& item, Language language) {
  std::string words = core::visible_line(item.agent);
  if (words.empty()) words = say(language, Text::some_agent);
  if (!item.project.empty()) words += " · " + core::visible_line(item.project);
  return words;
}

}  // namespace

GtkWidget* build_waiting_card(const WaitingCard& card, Language language) {
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_style_context_add_class(gtk_widget_get_style_context(box), "parley-card");
  GtkWidget* const head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  const Text kind = card.item.kind == WaitingKind::report ? Text::report : Text::question;
  gtk_box_pack_start(GTK_BOX(head), label_of(core::visible_line(card.alias), "parley-label"), FALSE,
                     FALSE, 0);
  gtk_box_pack_start(GTK_BOX(head), label_of(from_words(card.item, language), "parley-dim"), TRUE,
                     TRUE, 0);
  gtk_box_pack_end(GTK_BOX(head), label_of(say(language, kind), "parley-dim"), FALSE, FALSE, 0);
  const std::string text = core::visible_text(core::utf8_truncate(card.item.text, kMaxCardText));
  GtkWidget* const body = label_of(text, "parley-text");
  gtk_label_set_line_wrap(GTK_LABEL(body), TRUE);
  gtk_label_set_line_wrap_mode(GTK_LABEL(body), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines(GTK_LABEL(body), kCardLines);
  gtk_label_set_max_width_chars(GTK_LABEL(body), kProseWidth);
  gtk_container_add(GTK_CONTAINER(box), head);
  gtk_container_add(GTK_CONTAINER(box), body);
  return box;
}

GtkWidget* build_hint(const std::string& heading, const std::string& hint) {
  GtkWidget* const box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
  GtkWidget* const first = label_of(heading, "parley-heading");
  GtkWidget* const second = label_of(hint, "parley-dim");
  gtk_label_set_xalign(GTK_LABEL(first), 0.5F);
  gtk_label_set_xalign(GTK_LABEL(second), 0.5F);
  gtk_container_add(GTK_CONTAINER(box), first);
  gtk_container_add(GTK_CONTAINER(box), second);
  return box;
}

void install_styles() {
  const ObjectPtr<GtkCssProvider> styles(gtk_css_provider_new());
  gtk_css_provider_load_from_data(styles.get(), kStyles, -1, nullptr);
  gtk_style_context_add_provider_for_screen(gdk_screen_get_default(),
                                            GTK_STYLE_PROVIDER(styles.get()),
                                            GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

}  // namespace parley::desktop
