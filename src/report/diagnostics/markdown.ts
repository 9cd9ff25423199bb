/** A failed command as a comment on a pull request: every diagnostic with its place and help, within the size limits of forges. Pure. */
import { countOf } from '../../util/count.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { relatedOf } from '../../util/places.ts';
import {
  byteLength,
  code,
  cutNotice,
  fitTexts,
  foldedLines,
  footLine,
  mostBytes,
  plain,
} from '../text/markdown.ts';
import type { View } from '../view.ts';
import { countLine } from './diagnostics.ts';

export interface Failure {
  /** Example: `octavo plan`. */
  readonly command: string;
  readonly isValid?: boolean;
  /** Empty if the overlays are unknown. */
  readonly overlays?: readonly string[];
  readonly diagnostics: readonly Problem[];
}

/** A bug's code is not in the list. */
type Problem = Omit<Diagnostic, 'code'> & { readonly code: string };

/** More diagnostics than this are folded. */
const shownAtFirst = 8;
/** Size in bytes of everything except the diagnostics. */
const frameBytes = 1500;
/** Maximum characters of a text: a message may quote a large value. */
const longestText = 2000;

export const failureMarkdown: View<Failure> = (
  { command, overlays = [], diagnostics, isValid },
  { context = {} },
) => {
  const ranks = { error: 0, warning: 1, hint: 2 };
  const sorted = [...diagnostics].sort((left, right) => ranks[left.severity] - ranks[right.severity]);
  const foot = footLine([], context);
  const { shown: items, left: cut } = fitTexts(sorted.map(itemOf), mostBytes - frameBytes - byteLength(foot));
  const more = items.slice(shownAtFirst);
  const lines = [
    [
      `### ${command}`,
      ...overlays.map((one) => `overlay ${plain(one)}`),
      isValid === true ? '✓ valid' : '✗ failed',
      ...(diagnostics.length === 0 ? [] : [countLine(diagnostics)]),
    ].join(' · '),
    '',
    ...items.slice(0, shownAtFirst),
    '',
    ...(more.length === 0 ? [] : foldedLines(`${more.length} more`, [...more, ''])),
    ...(cut > 0 ? cutNotice([`${countOf(cut, 'more problem')} not listed`], context.run) : []),
    foot,
  ];
  return `${lines.join('\n').trimEnd()}\n`;
};

function itemOf(problem: Problem): string {
  const { severity, code: name, message, at, address, suggestion } = problem;
  const sign = severity === 'error' ? '✗' : severity === 'warning' ? '⚠' : 'ℹ';
  const place = [
    ...(at === undefined ? [] : [placeOf(at)]),
    ...(address === undefined ? [] : [code(short(address))]),
  ];
  return [
    `- ${sign} **${plain(`${severity}[${name}]`)}** ${linesOf(message)}`,
    ...(place.length === 0 ? [] : [`  <br>at ${place.join(', ')}`]),
    ...relatedOf(problem).map(
      (other) =>
        `  <br>note: ${linesOf(other.message)}${other.at === undefined ? '' : ` (${placeOf(other.at)})`}`,
    ),
    ...(suggestion === undefined ? [] : [`  <br>help: ${linesOf(suggestion)}`]),
  ].join('\n');
}

function placeOf({ file, line, column }: SourceRange): string {
  return code(`${short(file)}:${line}:${column}`);
}

function linesOf(text: string): string {
  return short(text).split('\n').map(plain).join('<br>');
}

function short(text: string): string {
  const characters = [...text.slice(0, longestText * 2)];
  return characters.length <= longestText ? text : `${characters.slice(0, longestText).join('')}…`;
}
