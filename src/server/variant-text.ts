/** Changes strings of requests and adds to responses according to the service's variants. Pure. */
import { href } from '../util/href.ts';
import { isRecord, mapInside } from '../util/json.ts';
import { invalid } from './errors.ts';
import type { Variants } from './variants.ts';

const opaque = new Set(['source', 'jsonSchema', 'filesystem']);
const names = new Set(['title', 'name', 'label', 'subject']);

type TextVariants = Pick<Variants, 'text' | 'paths' | 'urls' | 'certificates' | 'empty-names'>;
type Rewrite = (text: string, key: string) => string;

/** A body with its strings as stored. Throws a 400 for an empty name, if the variant forbids it. */
export function storedText(body: unknown, variants: TextVariants): unknown {
  const { text, paths, urls, certificates } = variants;
  const chosen = [rewriters[text], rewriters[paths], rewriters[urls], rewriters[certificates]];
  const changing = chosen.filter((rewrite) => rewrite !== unchanged);
  const stored = changing.reduce((value, rewrite) => rewritten(value, rewrite), body);
  if (variants['empty-names'] === 'rejected') demandNames(stored);
  return stored;
}

const unchanged: Rewrite = (text) => text;
const rewriters = {
  'as-is': unchanged,
  trimmed: (text) => text.trim(),
  nfc: (text) => text.normalize('NFC'),
  collapsed: (text) => text.replace(/ {2,}/g, ' '),
  lower: (text, key) => (pathKeys.has(key) ? text.toLowerCase() : text),
  normalized: (text, key) => (urlKey.test(key) ? href(text) : text),
  rewrapped: (text, key) =>
    key === 'certificate'
      ? text.replace(base64, (lines) => `${(lines.replace(/\s/g, '').match(/.{1,76}/g) ?? []).join('\n')}\n`)
      : text,
  bare: (text, key) => (key === 'certificate' ? (base64.exec(text)?.[0] ?? text).replace(/\s/g, '') : text),
} satisfies Readonly<Record<string, Rewrite>>;

const urlKey = /url$|^(?:logo|light|dark)$/i;
const pathKeys = new Set(['path', 'basename', 'slug']);
/** Certificate lines without the armor; all lines if there is no armor. */
const base64 = /(?<=-\r?\n|^)[\w+/=\s]+/;

function rewritten(value: unknown, rewrite: Rewrite, at = ''): unknown {
  if (typeof value === 'string') return rewrite(value, at);
  return mapInside(value, (inner, key) => {
    // The source of a specification may be a URL.
    const isOpaque = opaque.has(key) && !(key === 'source' && rewrite === rewriters.normalized);
    return isOpaque ? inner : rewritten(inner, rewrite, Array.isArray(value) ? at : key);
  });
}

function demandNames(body: unknown): void {
  const entries = Object.entries(isRecord(body) ? body : {});
  const [empty] = entries.find(([key, value]) => names.has(key) && value === '') ?? [];
  if (empty !== undefined) throw invalid(`body.${empty}: must not be empty`);
}

const unknownFields = {
  agentsContext: { enabled: false },
  defaultSpace: 'sp_elsewhere',
  labels: [],
  reviewedAt: null,
};

const unknownValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  organization: { type: 'conglomerate', plan: 'galactic_2031', useCase: 'podcasts' },
  site: {
    ads: { status: 'reconsidered', submittable: false },
    features: [{ id: 'site-telepathy', plan: 'galactic', frozen: true }],
  },
  space: { visibility: 'by-appointment' },
  'openapi-spec': { processingState: 'archived' },
  revision: { type: 'dreamt' },
};

export function decorated(value: unknown, variants: Pick<Variants, 'unknown-fields' | 'unknown-values'>) {
  const plain = variants['unknown-fields'] === 'no' && variants['unknown-values'] === 'no';
  return plain ? value : withUnknown(value, variants);
}

function withUnknown(value: unknown, variants: Pick<Variants, 'unknown-fields' | 'unknown-values'>): unknown {
  const own = mapInside(value, (inner, key) => (opaque.has(key) ? inner : withUnknown(inner, variants)));
  if (!isRecord(own) || typeof own.id !== 'string') return own;
  const more = variants['unknown-fields'] === 'yes' ? unknownFields : {};
  const other = variants['unknown-values'] === 'yes' ? unknownValues[String(own.object)] : undefined;
  return { ...more, ...own, ...other };
}
