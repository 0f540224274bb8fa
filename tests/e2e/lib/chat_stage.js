// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The stage of the tests of the chat page.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Model } from './model.js';
import { inTime, Stage } from './stage.js';

// A test function with a server whose runs work in a folder of the test and use `model`, if given.
export const staged = (play, model) => async () => {
  const stage = new Stage();
  stage.folder = join(stage.server.home, 'desk');
  mkdirSync(stage.folder);
  stage.file = (name) => join(stage.folder, name);
  stage.server.configure(`[runs]\nworking_folder = "${stage.folder}"\n${model?.settings ?? ''}`);
  try {
    await stage.server.start();
    await inTime(() => play(stage));
  } finally {
    await inTime(() => stage.end());
  }
};

export const withModel = (play) => async () => {
  const model = await Model.start();
  try {
    await staged((stage) => play(stage, model), model)();
  } finally {
    await model.end();
  }
};
