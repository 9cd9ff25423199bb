/** Changes strings of requests and adds to responses as the variants of the service require. Pure. */
import { invalid } from './handler.ts';
import type { Variants } from './variants.ts';

const opaque = new Set(['source', 'jsonSchema', 'filesystem']);
const names = new Set(['title', 'name', 'label', 'subject']);

/** A body with its strings as they are stored. Throws a 400 for an empty name, if the variant forbids it. */
export function storedText(body: unknown, variants: Pick<Variants, 'text' | 'empty-names'>): unknown {
  const stored = variants.text === 'as-is' ? body : rewritten(body, rewriters[variants.text]);
  if (variants['empty-names'] === 'rejected') demandNames(stored);
  return stored;
}

const rewriters = {
  trimmed: (text: string) => text.trim(),
  nfc: (text: string) => text.normalize('NFC'),
};

function rewritten(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((one) => rewritten(one, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, opaque.has(key) ? inner : rewritten(inner, rewrite)]),
  );
}

function demandNames(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  for (const [key, value] of Object.entries(body)) {
    if (names.has(key) && value === '') throw invalid(`body.${key}: must not be empty`);
  }
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

export function decorated(
  value: unknown,
  variants: Pick<Variants, 'unknown-fields' | 'unknown-values'>,
): unknown {
  const plain = variants['unknown-fields'] === 'no' && variants['unknown-values'] === 'no';
  return plain ? value : withUnknown(value, variants);
}

function withUnknown(value: unknown, variants: Pick<Variants, 'unknown-fields' | 'unknown-values'>): unknown {
  if (Array.isArray(value)) return value.map((one) => withUnknown(one, variants));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    opaque.has(key) ? inner : withUnknown(inner, variants),
  ]);
  const own = Object.fromEntries(entries) as Record<string, unknown>;
  if (typeof own.id !== 'string') return own;
  const more = variants['unknown-fields'] === 'yes' ? unknownFields : {};
  const other = variants['unknown-values'] === 'yes' ? unknownValues[String(own.object)] : undefined;
  return { ...more, ...own, ...other };
}
