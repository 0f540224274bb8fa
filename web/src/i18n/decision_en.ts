// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Decisions: permission prompts, and the moment between a press and its answer. Loaded with their parts.
export const decisionEn = {
  sends: 'Sending',
  chosen: 'You chose',
  forOthers: 'for {count} prompts',
  undo: 'Undo',
  cancel: 'Cancel',
  now: 'Send now',
  confirm: 'Confirm',
  always: 'Always…',
  alwaysHint: 'Shows the rules first',
  place: {
    session: 'Until this session ends. Nothing is written.',
    project: 'Written for this project, on this computer',
    user: 'Written for all your projects',
    file: 'to {file}',
  },
  reason: 'Reason…',
  reasonLabel: 'Reason (optional)',
  reasonPlaceholder: 'Tell the agent why, or what to do instead…',
  hintKeys: 'Keys {keys} choose, Enter confirms, Esc cancels',
  same: 'Same for the other {count} | Same for the other {count}',
  sameHint: 'They ask for exactly this:',
  before: {
    of: ':',
    allowed: 'allowed once before. | allowed {count} times before, never denied.',
    denied: 'denied once before. | denied {count} times before, never allowed.',
    both: 'allowed {allowed}, denied {denied} times before.',
    last: { allowed: 'Last: allowed', lasting: 'Last: always allowed', denied: 'Last: denied' },
    lastBy: {
      allowed: 'Last: allowed by {name}',
      lasting: 'Last: always allowed by {name}',
      denied: 'Last: denied by {name}',
    },
    way: ' ({way})',
    rule: 'Make it a rule…',
  },
  sameNever: 'A lasting rule answers this prompt alone.',
};
