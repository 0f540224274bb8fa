// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText, isObject, type Json, parsedJson } from '@/wire/json';

export interface Picture {
  path: string; // on this server
  name: string;
  video: boolean;
}

const kMaxPictures = 24;
const kVideo = /\.(mp4|webm|mov|mkv)$/i;

const kCutEntry = /\{"url":("\/api\/v1\/(?:[^"\\]|\\.)*"),"filename":("(?:[^"\\]|\\.)*")/g;

function readList(list: unknown, video: boolean): Picture[] {
  return asArray(list).map((it): Picture => {
    const one = asObject(it);
    const name = asText(one['filename']);
    return { path: typeof it === 'string' ? it : asText(one['url']), name, video: video || kVideo.test(name) };
  });
}

const readRun = (run: Json): Picture[] => [...readList(run['images'], false), ...readList(run['videos'], true)];

// Reads the complete entries of a result whose end was cut off.
function readCut(result: string): Picture[] {
  return [...result.matchAll(kCutEntry)].map(([, path, file]): Picture => {
    const name = asText(parsedJson(file ?? ''));
    return { path: asText(parsedJson(path ?? '')), name, video: kVideo.test(name) };
  });
}

// The pictures that a tool's result names, of one or more runs of a workflow. Only those of this server:
// showing a chat must not send requests to others.
export function picturesOf(result: string): Picture[] {
  if (!result.includes('/api/v1/')) return [];
  const found = parsedJson(result);
  const runs = asArray(asObject(found)['prompts']).map(asObject);
  const all = isObject(found) ? [found, ...runs].flatMap(readRun) : readCut(result);
  const isOurs = (path: string) =>
    path.startsWith('/api/v1/') && !/[\\\s]|\/\.\.?(\/|$)/.test(path.split('?')[0] ?? '');
  const own = new Map(all.filter(({ path }) => isOurs(path)).map((it) => [it.path, it]));
  return [...own.values()].slice(0, kMaxPictures);
}
