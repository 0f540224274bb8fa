// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { duration } from '@/text/relative_time';
import type { Finding } from './verify';
import type { Translate } from './words';

// Codes of the server's findings; docs/openapi.json, StudyFinding.
const kCodes = [
  'json',
  'field',
  'type',
  'time',
  'direction',
  'unknown',
  'gap',
  'duplicate',
  'session',
  'opened',
  'closed',
  'count',
  'store',
  'torn',
  'empty',
];

export function findingWords(finding: Finding, t: Translate): string {
  switch (finding.is) {
    case 'told': {
      const known = kCodes.includes(finding.code);
      const said = known ? t(`studies.told.${finding.code}`) : finding.message;
      return finding.line > 0 ? t('studies.told.line', { line: finding.line, said }) : said;
    }
    case 'gap':
      return t(finding.from === finding.to ? 'studies.finding.gapOne' : 'studies.finding.gap', {
        from: finding.from,
        to: finding.to,
      });
    case 'repeated':
      return t('studies.finding.repeated', { eventIndex: finding.eventIndex });
    case 'backwards':
      return t('studies.finding.backwards', { at: finding.at, time: duration(finding.ms) });
    case 'noBeginning':
    case 'noEnd':
      return t(`studies.finding.${finding.is}`);
    default:
      return t(`studies.finding.${finding.is}`, { at: finding.at });
  }
}
