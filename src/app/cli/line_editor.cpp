// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/line_editor.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"

namespace parley::app {

namespace {

// Largest valid file: a byte of a line takes up to six bytes ("\u0001"). A larger file is not read.
constexpr std::size_t kMaxHistoryFileBytes =
    LineHistory::kMaxLines * (6 * LineHistory::kMaxLineBytes + 3);

}  // namespace

std::vector<std::string> LineHistory::load() const {
  std::vector<std::string> lines;
  std::error_code error;
  if (path_.empty() || std::filesystem::file_size(path_, error) > kMaxHistoryFileBytes || error) {
    return lines;
  }
  std::ifstream in(path_, std::ios::binary);
  for (std::string row; std::getline(in, row);) {
    boost::system::error_code unreadable;
    const boost::json::value line = boost::json::parse(row, unreadable);
    if (!unreadable && line.is_string()) lines.emplace_back(line.get_string());
  }
  if (lines.size() > kMaxLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMaxLines));
  }
  return lines;
}

bool LineHistory::add(std::string_view line) const {
  if (path_.empty() || line.size() > kMaxLineBytes || core::trimmed(line).empty()) return false;
  std::vector<std::string> lines = load();
  if (!lines.empty() && lines.back() == line) return false;
  lines.emplace_back(line);
  if (lines.size() > kMaxLines) lines.erase(lines.begin());
  std::string text;
  for (const std::string& each : lines) {
    core::append_json_string(text, each);
    text += '\n';
  }
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  return core::make_private_folder(folder).has_value() &&
         core::write_private_file(path_, text).has_value();
}

namespace {

constexpr core::Millis kEditTurn{1'000};
constexpr wchar_t kReplacementLetter = L'\ufffd';
constexpr std::wstring_view kPasteEnd = L"\x1b[201~";

// Sets this thread's character encoding to UTF-8 until destruction, independent of the environment:
// libedit takes widths and bytes of characters from the locale.
class Utf8Locale {
 public:
  Utf8Locale() : own_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)), before_(::uselocale(own_)) {}
  ~Utf8Locale() {
    ::uselocale(before_);
    if (own_ != nullptr) ::freelocale(own_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t own_;
  locale_t before_;
};

// wide_of() and utf8_of() need a Utf8Locale.
std::wstring wide_of(std::string_view text) {
  std::wstring out;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t letter = kReplacementLetter;
    const std::size_t used = std::mbrtowc(&letter, text.data(), text.size(), &state);
    const bool good = used != 0 && used <= text.size();
    out += good ? letter : kReplacementLetter;
    text.remove_prefix(good ? used : 1);
    if (!good) state = {};
  }
  return out;
}

std::string utf8_of(std::wstring_view text) {
  std::string out;
  std::mbstate_t state{};
  for (const wchar_t letter : text) {
    std::array<char, MB_LEN_MAX> bytes{};
    const std::size_t size = std::wcrtomb(bytes.data(), letter, &state);
    if (size <= bytes.size()) out.append(bytes.data(), size);
  }
  return out;
}

}  // namespace

LineEditor::LineEditor(http_client::CurlLoop& loop, const mcp::SignalWatch& signals, std::FILE* out,
                       LineHistory history)
    : loop_(loop), signals_(signals), out_(out), kept_(std::move(history)) {
  const Utf8Locale utf8;
  history_.reset(::history_winit());
  editor_.reset(::el_init("parley", stdin, out_, out_));
  if (!history_ || !editor_) throw std::bad_alloc();
  HistEventW event{};
  ::history_w(history_.get(), &event, H_SETSIZE, static_cast<int>(LineHistory::kMaxLines));
  ::history_w(history_.get(), &event, H_SETUNIQUE, 1);
  for (const std::string& line : kept_.load()) remember(line);
  EditLine* const editor = editor_.get();
  ::el_wset(editor, EL_CLIENTDATA, this);
  ::el_wset(editor, EL_PROMPT, &LineEditor::on_prompt);
  ::el_wset(editor, EL_GETCFN, &LineEditor::on_read);
  ::el_wset(editor, EL_EDITOR, L"emacs");
  ::el_wset(editor, EL_HIST, &::history_w, history_.get());
  ::el_wset(editor, EL_BIND, L"^R", L"em-inc-search-prev", nullptr);
  ::el_wset(editor, EL_ADDFN, L"paste-text", L"Inserts a paste that the terminal marks",
            &LineEditor::on_paste);
  ::el_wset(editor, EL_BIND, L"\\e[200~", L"paste-text", nullptr);
  const char* terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  marks_pastes_ = terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
}

LineEditor::~LineEditor() = default;

