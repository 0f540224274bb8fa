// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `make picture-sizes`: the console at three widths, with 0, 3 and 3,000 questions, in both languages and appearances,
// into build/pictures. For looking; none is in the documents.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillInbox } from './lib/demo.js';
import { choose, visit } from './lib/pages.js';
import { Stage } from './lib/stage.js';

const kInto = fileURLToPath(new URL('../../build/pictures/', import.meta.url));
const kWidths = [1440, 1024, 375];
const kCounts = [0, 3, 3000];
const kPages = [
  '/inbox',
  '/search',
  '/statistics',
  '/people',
  '/runs',
  '/settings',
  '/settings/devices',
  '/settings/rules',
  '/settings/notifications',
];

async function take(person, server, count, language, theme) {
  const { page } = person;
  await choose(page, { language, theme });
  // The other pages do not depend on the number of questions.
  for (const address of count === 3 ? kPages : kPages.slice(0, 3)) {
    await visit(page, server, address);
    for (const width of kWidths) {
      await page.setViewportSize({ width, height: width < 500 ? 812 : 900 });
      await page.waitForTimeout(200);
      const name = `${address.slice(1).replace('/', '-')}-${count}-${width}-${language}-${theme}.png`;
      await page.screenshot({ path: join(kInto, name) });
      process.stdout.write(`${name}\n`);
    }
  }
}

mkdirSync(kInto, { recursive: true });
const stage = new Stage();
try {
  await stage.server.start();
  const person = await stage.person();
  let filled = 0;
  for (const count of kCounts) {
    if (count > filled) await fillInbox(stage.server, filled, count);
    filled = count;
    for (const language of ['en', 'zh'])
      for (const theme of ['light', 'dark']) await take(person, stage.server, count, language, theme);
  }
} finally {
  await stage.end();
}
