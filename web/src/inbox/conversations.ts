// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Item } from './item';
import { sortTime } from './ledger';

export const kAllConversations = 'all';

// The questions of one agent in one project.
export interface Conversation {
  id: string;
  project: string;
  agent: string;
  lastText: string;
  lastAt: number;
  waiting: number;
  total: number;
}

export interface ProjectGroup {
  project: string; // the whole path
  title: string; // the last part of the path
  waiting: number;
  lastAt: number;
  conversations: Conversation[];
}

export function agentOf(item: Item): string {
  return item.prompt.agent || item.prompt.client;
}

// A short stable id for the URL (FNV-1a, 32 bits).
export function conversationId(project: string, agent: string): string {
  let hash = 0x811c9dc5;
  for (const char of `${project}\u0000${agent}`) {
    hash ^= char.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export function conversationOf(item: Item): string {
  return conversationId(item.prompt.project, agentOf(item));
}

export function projectTitle(project: string): string {
  const parts = project.split(/[\\/]+/).filter((part) => part !== '');
  return parts.at(-1) ?? '';
}

// Conversations with waiting questions first, then by latest activity.
function byUrgency(a: { waiting: number; lastAt: number }, b: { waiting: number; lastAt: number }) {
  if (a.waiting > 0 !== b.waiting > 0) return a.waiting > 0 ? -1 : 1;
  return b.lastAt - a.lastAt;
}

export function groupByProject(items: readonly Item[]): ProjectGroup[] {
  const conversations = new Map<string, Conversation>();
  for (const item of items) {
    const id = conversationOf(item);
    const at = sortTime(item);
    const known = conversations.get(id);
    if (!known) {
      conversations.set(id, {
        id,
        project: item.prompt.project,
        agent: agentOf(item),
        lastText: item.prompt.text,
        lastAt: at,
        waiting: item.state === 'pending' ? 1 : 0,
        total: 1,
      });
      continue;
    }
    known.total += 1;
    if (item.state === 'pending') known.waiting += 1;
    if (at >= known.lastAt) {
      known.lastAt = at;
      known.lastText = item.prompt.text;
    }
  }
  return gather([...conversations.values()]);
}

function gather(conversations: Conversation[]): ProjectGroup[] {
  const groups = new Map<string, ProjectGroup>();
  for (const conversation of conversations) {
    const group = groups.get(conversation.project) ?? {
      project: conversation.project,
      title: projectTitle(conversation.project),
      waiting: 0,
      lastAt: 0,
      conversations: [],
    };
    group.conversations.push(conversation);
    group.waiting += conversation.waiting;
    group.lastAt = Math.max(group.lastAt, conversation.lastAt);
    groups.set(conversation.project, group);
  }
  for (const group of groups.values()) group.conversations.sort(byUrgency);
  return [...groups.values()].sort(byUrgency);
}
