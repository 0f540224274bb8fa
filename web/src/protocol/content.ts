// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create } from '@bufbuild/protobuf';
import { type McpResultContent, McpResultContentSchema } from '@/gen/agentassist_pb';
import { type AnswerContent, type ContentData, textContent } from '@/inbox/item';
import { base64OfBytes, bytesOfBase64 } from './base64';

// Contract section 1: the numbers of McpResultContent.type.
export const kTextType = 1;
export const kImageType = 2;
export const kAudioType = 3;
export const kResourceType = 4;

export function contentBytes(data: ContentData | null): Uint8Array {
  if (!data) return new Uint8Array(0);
  return 'bytes' in data ? data.bytes : bytesOfBase64(data.base64);
}

export function contentBase64(data: ContentData | null): string {
  if (!data) return '';
  return 'base64' in data ? data.base64 : base64OfBytes(data.bytes);
}

export function toWire(content: AnswerContent): McpResultContent {
  const { mimeType, uri } = content;
  switch (content.type) {
    case 'text':
      return create(McpResultContentSchema, {
        type: kTextType,
        text: { type: 'text', text: content.text },
      });
    case 'image':
      return create(McpResultContentSchema, {
        type: kImageType,
        image: { type: 'image', data: contentBase64(content.data), mimeType },
      });
    case 'audio':
      return create(McpResultContentSchema, {
        type: kAudioType,
        audio: { type: 'audio', data: contentBase64(content.data), mimeType },
      });
    case 'resource':
      return create(McpResultContentSchema, {
        type: kResourceType,
        embeddedResource: {
          type: 'embedded_resource',
          uri,
          mimeType,
          data: contentBytes(content.data),
        },
      });
  }
}

export function fromWire(content: McpResultContent): AnswerContent | null {
  if (content.type === kTextType && content.text) return textContent(content.text.text);
  if (content.type === kImageType && content.image) {
    const { data, mimeType } = content.image;
    return { type: 'image', text: '', mimeType, uri: '', data: { base64: data } };
  }
  if (content.type === kAudioType && content.audio) {
    const { data, mimeType } = content.audio;
    return { type: 'audio', text: '', mimeType, uri: '', data: { base64: data } };
  }
  if (content.type === kResourceType && content.embeddedResource) {
    const { data, mimeType, uri } = content.embeddedResource;
    return { type: 'resource', text: '', mimeType, uri, data: { bytes: data } };
  }
  return null;
}

export function contentsFromWire(contents: readonly McpResultContent[]): AnswerContent[] {
  return contents.map(fromWire).filter((content) => content !== null);
}

// Image types that models accept. Sent as image content, because clients do not show resources to agents.
const kPictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function typeOfFile(mimeType: string): AnswerContent['type'] {
  if (kPictureTypes.includes(mimeType)) return 'image';
  return mimeType.startsWith('audio/') ? 'audio' : 'resource';
}

// Content of a picked, pasted or dropped file: pictures as image, sound as audio, others as embedded resource.
export async function contentOfFile(file: Pick<File, 'arrayBuffer' | 'name' | 'type'>): Promise<AnswerContent> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mimeType = file.type || 'application/octet-stream';
  const uri = `file://${file.name}`;
  return { type: typeOfFile(mimeType), text: '', mimeType, uri, data: { bytes } };
}

export function contentSize(content: AnswerContent): number {
  if (!content.data) return content.text.length;
  if ('bytes' in content.data) return content.data.bytes.length;
  const { base64 } = content.data;
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

export function contentName(content: AnswerContent): string {
  const path = content.uri.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
  return path.split('/').at(-1) || content.mimeType || content.type;
}
