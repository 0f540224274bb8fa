// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/typing/typing_command.h"

#include <cstdlib>
#include <istream>
#include <ostream>
#include <utility>

#include "base/core/base64.h"
#include "base/core/command_flag.h"
#include "base/core/json_writer.h"
#include "base/core/number_text.h"
#include "programs/typing/input_method.h"
#include "programs/typing/wayland_keyboard.h"
#include "programs/typing/x_keyboard.h"
#include "programs/typing/x_windows.h"

namespace parley::typing {
namespace {

constexpr int kTyped = 0;
constexpr int kBadUsage = 1;
constexpr int kCannotType = 2;
constexpr int kNoWindow = 3;
constexpr int kStopped = 130;  // as after SIGINT

constexpr std::string_view kHelp =
    "agentassistant-input: types a text into the window that has the focus\n"
    "\n"
    "  --input64 BASE64     the text, UTF-8 in base64\n"
    "  --input TEXT         the text itself; other users of this computer can see it in the "
    "process list\n"
    "  --stdin              the text is read from stdin\n"
    "  --window-id ID       activate this window first\n"
    "  --list-windows       print the windows as JSON and end\n"
    "  --through WAY        x11, wtype or ydotool (default: what fits this session)\n"
    "  --delay MS           between two keys (default 1)\n"
    "  --version, --help\n"
    "\n"
    "Line ends become the Return key. Exit codes: 0 typed, 1 wrong usage, 2 cannot type here,\n"
    "3 the window is gone, 130 stopped by a signal.\n";

auto bad(std::string what) {
  return core::fail(core::Code::invalid_argument,
                    std::move(what) + " Run agentassistant-input --help for the flags.");
}

template <typename T>
std::optional<T> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  return core::parse_number<T>(text, base);
}

core::Result<void> set_text(TypingOptions& options, std::optional<std::string> text) {
  if (options.text || options.from_stdin) {
    return bad("The text is given twice: use only one of --input64, --input and --stdin.");
  }
  options.text = std::move(text);
  options.from_stdin = !options.text;
  return {};
}

// Sets a flag that takes a value.
core::Result<void> set_value(TypingOptions& options, const std::string& name,
                             const std::string& value) {
  if (name == "input") return set_text(options, value);
  if (name == "input64") {
    std::optional<std::string> text = core::base64_decode(value);
    if (!text) return bad("--input64 is not base64.");
    return set_text(options, std::move(text));
  }
  if (name == "window-id") {
    options.window = number<std::uint32_t>(value);
    if (!options.window) return bad("--window-id must be a number, as --list-windows gives it.");
    return {};
  }
  if (name == "delay") {
    const std::optional<std::uint32_t> delay = number<std::uint32_t>(value);
    if (!delay || *delay > kMaxDelay.count()) {
      return bad("--delay must be from 0 to " + std::to_string(kMaxDelay.count()) +
                 " milliseconds.");
    }
    options.delay = std::chrono::milliseconds(*delay);
    return {};
  }
  if (value == "x11") {
    options.through = Through::x11;
  } else if (value == "wtype") {
    options.through = Through::wtype;
  } else if (value == "ydotool") {
    options.through = Through::ydotool;
  } else if (value != "auto") {
    return bad("--through must be auto, x11, wtype or ydotool.");
  }
  return {};
}

bool takes_value(const std::string& name) {
  return name == "input" || name == "input64" || name == "window-id" || name == "delay" ||
         name == "through";
}

core::Result<void> set_switch(TypingOptions& options, const std::string& name) {
  if (name == "stdin") return set_text(options, std::nullopt);
  if (name == "list-windows") {
    options.list_windows = true;
  } else if (name == "help" || name == "h") {
    options.help = true;
  } else if (name == "version") {
    options.version = true;
  } else {
    return bad("Unknown flag --" + name + ".");
  }
  return {};
}

std::string read_text(std::istream& in) {
  std::string text(kMaxTypedBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

bool on_wayland() {
  const char* const display = std::getenv("WAYLAND_DISPLAY");
  return display != nullptr && *display != '\0';
}

// Call after the text is checked: its faults must be reported even without a display.
core::Result<std::unique_ptr<Keyboard>> open_keyboard(const TypingOptions& options,
                                                      const std::atomic<bool>& stopped) {
  TypingPace pace;
  pace.of_key = options.delay;
  pace.stopped = &stopped;
  std::vector<std::unique_ptr<Keyboard>> tools;
  const bool wayland = options.through == Through::automatic && on_wayland();
  if (wayland || options.through == Through::wtype) {
    tools.push_back(std::make_unique<WaylandKeyboard>(WaylandTool::wtype, pace));
  }
  if (wayland || options.through == Through::ydotool) {
    tools.push_back(std::make_unique<WaylandKeyboard>(WaylandTool::ydotool, pace));
  }
  if (!tools.empty()) return std::make_unique<FirstKeyboard>(std::move(tools));
  auto display = XDisplay::open();
  if (!display) return core::fail(std::move(display.error()));
  return XKeyboard::open(std::move(*display), pace);
}

int print_windows(std::ostream& out, std::ostream& err) {
  const auto display = XDisplay::open();
  if (!display) {
    err << "agentassistant-input: " << display.error().message << '\n';
    return kCannotType;
  }
  std::string text;
  core::JsonWriter json(text);
  json.begin_array();
  for (const Window& window : list_windows(**display)) {
    json.begin_object();
    json.key("window_id").string(std::to_string(window.id));
    json.key("title").string(window.title);
    json.end_object();
  }
  json.end_array();
  out << text << '\n';
  return kTyped;
}

// Returns an exit code if the window cannot be activated.
std::optional<int> activate(std::uint32_t window, std::ostream& err) {
  const auto display = XDisplay::open();
  const core::Result<void> active =
      display ? activate_window(**display, window) : core::fail(display.error());
  if (active) return std::nullopt;
  const bool closed = active.error().code == core::Code::not_found;
  err << (closed ? "ERR_WINDOW_NOT_FOUND " : "agentassistant-input: ") << active.error().message
      << '\n';
  return closed ? kNoWindow : kCannotType;
}

int type_text(const TypingOptions& options, const std::vector<Segment>& segments,
              const std::atomic<bool>& stopped, std::ostream& out, std::ostream& err) {
  if (options.window) {
    if (const std::optional<int> code = activate(*options.window, err)) return *code;
  }
  auto keyboard = open_keyboard(options, stopped);
  core::Result<void> typed;
  if (keyboard) {
    const PlainInput plain;
    typed = (*keyboard)->type(segments);
  } else {
    typed = core::fail(keyboard.error());
  }
  if (!typed) {
    err << "agentassistant-input: " << typed.error().message << '\n';
    return typed.error().code == core::Code::cancelled ? kStopped : kCannotType;
  }
  out << "using " << (*keyboard)->name() << "\nSuccessfully typed the string.\n";
  return kTyped;
}

}  // namespace

core::Result<TypingOptions> parse_typing_flags(const std::vector<std::string>& arguments) {
  TypingOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<core::CommandFlag> flag = core::split_flag(arguments[i]);
    if (!flag) return bad("Argument " + std::to_string(i + 1) + " is not a flag.");
    core::Result<void> set;
    if (takes_value(flag->name)) {
      std::optional<std::string> value = flag->value;
      if (!value && i + 1 < arguments.size()) value = arguments[++i];
      set = value ? set_value(options, flag->name, *value)
                  : bad("--" + flag->name + " needs a value.");
    } else {
      set = set_switch(options, flag->name);
    }
    if (!set) return core::fail(std::move(set.error()));
  }
  return options;
}

int agentassistant_input_main(const std::vector<std::string>& arguments,
                              const std::atomic<bool>& stopped, std::istream& in, std::ostream& out,
                              std::ostream& err) {
  core::Result<TypingOptions> options = parse_typing_flags(arguments);
  if (!options) {
    err << "agentassistant-input: " << options.error().message << '\n';
    return kBadUsage;
  }
  if (options->help) {
    out << kHelp;
    return kTyped;
  }
  if (options->version) {
    out << "agentassistant-input " PARLEY_VERSION "\n";
    return kTyped;
  }
  if (options->list_windows) return print_windows(out, err);
  if (options->from_stdin) options->text = read_text(in);
  if (options->from_stdin && stopped) return kStopped;
  if (!options->text) {
    err << "agentassistant-input: there is no text: give --input64, --input or --stdin.\n";
    return kBadUsage;
  }
  const auto segments = segments_of(*options->text);
  if (!segments) {
    err << "agentassistant-input: " << segments.error().message << '\n';
    return kBadUsage;
  }
  return type_text(*options, *segments, stopped, out, err);
}

}  // namespace parley::typing
