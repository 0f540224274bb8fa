// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the booking page and of the participant's pages, against the mock server:
//   node scripts/look_host.mjs FOLDER [--only SUBSTRING]
import { look, wanted } from './look_browser.mjs';

const kRefusedMs = 2_500;
const how = wanted('look_host.mjs');

await look(how, async ({ serve, visit, sizes }) => {
  for (const lang of ['en', 'zh']) {
    const { child, url } = await serve('--items', '0', '--pending', '0', '--lang', lang);
    const base = new URL('/', url).href;
    const lever = (path, body) => fetch(new URL(path, base), { method: 'POST', body: body ? JSON.stringify(body) : undefined });
    const call = (toolName, params, reason) => lever('/mock/agent', { type: 'tool.call', payload: { toolName, params, reason } });
    const wait = (page, stage) => page.waitForSelector(`[data-stage="${stage}"]:not([aria-busy="true"])`);
    const forward = async (page, stage) => {
      await page.click('[data-test="next"]');
      await wait(page, stage);
    };
    const choose = (page, nth = 0) => page.locator('[data-rove]:not([aria-disabled="true"])').nth(nth).click();
    const start = async (page, names = 'Movie helper') => {
      await lever('/mock/other-host?gone=1');
      await wait(page, 'movie');
      await page.waitForSelector('[data-line="joined"]');
      await lever(`/mock/presence?agents=${encodeURIComponent(names)}`);
    };
    const to = async (page, stage) => {
      await start(page);
      for (const next of ['theater', 'date', 'time', 'seat', 'ticket', 'confirm']) {
        const now = await page.getAttribute('[data-test="stage"]', 'data-stage');
        if (now === stage) return;
        if (now === 'ticket') for (const nth of [0, 1]) await page.locator('[data-test="plus"]').nth(nth).click();
        else await choose(page, now === 'seat' ? 43 : 1);
        if (now === 'seat') await choose(page, 44);
        await page.waitForSelector('[data-test="next"]:not([disabled])');
        await forward(page, next);
      }
    };
    for (const size of Object.keys(sizes)) {
      for (const theme of ['light', 'dark']) {
        const { only } = how;
        const at = (name, path, act) => visit(`${name}-${lang}-${theme}-${size}`, base + path, { lang, size, theme, faulty: name === 'lost' }, act);
        await at('movie', '#/host', (page) => start(page));
        await at('agent', '#/host', async (page) => {
          await start(page);
          await page.fill('[data-test="host-say"]', lang === 'zh' ? '我们想看剧情片' : 'We would like a drama, not too long.').catch(() => page.click('[data-test="chat-peek"]'));
          await page.fill('[data-test="host-say"]', lang === 'zh' ? '我们想看剧情片' : 'We would like a drama, not too long.');
          await page.keyboard.press('Enter');
          await call('filter', { field: 'genre', operator: 'contains', value: 'Drama' }, 'You asked for a drama');
          await call('sort', { field: 'duration', order: 'asc' }, 'Shorter films come first');
          await call('highlight', { itemIds: ['m3'], style: 'glow' }, 'The shorter of the two');
          await call('augment', { items: [{ itemId: 'm3', value: 'Midnight at Pinecone Halt (home by 22:00)' }] }, 'So you see when it ends');
          await call('fly', {}, 'Trying');
          await lever('/mock/agent', { type: 'agent.message', payload: { text: 'There are two dramas. **Midnight at Pinecone Halt** is the shorter one:\n\n- 97 minutes\n- funny in places' } });
          await page.waitForSelector('[data-test="agent-message"]', { state: 'attached' });
          await page.waitForTimeout(200);
          if (await page.isVisible('.scrim')) await page.click('[data-test="chat-peek"]');
        });
        if (size === '375') {
          await at('sheet', '#/host', async (page) => {
            await start(page);
            await lever('/mock/agent', { type: 'agent.message', payload: { text: 'Shall I look for something **short**?' } });
            await page.click('[data-test="chat-peek"]');
          });
        }
        for (const stage of ['theater', 'date', 'time', 'ticket', 'confirm']) {
          if (size === '1024' && stage !== 'date') continue;
          await at(stage, '#/host', (page) => to(page, stage));
        }
        await at('seat', '#/host', async (page) => {
          await to(page, 'seat');
          await choose(page, 30);
          const ids = await page.locator('[data-rove]:not([aria-disabled="true"])').evaluateAll((all) => all.slice(40, 43).map((it) => it.dataset.item));
          await call('highlight', { itemIds: ids, style: 'border' }, 'In the middle');
          await page.waitForSelector('[data-change="highlight"]');
        });
        await at('date-marked', '#/host', async (page) => {
          await to(page, 'date');
          const ids = await page.locator('[data-rove]').evaluateAll((all) => all.map((it) => it.dataset.item));
          await call('highlight', { itemIds: ids.slice(3, 5), style: 'badge' }, 'Cheap days');
          await call('filter', { field: 'dayOfWeek', operator: 'neq', value: 'Sun' }, 'Not on Sundays');
          await page.waitForSelector('[data-change="filter"]');
        });
        if (size !== '1024') {
          await at('booked', '#/host', async (page) => {
            await to(page, 'confirm');
            await page.click('[data-test="next"]');
            await page.waitForSelector('[data-test="booked"]');
          });
          await at('occupied', '#/host', async (page) => {
            await start(page);
            await lever('/mock/other-host');
            await page.waitForSelector('[data-line="replaced"]');
            await page.click('[data-test="take-over"]');
          });
          await at('lost', '#/host', async (page) => {
            await start(page);
            await lever(`/mock/drop?ms=${kRefusedMs}`);
            await page.waitForSelector('[data-line="waiting"]');
          });
          if (`lost-${lang}-${theme}-${size}`.includes(only)) await new Promise((done) => setTimeout(done, kRefusedMs));
          await at('none', '#/host', async (page) => {
            await start(page, '');
            await choose(page, 3);
            await page.waitForSelector('[data-test="next"]:not([disabled])');
            await forward(page, 'theater');
          });
        }
        await at('dev', '#/host?dev=1', async (page) => {
          await start(page, 'Movie helper,Second agent');
          await call('filter', { field: 'genre', operator: 'contains', value: 'Drama' }, 'You asked for a drama');
        });
        if (size !== '1024') {
          for (const tab of ['messages', 'tools', 'run', 'presence']) {
            await at(`dev-${tab}`, '#/host?dev=1', async (page) => {
              await start(page, 'Movie helper,Second agent');
              await call('sort', { field: 'title', order: 'asc' }, '');
              await page.click(`[data-test="dev-${tab}"]`);
              if (tab === 'run') await page.click('[data-test="tool-run"]');
              if (tab === 'messages') await page.locator('.list .line').nth(1).click();
            });
          }
        }
        await at('study-consent', `#/study/pilot${size === '1024' ? '' : '?participant=P07'}`, (page) => page.waitForSelector('[data-test="consent"]'));
        await at('study-task', '#/study/pilot?participant=P07', async (page) => {
          await page.check('[data-test="agree"]');
          await page.click('[data-test="begin"]');
          await page.waitForSelector('[data-test="task"]');
        });
        await at('study-booking', '#/study/pilot?participant=P07', async (page) => {
          await page.check('[data-test="agree"]');
          await page.click('[data-test="begin"]');
          await page.click('[data-test="start"]');
          await start(page);
          await page.click(size === '1024' ? '[data-test="show-task"]' : '[data-test="stop"]');
        });
        await at('study-end', '#/study/pilot?participant=P07', async (page) => {
          await page.check('[data-test="agree"]');
          await page.click('[data-test="begin"]');
          await page.click('[data-test="start"]');
          await to(page, 'confirm');
          await page.click('[data-test="next"]');
          await page.click('[data-test="again"]');
        });
      }
    }
    child.removeAllListeners('exit');
    child.kill();
  }
});
