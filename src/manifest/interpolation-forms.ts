/** The forms of `${…}` as data: the reader of manifests knows these schemes, and explanations name them. */

/** What is written, and what it becomes. */
export interface InterpolationForm {
  readonly scheme: string;
  readonly written: string;
  readonly becomes: string;
}

/** In the order in which reference pages show them. */
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
];

/** What may come before the colon. */
export const interpolationSchemes: readonly string[] = [
  ...new Set(interpolationForms.map(({ scheme }) => scheme)),
];
