// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return new Uint8Array(0);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function base64OfBytes(bytes: Uint8Array): string {
  const kSlice = 0x8000;
  let binary = '';
  for (let i = 0; i < bytes.length; i += kSlice) {
    binary += String.fromCharCode(...bytes.subarray(i, i + kSlice));
  }
  return btoa(binary);
}
