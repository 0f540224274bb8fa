// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export interface ImageSize {
  width: number;
  height: number;
}

const kMaxSegments = 200; // of a JPEG before its frame
const ascii = (bytes: Uint8Array, at: number, text: string) =>
  [...text].every((char, i) => bytes[at + i] === char.charCodeAt(0));

function sized(width: number, height: number): ImageSize | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

// The frame header of a JPEG; a picture that a camera turned by 90 degrees is reported as it lies in the file.
function jpegSize(view: DataView): ImageSize | null {
  let at = 2;
  for (let count = 0; count < kMaxSegments && at + 9 <= view.byteLength; count += 1) {
    if (view.getUint8(at) !== 0xff) return null;
    const mark = view.getUint8(at + 1);
    const isFrame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (isFrame) return sized(view.getUint16(at + 7), view.getUint16(at + 5));
    if (mark === 0xff) at += 1;
    else at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  if (bytes.length < 30) return null;
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (ascii(bytes, 12, 'VP8X')) return sized(three(24) + 1, three(27) + 1);
  if (ascii(bytes, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return sized((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
  }
  return ascii(bytes, 12, 'VP8 ') ? sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff) : null;
}

// Width and height from the head of a PNG, JPEG, GIF, WebP or BMP file; null: another format, or damaged.
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && ascii(bytes, 1, 'PNG')) return sized(view.getUint32(16), view.getUint32(20));
  if (bytes.length >= 10 && ascii(bytes, 0, 'GIF8')) return sized(view.getUint16(6, true), view.getUint16(8, true));
  if (bytes.length >= 4 && view.getUint16(0) === 0xffd8) return jpegSize(view);
  if (ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP')) return webpSize(bytes, view);
  if (bytes.length >= 26 && ascii(bytes, 0, 'BM'))
    return sized(view.getInt32(18, true), Math.abs(view.getInt32(22, true)));
  return null;
}

// The size at which a picture of `size` is shown inside a box of width x height.
export function fitted(size: ImageSize, width: number, height: number): ImageSize {
  const scale = Math.min(1, width / size.width, height / size.height);
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}
