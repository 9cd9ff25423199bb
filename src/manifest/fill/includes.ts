/**
 * Files that manifests include. Each is read once and must be inside the workspace folder; their total size is limited,
 * since they may include each other.
 */

import path from 'node:path';
import type { SourceRange } from '../../util/diagnostic.ts';
import type { DiagnosticCode } from '../../util/diagnostic-codes.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { parseJson } from '../../yaml/json-text.ts';
import type { Located } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import type { ManifestFiles } from '../files/disk.ts';
import { displayName, isOutside, slashHelp } from '../files/paths.ts';
import { readUtf8, type Unreadable } from '../files/read-text.ts';

export interface IncludingFile {
  readonly name: string;
  readonly path: string;
  readonly root: string;
  readonly text: string;
}

export interface Inclusion {
  readonly path: string;
  readonly at: SourceRange;
  readonly from: IncludingFile;
  /** Paths of the nested including files, outermost first, ending with `from`. */
  readonly trail: readonly string[];
}

interface IncludedValue {
  readonly value: Located;
  readonly file: IncludingFile;
}

interface ParsedFile {
  readonly documents: readonly Located[];
  readonly isBroken: boolean;
}

const maxTrail = 20;
const maxInclusions = 10_000;
const maxCharacters = 64 * 1024 * 1024;

export class Includes {
  readonly #files: ManifestFiles;
  readonly #cwd: string;
  readonly #problems: Problems;
  readonly #texts = new Map<string, Promise<string | Unreadable>>();
  readonly #parsed = new Map<string, Promise<ParsedFile>>();
  /** Excludes broken files: their error names the place that includes them. */
  readonly #json = new Map<string, Located>();
  readonly #opened = new Map<string, IncludingFile>();
  readonly #structured = new Map<string, IncludingFile>();
  readonly #places = new Map<string, SourceRange>();
  readonly #inside = new Map<string, Promise<boolean>>();
  #count = 0;
  #characters = 0;

  constructor(files: ManifestFiles, cwd: string, problems: Problems) {
    this.#files = files;
    this.#cwd = cwd;
    this.#problems = problems;
  }

  get sources(): ReadonlyMap<string, string> {
    return new Map([...this.#structured.values()].map(({ name, text }) => [name, text]));
  }

  /** First place that includes each file, keyed by absolute path. */
  get places(): ReadonlyMap<string, SourceRange> {
    return this.#places;
  }

  async texts(): Promise<ReadonlyMap<string, string>> {
    const all = await Promise.all([...this.#texts].map(async ([file, text]) => [file, await text] as const));
    return new Map(all.flatMap(([file, text]) => (typeof text === 'string' ? [[file, text] as const] : [])));
  }

  isIncluded(file: string): boolean {
    return this.#structured.has(file);
  }

  /** Drops the final line end, which belongs to the file, and converts others to LF, so that every clone gives the same text. */
  async text(inclusion: Inclusion): Promise<string | undefined> {
    const text = (await this.#open(inclusion))?.text;
    return text?.replaceAll('\r\n', '\n').replace(/\n$/, '');
  }

  async json(inclusion: Inclusion): Promise<IncludedValue | undefined> {
    const file = await this.#openStructured(inclusion);
    if (file === undefined) return undefined;
    const source = { name: file.name, text: file.text, includedAt: inclusion.at };
    const value = this.#json.get(file.path) ?? (await parseJson(source, this.#problems));
    if (value === undefined) return undefined;
    this.#json.set(file.path, value);
    return { value, file };
  }

  /** Finds an already read file by its name in diagnostics. */
  opened(name: string): IncludingFile | undefined {
    return this.#opened.get(name);
  }

  /** Parses YAML, or JSON if the name ends with `.json`. */
  document(inclusion: Inclusion): Promise<IncludedValue | undefined> {
    return /\.json$/i.test(inclusion.path) ? this.json(inclusion) : this.yaml(inclusion);
  }

  async yaml(inclusion: Inclusion): Promise<IncludedValue | undefined> {
    const file = await this.#openStructured(inclusion);
    if (file === undefined) return undefined;
    const { documents, isBroken } = await rememberedIn(this.#parsed, file.path, () => this.#parse(file));
    const [value, ...others] = documents;
    if (others.length > 0) {
      this.#refuse(inclusion, 'interpolation', `${file.name} has several documents`, {
        suggestion: 'include a file with a single document',
      });
      return undefined;
    }
    if (value !== undefined) return { value, file };
    if (!isBroken) {
      this.#refuse(inclusion, 'interpolation', `${file.name} is empty`, {
        suggestion: 'write an empty list, [], or an empty mapping, {}',
      });
    }
    return undefined;
  }

  async #parse(file: IncludingFile): Promise<ParsedFile> {
    const own = new Problems();
    const documents = await readYaml(file.name, file.text, own);
    this.#problems.addAll(own);
    return { documents, isBroken: own.count > 0 };
  }

  async #openStructured(inclusion: Inclusion): Promise<IncludingFile | undefined> {
    const file = await this.#open(inclusion);
    if (file !== undefined) this.#structured.set(file.path, file);
    return file;
  }

