// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { chatEn } from './chat_en';
import { devicesEn } from './devices_en';
import { notifyEn } from './notify_en';
import { rulesEn } from './rules_en';
import { runsEn } from './runs_en';
import { stageEn } from './stage_en';
import { statisticsEn } from './statistics_en';
import { studiesEn } from './studies_en';
import { trustEn } from './trust_en';

// The texts of the pages that the first load does not show.
export const enPages = {
  stage: stageEn,
  runs: runsEn,
  chatPage: chatEn,
  studies: studiesEn,
  notify: notifyEn,
  statistics: statisticsEn,
  devices: devicesEn,
  rules: rulesEn,
  trust: trustEn,
};
