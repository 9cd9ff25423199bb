/** Saves plans, and checks each file against the published schema. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { folder, manifest, octavo, type Ran, root } from './octavo.ts';

/** An embedded service in the folder of the manifests. */
export const local = { OCTAVO_BASE_URL: 'local:w.db' };

const check = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(join(root, 'schemas/plan.schema.json'), 'utf8')) as object,
);

/** The schema errors of a plan; empty if it is valid. */
export function schemaErrors(document: unknown): readonly unknown[] {
  check(document);
  return check.errors ?? [];
}

const templates = mkdtempSync(join(tmpdir(), 'octavo-applied-'));
process.once('exit', () => rmSync(templates, { recursive: true, force: true }));
const made = new Map<string, string>();

/** A folder with the data file of its service and its journals: made once, and then copied. */
export async function madeOnce(key: string, make: () => Promise<string>): Promise<string> {
  const known = made.get(key);
  const cwd = known === undefined ? await make() : folder({});
  const template = known ?? join(templates, String(made.size));
  if (known === undefined) cpSync(cwd, template, { recursive: true });
  else cpSync(template, cwd, { recursive: true });
  made.set(key, template);
  return cwd;
}

/** A folder in which the manifest was applied, with the data file of the service. */
export function applied(text = manifest, more: Readonly<Record<string, string>> = {}): Promise<string> {
  return madeOnce(JSON.stringify([text, more]), async () => {
    const cwd = folder({ 'acme.yaml': text, ...more });
    const seed = 'seed.json' in more ? ['--seed', 'seed.json'] : [];
    const ran = await octavo(['apply', '--auto-approve', ...seed], { cwd, env: local });
    expect(ran).toMatchObject({ code: 0 });
    return cwd;
  });
}

/** Writes the manifest and saves its plan as `plan.json`, which must match the schema. */
export async function save(
  cwd: string,
  text: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = local,
): Promise<Ran> {
  writeFileSync(join(cwd, 'acme.yaml'), text);
  const ran = await octavo(['plan', '--out', 'plan.json', ...args], { cwd, env });
  expect(ran.stderr).toContain('Saved as plan.json');
  expect(schemaErrors(planIn(cwd))).toEqual([]);
  return ran;
}

/** The content of the saved plan. */
export function planIn(cwd: string, name = 'plan.json'): Record<string, unknown> {
  return JSON.parse(readFileSync(join(cwd, name), 'utf8')) as Record<string, unknown>;
}

/** Calls an operation of the service in the folder, as another user would; returns the response. */
export async function send(cwd: string, ...words: string[]): Promise<unknown> {
  const ran = await octavo(['api', ...words], { cwd, env: local });
  expect(ran).toMatchObject({ code: 0 });
  return ran.stdout === '' ? undefined : JSON.parse(ran.stdout);
}

interface Team {
  readonly id: string;
  readonly title: string;
}

/** The live teams, sorted by title. */
export async function teams(cwd: string): Promise<readonly Team[]> {
  const answer = await send(cwd, 'teams.list', 'organizationId=org_acme');
  const { items } = answer as { readonly items: readonly Team[] };
  return items
    .map(({ id, title }) => ({ id, title }))
    .sort((left, right) => (left.title < right.title ? -1 : 1));
}

/** The titles of the live teams. */
export async function titles(cwd: string): Promise<readonly string[]> {
  return (await teams(cwd)).map(({ title }) => title);
}

/** The id of the live team with a title. */
export async function idOf(cwd: string, title: string): Promise<string> {
  const team = (await teams(cwd)).find((one) => one.title === title);
  if (team === undefined) throw new Error(`no team ${title}`);
  return team.id;
}

/** Renames a live team outside of the plan. */
export async function retitle(cwd: string, from: string, to: string): Promise<void> {
  await send(
    cwd,
    'teams.update',
    'organizationId=org_acme',
    `teamId=${await idOf(cwd, from)}`,
    '-F',
    `title=${to}`,
  );
}

/** Applies the saved plan. */
export function applySaved(cwd: string, ...args: string[]): Promise<Ran> {
  return octavo(['apply', 'plan.json', ...args], { cwd, env: local });
}

/** A manifest of the organization with these teams. */
export function withTeams(entries: Readonly<Record<string, string>>, settings = ''): string {
  const lines = Object.entries(entries).map(([key, value]) => `  ${key}: ${value}\n`);
  return `octavo: 1\norganization: { id: org_acme, title: Acme }\n${settings}teams:\n${lines.join('')}`;
}
