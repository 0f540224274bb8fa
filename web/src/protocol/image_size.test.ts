// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { bytesOfBase64 } from './base64';
import { fitted, imageSize } from './image_size';

const kPictures: [string, string, number, number][] = [
  ['png', 'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVQI12NgQAUAABIAAeRVjecAAAAASUVORK5CYII=', 3, 2],
  ['gif', 'R0lGODlhBQAEAIAAAAAAAP///yH5BAEAAAAALAAAAAAFAAQAAAIEhI8JBQA7', 5, 4],
  ['webp', 'UklGRhoAAABXRUJQVlA4TA0AAAAvAkABEAcQERGIiP4HAA==', 3, 6],
];

describe('imageSize', () => {
  it.each(kPictures)('reads the head of a %s', (_, data, width, height) => {
    expect(imageSize(bytesOfBase64(data))).toEqual({ width, height });
  });

  it('reads the frame of a jpeg behind other segments', () => {
    const bytes = new Uint8Array([
      0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 11, 8, 1, 0x2c, 2, 0x58, 1, 1, 0x11, 0,
    ]);
    expect(imageSize(bytes)).toEqual({ width: 600, height: 300 });
  });

  it.each([
    [[]],
    [[0xff, 0xd8]],
    [[0xff, 0xd8, 0xff, 0xe0, 0, 0]],
    [[1, 2, 3, 4, 5]],
    [[...'RIFF0000WEBP'].map((c) => c.charCodeAt(0))],
    [[...'\x89PNG'].map((c) => c.charCodeAt(0))],
  ])('does not know a damaged or other file: %j', (bytes) => {
    expect(imageSize(new Uint8Array(bytes))).toBeNull();
  });
});

describe('fitted', () => {
  it('shrinks and never enlarges', () => {
    expect(fitted({ width: 960, height: 320 }, 480, 320)).toEqual({ width: 480, height: 160 });
    expect(fitted({ width: 10, height: 20 }, 480, 320)).toEqual({ width: 10, height: 20 });
    expect(fitted({ width: 100_000, height: 1 }, 480, 320)).toEqual({ width: 480, height: 1 });
  });
});
