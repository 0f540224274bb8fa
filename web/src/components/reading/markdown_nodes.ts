// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { h, type VNode } from 'vue';
import type { CodeText, ReadMarkdown } from '@/text/markdown';
import { fenceWord } from '@/text/code_language';
import CodeBlock from './CodeBlock.vue';
import { patchTools } from './lazy_patch';
import PictureView from './PictureView.vue';

const kPatchWords: readonly string[] = ['diff', 'patch', 'udiff'];

function codeNode({ info, text }: CodeText): VNode {
  const tools = kPatchWords.includes(fenceWord(info)) ? patchTools() : null;
  const parts = tools?.readPatch(text);
  return tools && parts ? h(tools.PatchView, { text, parts }) : h(CodeBlock, { text, info });
}

// The nodes of sanitised Markdown; blocks of code and pictures become components. The elements and attributes
// are those that the sanitiser left.
export function markdownNodes({ codes, fragment }: ReadMarkdown): (VNode | string)[] {
  let code = 0;

  function nodeOf(node: ChildNode): (VNode | string)[] {
    if (node instanceof Text) return [node.data];
    if (!(node instanceof Element)) return [];
    const name = node.tagName.toLowerCase();
    if (name === 'pre') {
      const text = codes[code++] ?? { text: node.textContent, info: '' };
      return [codeNode(text)];
    }
    if (name === 'img') {
      return [h(PictureView, { source: node.getAttribute('src') ?? '', name: node.getAttribute('alt') ?? '' })];
    }
    const attributes = Object.fromEntries([...node.attributes].map((it) => [it.name, it.value]));
    return [h(name, attributes, childrenOf(node))];
  }

  function childrenOf(parent: ParentNode): (VNode | string)[] {
    return [...parent.childNodes].flatMap(nodeOf);
  }

  return childrenOf(fragment);
}
