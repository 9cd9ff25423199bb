/**
 * Interpolates `${env:…}`, `${file:…}`, `${json:…}`, `${yaml:…}` and `${secret:…}`. Secrets stay wrapped; the result is not
 * interpolated again.
 */
import { defined } from '../../util/defined.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { fillSecrets, Secret } from '../../util/secret.ts';
import { brokenAt, type Located, type LocatedEntry, type LocatedScalar, sizeOf } from '../../yaml/located.ts';
import type { Includes, IncludingFile, Inclusion } from './includes.ts';
import { interpolationSchemes } from './interpolation-forms.ts';
import { type VariableOptions, Variables } from './variables.ts';

export interface InterpolationOptions extends VariableOptions {
  readonly includes: Includes;
}

/** `$${`, a whole `${…}`, or one that is not closed. */
const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
/** Per document. */
const maxIncludedValues = 500_000;

export function interpolate(
  value: Located,
  file: IncludingFile,
  options: InterpolationOptions,
): Promise<Located> {
  return new Interpolator(options).fill(value, { file, trail: [file.path] });
}

interface Position {
  readonly file: IncludingFile;
  readonly trail: readonly string[];
}

class Interpolator {
  readonly #options: InterpolationOptions;
  readonly #variables: Variables;
  #included = 0;

  constructor(options: InterpolationOptions) {
    this.#options = options;
    this.#variables = new Variables(options);
  }

  async fill(value: Located, position: Position): Promise<Located> {
    if (!holdsTemplate(value)) return value;
    if (value.type === 'scalar') return this.#scalar(value, position);
    // In sequence, so that too many inclusions stop early.
    if (value.type === 'list') {
      const items: Located[] = [];
      for (const item of value.items) items.push(await this.fill(item, position));
      return { ...value, items };
    }
    const entries: LocatedEntry[] = [];
    for (const entry of value.entries) {
      if (entry.key.includes('${')) {
        this.#options.problems.error(
          'interpolation',
          'interpolation in a key: only values are filled in',
          entry.keyAt,
          {
            suggestion: 'write the key itself',
          },
        );
      }
      entries.push({ ...entry, value: await this.fill(entry.value, position) });
    }
    return { ...value, entries };
  }

  async #scalar(scalar: LocatedScalar, position: Position): Promise<Located> {
    const text = String(scalar.value);
    const parts = [...text.matchAll(pattern)];
    const [only] = parts;
    const inside = parts.length === 1 && only?.[0] === text ? only[1] : undefined;
    if (inside === 'clear') return { type: 'scalar', value: null, at: scalar.at, interpolated: true };
    const structured = /^(json|yaml):(.*)$/s.exec(inside ?? '');
    if (structured !== null) {
      return this.#structure(structured[1] === 'json' ? 'json' : 'yaml', {
        path: structured[2] ?? '',
        at: scalar.at,
        from: position.file,
        trail: position.trail,
      });
    }
    const filled = await this.#fillText({ text, within: scalar.at, file: position.file }, parts, position);
    if (filled === undefined) {
      const broken = brokenAt(scalar.at);
      return this.#options.unset === undefined ? broken : { ...broken, unfilled: text };
    }
    const { result, template, isSecret } = filled;
    if (!isSecret) return plainScalar(scalar, { text, result, isWhole: inside !== undefined });
    const whole = fillSecrets(template, (name) => this.#variables.valueOf(name));
    if (whole?.text !== result) {
      this.#options.problems.error('interpolation', 'ambiguous text beside a secret', scalar.at, {
        suggestion: 'put the whole text into the secret',
      });
      return brokenAt(scalar.at);
    }
    return {
      type: 'scalar',
      value: new Secret(template, result, whole.secrets),
      at: scalar.at,
      fromInput: text,
    };
  }

  /** The template still has its secrets. */
  async #fillText(
    whole: Whole,
    parts: readonly RegExpExecArray[],
    position: Position,
  ): Promise<FilledText | undefined> {
    let [result, template, end, isSecret, isBroken] = ['', '', 0, false, false];
    for (const part of parts) {
      const before = whole.text.slice(end, part.index);
      end = part.index + part[0].length;
      const filled = await this.#fillPart(whole, part, position);
      isBroken ||= filled === undefined;
      isSecret ||= filled?.isSecret === true;
      result += before + (filled?.result ?? '');
      template += before + (filled?.template ?? '');
    }
    const rest = whole.text.slice(end);
    return isBroken ? undefined : { result: result + rest, template: template + rest, isSecret };
  }

  async #fillPart(whole: Whole, part: RegExpExecArray, position: Position): Promise<FilledText | undefined> {
    const [written, inside] = part;
    if (written === '$${') return { result: '${', template: '$${', isSecret: false };
    if (inside === undefined) return this.#unclosed(whole, part.index);
    const result = await this.#part(inside, () => placeOf(whole, part.index, written), position);
    if (result === undefined) return undefined;
    const isSecret = inside.startsWith('secret:');
    // Included text that looks like a template is not one.
    return { result, template: isSecret ? written : result.replaceAll('${', () => '$${'), isSecret };
  }

  #unclosed(whole: Whole, index: number): undefined {
    const { problems } = this.#options;
    const rest = whole.text.slice(index);
    const at = placeOf(whole, index, '${');
    if (/^..[^}]*\{[^{]*\}/.test(rest)) {
      problems.error('interpolation', 'braces between ${ and }', at, {
        suggestion: 'put the text with braces into a variable or a file; write $${ for a literal ${',
      });
    } else {
      problems.error('interpolation', 'unclosed ${', at, {
        suggestion: 'add }, or write $${ for a literal ${',
      });
    }
    return undefined;
  }

  async #part(inside: string, at: () => SourceRange, position: Position): Promise<string | undefined> {
    const { problems, includes } = this.#options;
    const [, scheme = '', rest = ''] = /^([A-Za-z]+):(.*)$/s.exec(inside) ?? [];
    if (scheme === 'env') return this.#variables.variable(rest, at);
    if (scheme === 'secret') return this.#variables.secret(rest, at);
    if (scheme === 'file') {
      return includes.text({ path: rest, at: at(), from: position.file, trail: position.trail });
    }
    if (inside === 'clear' || scheme === 'json' || scheme === 'yaml') {
      const isClear = inside === 'clear';
      problems.error(
        'interpolation',
        `\${${isClear ? inside : `${scheme}:…`}} must be the whole value`,
        at(),
        {
          suggestion: `remove the text beside it${isClear ? '' : ', or use ${file:…} for the text of a file'}`,
        },
      );
      return undefined;
    }
    const near = nearest(scheme, interpolationSchemes);
    const bare = /^[A-Za-z_][A-Za-z0-9_]*$/.test(inside) ? inside : undefined;
    const meant =
      bare !== undefined
        ? `write \${env:${bare}} for an environment variable`
        : near !== undefined
          ? `did you mean \${${near}:…}?`
          : `use one of ${interpolationSchemes.map((name) => `\${${name}:…}`).join(', ')}`;
    problems.error('interpolation', `unknown interpolation \${${inside}}`, at(), {
      suggestion: `${meant} (a literal \${ is $\${)`,
    });
    return undefined;
  }

  async #structure(scheme: 'json' | 'yaml', inclusion: Inclusion): Promise<Located> {
    const { includes, problems } = this.#options;
    if (scheme === 'json') return (await includes.json(inclusion)) ?? brokenAt(inclusion.at);
    const included = await includes.yaml(inclusion);
    if (included === undefined) return brokenAt(inclusion.at);
    const { value, file } = included;
    if (this.#included <= maxIncludedValues) this.#included += sizeOf(value);
    if (this.#included <= maxIncludedValues) {
      return this.fill(value, { file, trail: [...inclusion.trail, file.path] });
    }
    problems.error('too-many-values', 'included files make too many values', inclusion.at, {
      suggestion: 'write the values out, or include fewer files',
    });
    return brokenAt(inclusion.at);
  }
}

