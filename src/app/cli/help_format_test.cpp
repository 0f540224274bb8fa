// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/help_format.h"

#include <gmock/gmock.h>

#include <memory>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// A program with the commands "bake" and "eat", of which "bake" has many flags.
class HelpFormatTest : public ::testing::Test {
 protected:
  HelpFormatTest() {
    app_.formatter(format_);
    app_.set_help_all_flag("--help-all", "Everything");
    CLI::App& bake = *app_.add_subcommand(
        "bake", "Example:\n  cook bake --hot\n\nBakes the\nbread. Takes an hour.");
    CLI::Option* hot = bake.add_flag("--hot")->description("With heat");
    bake.add_flag("--cold")->description("Without heat")->excludes(hot);
    bake.add_option("--form", form_, "The form")->check(CLI::IsMember({"round", "long"}));
    bake.add_option("--minutes", form_, "Minutes in the oven")
        ->type_name("MIN")
        ->check(CLI::Range(1, 60));
    format_->shorten(bake, {"--hot"});
    app_.add_subcommand("eat", "Eats.");
    app_.add_subcommand("secret", "Not shown.")->group("");
  }

  std::string help(const char* command, CLI::AppFormatMode mode = CLI::AppFormatMode::Normal) {
    return app_.get_subcommand(command)->help("cook", mode);
  }

  std::string form_;
  std::shared_ptr<HelpFormat> format_ = std::make_shared<HelpFormat>(80);
  CLI::App app_{"Cooks.", "cook"};
};

TEST_F(HelpFormatTest, ListOfCommands_HasSentencesWithoutExamples) {
  EXPECT_THAT(app_.help(), AllOf(HasSubstr("Bakes the bread.\n"), Not(HasSubstr("hour")),
                                 Not(HasSubstr("Example")), Not(HasSubstr("secret"))));
}

TEST_F(HelpFormatTest, Arranged_HeadingsAndOrderAreKept) {
  format_->arrange(app_, {{"Later", {"eat"}}, {"First", {"bake"}}});
  const std::string text = app_.help();
  EXPECT_LT(text.find("Later:"), text.find("  eat"));
  EXPECT_LT(text.find("  eat"), text.find("First:"));
  EXPECT_LT(text.find("First:"), text.find("  bake"));
}

TEST_F(HelpFormatTest, HelpOfCommand_BeginsWithExample) {
  EXPECT_THAT(help("bake"), StartsWith("Example:\n  cook bake --hot\n"));
}

TEST_F(HelpFormatTest, ShortenedCommand_ShowsAllFlagsOnRequest) {
  const std::string brief = help("bake");
  EXPECT_THAT(brief, AllOf(HasSubstr("--hot"), Not(HasSubstr("--cold")),
                           HasSubstr("`cook bake --help-all` lists all flags.")));
  EXPECT_THAT(help("bake", CLI::AppFormatMode::All),
              AllOf(HasSubstr("--hot"), HasSubstr("--cold"), Not(HasSubstr("lists all flags"))));
}

TEST_F(HelpFormatTest, Option_ShowsItsValuesAndNoRelations) {
  const std::string all = help("bake", CLI::AppFormatMode::All);
  EXPECT_THAT(all, AllOf(HasSubstr("--form round|long "), HasSubstr("--minutes MIN "),
                         Not(HasSubstr("Excludes")), Not(HasSubstr("in ["))));
}

TEST_F(HelpFormatTest, LongText_IsWrappedInItsColumn) {
  CLI::App& wide = *app_.add_subcommand("wide", "Wide.");
  std::string text = "word";
  for (int i = 0; i < 40; ++i) text += " word";
  wide.add_flag("--a-flag-with-a-name-beyond-its-column", text);
  const std::string help_text = help("wide");
  for (const std::string_view line : parts_of(help_text, "\n")) EXPECT_LE(line.size(), 80U);
}

TEST(AboutOf, Example_IsLeftOut) {
  EXPECT_EQ(about_of("Example:\n  parley ask\n\nAsks. Waits."), "Asks. Waits.");
  EXPECT_EQ(about_of("Asks."), "Asks.");
  EXPECT_EQ(about_of("Example: alone"), "");
  EXPECT_EQ(first_sentence("Reads parley.toml. Then more."), "Reads parley.toml.");
  EXPECT_EQ(first_sentence("No stop"), "No stop");
}

TEST(ChoicesOf, AnyCheck_NamesItsValues) {
  CLI::App app;
  std::string text;
  EXPECT_THAT(choices_of(*app.add_option("--a", text)), IsEmpty());
  CLI::Option* named = app.add_option("--b", text);
  allow_values(*named->type_name("MODE"), {"on", "off"});
  EXPECT_THAT(choices_of(*named), ElementsAre("on", "off"));
  EXPECT_NO_THROW(app.parse("--b other"));  // checked by the command
}

TEST(LinesOf, LongWord_StaysWhole) {
  EXPECT_THAT(lines_of("a abcdefgh b", 4), ElementsAre("a", "abcdefgh", "b"));
  EXPECT_THAT(lines_of("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(lines_of("", 7), SizeIs(1));
  EXPECT_THAT(parts_of("a,,b", ","), ElementsAre("a", "", "b"));
}

}  // namespace
}  // namespace parley::app
