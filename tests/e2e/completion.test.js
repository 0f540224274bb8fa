// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Completion in an answer: paths after "@", commands of the agent after "/".
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { post } from './lib/reading.js';
import { staged } from './lib/stage.js';

// A project with files, and a question about it.
async function askAbout(stage, question) {
  const project = join(stage.server.home, 'shop');
  mkdirSync(join(project, 'src', 'till'), { recursive: true });
  for (const name of ['src/till/receipt.ts', 'src/till/scale.ts', 'README.md', 'secret.log']) {
    writeFileSync(join(project, name), 'x');
  }
  writeFileSync(join(project, '.gitignore'), '*.log\n');
  await post(stage.server, '/v1/interactions', {
    key: 'about',
    prompt: { text: question, project_directory: project },
  });
}

test(
  'paths of the project are offered after @, and chosen by keys',
  staged(async (stage) => {
    await askAbout(stage, 'Which file?');
    const person = await stage.person();
    const card = person.card('Which file?');
    const field = card.locator('[data-test=answer-field]');
    await field.pressSequentially('Look at @rcpt');
    const list = card.locator('[data-test=offers]');
    await list.getByText('src/till/receipt.ts').waitFor();
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'Look at @src/till/receipt.ts ');
    assert.equal(await list.count(), 0);
    await field.pressSequentially('and @till');
    await list.getByText('src/till/', { exact: true }).waitFor();
    await field.press('Tab');
    assert.equal(await field.inputValue(), 'Look at @src/till/receipt.ts and @src/till/');
    // A chosen folder goes on with its content.
    await list.getByText('src/till/scale.ts').click();
    assert.equal(await field.inputValue(), 'Look at @src/till/receipt.ts and @src/till/scale.ts ');
    await field.press('Control+Enter');
    await person.closedCard('Which file?').waitFor();
  }),
);

test(
  'ignored files are not offered, and Escape closes the list only',
  staged(async (stage) => {
    await askAbout(stage, 'And which log?');
    const person = await stage.person();
    const card = person.card('And which log?');
    const field = card.locator('[data-test=answer-field]');
    await field.pressSequentially('@');
    const list = card.locator('[data-test=offers]');
    await list.getByText('README.md').waitFor();
    assert.equal(await list.getByText('secret.log').count(), 0);
    await field.press('Escape');
    assert.equal(await list.count(), 0);
    assert.equal(await field.inputValue(), '@');
    await field.pressSequentially('zzz');
    await field.press('Control+Enter');
    await person.closedCard('And which log?').waitFor();
  }),
);

test(
  'commands and skills of the asking agent are offered after /',
  staged(async (stage) => {
    const project = join(stage.server.home, 'shop');
    mkdirSync(join(project, '.claude', 'commands', 'git'), { recursive: true });
    writeFileSync(
      join(project, '.claude', 'commands', 'git', 'commit.md'),
      '---\ndescription: Commits the change\n---\nCommit.',
    );
    mkdirSync(join(project, '.agents', 'skills', 'pdf'), { recursive: true });
    writeFileSync(
      join(project, '.agents', 'skills', 'pdf', 'SKILL.md'),
      '---\nname: pdf\ndescription: Reads PDF files\n---\n',
    );
    await post(stage.server, '/v1/interactions', {
      key: 'next',
      prompt: { text: 'What next?', project_directory: project, client_name: 'claude-code' },
    });
    const person = await stage.person();
    const card = person.card('What next?');
    const field = card.locator('[data-test=answer-field]');
    await field.pressSequentially('Then /');
    const list = card.locator('[data-test=offers]');
    await list.getByText('/git:commit').waitFor();
    await list.getByText('Commits the change').waitFor();
    await list.getByText('Reads PDF files').waitFor();
    await field.pressSequentially('com');
    await list.getByText('/pdf').waitFor({ state: 'detached' });
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'Then /git:commit (.claude/commands/git/commit.md) ');
    await field.press('Control+Enter');
    await person.closedCard('What next?').waitFor();
  }),
);