  async #open(inclusion: Inclusion): Promise<IncludingFile | undefined> {
    const { from } = inclusion;
    const target = path.resolve(path.dirname(from.path), inclusion.path);
    const name = displayName(target, this.#cwd);
    this.#count += 1;
    if (!this.#places.has(target)) this.#places.set(target, inclusion.at);
    if (!this.#isAllowed(inclusion, target) || !(await this.#exists(inclusion, target))) return undefined;
    const text = await rememberedIn(this.#texts, target, () => readUtf8(target, name, this.#files));
    if (typeof text !== 'string') {
      const { code, message } = text;
      this.#refuse(inclusion, code, message, {
        suggestion: code === 'not-text' ? 'encode it as text, for example as PEM or Base64' : text.suggestion,
      });
    } else if (this.#isWithinBounds(text, inclusion)) {
      const file = { name, path: target, root: from.root, text };
      this.#opened.set(name, file);
      return file;
    }
    return undefined;
  }

  #isAllowed(inclusion: Inclusion, target: string): boolean {
    const { trail } = inclusion;
    if (inclusion.path === '') {
      this.#refuse(inclusion, 'missing-file', 'no path', {
        suggestion: 'write the path of a file in the workspace folder',
      });
    } else if (trail.includes(target)) {
      const cycle = [...trail.slice(trail.indexOf(target)), target].map((file) =>
        displayName(file, this.#cwd),
      );
      const message =
        cycle.length === 2
          ? `${cycle[0]} includes itself`
          : `these files include each other: ${cycle.join(' → ')}`;
      this.#refuse(inclusion, 'cyclic-interpolation', message, {
        suggestion: 'remove one of the inclusions',
      });
    } else if (trail.length > maxTrail) {
      this.#refuse(inclusion, 'too-many-inclusions', `files include each other more than ${maxTrail} deep`);
    } else if (this.#count > maxInclusions) {
      this.#refuse(inclusion, 'too-many-inclusions', `more than ${maxInclusions} inclusions in total`);
    } else return true;
    return false;
  }

  async #exists(inclusion: Inclusion, target: string): Promise<boolean> {
    const { from } = inclusion;
    if (!(await this.#isInside(target, from.root))) {
      const root = displayName(from.root, this.#cwd);
      const message = `path outside of the workspace folder: ${JSON.stringify(inclusion.path)}`;
      this.#refuse(inclusion, 'path-outside', message, {
        suggestion: `move the file into ${root === '.' ? 'the workspace folder' : root}`,
      });
      return false;
    }
    if (this.#texts.has(target) || (await this.#files.type(target)) === 'file') return true;
    const folder = displayName(path.dirname(from.path), this.#cwd);
    const message = `included file not found: ${displayName(target, this.#cwd)}`;
    this.#refuse(inclusion, 'missing-file', message, {
      suggestion:
        slashHelp(inclusion.path) ??
        `write a path relative to the including file${folder === '.' ? '' : `, that is to ${folder}`}`,
    });
    return false;
  }

  /** Reports only the first inclusion that exceeds the limit. */
  #isWithinBounds(text: string, inclusion: Inclusion): boolean {
    if (this.#characters > maxCharacters) return false;
    this.#characters += text.length;
    if (this.#characters <= maxCharacters) return true;
    this.#refuse(inclusion, 'too-many-inclusions', 'included files add up to more than 64 MiB', {
      suggestion: 'include fewer or smaller files',
    });
    return false;
  }

  /** Checks the path before and after its links are resolved. The result is cached. */
  #isInside(target: string, root: string): Promise<boolean> {
    return rememberedIn(this.#inside, `${root}\0${target}`, () => this.#findInside(target, root));
  }

  async #findInside(target: string, root: string): Promise<boolean> {
    if (isOutside(root, target)) return false;
    if ((await this.#files.type(target)) === 'missing') return true;
    try {
      return !isOutside(await this.#files.real(root), await this.#files.real(target));
    } catch {
      return false;
    }
  }

  #refuse(
    { at }: Inclusion,
    code: DiagnosticCode,
    message: string,
    details: { readonly suggestion?: string | undefined } = {},
  ): void {
    this.#problems.error(code, message, at, details);
  }
}
