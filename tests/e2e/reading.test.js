// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Code, patches, pictures, sounds and files in questions and answers. Nothing of them runs, also in a browser that
// ignores the page's policy.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { until } from './lib/person.js';
import { linkTo, post } from './lib/reading.js';
import { staged } from './lib/stage.js';
import { kLines, kWithoutPolicy, oddities, watched } from './lib/xss.js';

const kClipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
const kPng = 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVQI12NgQAUAABIAAeRVjecAAAAASUVORK5CYII=';
const kSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="ran(900)"><script>ran(901)</script><rect width="40" height="20"/></svg>';

const kPatch = `diff --git a/src/shop.ts b/src/shop.ts
--- a/src/shop.ts
+++ b/src/shop.ts
@@ -10,3 +10,4 @@ export function price() {
 const vat = 0.19;
-const gross = net * 1.19;
+const gross = net * rate;
+const cents = Math.round(gross);
 return gross;
diff --git a/old.txt b/new.txt
similarity index 90%
rename from old.txt
rename to new.txt
--- a/old.txt
+++ b/new.txt
@@ -1 +1 @@
-x
+y
\\ No newline at end of file
diff --git a/pic.png b/pic.png
new file mode 100644
Binary files /dev/null and b/pic.png differ
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
`;

async function asked(stage, text, more = {}) {
  await post(stage.server, '/v1/interactions', { key: 'it', prompt: { text, project_directory: '/src/shop' } });
  const person = await stage.person(undefined, more.viewport, more.options);
  await person.page.locator('[data-card=it]').waitFor();
  return person;
}

async function answered(stage, contents, options) {
  await post(stage.server, '/v1/interactions', { key: 'it', prompt: { text: 'Show it.' } });
  await post(stage.server, '/v1/interactions/it/answer', { contents });
  const person = await stage.person(undefined, undefined, options);
  const seen = options === undefined ? undefined : await watched(person.page, stage.server.url);
  await person.page.goto(linkTo(stage.server, 'it'));
  await person.page
    .locator('[data-card=it] [data-test=content]')
    .nth(contents.filter((it) => it.type !== 'text').length - 1)
    .waitFor();
  return { person, seen };
}

const clipboard = (person) => person.page.evaluate(() => navigator.clipboard.readText());

test(
  'a block of code has colours, its language, and a button that copies it',
  staged(async (stage) => {
    const code = 'const n = 1; // "<b>"\n';
    const person = await asked(
      stage,
      `Like this?\n\n\`\`\`ts\n${code}\`\`\`\n\n- or\n\n  \`\`\`py\n  x = 1\n  \`\`\``,
      { options: kClipboard },
    );
    const blocks = person.page.locator('[data-test=code]');
    await blocks.first().locator('.is-keyword', { hasText: 'const' }).waitFor();
    assert.match(await blocks.first().innerText(), /^TypeScript/);
    assert.match(await blocks.nth(1).innerText(), /^Python/);
    const colours = await blocks
      .first()
      .evaluate((block) => [...block.querySelectorAll('code span')].map((it) => getComputedStyle(it).color));
    assert.ok(new Set(colours).size >= 3, colours.join());
    const copy = blocks.first().getByRole('button', { name: 'Copy code' });
    await copy.focus();
    await person.page.keyboard.press('Enter');
    await copy.filter({ hasText: 'Copied' }).waitFor();
    assert.equal(await clipboard(person), code);
  }),
);

test(
  'a huge block is shown in one colour, and the page goes on',
  staged(async (stage) => {
    const line = 'const a = [1, 2, 3]; // a line\n';
    const person = await asked(
      stage,
      `\`\`\`js\n${line.repeat(Math.ceil(200_000 / line.length))}\`\`\`\n\n\`\`\`js\nlet b;\n\`\`\``,
    );
    await person.page.locator('[data-test=code]').nth(1).locator('.is-keyword').waitFor();
    const huge = person.page.locator('[data-test=code]').first();
    assert.equal(await huge.locator('code span').count(), 0);
    assert.ok((await huge.locator('code').innerText()).length > 190_000);
    assert.ok((await huge.boundingBox()).height < 600, 'it scrolls inside');
  }),
);

