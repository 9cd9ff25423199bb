/**
 * Fills in `${env:…}`, `${file:…}`, `${json:…}`, `${yaml:…}` and `${secret:…}`. A path may not leave the workspace
 * folder; what is missing is a problem at its place; secrets stay wrapped.
 */
import path from 'node:path';
import type { SourceRange } from '../util/diagnostic.ts';
import { isRecord } from '../util/json.ts';
import { nearest } from '../util/nearest.ts';
import { Secret } from '../util/secret.ts';
import type { ManifestFiles } from './disk.ts';
import { displayName, type ManifestFile, readText } from './find.ts';
import { brokenAt, type Located, type LocatedScalar } from './located.ts';
import { parseYaml } from './parse.ts';
import type { Problems } from './problems.ts';

/** What interpolation needs from outside. */
export interface InterpolationOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: ManifestFiles;
  readonly problems: Problems;
}

const pattern = /\$(\$?)\{([^{}]*)\}/g;
const schemes = ['env', 'file', 'json', 'yaml', 'secret'];
const maxIncludes = 20;

/** Fills in everything inside a value of a file. */
export function interpolate(
  value: Located,
  file: ManifestFile,
  options: InterpolationOptions,
): Promise<Located> {
  return new Interpolator(options).fill(value, { file, trail: [file.path] });
}

interface Position {
  readonly file: Pick<ManifestFile, 'path' | 'root' | 'name'>;
  /** Files that include each other, outermost first. */
  readonly trail: readonly string[];
}

class Interpolator {
  readonly #options: InterpolationOptions;

  constructor(options: InterpolationOptions) {
    this.#options = options;
  }

  async fill(value: Located, position: Position): Promise<Located> {
    if (value.type === 'scalar')
      return typeof value.value === 'string' ? this.#scalar(value, position) : value;
    if (value.type === 'list') {
      const items = await Promise.all(value.items.map((item) => this.fill(item, position)));
      return { ...value, items };
    }
    const entries = await Promise.all(
      value.entries.map(async (entry) => ({ ...entry, value: await this.fill(entry.value, position) })),
    );
    return { ...value, entries };
  }

