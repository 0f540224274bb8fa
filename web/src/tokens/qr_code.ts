// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { encode } from 'uqr';

const kQuietZone = 4; // modules; the standard's minimum

export interface QrPicture {
  size: number; // of each side in modules, with the quiet zone
  path: string; // SVG path of the dark modules
}

// The modules of a QR code, with the quiet zone; true: dark. Medium error correction.
export function qrMatrix(text: string): boolean[][] {
  return encode(text, { ecc: 'M', border: kQuietZone }).data;
}

// The code as one path: a rectangle for each run of dark modules in a row.
export function qrPicture(text: string): QrPicture {
  const rows = qrMatrix(text);
  const parts = rows.flatMap((row, y) => {
    const runs = row
      .map((dark) => (dark ? '#' : ' '))
      .join('')
      .matchAll(/#+/g);
    return [...runs].map(({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`);
  });
  return { size: rows.length, path: parts.join('') };
}
