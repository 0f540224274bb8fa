// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { AnswerContent } from './item';

// A frame has at most 16 MiB, including the growth by base64 and the echoed request.
export const kMaxMegabytes = 11;
// Limit (Answers in the console): text and attachments of one answer; below a frame's 16 MiB after base64 and with the
// echoed question. Reached: a sentence beside the field; the file is left out.
export const kMaxAnswerBytes = kMaxMegabytes * 1024 * 1024;
// Limit (Answers in the console): attachments of one answer. Reached: a sentence beside the field; the file is left
// out.
export const kMaxAttachments = 20;

// Something that goes with an answer. A path is the address of a file on the person's computer, which a page
// cannot read; the agent gets the address.
export interface Attached {
  id: string;
  name: string;
  kind: 'picture' | 'sound' | 'file' | 'path';
  size: number; // bytes
  seconds: number; // length of a recording; 0: not known
  content: AnswerContent;
}

export type Refusal = 'tooLarge' | 'noRoom' | 'tooMany' | 'unreadable';

export function usedBytes(held: readonly Attached[]): number {
  return held.reduce((sum, { size }) => sum + size, 0);
}

// The reason to refuse a file of `size` bytes beside the `held` ones; null: there is room.
export function refusalOf(size: number, held: readonly Attached[]): Refusal | null {
  if (size > kMaxAnswerBytes) return 'tooLarge';
  if (held.length >= kMaxAttachments) return 'tooMany';
  return usedBytes(held) + size > kMaxAnswerBytes ? 'noRoom' : null;
}

const kMegabyte = 1024 * 1024;

export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < kMegabyte) return `${Math.round(bytes / 1024)} KB`;
  const megabytes = bytes / kMegabyte;
  return `${megabytes.toFixed(megabytes < 10 ? 1 : 0)} MB`;
}

// The addresses in a pasted or dropped text that has nothing else, as file managers write it; otherwise none.
export function fileAddresses(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.every((line) => /^file:\/\/\S+$/i.test(line) && URL.canParse(line)) ? [...new Set(lines)] : [];
}

// The last part of a file's address, in plain characters.
export function addressName(address: string): string {
  const last = address.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || address;
  } catch {
    return last;
  }
}

// A resource without data: agents receive its address.
export function pathContent(address: string): AnswerContent {
  return { type: 'resource', text: '', mimeType: '', uri: address, data: null };
}
