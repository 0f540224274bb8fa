// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/finding.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

using State = Finding::State;

TEST(Findings, Text_AlignsAndSaysWhatToDo) {
  EXPECT_EQ(findings_text({{State::good, "server", "answers", {}},
                           {State::fault, "a-name-that-is-longer-than-its-column", "x", "Mend it."},
                           {State::warning, "phone", "plain", {}}}),
            "ok       server           answers\n"
            "FAULT    a-name-that-is-longer-than-its-column x\n"
            "                          next: Mend it.\n"
            "warning  phone            plain\n");
}

TEST(Findings, Json_HasStatesAndSteps) {
  EXPECT_EQ(findings_json({{State::fault, "a", "b", "c"}}),
            "[{\"check\":\"a\",\"state\":\"fault\",\"detail\":\"b\",\"next\":\"c\"}]\n");
  EXPECT_EQ(findings_json({}), "[]\n");
}

}  // namespace
}  // namespace parley::app
