/** The forms of `${…}` as data, for the reader of manifests and for explanations. */

export interface InterpolationForm {
  /** Absent if nothing follows it. */
  readonly scheme?: string;
  readonly written: string;
  readonly becomes: string;
}

/** In the order of the reference pages. */
export const interpolationForms: readonly InterpolationForm[] = [
  {
    scheme: 'env',
    written: '${env:NAME}',
    becomes: 'the environment variable; an error where it is not set',
  },
  {
    scheme: 'env',
    written: '${env:NAME:-text}',
    becomes: 'the environment variable, or `text` where it is not set or empty',
  },
  { scheme: 'file', written: '${file:path}', becomes: 'the text of a file' },
  {
    scheme: 'json',
    written: '${json:path}',
    becomes: 'the value in a JSON file; must be the whole value',
  },
  {
    scheme: 'yaml',
    written: '${yaml:path}',
    becomes: 'the document in a YAML file, which may include others; must be the whole value',
  },
  {
    scheme: 'secret',
    written: '${secret:NAME}',
    becomes: 'the environment variable, which is never shown, saved or logged',
  },
  {
    scheme: 'input',
    written: '${input:NAME}',
    becomes:
      'inside of a template, the value of an input, of whatever type if it is the whole value; `${input:key}` is the key of the object',
  },
  {
    written: '${clear}',
    becomes: '`null`, also in an overlay, where a bare `null` deletes the key; must be the whole value',
  },
];

export const interpolationSchemes: readonly string[] = [
  ...new Set(interpolationForms.flatMap(({ scheme }) => scheme ?? [])),
];
