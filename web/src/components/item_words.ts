// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { decidedChoice, roleOf } from '@/inbox/choice_role';
import { type Item, noticeKind } from '@/inbox/item';
import type { IconName } from './icons';

// The word and the mark of an outcome; colour is never the only sign.
export interface OutcomeMark {
  word: string; // a message key
  icon: IconName;
  tone: 'done' | 'failed' | 'quiet';
}

export function outcomeMark(item: Item): OutcomeMark {
  return noticeKind(item) === null ? questionOutcome(item) : noticeOutcome(item);
}

function noticeOutcome({ state }: Item): OutcomeMark {
  if (state === 'answered') return { word: 'card.dismissed', icon: 'check', tone: 'done' };
  if (state === 'pending') return { word: 'details.waiting', icon: 'clock', tone: 'quiet' };
  return { word: state === 'cancelled' ? 'card.replaced' : 'card.closed', icon: 'dash', tone: 'quiet' };
}

// The outcome of a permission prompt by its choice; null for a choice of another kind.
function decisionOutcome(item: Item): OutcomeMark | null {
  const choice = decidedChoice(item);
  switch (choice === null ? 'other' : roleOf(choice.label)) {
    case 'allow':
      return { word: 'card.allowed', icon: 'check', tone: 'done' };
    case 'lasting':
      return { word: 'card.allowedAlways', icon: 'checks', tone: 'done' };
    case 'refuse':
      return { word: 'card.denied', icon: 'cross', tone: 'failed' };
    case 'other':
      return null;
  }
}

const kChannels: readonly string[] = [
  'assistant',
  'push',
  'ntfy',
  'mail',
  'webhook',
  'link',
  'mcp',
  'chat',
  'loom',
  'api',
  'run',
];

// The way of an answer, as a message key; '': this page or another one of the console, or not known.
export const channelKey = (channel: string): string => (kChannels.includes(channel) ? `card.channel.${channel}` : '');
export const channelWord = ({ outcome }: Item): string => (outcome ? channelKey(outcome.channel) : '');

function questionOutcome(item: Item): OutcomeMark {
  const decided = decisionOutcome(item);
  if (decided !== null) return decided;
  switch (item.state) {
    case 'answered':
      if (item.outcome?.isError) return { word: 'card.refused', icon: 'cross', tone: 'failed' };
      return {
        word: item.kind === 'task_finish' ? 'card.confirmed' : 'card.answered',
        icon: 'check',
        tone: 'done',
      };
    case 'cancelled':
      return { word: 'card.cancelled', icon: 'cross', tone: 'failed' };
    case 'expired':
      return { word: 'card.expired', icon: 'clock', tone: 'failed' };
    case 'closed':
      return { word: 'card.closed', icon: 'dash', tone: 'quiet' };
    case 'pending':
      return { word: 'details.waiting', icon: 'clock', tone: 'quiet' };
  }
}
