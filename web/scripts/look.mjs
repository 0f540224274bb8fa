// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Takes screenshots of the built page against the mock server:
//   node scripts/look.mjs FOLDER [--only SUBSTRING]
import { look, wanted } from './look_browser.mjs';

const ready = (page) => page.waitForSelector('[data-phase="online"]');

await look(wanted('look.mjs'), async ({ serve, visit, sizes }) => {
  for (const lang of ['en', 'zh']) {
    for (const [count, pending] of [['0', '0'], ['3', '3'], ['3000', '1']]) {
      const { child, url } = await serve('--items', count, '--pending', pending, '--lang', lang);
      for (const size of Object.keys(sizes)) {
        for (const theme of ['light', 'dark']) {
          const how = { lang, size, theme };
          const tail = `${lang}-${theme}-${size}`;
          await visit(`inbox-${count}-${tail}`, url, how, async (page) => {
            await ready(page);
            await page.waitForTimeout(200);
          });
          if (count === '3' && size === '375') {
            await visit(`thread-${count}-${tail}`, `${url}#/inbox/all`, how, ready);
          }
          if (count === '3' && size !== '1024') {
            await visit(`settings-${tail}`, `${url}#/settings`, how, ready);
            await visit(`people-${tail}`, `${url}#/people/mock-Ada`, how, async (page) => {
              await ready(page);
              await page.fill('[data-test="chat-field"]', 'hello');
              await page.keyboard.press('Enter');
            });
            await visit(`signin-${tail}`, url.replace('mock', 'wrong'), how, (page) =>
              page.waitForSelector('[data-test="sign-in"]'),
            );
            await visit(`signin-password-${tail}`, url.replace('mock', 'wrong'), how, (page) =>
              page.click('[data-test="sign-in-by-password"]'),
            );
          }
        }
      }
      child.removeAllListeners('exit');
      child.kill();
    }
  }
});