function holdsTemplate(value: Located): boolean {
  if (value.type === 'scalar') return typeof value.value === 'string' && value.value.includes('${');
  if (value.type === 'list') return value.items.some(holdsTemplate);
  return value.entries.some((entry) => entry.key.includes('${') || holdsTemplate(entry.value));
}

const linesOf = new WeakMap<IncludingFile, readonly string[]>();

interface FilledText {
  readonly result: string;
  readonly template: string;
  readonly isSecret: boolean;
}

interface Whole {
  readonly text: string;
  readonly within: SourceRange;
  readonly file: IncludingFile;
}

/** The part at an index of the text, or the whole text if the file spells it differently. */
function placeOf(whole: Whole, index: number, part: string): SourceRange {
  const { within, file } = whole;
  if (within.file !== file.name || part.includes('\n')) return within;
  const place = placesIn(whole, part).get(index);
  if (place === undefined) return within;
  const { line, column } = place;
  return { file: file.name, line, column, endLine: line, endColumn: column + part.length };
}

type PartPlace = Pick<SourceRange, 'line' | 'column'>;

/** A text may have the same part thousands of times: all its places are found together. */
const placesOfParts = new WeakMap<Whole, Map<string, ReadonlyMap<number, PartPlace>>>();

function placesIn(whole: Whole, part: string): ReadonlyMap<number, PartPlace> {
  const known = placesOfParts.get(whole) ?? new Map<string, ReadonlyMap<number, PartPlace>>();
  placesOfParts.set(whole, known);
  const found = known.get(part);
  if (found !== undefined) return found;
  const { text, within, file } = whole;
  const lines = linesOf.get(file) ?? file.text.split('\n');
  linesOf.set(file, lines);
  const written = range(within.line, within.endLine).flatMap((line) => {
    const content = lines[line - 1] ?? '';
    const from = line === within.line ? within.column - 1 : 0;
    const to = line === within.endLine ? within.endColumn - 1 : content.length;
    return offsetsOf(part, content.slice(from, to)).map((offset) => ({ line, column: from + offset + 1 }));
  });
  const places = new Map(
    offsetsOf(part, text).flatMap((index, at) => {
      const place = written[at];
      return place === undefined ? [] : [[index, place] as const];
    }),
  );
  known.set(part, places);
  return places;
}

function offsetsOf(part: string, text: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) offsets.push(at);
  return offsets;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_none, at) => from + at);
}

function plainScalar(
  { at }: LocatedScalar,
  { text, result, isWhole }: { readonly text: string; readonly result: string; readonly isWhole: boolean },
): LocatedScalar {
  const fromInput = /(?<!\$)\$\{env:/.test(text) ? text : undefined;
  return {
    type: 'scalar',
    value: result,
    at,
    ...defined({ fromInput }),
    ...(isWhole ? { interpolated: true } : {}),
  };
}
