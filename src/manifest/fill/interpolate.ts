/**
 * Interpolates `${env:…}`, `${file:…}`, `${json:…}`, `${yaml:…}`, `${secret:…}` and, in templates, `${input:…}`. Secrets remain
 * wrapped, and the result is not interpolated again.
 */
import { defined } from '../../util/defined.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { nearest } from '../../util/nearest.ts';
import { placeAlone } from '../../util/places.ts';
import { remembered } from '../../util/remembered.ts';
import { fillSecrets, Secret, unfilled } from '../../util/secret.ts';
import { literal } from '../../yaml/data.ts';
import {
  brokenAt,
  describe,
  isBroken,
  type Located,
  type LocatedEntry,
  type LocatedScalar,
  sizeOf,
} from '../../yaml/located.ts';
import { suggestKnown } from '../build/suggestion.ts';
import type { Includes, IncludingFile, Inclusion } from './includes.ts';
import { type VariableOptions, Variables } from './variables.ts';

const interpolationSchemes = ['env', 'file', 'json', 'yaml', 'secret', 'input'];

export interface InterpolationOptions extends VariableOptions {
  readonly includes: Includes;
  /** Inputs of the template whose body is filled in. */
  readonly inputs?: TemplateInputs;
}

export interface TemplateInputs {
  readonly template: string;
  readonly usedAt: NonNullable<SourceRange['usedAt']>;
  readonly values: ReadonlyMap<string, InputValue>;
  /** Returns false once templates produce too many values, which it reports. */
  readonly spend: (values: number) => boolean;
}

export interface InputValue {
  readonly value: Located;
  /** True if no other part of the template depends on the value: a user who edits it changes one field. */
  readonly isUsedOnce: boolean;
}

