// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the chat page of the built console against the mock server:
//   node scripts/look_chat.mjs FOLDER [--only SUBSTRING]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kWorkflow } from '../mock/chat_samples.mjs';
import { look, wanted } from './look_browser.mjs';

const how = wanted('look_chat.mjs');
const folder = mkdtempSync(join(tmpdir(), 'parley-look-chat-'));
const flow = join(folder, 'kitchen.json');
const picture = join(folder, 'kitchen.png');
writeFileSync(flow, JSON.stringify(kWorkflow));
writeFileSync(picture, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==', 'base64'));

const code = (n) => `session_${String(n).padStart(32, '0')}`;
const ready = (page) => page.waitForSelector('[data-test="chat-page"][data-phase="ready"]');
const settled = async (page) => {
  await ready(page);
  await page.waitForSelector('[data-test="chat-page"][data-line="live"]');
};
const hideFlow = async (page, size) => {
  if (size === '1440') await page.click('[data-test="flow-toggle"]');
};
const openFlow = async (page, size) => {
  if (size !== '1440') await page.click('[data-test="flow-toggle"]');
  await page.setInputFiles('[data-test="workflow-input"]', flow);
  await page.waitForSelector('[data-test="workflow-node"]');
};
const say = async (page, text) => {
  await page.fill('[data-test="chat-text"]', text);
  await page.click('[data-test="send"]');
};

async function shots(visit, url, size, theme, lang) {
  const where = { lang, size, theme };
  const tail = `${lang}-${theme}-${size}`;
  await visit(`rich-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await hideFlow(page, size);
    await page.waitForSelector('[data-test="picture"][data-state="shown"]');
  });
  await visit(`rich-top-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await hideFlow(page, size);
    await page.waitForSelector('[data-test="thread"]');
    await page.waitForTimeout(300);
    await page.$eval('[data-test="thread"]', (box) => box.scrollTo(0, 0));
    await page.click('[data-test="call-line"] >> nth=0');
  });
  await visit(`asking-${tail}`, `${url}#/chat/${code(2)}`, where, (page) => page.waitForSelector('[data-test="approval"]'));
  await visit(`steps-${tail}`, `${url}#/chat/new`, where, async (page) => {
    await ready(page);
    await openFlow(page, size);
    if (size !== '1440') await page.click('[data-test="workflow-hide"]');
    await say(page, lang === 'zh' ? '把节点3的steps改成30' : 'set steps of node 3 to 30');
    await page.waitForSelector('[data-test="approval"]');
  });
  await visit(`changed-${tail}`, `${url}#/chat/new`, where, async (page) => {
    await ready(page);
    await openFlow(page, size);
    if (size !== '1440') await page.click('[data-test="workflow-hide"]');
    await say(page, lang === 'zh' ? '把节点3的steps改成30' : 'set steps of node 3 to 30');
    await page.click('[data-test="allow-once"]');
    await page.waitForSelector('[data-test="call"][data-phase="done"]');
    await page.click('[data-test="call-line"]');
    if (size !== '1440') await page.click('[data-test="flow-toggle"]');
    await page.click('[data-test="workflow-node"][data-id="3"]');
    await page.waitForSelector('[data-test="node-detail"]');
  });
  await visit(`running-${tail}`, `${url}#/chat/new`, where, async (page) => {
    await ready(page);
    await say(page, lang === 'zh' ? '生成两张图片' : 'queue two pictures');
    await page.waitForSelector('[data-test="progress"]');
    await page.waitForTimeout(900);
  });
  await visit(`compose-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await page.setInputFiles('[data-test="attach-input"]', [picture, flow]);
    await page.fill('[data-test="chat-text"]', '/');
    await page.waitForSelector('[data-test="commands"]');
  });
  await visit(`find-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await page.click('[data-test="find-open"]');
    await page.fill('[data-test="find-words"]', 'steps');
  });
  await visit(`edit-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await page.hover('[data-test="user-message"] >> nth=-1');
    await page.click('[data-test="edit"] >> nth=-1');
  });
  await visit(`list-${tail}`, `${url}#/chat`, where, async (page) => {
    await ready(page);
    await page.click('[data-test="session-more"] >> nth=0');
    await page.waitForTimeout(200);
  });
  await visit(`remove-${tail}`, `${url}#/chat`, where, async (page) => {
    await ready(page);
    await page.click('[data-test="session-more"] >> nth=0');
    await page.click('[data-test="remove"]');
    await page.waitForSelector('[data-test="session-dialog"]');
  });
  await visit(`allowed-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
    await settled(page);
    await page.click('[data-test="allowed-open"]');
    await page.waitForSelector('[data-test="allowed-tool"]');
  });
  await visit(`file-${tail}`, `${url}#/chat/new`, where, async (page) => {
    await ready(page);
    await say(page, 'read my file');
    await page.waitForSelector('[data-test="file-wish"]');
  });
  if (size === '1440') {
    await visit(`light-${tail}`, `${url}#/chat/${code(1)}`, where, async (page) => {
      await settled(page);
      await page.click('[data-test="open-picture"] >> nth=0');
      await page.waitForSelector('[data-test="lightbox"] img');
    });
  }
}

await look(how, async ({ serve, visit, sizes }) => {
  for (const lang of ['en', 'zh']) {
    for (const count of ['0', '3', '3000']) {
      const { child, url } = await serve('--items', '0', '--pending', '0', '--chats', count, '--said', count === '3000' ? '3000' : '0', '--lang', lang);
      for (const size of Object.keys(sizes)) {
        for (const theme of ['light', 'dark']) {
          await visit(`chats-${count}-${lang}-${theme}-${size}`, `${url}#/chat`, { lang, size, theme }, ready);
          if (count === '3000') await visit(`chat-3000-${lang}-${theme}-${size}`, `${url}#/chat/${code(3)}`, { lang, size, theme }, async (page) => {
            await settled(page);
            await page.waitForSelector('[data-test="thread"][data-count="3000"]');
            await page.waitForSelector('[data-test="chat-page"][data-running="false"]');
          });
          if (count === '3') await shots(visit, url, size, theme, lang);
        }
      }
      if (count === '3') {
        await visit(`away-${lang}`, `${url}#/chat/${code(1)}`, { lang, size: '1440', theme: 'light', faulty: true }, async (page) => {
          await settled(page);
          await fetch(new URL('/mock/drop?ms=6000', url), { method: 'POST' });
          await page.waitForSelector('[data-test="line-note"]');
        });
      }
      child.removeAllListeners('exit');
      child.kill();
    }
  }
  rmSync(folder, { recursive: true, force: true });
});
