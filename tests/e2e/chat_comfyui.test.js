// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The chat page with a stand-in for ComfyUI: the progress of a tool is shown live and kept.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { slow, StandIn } from '../comfyui/lib/stand_in.js';
import { allowLasting, atRest, call, direct, newChat, part, press, say, sessionsOf, texts } from './lib/chat.js';
import { until } from './lib/person.js';
import { ask } from './lib/runs.js';
import { Stage } from './lib/stage.js';

const kWorkflow = readFileSync(fileURLToPath(new URL('../../examples/comfyui/text_to_image.json', import.meta.url)));

// A test function with a server whose chats have a ComfyUI server; `tick`: ms per step of a node.
const staged =
  (play, tick = '20') =>
  async () => {
    const comfy = await StandIn.start('--tick', tick);
    const stage = new Stage();
    stage.folder = join(stage.server.home, 'desk');
    mkdirSync(stage.folder);
    stage.server.configure(`comfyui = ["${comfy.url}"]\n[runs]\nworking_folder = "${stage.folder}"\n`);
    try {
      await stage.server.start();
      const { page } = await stage.person();
      await play({ stage, page, comfy });
    } finally {
      await stage.end();
      await comfy.stop();
    }
  };

async function openWorkflow(page, bytes) {
  if ((await part(page, 'workflow').count()) === 0) await part(page, 'flow-toggle').click();
  await part(page, 'workflow-input').setInputFiles({
    name: 'flow.json',
    mimeType: 'application/json',
    buffer: Buffer.from(bytes),
  });
  await part(page, 'workflow-node').first().waitFor();
}

const queued = async (comfy) => (await (await fetch(`${comfy.url}/queue`)).json()).queue_running.length;

test(
  'a changed workflow is checked and queued, and its picture is shown',
  staged(async ({ page, comfy, stage }) => {
    await newChat(page, stage.server);
    await openWorkflow(page, kWorkflow);
    await say(page, 'list the models');
    await texts(page).filter({ hasText: 'dreamshaper_8.safetensors' }).waitFor();
    await atRest(page);
    await say(page, 'set steps of node 3 to 12');
    await page.locator('[data-test=workflow][data-changes="1"]').waitFor();
    await atRest(page);
    await say(page, 'validate the workflow');
    await texts(page)
      .filter({ hasText: /is valid/ })
      .waitFor();
    await atRest(page);
    await say(page, 'queue the workflow');
    await part(page, 'approval').waitFor();
    assert.equal(await queued(comfy), 0, 'nothing runs before it is allowed');
    await press(page, 'allow-once');
    await part(page, 'progress').waitFor();
    assert.match(await part(page, 'progress').innerText(), /\d+/);
    await page.locator('[data-test=picture][data-state=shown]').waitFor();
    await atRest(page);
    const width = () =>
      page
        .locator('[data-test=picture] img')
        .first()
        .evaluate((image) => image.naturalWidth);
    await until(async () => (await width()) > 0, 'the picture is a picture');
    const address = await page.locator('[data-test=picture] img').first().getAttribute('src');
    assert.match(address, /^blob:/, 'no address of a picture has the token');
    await part(page, 'open-picture').click();
    await part(page, 'lightbox').waitFor();
    await part(page, 'close-picture').click();
    await part(page, 'lightbox').waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('[data-test=picture][data-state=shown]').waitFor();
    await until(async () => (await width()) > 0, 'the picture is there again');
  }, '150'),
);

test(
  'a running workflow is withdrawn when the person stops',
  staged(async ({ page, comfy, stage }) => {
    await newChat(page, stage.server);
    await openWorkflow(page, JSON.stringify(slow(10_000)));
    await say(page, 'queue the workflow');
    await press(page, 'allow-once');
    await part(page, 'progress').waitFor();
    assert.equal(await queued(comfy), 1);
    await page.keyboard.press('Escape');
    await part(page, 'interrupted').waitFor();
    await atRest(page);
    await call(page, 'stopped').waitFor();
    await until(async () => (await queued(comfy)) === 0, 'the ComfyUI server has ended it');
  }),
);

