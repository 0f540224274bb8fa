// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The editors of `parley setup`, with any file. An edit is refused, or the values of the new text
// are those of the edit; taking it out again restores the values. The first byte chooses the
// format.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agents/setup/entry_file.h"
#include "agents/setup/json_document.h"
#include "agents/setup/text_diff.h"
#include "base/core/assert.h"

namespace parley::setup {
namespace {

const boost::json::object kFuzzEntry{
    {"command", "/p"}, {"args", boost::json::array{"mcp"}}, {"n", 1}};

void edit_json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  if (!document) return;
  const boost::json::value before = document->root();
  const JsonPath path{"a", "b"};
  const bool is_new = document->find(path) == nullptr;
  if (!document->put(path, kFuzzEntry)) return;
  PARLEY_ASSERT(document->verify().has_value(), "an edit says what it should");
  PARLEY_ASSERT(*document->find(path) == kFuzzEntry, "the value is there");
  if (document->put({"a", "c", "-"}, kFuzzEntry)) {
    PARLEY_ASSERT(document->verify().has_value(), "a second edit says what it should");
  }
  if (!is_new || before.as_object().contains("a")) return;
  PARLEY_ASSERT(document->erase({"a"}).has_value(), "a new member can be taken out");
  PARLEY_ASSERT(document->verify().has_value() && document->root() == before, "as before");
}

using ReadEntry = core::Result<std::unique_ptr<EntryFile>> (*)(std::string_view, std::string,
                                                               std::string);

void edit_entry(ReadEntry read, std::string_view text) {
  const auto file = read(text, "a", "b");
  if (!file) return;
  (*file)->put(kFuzzEntry);
  if (!(*file)->verify()) return;
  const auto again = read((*file)->text(), "a", "b");
  PARLEY_ASSERT(again.has_value() && (*again)->entry().has_value(), "the entry is there");
  (*again)->erase();
  if ((*again)->verify()) {
    const auto without = read((*again)->text(), "a", "b");
    PARLEY_ASSERT(without.has_value() && !(*without)->entry(), "the entry is gone");
  }
}

}  // namespace
}  // namespace parley::setup

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      parley::setup::edit_json(text);
      break;
    case 1:
      parley::setup::edit_entry(parley::setup::read_toml_entry, text);
      break;
    default:
      parley::setup::edit_entry(parley::setup::read_yaml_entry, text);
  }
  parley::setup::masked_text(text);
  return 0;
}
