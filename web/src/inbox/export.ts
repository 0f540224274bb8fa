// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { contentBase64, contentName, contentSize } from '@/protocol/content';
import { agentOf, projectTitle } from './conversations';
import { type AnswerContent, answerText, attachmentsOf, type Item } from './item';

// Larger attachments, and those beyond the sum of all, are named in the export without their bytes.
export const kMaxAttachmentBytes = 8 * 1024 * 1024;
export const kMaxExportBytes = 64 * 1024 * 1024;

export interface ExportAbout {
  title: string; // of the conversation
  exportedAt: number; // Unix ms
}

const iso = (at: number) => new Date(at).toISOString();

// A fence that is longer than all fences in the text.
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([marks]) => marks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

// One line without the marks of Markdown, for headings.
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_{}[\]<>#|])/g, '\\$1')
    .trim();
}

function choicesOf(item: Item): string {
  return item.prompt.questions
    .map(({ choices, header, multiple, text }) => {
      const head =
        item.prompt.questions.length > 1
          ? `**${plain(header || text)}**\n\n${header === '' ? '' : `${quoted(text)}\n\n`}`
          : '';
      const list = choices.map(
        ({ description, label }) => `- ${plain(label)}${description === '' ? '' : `: ${plain(description)}`}`,
      );
      return `${head}${list.length > 0 && multiple ? '(several)\n\n' : ''}${list.join('\n')}`.trim();
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

function attachmentLine(content: AnswerContent): string {
  const link = /^https?:\/\/\S+$/i.test(content.uri) ? `, <${content.uri}>` : '';
  const type = plain(content.mimeType) || content.type;
  return `- ${plain(contentName(content))} (${type}, ${Math.round(contentSize(content))} bytes${link})`;
}

function outcomeLines(item: Item): string[] {
  const { outcome } = item;
  if (item.state !== 'answered' || !outcome) {
    const reason = outcome?.reason ? `: ${plain(outcome.reason)}` : '';
    return [`*${item.state}${reason}*`];
  }
  const by = outcome.nickname === '' ? '' : ` by ${plain(outcome.nickname)}`;
  const files = attachmentsOf(outcome.contents);
  return [
    `**Answer**${by}, ${iso(outcome.at)}${outcome.isError ? ' (error)' : ''}`,
    answerText(outcome.contents),
    ...(files.length > 0 ? [files.map(attachmentLine).join('\n')] : []),
  ];
}

// A conversation as Markdown: texts of questions are quoted, texts of answers stand as they are.
export function exportMarkdown(items: readonly Item[], about: ExportAbout): string {
  const parts = [`# ${plain(about.title)}`, `${items.length} entries, exported ${iso(about.exportedAt)}`];
  for (const item of items) {
    const { model, project } = item.prompt;
    const origin = [agentOf(item), model, project]
      .filter((it) => it !== '')
      .map(plain)
      .join(' · ');
    parts.push(`## ${item.kind === 'question' ? 'Question' : 'Report'}, ${iso(item.openedAt)}`);
    if (origin !== '') parts.push(origin);
    parts.push(
      item.prompt.text.includes('```') ? quoted(item.prompt.text) : safeQuote(item.prompt.text),
      choicesOf(item),
      ...outcomeLines(item),
    );
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

// A patch would lose its spaces in a quotation.
function safeQuote(text: string): string {
  return /^(diff --git |@@ -)/m.test(text) ? fenced(text) : quoted(text);
}

function contentRecord(content: AnswerContent, room: { left: number }): Record<string, unknown> {
  if (content.type === 'text') return { type: 'text', text: content.text };
  const bytes = Math.round(contentSize(content));
  const record = {
    type: content.type,
    name: contentName(content),
    mime_type: content.mimeType,
    uri: content.uri,
    bytes,
  };
  if (bytes > kMaxAttachmentBytes || bytes > room.left) return { ...record, left_out: 'too large for the export' };
  room.left -= bytes;
  return { ...record, data: contentBase64(content.data) };
}

// A conversation as JSON; attachments in base64 within the limits.
export function exportJson(items: readonly Item[], about: ExportAbout): string {
  const room = { left: kMaxExportBytes };
  const entries = items.map(({ deadline, key, kind, openedAt, outcome, prompt, state }) => ({
    key,
    kind,
    state,
    asked_at: iso(openedAt),
    deadline: deadline > 0 ? iso(deadline) : null,
    prompt: {
      text: prompt.text,
      project: prompt.project,
      agent: prompt.agent,
      model: prompt.model,
      client: prompt.client,
      questions: prompt.questions,
    },
    outcome: outcome && {
      at: iso(outcome.at),
      by: outcome.nickname,
      is_error: outcome.isError,
      reason: outcome.reason,
      contents: outcome.contents.map((content) => contentRecord(content, room)),
    },
  }));
  const head = { format: 'parley-conversation', version: 1, title: about.title, exported_at: iso(about.exportedAt) };
  return `${JSON.stringify({ ...head, entries }, null, 2)}\n`;
}

// "parley-shop-2026-11-25.md", from the project and the agent if there is one conversation.
export function exportName(items: readonly Item[], at: number, ending: 'md' | 'json'): string {
  const same = (of: (item: Item) => string) => (new Set(items.map(of)).size === 1 && items[0] ? of(items[0]) : '');
  const words = [same((item) => projectTitle(item.prompt.project)), same(agentOf)]
    .map((word) =>
      word
        .normalize('NFC')
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-+|-+$/g, '')
        .slice(0, 40),
    )
    .filter((word) => word !== '');
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((it) => String(it).padStart(2, '0'))
    .join('-');
  return `${['parley', ...words, day].join('-')}.${ending}`;
}
