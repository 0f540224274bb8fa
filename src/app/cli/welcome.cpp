// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/welcome.h"

#include <qrencode.h>

#include <memory>

#include "base/certificate/interface_addresses.h"
#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

constexpr int kQuietZone = 2;  // modules of light around the code

}  // namespace

std::string page_link(std::string_view origin, std::string_view token) {
  std::string out(origin);
  out += "/";
  if (!token.empty()) out += "?token=" + core::percent_encoded(token);
  return out;
}

std::string phone_link(std::string_view page, std::string_view token) {
  if (token.empty()) return std::string(page);
  return std::string(page) + "#/inbox?token=" + core::percent_encoded(token) + "&keep=1";
}

std::string mcp_config_line(const WelcomeFacts& facts) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("mcpServers").begin_object().key("agent-assistant").begin_object();
  json.key("command").string(facts.mcp_program);
  if (!facts.data_is_default) {
    json.key("env").begin_object().key("PARLEY_DATA").string(facts.data).end_object();
  }
  json.end_object().end_object().end_object();
  return out;
}

std::optional<std::string> qr_code(std::string_view text) {
  const std::string terminated(text);
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString8bit(terminated.c_str(), 0, QR_ECLEVEL_L), &QRcode_free);
  if (!code) return std::nullopt;
  const int width = code->width;
  const auto dark = [&code, width](int x, int y) {
    if (x < 0 || y < 0 || x >= width || y >= width) return false;
    return (code->data[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                       static_cast<std::size_t>(x)] &
            1U) != 0;
  };
  std::string out;
  for (int y = -kQuietZone; y < width + kQuietZone; y += 2) {
    out += "  \x1b[30;107m";  // black on white
    for (int x = -kQuietZone; x < width + kQuietZone; ++x) {
      const bool top = dark(x, y);
      const bool bottom = dark(x, y + 1);
      if (top && bottom) {
        out += "█";
      } else if (top) {
        out += "▀";
      } else {
        out += bottom ? "▄" : " ";
      }
    }
    out += "\x1b[0m\n";
  }
  return out;
}

std::string welcome_text(const WelcomeFacts& facts, bool colour) {
  const std::string bold = colour ? "\x1b[1m" : "";
  const std::string off = colour ? "\x1b[0m" : "";
  std::string out = "\n  " + bold + "Parley is ready." + off + "\n\n";
  out += "  Open        " + page_link(facts.url, facts.token) + "\n";
  out += "  Your agent  " + facts.program + " setup --all\n";
  out += "              or by hand: " + mcp_config_line(facts) + "\n";
  out += "  Data        " + core::visible_line(facts.data) + "\n";
  if (facts.token.empty()) {
    out += "  Token       make one with: parley token create --name NAME\n";
  }
  out += "  Stop        Ctrl-C\n";
  if (!facts.phone_url.empty()) {
    const std::string page = facts.phone_url + facts.console_path;
    const std::string link = phone_link(page, facts.phone_token);
    out += "\n  On a phone  " + link + "\n";
    if (facts.own_authority) {
      out += "  Trust       " + page + "#/trust   (three steps, once per phone)\n";
    }
    if (const auto code = qr_code(link)) out += "\n" + *code;
  }
  return out + "\n";
}

std::string outside_address() {
  for (const certificate::InterfaceAddress& address : certificate::interface_addresses()) {
    if (!address.loopback && !address.v6) return address.text;
  }
  return {};
}

}  // namespace parley::app
