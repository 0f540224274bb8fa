// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/entry_file.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

namespace parley::setup {
namespace {

const boost::json::object kEntry{
    {"command", "/p"}, {"args", boost::json::array{"mcp", "x"}}, {"n", 7}};

using Read = core::Result<std::unique_ptr<EntryFile>> (*)(std::string_view, std::string,
                                                          std::string);

std::string put(Read read, const std::string& text) {
  const auto file = read(text, "servers", "mine");
  if (!file) return "fault: " + file.error().message;
  (*file)->put(kEntry);
  return (*file)->verify() ? (*file)->text() : "refused";
}

std::string erased(Read read, const std::string& text) {
  const auto file = read(text, "servers", "mine");
  if (!file) return "fault: " + file.error().message;
  (*file)->erase();
  return (*file)->verify() ? (*file)->text() : "refused";
}

const std::string kTable = "[servers.mine]\ncommand = \"/p\"\nargs = [\"mcp\", \"x\"]\nn = 7\n";
const std::string kMapping = "  mine:\n    command: \"/p\"\n    args: [\"mcp\", \"x\"]\n    n: 7\n";

TEST(TomlEntry, Put_AppendsATable) {
  EXPECT_EQ(put(read_toml_entry, ""), kTable);
  EXPECT_EQ(put(read_toml_entry, "# mine\na = 1"), "# mine\na = 1\n\n" + kTable);
  EXPECT_EQ(put(read_toml_entry, "[servers.other]\r\na = 1\r\n").find("\r\n\r\n[servers.mine]\r\n"),
            22U);
}

TEST(TomlEntry, Put_ChangesOnlyItsKeys) {
  EXPECT_EQ(
      put(read_toml_entry,
          "[servers.mine] # x\nown = 2\ncommand = \"/old\"\nargs = [\"mcp\", \"x\"]\n\n[b]\n"),
      "[servers.mine] # x\nown = 2\ncommand = \"/p\"\nargs = [\"mcp\", \"x\"]\nn = 7\n\n[b]\n");
}

TEST(TomlEntry, Erase_TakesTheTableAndThoseBelow) {
  EXPECT_EQ(erased(read_toml_entry, "a = 1\n\n" + kTable + "\n[servers.mine.env]\nK = \"v\"\n"),
            "a = 1\n");
  EXPECT_EQ(erased(read_toml_entry, kTable + "\n# next\n[b]\nc = 1\n"), "# next\n[b]\nc = 1\n");
  EXPECT_EQ(erased(read_toml_entry, "[servers.other]\na = 1\n"), "[servers.other]\na = 1\n");
}

TEST(TomlEntry, Put_IntoOtherForms_IsRefused) {
  EXPECT_EQ(put(read_toml_entry, "servers = { mine = { command = \"/old\" } }\n"), "refused");
  EXPECT_EQ(put(read_toml_entry, "servers.mine.command = \"/old\"\n"), "refused");
  EXPECT_EQ(put(read_toml_entry, "text = \"\"\"\n[servers.mine]\n\"\"\"\n"), "refused");
  EXPECT_TRUE(put(read_toml_entry, "a = \n").starts_with("fault: line 1"));
}

TEST(YamlEntry, Put_AppendsAMapping) {
  EXPECT_EQ(put(read_yaml_entry, ""), "servers:\n" + kMapping);
  EXPECT_EQ(put(read_yaml_entry, "# mine\na: 1"), "# mine\na: 1\nservers:\n" + kMapping);
  EXPECT_EQ(put(read_yaml_entry, "servers:\n  other:\n    a: 1\n\n# end\nb: 2\n"),
            "servers:\n  other:\n    a: 1\n" + kMapping + "\n# end\nb: 2\n");
}

TEST(YamlEntry, Put_ChangesOnlyItsKeys) {
  EXPECT_EQ(
      put(read_yaml_entry,
          "servers:\n    mine:\n        own: 2\n        command: /p\n        args:\n"
          "        - mcp\n        - y\n        n: 7\nb: 2\n"),
      "servers:\n    mine:\n        own: 2\n        command: /p\n        args: [\"mcp\", \"x\"]\n"
      "        n: 7\nb: 2\n");
}

TEST(YamlEntry, Erase_TakesTheMapping) {
  EXPECT_EQ(erased(read_yaml_entry, "a: 1\nservers:\n" + kMapping), "a: 1\n");
  EXPECT_EQ(erased(read_yaml_entry, "servers:\n" + kMapping + "  other:\n    b: 1\n"),
            "servers:\n  other:\n    b: 1\n");
}

TEST(YamlEntry, Put_IntoOtherForms_IsRefused) {
  EXPECT_EQ(put(read_yaml_entry, "servers: {other: {a: 1}}\n"), "refused");
  EXPECT_EQ(put(read_yaml_entry, "\"servers\":\n  other:\n    a: 1\n"), "refused");
  EXPECT_TRUE(put(read_yaml_entry, "a: 1\n---\nb: 2\n").starts_with("fault"));
  EXPECT_TRUE(put(read_yaml_entry, "a: [\n").starts_with("fault: line"));
}

}  // namespace
}  // namespace parley::setup
