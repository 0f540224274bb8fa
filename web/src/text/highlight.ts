// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cmake from 'highlight.js/lib/languages/cmake';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { isHighlightable } from './code_language';

const kGrammars = {
  bash,
  c,
  cmake,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  powershell,
  protobuf,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [id, grammar] of Object.entries(kGrammars)) hljs.registerLanguage(id, grammar);

// A part of code in one colour; kind empty: the colour of text.
export interface CodePiece {
  text: string;
  kind: CodeKind | '';
}

export type CodeKind = 'keyword' | 'string' | 'number' | 'comment' | 'title' | 'type' | 'name' | 'added' | 'removed';

const kKinds: Readonly<Record<string, CodeKind>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  tag: 'keyword',
  section: 'keyword',
  doctag: 'keyword',
  string: 'string',
  regexp: 'string',
  link: 'string',
  char: 'string',
  code: 'string',
  number: 'number',
  literal: 'number',
  symbol: 'number',
  bullet: 'number',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  title: 'title',
  'selector-id': 'title',
  'selector-class': 'title',
  type: 'type',
  built_in: 'type',
  class: 'type',
  attr: 'name',
  attribute: 'name',
  name: 'name',
  variable: 'name',
  property: 'name',
  'template-variable': 'name',
  addition: 'added',
  deletion: 'removed',
};

const kEntities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};
const kToken = /<span class="([^"]*)">|<\/span>|[^<]+|</g;

function kindOf(classes: string): CodeKind | '' {
  const [first = ''] = classes.split(' ');
  return kKinds[first.replace(/^hljs-/, '')] ?? '';
}

// The pieces of the highlighter's markup, which has only spans and escaped text.
function piecesOf(markup: string): CodePiece[] {
  const pieces: CodePiece[] = [];
  const open: (CodeKind | '')[] = [];
  for (const [token, classes] of markup.matchAll(kToken)) {
    const around = open.at(-1) ?? '';
    if (classes !== undefined) open.push(kindOf(classes) || around);
    else if (token === '</span>') open.pop();
    else {
      const text = token.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => kEntities[entity] ?? entity);
      const last = pieces.at(-1);
      if (last?.kind === around) last.text += text;
      else pieces.push({ text, kind: around });
    }
  }
  return pieces;
}

// Null: shown in one colour, because the language is unknown or the text too long. The pieces are the whole text.
export function highlight(text: string, language: string): CodePiece[] | null {
  if (!isHighlightable(text) || !hljs.getLanguage(language)) return null;
  const pieces = piecesOf(hljs.highlight(text, { language, ignoreIllegals: true }).value);
  return pieces.map((piece) => piece.text).join('') === text ? pieces : null;
}
