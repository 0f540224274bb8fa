// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/stream/export_form.h"
#include "runtime/stream/reading_json.h"
#include "runtime/stream/reading_text.h"

// Reads any bytes as a stream, whole and in pieces: both readings are equal, all output of them is
// clean, and the export form can be read back.
namespace {

using parley::runtime::EventParser;
using parley::runtime::RunReader;
using parley::runtime::StreamLine;

void expect(bool holds) {
  if (!holds) std::abort();
}

std::string reading_of(std::string_view text, std::size_t piece) {
  parley::runtime::ReaderLimits limits;
  limits.max_line_bytes = 1U << 16U;
  limits.max_events = 2'000;
  limits.max_findings = 100;
  limits.max_sessions = 20;
  RunReader reader(limits);
  const RunReader::Source source = reader.open("fuzz");
  for (std::size_t at = 0; at < text.size(); at += piece)
    reader.feed(source, text.substr(at, piece));
  reader.close(source);
  const parley::runtime::Reading reading = reader.read();
  const std::string shown = parley::runtime::reading_text(reader, reading);
  for (const char c : shown) {
    expect(c == '\n' || static_cast<unsigned char>(c) >= 0x20U);
  }
  EventParser parser;
  reader.each([&](const std::string&, const StreamLine& line) {
    if (line.event() == nullptr) return;
    const auto again = parser.parse(parley::runtime::export_form(line));
    expect(again.has_value() && again->event() != nullptr);
    expect(again->event()->index() == line.event()->index());
  });
  return shown + parley::runtime::reading_json(reading);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = 1U + data[0];
  expect(reading_of(text, piece) == reading_of(text, text.size() + 1));
  return 0;
}
