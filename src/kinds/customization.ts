/**
 * Customization of a site. Every site has one; a manifest declares parts of it. A request replaces the whole, so the
 * declared parts are merged into the live customization, read right before.
 */
import * as z from 'zod';
import { customizationParts } from '../contract/customization.ts';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { knownValues } from '../contract/values.ts';
import { unwrapped } from '../util/data-schema.ts';
import { withHrefs } from '../util/href.ts';
import { sameJson } from '../util/json.ts';
import { merged, nested, valueAt } from '../util/nested.ts';
import { type CallContext, defineKind, type Kind, type KindSpec, type Unsupported } from './kind.ts';
import type { Remark, RiskText, ValueField } from './parts/field.ts';
import { type Call, mapOf, type Payload, type Value } from './parts/payload.ts';

type FieldParts = Omit<ValueField, 'type'>;

/** Makes one field per known value, such as `styling.primaryColor.light`. */
function fieldsIn(parts: z.ZodObject, above = ''): KindSpec['fields'] {
  const found = Object.entries(parts.shape).map(([key, part]): KindSpec['fields'] => {
    const name = `${above}${key}`;
    const [outer, inner] = [part as z.ZodType, unwrapped(part as z.ZodType)];
    const { description, examples: [example] = [] } = (outer.meta() ?? {}) as {
      readonly description?: string;
      readonly examples?: readonly unknown[];
    };
    if (description === undefined && inner instanceof z.ZodObject) return fieldsIn(inner, `${name}.`);
    const field: FieldParts = {
      schema: once(() => inner),
      description: description ?? '',
      example,
      ...(outer.safeParse(null).success ? { nullable: 'removes' } : {}),
      ...(knownValues(inner).length === 0 ? {} : { reads: 'word' }),
      ...(/color\./i.test(name) ? { same: sameColor } : {}),
      ...(inner instanceof z.ZodObject || inner instanceof z.ZodUnion ? { same: sameMapping } : {}),
      ...(/(?:logo|socialPreview)\./.test(name) ? { remark: httpsRemark } : {}),
    };
    return { [name]: { ...field, ...special[name], type: 'value' } };
  });
  return Object.assign({}, ...found) as KindSpec['fields'];
}

/** Example: `#abc` equals `#aabbcc`. */
function sameColor(one: Value, other: Value): boolean {
  const long = (value: Value) =>
    String(value)
      .toLowerCase()
      .replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
  return long(one) === long(other);
}

/** Nulls in a request remove entries of a mapping. */
function sameMapping(one: Value, other: Value): boolean {
  return sameJson(withHrefs(merged({}, one)), withHrefs(merged({}, other)));
}

function httpsRemark(address: string): Remark | undefined {
  return /^https:\/\//i.test(address) ? undefined : { message: 'not an https URL' };
}

/** Parts of fields that no schema contains. */
const special: Readonly<Record<string, Partial<FieldParts>>> = {
  favicon: { absent: {} },
  'insights.trackingCookie': { risk: cookieRisk },
  'ai.mode': { risk: assistantRisk },
  'privacyPolicy.url': { risk: policyRisk },
};

function assistantRisk(before: Value | undefined, after: Value): RiskText | undefined {
  const isNew = before === 'none' || before === undefined || before === null;
  return after !== 'none' && isNew ? 'visitors get answers of an AI' : undefined;
}

function cookieRisk(before: Value | undefined, after: Value): RiskText | undefined {
  if (after !== true || before === true) return undefined;
  return { text: 'visitors get a tracking cookie', past: 'tracking cookies were turned on' };
}

function policyRisk(before: Value | undefined, after: Value): RiskText | undefined {
  const isLost = (after === null || after === '') && typeof before === 'string' && before !== '';
  return isLost ? 'visitors see no privacy policy' : undefined;
}

/** API of the newer form, "Customization of a site". */
export const customization: Kind = defineKind({
  name: 'customization',
  noun: 'customization',
  needs: '2026',
  description:
    'Appearance of a site; omitted parts stay unmanaged. Each dot in the name of a field is a mapping.',
  manifest: { places: [{ parent: 'site', key: 'customization', shape: 'single' }] },
  fields: fieldsIn(customizationParts()),
  identity: { scope: 'site' },
  reads: { get: { operation: 'sites.getCustomization' } },
  fromRemote: (remote: OperationOutput<'sites.getCustomization'>) => ({
    id: '',
    fields: Object.fromEntries(
      Object.keys(customization.fields).flatMap((name) => {
        const value = valueAt(remote, name);
        return value === undefined || value === null ? [] : [[name, value as Value]];
      }),
    ),
    ...(typeof remote.updatedAt === 'string' ? {} : { initial: true as const }),
  }),
  calls: {
    // Every site already has one, so it is read instead of created.
    create: ({ params }) => ({ call: { operation: 'sites.getCustomization', params, find: {} }, fields: {} }),
    update: put,
  },
});

/** Mappings that exist as a whole or not at all. */
const optional = ['header.logo', 'footer.logo', 'announcement'];

function put(
  { params, fields, before }: CallContext,
  changed: readonly string[],
): readonly Call[] | Unsupported {
  if (changed.includes('favicon') && Object.keys(mapOf(fields.favicon) ?? {}).length > 1)
    return { unsupported: 'a favicon is an emoji or an icon', suggestion: 'remove one of the two' };
  const after = { ...before, ...fields };
  const isSet = (name: string) => after[name] !== undefined && after[name] !== null;
  const isEmpty = (group: string) =>
    !Object.keys(after).some((name) => name.startsWith(`${group}.`) && isSet(name));
  const empty = optional.filter(isEmpty);
  const values = changed.map((name): [string, Payload] => [
    empty.find((group) => name.startsWith(`${group}.`)) ?? name,
    inPlaceOf(before[name], fields[name] ?? null),
  ]);
  return [
    {
      operation: 'sites.putCustomization',
      params,
      body: nested(values),
      mergedInto: 'sites.getCustomization',
    },
  ];
}

/** Sets removed keys of a mapping to null, because the request is merged. */
function inPlaceOf(before: Payload | undefined, after: Payload): Payload {
  const [was, is] = [mapOf(before), mapOf(after)];
  if (was === undefined || is === undefined) return after;
  const gone = Object.keys(was).map((key): [string, Payload] => [key, null]);
  const own = Object.entries(is).map(([key, value]): [string, Payload] => [key, inPlaceOf(was[key], value)]);
  return Object.fromEntries([...gone, ...own]);
}
