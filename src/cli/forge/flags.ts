/** The flags of the commands that write to GitHub and GitLab, as data. */
import type { FlagSpec } from '../flags.ts';

/** Their values. Absent: not set. */
export interface ForgeFlags {
  readonly forge?: string;
  readonly repository?: string;
  readonly pull?: number;
  readonly commit?: string;
  readonly apiUrl?: string;
  readonly app?: string;
  readonly key?: string;
  readonly body?: string;
  readonly title?: string;
  readonly updateOnly?: boolean;
  readonly delete?: boolean;
  readonly close?: boolean;
}

/** How they are written. */
export const forgeFlagSpecs: Readonly<Record<keyof ForgeFlags, FlagSpec>> = {
  forge: {
    type: 'string',
    choices: ['github', 'gitlab'],
    description: 'Where the repository is (default: the one that runs this)',
  },
  repository: {
    type: 'string',
    value: 'name',
    description: 'owner/name, or the project of GitLab (default: the one that runs this)',
  },
  pull: {
    type: 'number',
    value: 'n',
    description: 'Pull request or merge request (default: that of the run)',
  },
  commit: { type: 'string', value: 'id', description: 'Commit (default: that of the run)' },
  apiUrl: {
    type: 'string',
    value: 'url',
    description: 'Address of the API (default: GITHUB_API_URL, CI_API_V4_URL)',
  },
  app: {
    type: 'string',
    value: 'slug',
    description: 'GitHub app that kept the plan (default: github-actions)',
  },
  key: {
    type: 'string',
    value: 'name',
    description: 'Name of the plan, where a repository has several (default: plan; drift for issues)',
  },
  body: { type: 'string', value: 'path', description: 'Markdown file to post; - for stdin (default: stdin)' },
  title: { type: 'string', value: 'text', description: 'Title of the issue' },
  updateOnly: { type: 'boolean', description: 'Update the comment if there is one; make none' },
  delete: { type: 'boolean', description: 'Delete the comment' },
  close: { type: 'boolean', description: 'Close the issue if it is open' },
};
