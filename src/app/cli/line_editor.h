// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <histedit.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/mcp/signal_watch.h"
#include "base/http_client/curl_loop.h"

namespace parley::app {

// The lines that a person entered at a prompt, oldest first, in a file of mode 0600 with one JSON
// string per line. Several processes may use one file; of concurrent additions one may be lost.
class LineHistory {
 public:
  // add() creates the file and its folder if they are missing. An empty path: no line is kept.
  explicit LineHistory(std::string path) : path_(std::move(path)) {}

  // The lines of the file, without damaged ones; empty if it cannot be read.
  std::vector<std::string> load() const;
  // Adds a line, and drops the oldest line above kMaxLines. False: the line is not kept, because it
  // is blank, longer than kMaxLineBytes or equal to the line before, or the file cannot be written.
  bool add(std::string_view line) const;

  // Limit (Runs): lines of history of `parley run -i`. Reached: the oldest are dropped.
  static constexpr std::size_t kMaxLines = 500;
  // Limit (Runs): a line of that history. Reached: not kept.
  static constexpr std::size_t kMaxLineBytes = 8U << 10U;

 private:
  std::string path_;
};

// Reads lines that a person edits at a terminal, with the keys of libedit and a history. A paste
// that the terminal marks (bracketed paste) is inserted into the line with its line breaks. read()
// blocks and runs the loop while it waits; only during read() the terminal is in the editor's mode.
// Used on the thread of `loop`.
class LineEditor {
 public:
  // Reads from the standard input and writes to the terminal `out`. `loop`, `signals` and `out`
  // must outlive this object.
  LineEditor(http_client::CurlLoop& loop, const mcp::SignalWatch& signals, std::FILE* out,
             LineHistory history);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  struct Line {
    std::optional<std::string> text;  // UTF-8; std::nullopt: the end of the input (^D), or a signal
    int signal = 0;                   // signal that ended the call; the line so far is dropped
  };
  // Shows `prompt`, reads a line and keeps it in the history.
  Line read(std::wstring prompt);

  // A line is entered when it reaches this length; the rest of a longer paste is dropped.
  // Limit (Runs): characters of a line of `parley run -i` at a terminal. Reached: the rest of a
  // paste is dropped; of a typed line it is the next line.
  static constexpr std::size_t kMaxLineCharacters = 4U << 20U;

 private:
  struct FreeEditor {
    void operator()(EditLine* editor) const { ::el_end(editor); }
  };
  struct FreeHistory {
    void operator()(HistoryW* history) const { ::history_wend(history); }
  };

  static LineEditor& of(EditLine* editor);
  static int on_read(EditLine* editor, wchar_t* character);
  static unsigned char on_paste(EditLine* editor, wint_t key);
  static wchar_t* on_prompt(EditLine* editor);

  void remember(std::string_view line);
  bool next_character(wchar_t& character);
  bool next_byte(char& byte);
  std::wstring read_paste();

  http_client::CurlLoop& loop_;
  const mcp::SignalWatch& signals_;
  std::FILE* const out_;
  const LineHistory kept_;
  std::unique_ptr<HistoryW, FreeHistory> history_;
  std::unique_ptr<EditLine, FreeEditor> editor_;
  bool marks_pastes_ = false;
  std::wstring prompt_;
  std::string typed_;  // bytes that were read; those from typed_at_ on are unused
  std::size_t typed_at_ = 0;
  std::mbstate_t cut_{};        // state of an incomplete UTF-8 character
  std::size_t characters_ = 0;  // characters typed in this line
  bool ended_ = false;
  int signal_ = 0;
  std::exception_ptr thrown_;  // exception caught within libedit; rethrown by read()
};

}  // namespace parley::app
