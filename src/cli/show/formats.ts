import type { SharedFlags } from '../line/flags.ts';

/** `json` for stdout, `markdown=plan.md` for a file; `stdout` is undefined if not specified. */
export function formatsIn({ format = [] }: Pick<SharedFlags, 'format'>) {
  const files = format.flatMap((value) => {
    const at = value.indexOf('=');
    return at < 0 ? [] : [{ format: value.slice(0, at), file: value.slice(at + 1) }];
  });
  return { stdout: format.find((value) => !value.includes('=')), files };
}

/** Such a format must be the only output on stdout. */
export function isOneDocument(format = 'text'): boolean {
  return !['text', 'github'].includes(format);
}

export function formatOf(value: string): string {
  return value.split('=', 1)[0] ?? '';
}

export function formatsProblem(flags: Pick<SharedFlags, 'format'>): string | undefined {
  const shown = (flags.format ?? []).filter((value) => !value.includes('='));
  if (shown.length > 1) {
    const [first = '', second = ''] = shown;
    const example = `--format ${first} --format ${second}=FILE`;
    return `--format is set more than once for stdout: ${shown.join(', ')}\n  help: write all but one to files, for example ${example}`;
  }
  const { files } = formatsIn(flags);
  const empty = files.find(({ file }) => file === '');
  if (empty !== undefined) {
    return `--format ${empty.format}= names no file\n  help: for example --format ${empty.format}=plan.${empty.format}`;
  }
  const names = files.map(({ file }) => file);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return undefined;
  return `--format writes two results to ${twice}\n  help: name another file for one of them`;
}