/** Matches `$${`, a whole `${…}`, or an unclosed one. */
const pattern = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const maxParts = 10_000;
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
  readonly #unclosedIn = new WeakSet<Whole>();
  #included = 0;

  constructor(options: InterpolationOptions) {
    this.#options = options;
    this.#variables = new Variables(options);
  }

  async fill(value: Located, position: Position): Promise<Located> {
    if (!holdsTemplate(value)) return value;
    if (value.type === 'scalar') return this.#scalar(value, position);
    // Sequential, so that too many inclusions stop early.
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
          { suggestion: 'write the key itself' },
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
    const name = /^input:(.*)$/s.exec(inside ?? '')?.[1];
    if (name !== undefined) return this.#wholeInput(name, scalar.at);
    const structured = /^(json|yaml):(.*)$/s.exec(inside ?? '');
    if (structured !== null) {
      return this.#structure(structured[1] === 'json' ? 'json' : 'yaml', {
        path: structured[2] ?? '',
        at: scalar.at,
        from: position.file,
        trail: position.trail,
      });
    }
    if (parts.length > maxParts) {
      const message = `more than ${maxParts} interpolations in one text`;
      this.#options.problems.error('too-many-inclusions', message, scalar.at);
      return brokenAt(scalar.at);
    }
    const filled = await this.#fillText({ text, within: scalar.at, file: position.file }, parts, position);
    const { result, template, written, isSecret } = filled;
    if (result === undefined) {
      const broken = brokenAt(scalar.at);
      return this.#options.unset === undefined ? broken : { ...broken, unfilled: written };
    }
    if (!isSecret) return plainScalar(scalar, { text: written, result, isWhole: inside !== undefined });
    const whole =
      fillSecrets(template, (name) => this.#variables.secretOf(name) || undefined) ??
      (this.#options.leavesSecrets === true ? unfilled : undefined);
    if (whole !== unfilled && whole?.text !== result) {
      this.#options.problems.error('interpolation', 'ambiguous text next to a secret', scalar.at, {
        suggestion: 'put the whole text into the secret',
      });
      return brokenAt(scalar.at);
    }
    return {
      type: 'scalar',
      value: new Secret(template, whole.text, whole.secrets),
      at: scalar.at,
      fromInput: written,
    };
  }

  /** Replaces all parts of a text. In the returned `template`, secrets are not replaced. */
  async #fillText(whole: Whole, parts: readonly RegExpExecArray[], position: Position): Promise<FilledText> {
    let [result, template, written, end, isSecret, isBroken] = ['', '', '', 0, false, false];
    for (const part of parts) {
      const before = whole.text.slice(end, part.index);
      end = part.index + part[0].length;
      const filled = await this.#fillPart(whole, part, position);
      isBroken ||= filled.result === undefined;
      isSecret ||= filled.isSecret;
      result += before + (filled.result ?? '');
      template += before + filled.template;
      written += before + filled.written;
    }
    const rest = whole.text.slice(end);
    return {
      result: isBroken ? undefined : result + rest,
      template: template + rest,
      written: written + rest,
      isSecret,
    };
  }

  async #fillPart(whole: Whole, part: RegExpExecArray, position: Position): Promise<FilledText> {
    const [written, inside] = part;
    if (written === '$${') return { result: '${', template: '$${', written, isSecret: false };
    const at = () => placeOf(whole, part.index, written);
    const input = /^input:(.*)$/s.exec(inside ?? '')?.[1];
    if (input !== undefined) return this.#textInput(input, { written, at });
    const result =
      inside === undefined ? this.#unclosed(whole, part.index) : await this.#part(inside, at, position);
    const isSecret = inside?.startsWith('secret:') === true;
    // Escaped, because included text that looks like a template is not one.
    return { result, template: isSecret ? written : literal(result ?? ''), written, isSecret };
  }

  /** Keeps the type and place of the input, because users edit the value there. */
  #wholeInput(name: string, at: SourceRange): Located {
    const found = this.#input(name, () => at);
    const { inputs } = this.#options;
    if (found === undefined || inputs?.spend(sizeOf(found.value)) !== true) return brokenAt(at);
    const { value, isUsedOnce } = found;
    const usedAt = isUsedOnce ? {} : { usedAt: inputs.usedAt };
    const template = { ...placeAlone(at), name: inputs.template };
    return { ...value, at: { ...value.at, ...usedAt, template } };
  }

  #textInput(
    name: string,
    { written, at }: { readonly written: string; readonly at: () => SourceRange },
  ): FilledText {
    const refused: FilledText = { result: undefined, template: '', written, isSecret: false };
    const found = this.#input(name, at)?.value;
    if (found === undefined) return refused;
    if (found.type !== 'scalar' || (found.value === null && !isBroken(found))) {
      this.#options.problems.error('interpolation', `\${input:${name}} must be the whole value`, at(), {
        suggestion: `remove the text around it: the input is ${describe(found)}`,
        related: [{ message: 'its value', at: found.at }],
      });
      return refused;
    }
    if (isBroken(found)) return { ...refused, written: found.unfilled ?? written };
    const isSecret = found.value instanceof Secret;
    const result =
      found.value instanceof Secret ? found.value.reveal() : (found.written ?? String(found.value));
    const template = found.value instanceof Secret ? found.value.template : literal(result);
    const isWithin = this.#options.inputs?.spend(Math.ceil(result.length / charactersOfValue)) === true;
    return isWithin ? { result, template, written: found.fromInput ?? literal(result), isSecret } : refused;
  }

  #input(name: string, at: () => SourceRange): InputValue | undefined {
    const { inputs, problems } = this.#options;
    const found = inputs?.values.get(name);
    if (found !== undefined) return found;
    const known = [...(inputs?.values.keys() ?? [])];
    const message = `\${input:${name}} ${inputs === undefined ? 'outside of a template' : `is not an input of the template ${inputs.template}`}`;
    return problems.error('interpolation', message, at(), {
      suggestion:
        inputs === undefined
          ? 'write the value itself, or ${env:…} for an environment variable'
          : suggestKnown(name, known),
    });
  }

  /** Reports only the first unclosed `${` of a text: the rest of the text belongs to it. */
  #unclosed(whole: Whole, index: number): undefined {
    const { problems } = this.#options;
    if (this.#unclosedIn.has(whole)) return undefined;
    this.#unclosedIn.add(whole);
    const at = placeOf(whole, index, '${');
    if (/^..[^}]*\{[^{]*\}/.test(whole.text.slice(index))) {
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
      return problems.error(
        'interpolation',
        `\${${isClear ? inside : `${scheme}:…`}} must be the whole value`,
        at(),
        {
          suggestion: `remove the text around it${isClear ? '' : ', or use ${file:…} for the text of a file'}`,
        },
      );
    }
    const near = nearest(scheme, interpolationSchemes);
    const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(inside) ? inside : undefined;
    const meant =
      name !== undefined
        ? `write \${env:${name}} for an environment variable`
        : near !== undefined
          ? `did you mean \${${near}:…}?`
          : `use one of ${interpolationSchemes.map((name) => `\${${name}:…}`).join(', ')}`;
    return problems.error('interpolation', `unknown interpolation \${${inside}}`, at(), {
      suggestion: `${meant} (a literal \${ is $\${)`,
    });
  }

  async #structure(scheme: 'json' | 'yaml', inclusion: Inclusion): Promise<Located> {
    const { includes, problems } = this.#options;
    // The cause is already reported at its place.
    if (this.#included > maxIncludedValues) return brokenAt(inclusion.at);
    if (scheme === 'json') return (await includes.json(inclusion))?.value ?? brokenAt(inclusion.at);
    const included = await includes.yaml(inclusion);
    if (included === undefined) return brokenAt(inclusion.at);
    const { value, file } = included;
    this.#included += sizeOf(value);
    if (this.#included <= maxIncludedValues) {
      const { inputs } = this.#options;
      const own = inputs === undefined ? value : withUse(value, inputs.usedAt);
      return this.fill(own, { file, trail: [...inclusion.trail, file.path] });
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

const linesOf = remembered(({ text }: IncludingFile): readonly string[] => text.split('\n'));

interface FilledText {
  /** Undefined if a part of the text cannot be filled in. */
  readonly result: string | undefined;
  readonly template: string;
  /** The text in the file, with the inputs of a template filled in. */
  readonly written: string;
  readonly isSecret: boolean;
}

/** Text of this length counts as one value. */
const charactersOfValue = 64;

/** Sets `usedAt` throughout a value of a template, or of a file that a template includes. */
export function withUse<L extends Located>(value: L, usedAt: TemplateInputs['usedAt']): L;
export function withUse(value: Located, usedAt: TemplateInputs['usedAt']): Located {
  const at = { ...value.at, usedAt };
  if (value.type === 'scalar') return { ...value, at };
  if (value.type === 'list') return { ...value, at, items: value.items.map((one) => withUse(one, usedAt)) };
  const entries = value.entries.map((entry) => ({
    ...entry,
    keyAt: { ...entry.keyAt, usedAt },
    value: withUse(entry.value, usedAt),
  }));
  return { ...value, at, entries };
}

interface Whole {
  readonly text: string;
  readonly within: SourceRange;
  readonly file: IncludingFile;
}

/** Range of the part at an index of the text, or of the whole text if the file spells it differently. */
function placeOf(whole: Whole, index: number, part: string): SourceRange {
  const { within, file } = whole;
  if (within.file !== file.name || part.includes('\n')) return within;
  const place = placesIn(whole).get(index);
  const { line = 0, column = 0 } = place ?? {};
  if (linesOf(file)[line - 1]?.startsWith(part, column - 1) !== true) return within;
  return { ...within, line, column, endLine: line, endColumn: column + part.length };
}

/** Cached per text, because a text may have thousands of parts. */
const placesIn = remembered(({ text, within, file }: Whole) => {
  const lines = linesOf(file);
  const written = lines.slice(within.line - 1, within.endLine).flatMap((content, index) => {
    const line = within.line + index;
    const from = line === within.line ? within.column - 1 : 0;
    const to = line === within.endLine ? within.endColumn - 1 : content.length;
    return offsetsOf(content.slice(from, to)).map((offset) => ({ line, column: from + offset + 1 }));
  });
  return new Map(
    offsetsOf(text).flatMap((index, at) => {
      const place = written[at];
      return place === undefined ? [] : [[index, place] as const];
    }),
  );
});

function offsetsOf(text: string): readonly number[] {
  return [...text.matchAll(/\$\{/g)].map(({ index }) => index);
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