test(
  'a failed run names its node, and foreign runs stay',
  staged(async ({ page, stage }) => {
    await newChat(page, stage.server);
    await openWorkflow(
      page,
      JSON.stringify({
        1: { class_type: 'TestFail', inputs: { message: 'out of memory', image: ['3', 0] } },
        2: { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
        3: { class_type: 'LoadImage', inputs: { image: 'example.png' } },
      }),
    );
    await say(page, 'queue the workflow');
    await press(page, 'allow-once');
    await call(page, 'failed').waitFor();
    await atRest(page);
    await call(page, 'failed').locator('[data-test=call-line]').click();
    assert.match(await part(page, 'call-result').innerText(), /out of memory/);
    assert.equal(await part(page, 'picture').count(), 0);
  }),
);

test(
  'a chat starts with the chosen ComfyUI server',
  staged(async ({ page, comfy, stage }) => {
    const { data } = await (
      await ask(stage.server, 'POST', '/api/v1/comfyui-servers', {
        serverKey: 'other',
        serverName: 'The other',
        baseUrl: comfy.url,
      })
    ).json();
    await newChat(page, stage.server);
    await part(page, 'choose-server').selectOption({ label: 'The other' });
    await say(page, 'list the models');
    await texts(page).filter({ hasText: 'dreamshaper_8.safetensors' }).waitFor();
    assert.deepEqual(
      (await sessionsOf(stage.server)).map((it) => it.comfyuiServerId),
      [data.id],
    );
  }),
);

test(
  'an approval holds for the chat or for all chats, as chosen',
  staged(async ({ page, stage }) => {
    const write = (name) => say(page, direct('write_file', { path: name, content: 'x' }));
    const done = async (count) => {
      await until(async () => (await call(page, 'done').count()) === count, `${count} calls are done`);
      await atRest(page);
    };
    const allowed = async () => (await (await ask(stage.server, 'GET', '/api/v1/allowed-tools')).json()).data;
    await newChat(page, stage.server);
    await write('a.txt');
    await allowLasting(page, 'allow-session');
    await done(1);
    await write('b.txt');
    await done(2);
    assert.equal(await part(page, 'approval').count(), 0, 'it is not asked again in this chat');
    const [{ sessionCode }] = await sessionsOf(stage.server);
    assert.deepEqual(await allowed(), [{ toolName: 'write_file', source: 'builtin', sessionCode }]);
    await newChat(page, stage.server);
    await write('c.txt');
    await allowLasting(page, 'allow-always');
    await done(1);
    await newChat(page, stage.server);
    await write('d.txt');
    await done(1);
    assert.equal(await part(page, 'approval').count(), 0, 'it is asked in no chat any more');
    assert.ok((await allowed()).some((it) => it.sessionCode === null));
  }),
);

test(
  'a plan, a status and the tokens are shown',
  staged(async ({ page, stage }) => {
    await newChat(page, stage.server);
    await say(page, 'plan: look, change');
    await part(page, 'todo').waitFor();
    await atRest(page);
    assert.match(await part(page, 'todo').innerText(), /look[^]*change/);
    await say(page, direct('status_update', { title: 'Looking', message: 'At the graph.', phase: 'planning' }));
    await part(page, 'status').waitFor();
    await atRest(page);
    assert.match(await part(page, 'status').innerText(), /Looking[^]*At the graph\./);
    const used = async () => Number(await part(page, 'token-ring').getAttribute('data-used'));
    assert.ok((await used()) > 0);
    await say(page, '/clear');
    await part(page, 'empty-chat').waitFor();
    await until(
      async () => (await part(page, 'token-ring').count()) === 0 || (await used()) === 0,
      'after /clear there are none',
    );
  }),
);

test(
  'the search finds messages and calls one after the other',
  staged(async ({ page, stage }) => {
    await newChat(page, stage.server);
    for (const words of ['say one lighthouse', 'say two boats', 'say three lighthouses']) {
      await say(page, words);
      await texts(page)
        .filter({ hasText: words.slice(4) })
        .waitFor();
      await atRest(page);
    }
    await page.keyboard.press('Control+f');
    await part(page, 'find-words').fill('lighthouse');
    const count = async () => part(page, 'find-count').innerText();
    await until(async () => /^1 of 4/.test(await count()), 'four places');
    await part(page, 'find-next').click();
    assert.match(await count(), /^2 of 4/);
    await part(page, 'find-previous').click();
    await part(page, 'find-previous').click();
    assert.match(await count(), /^4 of 4/);
    await part(page, 'find-words').fill('submarine');
    await until(async () => !/\d of \d/.test(await count()), 'nothing is found');
    assert.equal(await part(page, 'find-next').isDisabled(), true);
  }),
);
