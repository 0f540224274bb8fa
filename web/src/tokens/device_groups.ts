// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { Me, Token } from './http_tokens';

export interface DeviceGroups {
  here: Token[]; // of the workspace of `me`, whose own token comes first
  elsewhere: Token[];
}

// The tokens by workspace, in the given order.
export function deviceGroups(tokens: readonly Token[], me: Me): DeviceGroups {
  const isOwn = ({ id }: Token) => id === me.tokenId;
  const isHere = (token: Token) => isOwn(token) || token.workspace === me.workspace;
  return {
    here: [...tokens.filter(isOwn), ...tokens.filter((token) => isHere(token) && !isOwn(token))],
    elsewhere: tokens.filter((token) => !isHere(token)),
  };
}

// `wanted`, or the first of "wanted 2", "wanted 3", ... that no token has.
export function freeName(wanted: string, tokens: readonly Token[]): string {
  const taken = new Set(tokens.map(({ name }) => name));
  if (!taken.has(wanted)) return wanted;
  let count = 2;
  while (taken.has(`${wanted} ${count}`)) count += 1;
  return `${wanted} ${count}`;
}