test(
  'a patch without a fence is shown file by file',
  staged(async (stage) => {
    const person = await asked(stage, `Shall I apply this?\n\n${kPatch}`, { options: kClipboard });
    const patch = person.page.locator('[data-test=patch]');
    const files = patch.locator('[data-test=patch-file]');
    await files.nth(3).waitFor();
    const heads = (await files.locator('button[aria-expanded]').allInnerTexts()).map((it) =>
      it.replace(/\s+/g, ' ').trim(),
    );
    assert.deepEqual(heads, [
      'src/shop.ts +2 −1',
      'old.txt → new.txt renamed +1 −1',
      'pic.png new binary file',
      'gone.txt deleted +0 −1',
    ]);
    const rows = await files
      .first()
      .locator('tr')
      .evaluateAll((all) =>
        all.map((row) => [
          row.className,
          ...[...row.querySelectorAll('.number')].map((it) => it.dataset.line),
          row.querySelector('.sign')?.textContent ?? '',
        ]),
      );
    assert.deepEqual(rows, [
      ['hunk', ''],
      ['same', '10', '10', ' '],
      ['removed', '11', '', '−'],
      ['added', '', '11', '+'],
      ['added', '', '12', '+'],
      ['same', '12', '13', ' '],
    ]);
    assert.deepEqual(await files.first().locator('b').allInnerTexts(), ['1.19', 'rate']);
    const colours = await files
      .first()
      .locator('tr.added, tr.removed')
      .evaluateAll((all) => all.map((it) => getComputedStyle(it).backgroundColor));
    assert.equal(new Set(colours).size, 2);
    await files.nth(1).getByText('No newline at end of file').waitFor();
    await patch.getByRole('button', { name: 'Copy patch' }).click();
    await until(async () => (await clipboard(person)) === kPatch, 'the patch is on the clipboard as it came');
    await files.first().locator('button[aria-expanded]').click();
    await files.first().locator('table').waitFor({ state: 'detached' });
  }),
);

test(
  'a fenced patch folds its long files, and wraps on a phone',
  staged(async (stage) => {
    const lines = Array.from({ length: 900 }, (_, at) => `+line ${at} ${'word '.repeat(30)}`);
    const person = await asked(
      stage,
      `\`\`\`diff\n--- /dev/null\n+++ b/long.txt\n@@ -0,0 +1,900 @@\n${lines.join('\n')}\n\`\`\``,
      { viewport: { width: 375, height: 740 } },
    );
    const file = person.page.locator('[data-test=patch-file]');
    await file.waitFor();
    const shown = await file.locator('tr').count();
    assert.ok(shown < 200, `${shown} rows at first`);
    await file.getByRole('button', { name: /^Show \d+ more lines$/ }).click();
    await until(async () => (await file.locator('tr').count()) > shown, 'more rows');
    assert.ok(await file.locator('.lines').evaluate((it) => it.scrollWidth <= it.clientWidth), 'long lines wrap');
    assert.ok(
      await person.page.locator('[data-card=it]').evaluate((it) => it.scrollWidth <= it.clientWidth),
      'the card is not wider than the phone',
    );
  }),
);

test(
  'nothing in code, patches and names of files runs',
  staged(async (stage) => {
    const names = kLines.slice(0, 20).map((name) => name.replaceAll('`', "'"));
    const patches = names.map(
      (name) =>
        `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@ ${name}\n-${name}\n+${name}x`,
    );
    const blocks = names.map((name) => `\`\`\`${name}\n${name}\n\`\`\`\n\n\`\`\`html\n${name}\n\`\`\``);
    await post(stage.server, '/v1/interactions', { key: 'patches', prompt: { text: patches.join('\n') } });
    await post(stage.server, '/v1/interactions', { key: 'blocks', prompt: { text: blocks.join('\n\n') } });
    await post(stage.server, '/v1/interactions', { key: 'files', prompt: { text: 'Files?' } });
    const data = Buffer.from('<script>ran(1)</script>').toString('base64');
    await post(stage.server, '/v1/interactions/files/answer', {
      contents: [
        ...names.map((name) => ({ type: 'resource', mime_type: name, uri: `file://${name}`, data })),
        { type: 'resource', mime_type: 'text/plain', uri: 'javascript:ran(2)', data: '' },
        { type: 'resource', mime_type: 'text/html', uri: 'http://x.example/"onmouseover="ran(3)', data },
      ],
    });
    const person = await stage.person(undefined, { width: 1280, height: 3000 }, kWithoutPolicy);
    const seen = await watched(person.page, stage.server.url);
    await person.page.goto(linkTo(stage.server, 'files'));
    await person.page.locator('[data-card=files] [data-test=content]').nth(21).waitFor();
    await person.page.locator('[data-card=patches] [data-test=patch-file]').nth(10).waitFor();
    await person.page.locator('[data-card=blocks] .is-name, [data-card=blocks] .is-keyword').first().waitFor();
    assert.deepEqual(await oddities(person.page.locator('[data-test=thread]')), []);
    assert.deepEqual(seen, { ran: [], asked: [] });
  }),
);

