/** Flags of the commands that help to write manifests, as data. */
import { lintLevels } from '../../util/codes/lint.ts';
import type { FlagSpec } from '../flags.ts';

/** Values of these flags. Absent: not set. */
export interface AuthoringFlags {
  readonly recursive?: boolean;
  readonly lint?: string;
  readonly kind?: readonly string[];
  readonly under?: string;
  readonly dir?: string;
  readonly fromLive?: boolean;
  readonly ci?: string;
  readonly yes?: boolean;
}

/** By the name under which the value is kept. */
export const authoringFlagSpecs: Readonly<Record<keyof AuthoringFlags, FlagSpec>> = {
  recursive: { type: 'boolean', description: 'Also show the fields of what is inside, at every level' },
  kind: {
    type: 'string',
    list: true,
    value: 'kind',
    description: 'Only objects of this kind, such as site-space; repeatable',
  },
  under: {
    type: 'string',
    value: 'address',
    description: 'Parent of the new object (default: the only one that there is)',
  },
  dir: { type: 'string', value: 'path', description: 'Folder for the manifests (default: docs)' },
  fromLive: { type: 'boolean', description: 'Write the live workspace as manifests' },
  ci: {
    type: 'string',
    choices: ['github', 'gitlab', 'none'],
    description: 'Also write pipelines for this CI system (default: none)',
  },
  yes: { type: 'boolean', alias: 'y', description: 'Ask nothing: take the flags and the defaults' },
  lint: {
    type: 'string',
    choices: lintLevels,
    description:
      'What to make of valid manifests that look wrong (default: as octavo.config.yaml has it, else warn)',
  },
};
