/** Manifests that are valid but probably wrong. Each code is the id of a rule. */
import type { DiagnosticTexts } from './texts.ts';

export const lintCodes = {
  'unused-file': [
    'A file beside included files is included by nothing',
    '`certificates/former.pem`, beside `certificates/okta.pem`',
    'Delete the file, or include it',
  ],
  'unreachable-section': [
    'No visitor can reach an entry of a navigation: its condition is never true, or nothing in it can be reached',
    '`condition: "false"`',
    'Fix the condition, list what is to be shown, or remove the entry',
  ],
  'visibility-wider-than-space': [
    'A site that is open to people who sign in nowhere shows a space that is closed to the organization by default',
    '`visibility: public`, with a space that has `defaultLevel: null`',
    'Narrow the visibility of the site, or give the space a level; turn the rule off at the line where it is meant',
  ],
  'unknown-condition-attribute': [
    'A condition names an attribute that the adaptive schema of the site lacks',
    '`condition: visitor.claims.unsigned.betta`',
    'Fix the name, or describe the attribute in the schema',
  ],
  'duplicate-section-title': [
    'Two entries of one navigation have the same title, and some visitors see both',
    'two sections titled Guides',
    'Rename one of the two, or give them conditions that exclude each other',
  ],
  'redirect-loop': [
    'Redirects of a site lead back to one of themselves',
    '`/a: { to: https://docs.acme.dev/b }` and `/b: { to: https://docs.acme.dev/a }`',
    'Let one of them lead elsewhere',
  ],
  'redirected-path': [
    'A redirect of a site has the address of one of its sections or site-spaces',
    '`/guides: { to: api }`, with a section that has `path: guides`',
    'Remove the redirect, or redirect a path that nothing has any more',
  ],
  'swallowed-text': [
    'A number after an unquoted text is a comment, and no part of the text',
    '`title: Status # 1`',
    'Quote the text if the number belongs to it, else remove the number',
  ],
  'unused-disable': [
    'A comment turns a rule off that finds nothing there, or that is unknown',
    '`# octavo-disable duplicate-section-titel`',
    'Remove the comment, or fix the name of the rule',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;

export type LintRuleId = keyof typeof lintCodes;

export const lintRuleIds = Object.keys(lintCodes) as readonly LintRuleId[];

export const lintLevels = ['off', 'warn', 'error'] as const;

export type LintLevel = (typeof lintLevels)[number];
