// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import globals from 'globals';
import tseslint from 'typescript-eslint';

// What the host page imports of the console: its shared parts.
const kHostImports = [
  '(wire|text|i18n|stage|shell|styles|start)(/|$)',
  'components/([^/]+$|stage/)',
  '(pages/SignInPage|App)\\.vue$',
  'stores/(account|settings|shell|storage)$',
];

export default tseslint.config(
  { ignores: ['dist/', 'dist-host/', 'src/gen/', 'node_modules/'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  ...tseslint.configs.stylistic,
  ...vue.configs['flat/recommended'],
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
  },
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      'no-console': 'error',
      'no-eval': 'error',
      'vue/no-v-html': 'error',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      // Layout is Prettier's business, besides comments and texts that it does not break. A message is one string.
      'vue/max-len': [
        'error',
        { code: 120, template: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true },
      ],
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/require-default-prop': 'off',
    },
  },
  {
    // The host page imports the console's shared parts, never the other way round.
    files: ['src/**/*.ts', 'src/**/*.vue'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^(\\.\\./)+host(/|$)', message: 'The console holds nothing of the host page (web/host).' },
          ],
        },
      ],
    },
  },
  {
    // No pages and no stores of the console's own data.
    files: ['host/**/*.ts', 'host/**/*.vue'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^@/(?!${kHostImports.join('|')})`,
              message: 'Only shared parts of the console.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['scripts/**/*.mjs', '*.js', '*.ts'],
    languageOptions: { globals: { ...globals.node } },
    rules: { 'no-console': 'off' },
  },
);
