/** The example pipelines: they parse, their command lines are valid, and they grant minimal permissions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandNames } from '../../src/cli/line/names.ts';
import { readLine } from '../../src/cli/line/read-line.ts';
import { root } from '../cli/octavo.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const folder = 'examples/ci';
const names = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
/** A placeholder for the repository and commit that users trust; no runner accepts it unchanged. */
const action = '<owner>/octavo@<commit>';
const workflows = names.filter((name) => /(?<!gitlab)\.yml$/.test(name));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: string | Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflowIn = (name: string) => parse(read(name)) as Workflow;
const jobsIn = (name: string) => Object.values(workflowIn(name).jobs);

/** The words of a command line as in a shell, with a placeholder for each variable and expression. */
function wordsOf(line: string): readonly string[] {
  const plain = line.replace(/\$\{\{.*?\}\}|\$[A-Z_]+/g, 'x');
  return [...plain.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/["']/g, ''));
}

/** Each Octavo command line in a shell script, up to the end of the command. */
function linesIn(text: string): readonly string[] {
  const found = text.replace(/\\\n/g, ' ').matchAll(/(?:^|[\s(;])octavo ((?:\$\([^)]*\)|[^\n;|&>)])+)/g);
  return [...found].map(([, line = '']) => line.trim()).filter((line) => !line.startsWith('@'));
}

async function commandOf(line: string): Promise<string> {
  const [name = '', ...rest] = wordsOf(line);
  return (await readLine([name, ...rest])).name;
}

test('one pipeline exists for each event, for fleets and for GitLab', () => {
  expect(names.sort()).toEqual([
    'examples/ci/github/apply.yml',
    'examples/ci/github/drift.yml',
    'examples/ci/github/fleet.yml',
    'examples/ci/github/plan.yml',
    'examples/ci/gitlab.yml',
  ]);
});

test.each(names)('%s has at most 25 lines', (name) => {
  expect(read(name).trimEnd().split('\n').length).toBeLessThanOrEqual(25);
});

describe.each(workflows)('%s', (name) => {
  const steps = jobsIn(name).flatMap((job) => job.steps);

  test('contains valid command lines', async () => {
    const lines = steps.flatMap(({ run = '' }) => linesIn(run));
    expect(steps.filter(({ uses = '' }) => /octavo/.test(uses) && uses !== action)).toEqual([]);
    for (const { uses = '', with: inputs = {} } of steps) {
      if (uses !== action) continue;
      lines.push(`ci ${String(inputs.command)} ${String(inputs.args ?? '')}`);
      const known = Object.keys((parse(read('action.yml')) as { inputs: object }).inputs);
      expect(Object.keys(inputs).filter((input) => !known.includes(input))).toEqual([]);
    }
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line.startsWith(await commandOf(line)), line).toBe(true);
  });

  test('pins third-party actions by commit', () => {
    const others = steps.flatMap(({ uses = action }) => (uses === action ? [] : [uses]));
    for (const uses of others) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
  });

  test('requests permissions by name, and write access only as needed', () => {
    const { permissions } = workflowIn(name);
    const all = [
      permissions,
      ...jobsIn(name).flatMap((job) => (job.permissions === undefined ? [] : [job.permissions])),
    ];
    const mayWrite = {
      contents: ['apply', 'fleet'],
      issues: ['drift'],
      checks: ['plan'],
      'pull-requests': ['plan', 'apply', 'fleet'],
    };
    for (const one of all) {
      expect(typeof one).toBe('object');
      for (const [scope, level] of Object.entries<string>(one)) {
        if (level === 'read') continue;
        const allowed = (mayWrite as Readonly<Record<string, readonly string[]>>)[scope] ?? [];
        expect(
          allowed.some((word) => name.includes(word)),
          `${scope}: ${level}`,
        ).toBe(true);
      }
    }
  });

  test('passes no secrets to code from forks', () => {
    const { on, jobs } = workflowIn(name);
    const events = typeof on === 'string' ? [on] : Object.keys(on);
    for (const event of ['pull_request_target', 'workflow_run', 'issue_comment'])
      expect(events).not.toContain(event);
    if (!events.includes('pull_request')) return;
    // GitHub gives runs for forks no secrets, and a token with read access.
    for (const job of Object.values(jobs)) {
      expect(JSON.stringify(job)).not.toContain('OCTAVO_TOKEN }}');
      expect(job.environment).toBeUndefined();
      expect(job.steps.filter(({ run }) => run !== undefined)).toEqual([]);
    }
  });

  test('uses no untrusted text in scripts', () => {
    for (const { run = '' } of steps)
      expect(run).not.toMatch(/\$\{\{\s*(github\.(event|head_ref|base_ref)|inputs)/);
  });
});

test('the GitLab pipeline contains valid command lines, and the write token in one job', async () => {
  const pipeline = parse(read('examples/ci/gitlab.yml')) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const jobs = Object.entries(pipeline).filter(([, job]) => Array.isArray(job.script));
  expect(jobs.map(([name]) => name)).toEqual(['plan', 'apply', 'drift']);
  const lines = jobs.flatMap(([, job]) => (job.script as readonly string[]).flatMap(linesIn));
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line.startsWith(await commandOf(line)), line).toBe(true);
  const writing = jobs.filter(([, job]) => JSON.stringify(job).includes('OCTAVO_APPLY_TOKEN'));
  expect(writing.map(([name]) => name)).toEqual(['apply']);
});

test('the pages about pipelines contain valid command lines', async () => {
  for (const page of ['docs/ci.md', 'docs/rules.md', 'examples/policies/README.md']) {
    const blocks = [...read(page).matchAll(/```(?:sh|yaml)\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    const lines = blocks.flatMap((text) => linesIn(text.replace(/\s#.*$/gm, '')));
    expect(lines.length, page).toBeGreaterThan(0);
    for (const line of lines) expect(commandNames, line).toContain(await commandOf(line));
  }
});

test('links of these pages point to existing files', () => {
  for (const page of ['docs/ci.md', 'docs/rules.md', 'examples/policies/README.md']) {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link);
    for (const link of links)
      expect(() => readdirOrFile(join(root, page, '..', link)), `${page}: ${link}`).not.toThrow();
  }
});

function readdirOrFile(path: string): void {
  try {
    readFileSync(path);
  } catch {
    readdirSync(path);
  }
}

test('the pre-commit hook runs a valid command line', async () => {
  const [hook, fmt] = parse(read('.pre-commit-hooks.yaml')) as readonly Readonly<Record<string, unknown>>[];
  expect(hook).toMatchObject({ id: 'octavo-validate', language: 'node', pass_filenames: false });
  expect(fmt).toMatchObject({ id: 'octavo-fmt', language: 'node', entry: 'octavo fmt' });
  const [binary, ...line] = String(hook?.entry).split(' ');
  expect(binary).toBe('octavo');
  expect((await readLine([...line, '-f', 'docs'])).name).toBe('validate');
  const files = new RegExp(String(hook?.files));
  expect(['a.yaml', 'b.yml', 'c.json'].map((file) => files.test(file))).toEqual([true, true, false]);
});

describe('action.yml', () => {
  interface ActionFile {
    readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
    readonly outputs: Readonly<Record<string, { readonly value: string }>>;
    readonly runs: {
      readonly using: string;
      readonly steps: readonly (Step & {
        readonly id?: string;
        readonly if?: string;
        readonly env?: Record<string, string>;
      })[];
    };
  }
  const action = parse(read('action.yml')) as ActionFile;
  const scripts = read('scripts/action/run.sh');

  test('runs its own build, cached by a key of the sources', () => {
    const [build, cache] = action.runs.steps;
    expect(build?.run).toBe('node "$GITHUB_ACTION_PATH/scripts/action/cache-key.mjs" >> "$GITHUB_OUTPUT"');
    expect(cache).toMatchObject({
      uses: expect.stringMatching(/^actions\/cache@[0-9a-f]{40}$/),
      if: "steps.build.outputs.key != ''",
    });
    expect(cache?.with).toEqual({
      path: '${{ steps.build.outputs.root }}/dist\n${{ steps.build.outputs.root }}/node_modules\n',
      key: '${{ steps.build.outputs.key }}',
    });
    expect(scripts).not.toMatch(/npm (?:install|exec|i)\b|npx/);
  });

  test('passes each input as a variable to the script, and none as script text', () => {
    const step = action.runs.steps.find(({ id }) => id === 'octavo');
    expect(action.runs.using).toBe('composite');
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{');
    const passed = Object.values(step?.env ?? {}).join(' ');
    for (const input of Object.keys(action.inputs)) {
      if (input !== 'working-directory') expect(passed).toContain(`\${{ inputs.${input} }}`);
    }
    for (const variable of Object.keys(step?.env ?? {})) expect(scripts).toContain(variable);
    expect(step?.run).toBe('exec "$GITHUB_ACTION_PATH/scripts/action/run.sh"');
  });

  test('has the outputs of its step, and all inputs and outputs are documented', () => {
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.octavo.outputs.${name} }}`);
    for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
      expect(read('docs/configuration.md')).toContain(`\`${name}\``);
  });
});
