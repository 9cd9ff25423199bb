/** The commands that help to write manifests, as entries of the table of commands. */
import type { Command } from '../command-table.ts';
import { completingShells } from '../completion/shells.ts';
import { manifests, organizations, service } from '../flag-groups.ts';

/** In the order in which help shows them. */
export const authoringCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'Write the settings and the first manifests of a workspace',
    flags: ['baseUrl', 'tokenFile', 'organization', 'dir', 'fromLive', 'ci', 'yes'],
    flagTexts: { organization: 'Organization: its id, hostname or title (default: the only one there is)' },
    examples: [
      'octavo init',
      'octavo init --from-live --dir docs --ci github',
      'octavo init --yes --base-url https://api.example.com --organization org_acme',
    ],
    load: () => import('../commands/init.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check the settings, the manifests, git, the service and the token',
    flags: [...manifests, 'baseUrl', 'tokenFile', 'lock', 'format'],
    result: 'checkup',
    examples: ['octavo doctor', 'octavo doctor --base-url https://api.example.com --format json'],
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'explain',
    summary: 'Explain a field, a kind, a setting, a diagnostic or an operation',
    argument: {
      name: 'what',
      description: 'Path such as sites.sections.condition, a code of a diagnostic, or another topic',
      completes: 'topics',
    },
    flags: ['recursive', 'format'],
    result: 'explanation',
    examples: [
      'octavo explain sites.sections.condition',
      'octavo explain sites --recursive',
      'octavo explain unknown-key',
      'octavo explain settings.limits.deletes --format json',
    ],
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'list',
    summary: 'List the declared objects, with their ids and states',
    words: { name: 'addresses', description: 'Only these addresses; globs', completes: 'addresses' },
    flags: [
      ...manifests,
      ...organizations,
      ...service,
      'base',
      'allowBehind',
      'offline',
      'kind',
      'showUnmanaged',
      'format',
    ],
    result: 'list',
    examples: [
      'octavo list -f docs',
      "octavo list 'sites/developer-hub/**' --format json",
      'octavo list --offline --kind section --format names',
    ],
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'scaffold',
    summary: 'Print the skeleton of a new object, with all that it may have as comments',
    words: {
      name: 'kind-and-key',
      description: 'Kind, such as section, and the key of the object',
      completes: 'kinds',
    },
    flags: [...manifests, 'under', 'organization', 'into', 'list'],
    examples: [
      'octavo scaffold --list',
      'octavo scaffold site developer-hub',
      'octavo scaffold section guides --under sites/developer-hub --into guides.yaml',
    ],
    load: () => import('../commands/scaffold.ts'),
  },
  {
    name: 'completion',
    summary: 'Print what a shell completes commands, flags and addresses with',
    argument: {
      name: 'shell',
      choices: completingShells,
      description: 'Shell to complete in (default: the one that SHELL names)',
    },
    flags: [],
    examples: [
      'octavo completion bash > ~/.local/share/bash-completion/completions/octavo',
      'octavo completion zsh > ~/.zsh/_octavo',
      'octavo completion fish > ~/.config/fish/completions/octavo.fish',
    ],
    load: () => import('../commands/completion.ts'),
  },
];
