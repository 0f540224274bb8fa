// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of the documents.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const kImages = process.env.PARLEY_PICTURES ?? fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const kMarginPixels = 8;

export const kPhone = { width: 375, height: 812 };
export const kPhoneScale = { deviceScaleFactor: 2, hasTouch: true, isMobile: true };

// Waits until the fonts are there and animations have ended.
async function still(page) {
  await page.mouse.move(720, 899);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(600);
}

// A picture of the window as PNG.
export async function picture(page, name) {
  await still(page);
  await page.screenshot({ path: join(kImages, `${name}.png`) });
  process.stdout.write(`${name}.png\n`);
}

// A picture of the window, or of a part of it with a margin, as WebP without loss: half of the size.
export async function smallPicture(page, name, part) {
  await still(page);
  const box = await part?.boundingBox();
  const clip = box && {
    x: Math.max(0, box.x - kMarginPixels),
    y: Math.max(0, box.y - kMarginPixels),
    width: box.width + 2 * kMarginPixels,
    height: box.height + 2 * kMarginPixels,
  };
  const png = await page.screenshot({ clip });
  execFileSync(
    'convert',
    [
      'png:-',
      '-strip',
      '-define',
      'webp:lossless=true',
      '-define',
      'webp:method=6',
      `webp:${join(kImages, `${name}.webp`)}`,
    ],
    { input: png },
  );
  process.stdout.write(`${name}.webp\n`);
}