test(
  'pictures, sounds, files and links of an answer are in place',
  staged(async (stage) => {
    const sound = readFileSync(new URL('lib/tone.wav', import.meta.url)).toString('base64');
    const { person, seen } = await answered(
      stage,
      [
        { type: 'text', text: '**Here**' },
        { type: 'image', mime_type: 'image/png', data: kPng },
        { type: 'image', mime_type: 'image/png', data: Buffer.from('no picture').toString('base64') },
        {
          type: 'resource',
          mime_type: 'image/svg+xml',
          uri: 'file://drawing.svg',
          data: Buffer.from(kSvg).toString('base64'),
        },
        { type: 'audio', mime_type: 'audio/wav', data: sound },
        {
          type: 'resource',
          mime_type: 'text/html',
          uri: 'file://report.html',
          data: Buffer.from('<script>ran(902)</script>').toString('base64'),
        },
        { type: 'resource', mime_type: 'text/html', uri: 'https://example.org/page', data: '' },
        { type: 'resource', mime_type: 'text/html', uri: 'javascript:ran(903)', data: '' },
      ],
      kWithoutPolicy,
    );
    const contents = person.page.locator('[data-card=it] [data-test=content]');
    assert.deepEqual(await contents.evaluateAll((all) => all.map((it) => it.dataset.kind)), [
      'picture',
      'picture',
      'picture',
      'sound',
      'file',
      'link',
      'nothing',
    ]);
    await person.page.locator('[data-card=it] strong', { hasText: 'Here' }).waitFor();
    const size = await contents
      .nth(0)
      .locator('img')
      .evaluate((it) => [it.width, it.height, it.getAttribute('width'), it.getAttribute('height')]);
    assert.deepEqual(size, [3, 2, '3', '2']);
    await contents.nth(1).locator('[data-test=broken-picture]', { hasText: 'damaged' }).waitFor();
    await until(
      () =>
        contents
          .nth(2)
          .locator('img')
          .evaluate((it) => it.naturalWidth === 40),
      'the drawing is shown',
    );
    await until(
      () =>
        contents
          .nth(3)
          .locator('audio')
          .evaluate((it) => it.duration > 0),
      'the sound can be played',
    );
    const [download] = await Promise.all([
      person.page.waitForEvent('download'),
      contents.nth(4).getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'report.html');
    assert.match(await contents.nth(4).innerText(), /report\.html\s+text\/html\s+25 B/);
    const link = contents.nth(5).getByRole('link');
    assert.deepEqual(await link.evaluate((it) => [it.getAttribute('href'), it.target, it.rel]), [
      'https://example.org/page',
      '_blank',
      'noopener noreferrer nofollow',
    ]);
    assert.equal(await contents.nth(6).getByRole('link').count(), 0);
    assert.deepEqual(await oddities(person.page.locator('[data-test=thread]')), []);
    assert.deepEqual(seen, { ran: [], asked: [] });
  }),
);

test(
  'a picture is enlarged, zoomed and closed with the keyboard',
  staged(async (stage) => {
    const { person } = await answered(stage, [{ type: 'image', mime_type: 'image/png', data: kPng }]);
    const picture = person.page.locator('[data-test=picture]');
    await picture.focus();
    await person.page.keyboard.press('Enter');
    const sheet = person.page.locator('[data-test=picture-sheet]');
    await sheet.waitFor();
    const zoom = sheet.locator('[data-test=picture-zoom]');
    await zoom.filter({ hasText: 'Fits' }).waitFor();
    await until(
      () => person.page.evaluate(() => document.activeElement?.closest('.q-dialog') !== null),
      'the focus is in the dialog',
    );
    await person.page.keyboard.press('+');
    await zoom.filter({ hasText: '125 %' }).waitFor();
    await person.page.keyboard.press('-');
    await zoom.filter({ hasText: '100 %' }).waitFor();
    await person.page.keyboard.press('0');
    await zoom.filter({ hasText: 'Fits' }).waitFor();
    await person.page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await until(() => picture.evaluate((it) => it === document.activeElement), 'the focus is back on the picture');
  }),
);
