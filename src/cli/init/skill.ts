/** A skill that teaches coding assistants Octavo, made from the table of commands, in the folder that they share. */
import { exitCodes } from '../line/command.ts';
import { summaries } from '../line/names.ts';
import type { InitFile } from './files.ts';

const skill = '.agents/skills/octavo/SKILL.md';

/** Commands that are safe for an assistant: they do not change the service. */
const useful = [
  'validate',
  'fmt',
  'render',
  'test',
  'explain',
  'list',
  'mv',
  'plan',
  'drift',
  'access',
] as const;

export function skillFile(): InitFile {
  const rows = useful.map((name) => `| \`octavo ${name}\` | ${summaries[name]} |`);
  const text = `---
name: octavo
description: Edits documentation workspaces that YAML manifests declare (sites, spaces, teams, access) and plans the changes with Octavo. Use it to change, check or review such manifests, or to explain a plan or drift.
---

# Octavo

The manifests of this repository declare a documentation workspace: YAML files that begin with \`octavo: 1\`. A plan shows what they would change at
the service. People approve plans, and a pipeline applies them.

- Plan, and never apply: do not run \`octavo apply\`, \`octavo undo\`, \`octavo unlock\`, \`octavo ci\` or \`octavo api\`.
- Use a token that can only read. If it is refused, report that, and ask for no other.
- Do not guess kinds, fields, values or the words of a plan: look them up.
- Objects removed from the manifests may be deleted at the service. To change a key or a place, use \`octavo mv\`.

Before an edit, look up what can be declared:

\`\`\`sh
octavo explain
octavo explain site
octavo explain site.visibility
octavo list --offline
\`\`\`

After each edit, and before you say that it is done:

\`\`\`sh
octavo fmt
octavo validate
octavo plan
octavo plan --format json
\`\`\`

Show the plan to the person, with what it calls dangerous and refuses: only they may allow what a guard refuses. Changes made by hand at the service are
drift; accept them into the manifests, all of them or by address:

\`\`\`sh
octavo drift
octavo drift --accept --dry-run
octavo drift --accept 'sites/**'
\`\`\`

\`octavo <command> --help\` has the flags. Exit codes: ${exitCodes.map((code) => code.join(' ')).join('; ')}.

| Command | What it does |
|---|---|
${rows.join('\n')}
`;
  return { name: skill, text };
}

const [begin, end] = ['<!-- octavo -->', '<!-- /octavo -->'];

/** `AGENTS.md` with the lines for Octavo added; other content is kept. */
export function withLines(text: string): string {
  if (text.includes(begin)) return text;
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${begin}
YAML files that begin with \`octavo: 1\` declare a documentation workspace. Read \`${skill}\` before you change them. Check each change with
\`octavo validate\` and \`octavo plan\`; never run \`octavo apply\`.
${end}
`;
}
