// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_tree.h"

#include <gmock/gmock.h>

#include "app/cli/help_format.h"

namespace parley::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> words_of(const Completion& completion) {
  std::vector<std::string> out;
  for (const Candidate& one : completion.candidates) out.push_back(one.word);
  return out;
}

// cook bake [--hot] [--form round|long] [--log FILE] DOUGH; cook list add|drop; cook hidden.
class CommandTreeTest : public ::testing::Test {
 protected:
  CommandTreeTest() {
    app_.set_help_flag("-h,--help", "Help");
    CLI::App& bake = *app_.add_subcommand("bake", "Bakes. Slowly.");
    bake.add_flag("--hot")->description("With heat");
    bake.add_option("--form", text_, "The form")->check(CLI::IsMember({"round", "long"}));
    bake.add_option("--log", text_, "The log")->type_name("FILE");
    bake.add_option("dough", text_, "The dough")->type_name("DIR");
    CLI::App& list = *app_.add_subcommand("list", "Lists.");
    list.require_subcommand(1);
    list.add_subcommand("add", "Adds.")->add_option("names", texts_, "Names")->type_name("NAME");
    list.add_subcommand("drop", "Drops.");
    app_.add_subcommand("hidden", "Hidden.")->group("");
  }

  Place at(const std::vector<std::string>& words) const { return place_of(app_, words); }
  Completion completed(const std::vector<std::string>& words) const {
    return complete(app_, words);
  }

  std::string text_;
  std::vector<std::string> texts_;
  CLI::App app_{"Cooks.", "cook"};
};

TEST_F(CommandTreeTest, Place_FollowsCommandsAndSkipsValues) {
  const Place place = at({"bake", "--form", "round", "--log=x", "rye"});
  EXPECT_EQ(place.path, "cook bake");
  EXPECT_EQ(place.arguments, 1U);
  EXPECT_FALSE(place.stranger);
  EXPECT_EQ(at({"bake", "--form"}).awaited, flag_named(*place.command, "--form"));
  EXPECT_EQ(at({"list", "add"}).path, "cook list add");
  EXPECT_FALSE(at({"bake", "--", "--odd"}).stranger);
}

TEST_F(CommandTreeTest, Stranger_IsFirstWordThatIsUnknown) {
  EXPECT_EQ(at({"bkae"}).stranger, "bkae");
  EXPECT_EQ(at({"list", "ad", "x"}).stranger, "ad");
  EXPECT_EQ(at({"bake", "--hto=1", "--other"}).stranger, "--hto");
  EXPECT_FALSE(at({"list", "add", "a", "b"}).stranger);
}

TEST_F(CommandTreeTest, TextOfStranger_ProposesNearestNameAndNamesTheHelp) {
  const StrangerText command = text_of_stranger(at({"bkae"}));
  EXPECT_EQ(command.why, "There is no command \"bkae\".");
  EXPECT_EQ(command.next, "Did you mean bake? `cook --help` lists the commands and flags.");
  const StrangerText flag = text_of_stranger(at({"bake", "--hto"}));
  EXPECT_EQ(flag.why, "`cook bake` has no flag \"--hto\".");
  EXPECT_THAT(flag.next, HasSubstr("--hot? `cook bake --help`"));
  EXPECT_THAT(text_of_stranger(at({"list", "xyz"})).next, Not(HasSubstr("Did you mean")));
  EXPECT_THAT(text_of_stranger(at({"hiden"})).next, Not(HasSubstr("hidden")));
}

TEST_F(CommandTreeTest, Complete_OffersCommandsFlagsAndValues) {
  EXPECT_THAT(words_of(completed({""})), ElementsAre("bake", "list"));
  EXPECT_THAT(words_of(completed({"b"})), ElementsAre("bake"));
  EXPECT_THAT(words_of(completed({"list", ""})), ElementsAre("add", "drop"));
  EXPECT_THAT(words_of(completed({"bake", "--"})),
              ElementsAre("--help", "--hot", "--form", "--log"));
  EXPECT_THAT(words_of(completed({"bake", "--form", "l"})), ElementsAre("long"));
  EXPECT_EQ(completed({"b"}).candidates[0].about, "Bakes.");
  EXPECT_THAT(words_of(completed({})), IsEmpty());
}

TEST_F(CommandTreeTest, Complete_OffersPathsWhereTheyFit) {
  EXPECT_TRUE(completed({"bake", "--log", ""}).files);
  EXPECT_TRUE(completed({"bake", ""}).folders);
  EXPECT_FALSE(completed({"bake", "rye", ""}).folders);
  EXPECT_FALSE(completed({"bake", "--"}).files);
  EXPECT_EQ(lines_of(completed({"bake", ""})), ":folders\n");
  EXPECT_EQ(lines_of(completed({"li"})), "list\tLists.\n");
}

TEST_F(CommandTreeTest, FlagsOfText_AreReadFromHelp) {
  CLI::App& own = *app_.add_subcommand("own", "Own.");
  add_flags_of_text(own,
                    "Text\n\n  --host HOST      the host\n  --mode on|off  a mode\n"
                    "                   goes on\n  --fast, --slow    the speed\n  --help\n");
  EXPECT_THAT(words_of(completed({"own", "--"})),
              ElementsAre("--help", "--host", "--mode", "--fast", "--slow"));
  EXPECT_THAT(words_of(completed({"own", "--mode", ""})), ElementsAre("on", "off"));
  EXPECT_EQ(completed({"own", "--h"}).candidates[1].about, "the host");
}

}  // namespace
}  // namespace parley::app