LineEditor& LineEditor::of(EditLine* editor) {
  void* self = nullptr;
  ::el_wget(editor, EL_CLIENTDATA, &self);
  return *static_cast<LineEditor*>(self);
}

LineEditor::Line LineEditor::read(std::wstring prompt) {
  const Utf8Locale utf8;
  prompt_ = std::move(prompt);
  characters_ = 0;
  signal_ = 0;
  ended_ = false;
  ::el_resize(editor_.get());
  // Sets the terminal's mode before the prompt is shown, so that the editor gets the first keys
  // too.
  ::el_wset(editor_.get(), EL_PREP_TERM, 1);
  if (marks_pastes_) std::fputs("\x1b[?2004h", out_);
  int size = 0;
  const wchar_t* const line = ::el_wgets(editor_.get(), &size);
  if (marks_pastes_) std::fputs("\x1b[?2004l", out_);
  std::fflush(out_);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (line == nullptr || size <= 0 || signal_ != 0) return {std::nullopt, signal_};
  std::wstring_view letters(line, static_cast<std::size_t>(size));
  if (letters.ends_with(L'\n') || letters.ends_with(L'\r')) letters.remove_suffix(1);
  Line out{utf8_of(letters), 0};
  if (kept_.add(*out.text)) remember(*out.text);
  return out;
}

// Adds a line to the history in memory, for libedit's history keys.
void LineEditor::remember(std::string_view line) {
  HistEventW event{};
  ::history_w(history_.get(), &event, H_ENTER, wide_of(line).c_str());
}

wchar_t* LineEditor::on_prompt(EditLine* editor) { return of(editor).prompt_.data(); }

// No exception may pass through libedit, which is C.
int LineEditor::on_read(EditLine* editor, wchar_t* character) {
  LineEditor& self = of(editor);
  try {
    return self.next_character(*character) ? 1 : self.signal_ != 0 ? -1 : 0;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return -1;
  }
}

unsigned char LineEditor::on_paste(EditLine* editor, wint_t /*key*/) {
  LineEditor& self = of(editor);
  try {
    const std::wstring text = self.read_paste();
    if (!text.empty() && ::el_winsertstr(editor, text.c_str()) != 0) return CC_ERROR;
    return CC_REFRESH;
  } catch (...) {
    self.thrown_ = std::current_exception();
    return CC_EOF;
  }
}

// Reads a paste up to its end mark. Line breaks become "\n". Other control characters except tabs
// are dropped, because the editor would execute them as commands.
std::wstring LineEditor::read_paste() {
  std::wstring text;
  std::wstring end;  // part of the end mark that was read
  wchar_t letter = 0;
  while (end != kPasteEnd && next_character(letter)) {
    if (letter == kPasteEnd[end.size()]) {
      end += letter;
      continue;
    }
    end.clear();
    if (letter == kPasteEnd[0]) end += letter;
    if (letter == L'\r') letter = L'\n';
    const bool control = letter < L' ' && letter != L'\n' && letter != L'\t';
    if (!control && letter != L'\x7f' && text.size() < kMaxLineCharacters) text += letter;
  }
  // Drops line breaks at the end: only the Enter key enters the line.
  while (text.ends_with(L'\n')) text.pop_back();
  return text;
}

// False: the end of the input, or a signal.
bool LineEditor::next_character(wchar_t& character) {
  if (++characters_ > kMaxLineCharacters) {
    characters_ = 0;
    character = L'\n';
    return true;
  }
  char byte = 0;
  while (next_byte(byte)) {
    const std::size_t used = std::mbrtowc(&character, &byte, 1, &cut_);
    if (used == static_cast<std::size_t>(-2)) continue;
    if (used == static_cast<std::size_t>(-1)) {
      cut_ = {};
      character = kReplacementLetter;
    }
    return true;
  }
  return false;
}

bool LineEditor::next_byte(char& byte) {
  if (typed_at_ == typed_.size()) {
    bool readable = false;
    loop_.watch(STDIN_FILENO, POLLIN, [&readable](short) { readable = true; });
    loop_.watch(signals_.fd(), POLLIN, [this](short) { signal_ = signals_.take(); });
    while (!readable && signal_ == 0) loop_.run_once(kEditTurn);
    loop_.unwatch(STDIN_FILENO);
    loop_.unwatch(signals_.fd());
    if (signal_ != 0) return false;
    typed_.resize(std::size_t{64} << 10U);
    ssize_t got = 0;
    do {
      got = ::read(STDIN_FILENO, typed_.data(), typed_.size());
    } while (got < 0 && errno == EINTR);
    typed_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    typed_at_ = 0;
    if (typed_.empty()) return false;
  }
  byte = typed_[typed_at_++];
  return true;
}

}  // namespace parley::app
