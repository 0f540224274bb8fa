// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// True if the browser can show `file` as a picture.
export async function decodes(file: Blob): Promise<boolean> {
  const url = URL.createObjectURL(file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return true;
  } catch {
    return false;
  } finally {
    image.src = '';
    URL.revokeObjectURL(url);
  }
}
