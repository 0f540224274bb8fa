// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { base64OfBytes } from '@/protocol/base64';
import { randomId } from '@/text/random_id';
import type { Content, NamedPart } from './frames';

export const kMaxFileBytes = 5 * 1024 * 1024;
export const kMaxFiles = 3;
export const kMaxFilesBytes = 11 * 1024 * 1024; // all files; base64 adds a third, and a message has at most 16 MiB
const kMaxTextBytes = 256 * 1024;

export interface Attachment extends NamedPart {
  id: string;
  size: number;
  content: Content;
}

export type Refusal = 'tooMany' | 'tooLarge' | 'noKind';

const kText = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|toml|sql|x-sh))/;
const kTextName =
  /\.(txt|md|json|jsonl|csv|tsv|ya?ml|toml|xml|ini|log|py|js|ts|vue|c|cc|cpp|h|hpp|java|go|rs|rb|sh|sql|css|html)$/i;

// Content type of a file for a model; null: not supported.
export function fileKind({ name, type }: Pick<File, 'name' | 'type'>): Content['type'] | null {
  if (type === 'image/svg+xml') return 'text';
  const [family = ''] = type.split('/');
  if (family === 'image' || family === 'audio' || family === 'video') return family;
  if (type === 'application/pdf') return 'pdfFile';
  return kText.test(type) || kTextName.test(name) ? 'text' : null;
}

// Splits `files` into those that can be added to the `held` ones and those refused, with reasons.
export function choose<T extends Pick<File, 'name' | 'type' | 'size'>>(
  files: readonly T[],
  held: number,
  heldBytes = 0,
): { taken: T[]; refused: { name: string; why: Refusal }[] } {
  const taken: T[] = [];
  const refused: { name: string; why: Refusal }[] = [];
  let bytes = heldBytes;
  for (const file of files) {
    const kind = fileKind(file);
    const limit = kind === 'text' ? kMaxTextBytes : kMaxFileBytes;
    const why: Refusal | null =
      kind === null
        ? 'noKind'
        : file.size > limit || bytes + file.size > kMaxFilesBytes
          ? 'tooLarge'
          : held + taken.length >= kMaxFiles
            ? 'tooMany'
            : null;
    if (why) refused.push({ name: file.name, why });
    else {
      taken.push(file);
      bytes += file.size;
    }
  }
  return { taken, refused };
}

export async function readAttachment(file: File): Promise<Attachment> {
  const kind = fileKind(file) ?? 'text';
  const common = { id: randomId(), name: file.name, mimeType: file.type || 'text/plain', size: file.size };
  if (kind === 'text') return { ...common, content: { type: 'text', text: `${file.name}:\n${await file.text()}` } };
  const base64Data = base64OfBytes(new Uint8Array(await file.arrayBuffer()));
  return {
    ...common,
    content: { type: kind, isUseBase64: true, base64Data, mimeType: file.type, uploadFileName: file.name },
  };
}

// A data: URL of an attached picture; '' for other attachments.
export function previewOf({ content }: Attachment): string {
  return content.type === 'image' && /^image\/(png|jpeg|gif|webp)$/.test(content.mimeType)
    ? `data:${content.mimeType};base64,${content.base64Data}`
    : '';
}