  async #scalar(scalar: LocatedScalar, position: Position): Promise<Located> {
    const text = String(scalar.value);
    if (!text.includes('${')) return scalar;
    const parts = [...text.matchAll(pattern)];
    const [only] = parts;
    const whole = parts.length === 1 && only !== undefined && only[0] === text && only[1] === '';
    if (whole) {
      const structured = /^(json|yaml):(.*)$/s.exec(only[2] ?? '');
      if (structured !== null)
        return this.#structure(structured[1] ?? '', structured[2] ?? '', scalar.at, position);
    }
    let result = '';
    let template = '';
    let end = 0;
    let secret = false;
    let broken = false;
    for (const part of parts) {
      const before = text.slice(end, part.index);
      end = part.index + part[0].length;
      if (part[1] === '$') {
        result += before + part[0].slice(1);
        template += before + part[0];
        continue;
      }
      const inside = part[2] ?? '';
      const filled = await this.#part(inside, scalar.at, position);
      if (filled === undefined) {
        broken = true;
        continue;
      }
      const isSecret = inside.startsWith('secret:');
      secret ||= isSecret;
      result += before + filled;
      template += before + (isSecret ? part[0] : filled);
    }
    if (broken) return brokenAt(scalar.at);
    result += text.slice(end);
    template += text.slice(end);
    if (parts.length === 0) {
      this.#options.problems.error('interpolation', 'a ${ is not closed, or holds braces', scalar.at, {
        suggestion: 'write $${ for a literal ${',
      });
      return brokenAt(scalar.at);
    }
    return {
      type: 'scalar',
      value: secret ? new Secret(template, result) : result,
      at: scalar.at,
      ...(whole && !secret ? { interpolated: true as const } : {}),
    };
  }

  async #part(inside: string, at: SourceRange, position: Position): Promise<string | undefined> {
    const { problems, env } = this.#options;
    const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(inside) ?? [];
    if (scheme === 'env') {
      const [, name = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(rest) ?? [];
      const value = env[name];
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      const near = nearest(
        name,
        Object.keys(env).filter((known) => env[known] !== undefined),
      );
      problems.error('missing-variable', `the environment variable ${name} is not set`, at, {
        suggestion: `${near === undefined ? '' : `did you mean ${near}? or `}set it, or give a default: \${env:${name}:-default}`,
      });
      return undefined;
    }
    if (scheme === 'secret') {
      const value = env[rest];
      if (value !== undefined && value !== '') return value;
      problems.error('missing-secret', `the secret ${rest} is not set`, at, {
        suggestion: `set the environment variable ${rest}`,
      });
      return undefined;
    }
    if (scheme === 'file') return (await this.#include(rest, at, position))?.text;
    if (scheme === 'json' || scheme === 'yaml') {
      problems.error('interpolation', `\${${scheme}:…} must be the whole value`, at, {
        suggestion: 'put nothing else beside it',
      });
      return undefined;
    }
    const near = nearest(scheme, schemes);
    problems.error('interpolation', `\${${inside}} means nothing`, at, {
      suggestion: `${near === undefined ? `known are ${schemes.map((name) => `\${${name}:…}`).join(', ')}` : `did you mean \${${near}:…}?`}; write $\${ for a literal \${`,
    });
    return undefined;
  }

  async #structure(scheme: string, name: string, at: SourceRange, position: Position): Promise<Located> {
    const nothing = brokenAt(at);
    const included = await this.#include(name, at, position);
    if (included === undefined) return nothing;
    if (scheme === 'json') {
      try {
        return locate(JSON.parse(included.text), at);
      } catch (error) {
        this.#options.problems.error(
          'not-json',
          `${included.file.name} is not JSON: ${(error as Error).message}`,
          at,
        );
        return nothing;
      }
    }
    const [first, ...others] = parseYaml(included.file.name, included.text, this.#options.problems);
    if (others.length > 0) {
      this.#options.problems.error('interpolation', `${included.file.name} holds several documents`, at, {
        suggestion: 'include a file with a single document',
      });
    }
    if (first === undefined) return nothing;
    return this.fill(first, { file: included.file, trail: [...position.trail, included.file.path] });
  }

  async #include(
    name: string,
    at: SourceRange,
    position: Position,
  ): Promise<{ text: string; file: Position['file'] } | undefined> {
    const { problems, files, cwd } = this.#options;
    const target = path.resolve(path.dirname(position.file.path), name);
    if (position.trail.includes(target) || position.trail.length > maxIncludes) {
      const circle = [...position.trail, target].map((file) => displayName(file, cwd)).join(' → ');
      problems.error('cyclic-interpolation', `these files include each other: ${circle}`, at, {
        suggestion: 'take one of the inclusions out',
      });
      return undefined;
    }
    if (name === '') {
      problems.error('missing-file', 'no path is given', at, {
        suggestion: 'name a file of the workspace folder',
      });
      return undefined;
    }
    if (!(await this.#isInside(target, position.file.root))) {
      problems.error('path-outside', `the path ${JSON.stringify(name)} leaves the workspace folder`, at, {
        suggestion: `only files in ${displayName(position.file.root, cwd)} can be included`,
      });
      return undefined;
    }
    if ((await files.type(target)) !== 'file') {
      problems.error('missing-file', `there is no file ${displayName(target, cwd)}`, at, {
        suggestion: `paths are relative to ${displayName(path.dirname(position.file.path), cwd)}`,
      });
      return undefined;
    }
    const shown = displayName(target, cwd);
    const text = await readText(target, shown, files, problems);
    return text === undefined
      ? undefined
      : { text, file: { path: target, root: position.file.root, name: shown } };
  }

  async #isInside(target: string, root: string): Promise<boolean> {
    if (leaves(root, target)) return false;
    if ((await this.#options.files.type(target)) === 'missing') return true;
    const { files } = this.#options;
    return !leaves(await files.real(root), await files.real(target));
  }
}

function leaves(root: string, target: string): boolean {
  const relative = path.relative(root, target);
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

/** A plain value, all of which stands where it was included. */
function locate(value: unknown, at: SourceRange): Located {
  if (Array.isArray(value)) return { type: 'list', items: value.map((item) => locate(item, at)), at };
  if (isRecord(value)) {
    const entries = Object.entries(value).map(([key, inner]) => ({
      key,
      keyAt: at,
      value: locate(inner, at),
    }));
    return { type: 'map', entries, at };
  }
  return { type: 'scalar', value: value as LocatedScalar['value'], at };
}
