import { describeResponse, parametersOf } from '../../contract/describe-operation.ts';
import { isOperationId, type OperationId, operationIds, operationOf } from '../../contract/index.ts';
import { kinds } from '../../kinds/index.ts';
import { type RuleTexts, shippedRules } from '../../kinds/rules.ts';
import { interpolationForms } from '../../manifest/fill/interpolation-forms.ts';
import { manifestJsonSchema } from '../../manifest/schema/json-schema.ts';
import type { Explanation } from '../../report/results/explanation.ts';
import { lintRuleIds } from '../../util/codes/lint.ts';
import type { DiagnosticTexts } from '../../util/codes/texts.ts';
import { defined } from '../../util/defined.ts';
import { diagnosticCodes } from '../../util/diagnostic-codes.ts';
import { isRecord } from '../../util/json.ts';
import { exitCodes } from '../line/command.ts';
import { fact, facts, plain, yamlText } from './example.ts';

export function allCodes(): readonly (readonly [code: string, texts: DiagnosticTexts, part: string])[] {
  return Object.entries(diagnosticCodes).flatMap(([part, codes]) =>
    Object.entries(codes).map(([code, texts]) => [code, texts, part] as const),
  );
}

/** Names of guards, as plans show them: `guard: limits` for the code `refused-limits`. */
export function guardNames(): readonly string[] {
  return allCodes().flatMap(([code]) => (code.startsWith(refused) ? [code.slice(refused.length)] : []));
}

const refused = 'refused-';

/** Alone, in brackets, or as the name of a guard, as messages and plans show it. */
export function explainCode(written: string): Explanation | undefined {
  const word = written.replace(/^guard: */, '');
  const isGuard = guardNames().includes(word);
  const code = isGuard
    ? `${refused}${word}`
    : (/^(?:error|warning|hint)\[([a-z0-9-]+)\]:?$/.exec(written)?.[1] ?? written);
  const found = allCodes().find(([one]) => one === code);
  if (found === undefined) return undefined;
  const [, [meaning, example, wayOut], part] = found;
  return {
    topic: isGuard ? word : `error[${code}]`,
    what: isGuard ? 'guard, which refuses changes' : `diagnostic about ${part.toLowerCase()}`,
    description: `${plain(meaning)}.`,
    facts: facts(fact('Example', example), fact('Way out', `${wayOut}.`), offFact(code)),
    reference: isGuard ? `docs/reference/guards.md#${word}` : `docs/reference/diagnostics.md#${code}`,
  };
}

/** A rule that ships, by its name. */
export function explainRule(written: string): Explanation | undefined {
  const shipped = Object.hasOwn(shippedRules, written) ? shippedRules[written] : undefined;
  if (shipped === undefined) return undefined;
  const { why, ...rule } = shipped;
  return {
    topic: written,
    what: 'rule that ships, off until octavo.rules.yaml names it',
    description: why,
    facts: facts(
      fact('Turn on', `${written}: {} under rules: in octavo.rules.yaml, at the root of the repository`),
      fact('Change it', 'write any of the keys below with another value, or exempt: { label: … }'),
    ),
    example: ruleText(written, rule),
    reference: `docs/reference/rules.md#${written}`,
  };
}

/** As a file has it. */
export function ruleText(name: string, rule: RuleTexts): string {
  return yamlText({ rules: { [name]: rule } }).trimEnd();
}

/** Only rules can be turned off. */
function offFact(code: string) {
  const isRule = (lintRuleIds as readonly string[]).includes(code);
  return fact(
    'Turn off',
    ...(isRule
      ? [
          `# octavo-disable-next-line ${code}, or # octavo-disable ${code} at the end of the line, above an object or at the top of a file`,
          `lint: { ${code}: off } in octavo.config.yaml`,
        ]
      : []),
  );
}

export function explainOperation(written: string): Explanation | undefined {
  const id = isOperationId(written) ? written : operationIds.find((one) => sameWord(one, written));
  if (id === undefined) return undefined;
  const operation = operationOf(id);
  const { method, path, summary, section } = operation;
  return {
    topic: id,
    what: `operation of the API: ${section}`,
    description: `${summary}.`,
    facts: facts(
      fact('Request', `${method} ${path}`),
      fact('Response', `${describeResponse(operation)}.`),
      fact('Call it', `octavo api ${id} --describe`),
    ),
    parts: { title: 'Parameters', rows: parameterRows(id) },
    reference: 'docs/reference/operations.md',
  };
}

function parameterRows(id: OperationId) {
  return parametersOf(operationOf(id)).map(({ name, place, required, text }) => ({
    name,
    depth: 0,
    value: plain(text),
    description: `in the ${place}`,
    ...(required ? { required: true as const } : {}),
  }));
}

function sameWord(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** `exit-codes`, or a single code. */
export function explainExitCode(written: string): Explanation | undefined {
  const [code, meaning] = exitCodes.find(([one]) => one === written) ?? [];
  if (code === undefined && !/^exit-?codes?$/i.test(written)) return undefined;
  const reference = 'docs/reference/commands.md#exit-codes';
  if (code !== undefined) {
    return { topic: code, what: 'exit code', description: `${meaning ?? ''}.`, facts: [], reference };
  }
  return {
    topic: 'exit-codes',
    what: 'of all commands',
    description: 'What a command ends with, for scripts and pipelines.',
    facts: exitCodes.map(([label, text]) => ({ label, texts: [text] })),
    reference,
  };
}

/** `interpolation`, or one of its forms as written. */
export function explainInterpolation(written: string): Explanation | undefined {
  const scheme = /^\$?\{?(\w+)(?::.*)?\}?$/s.exec(written)?.[1] ?? '';
  const isForm = /^\$\{/.test(written);
  const own = interpolationForms.filter((form) => form.scheme === scheme || form.written === `\${${scheme}}`);
  if (written !== 'interpolation' && own.length === 0) return undefined;
  const shown = own.length === 0 ? interpolationForms : own;
  return {
    topic:
      isForm || own.length > 0
        ? `\${${own[0]?.scheme === undefined ? scheme : `${scheme}:…`}}`
        : 'interpolation',
    what: 'in any string of a manifest, but in no key',
    description: 'Filled in when the manifests are read. $${ is a literal ${.',
    facts: [],
    parts: {
      title: 'Forms',
      rows: shown.map((form) => ({
        name: form.written,
        depth: 0,
        value: '',
        description: plain(form.becomes),
      })),
    },
    reference: 'docs/reference/interpolation.md',
  };
}

const templateExample = `templates:
  product-site:
    inputs: { title: { type: string } }
    site: { title: "\${input:title} docs" }
`;

/** Keys that belong to no kind: of a document, or of any object. */
export const documentKeys = {
  octavo: { what: 'key of a document', example: 'octavo: 1\n', page: 'kinds' },
  overlay: { what: 'key of a document', example: 'octavo: 1\noverlay: production\n', page: 'overlays' },
  templates: { what: 'key of a document', example: templateExample, page: 'templates' },
  use: {
    what: 'key of any object',
    example: 'sites:\n  hub: { use: product-site, with: { title: Hub } }\n',
    page: 'templates',
  },
  with: {
    what: 'key of any object',
    example: 'sites:\n  hub: { use: product-site, with: { title: Hub } }\n',
    page: 'templates',
  },
  each: {
    what: 'key of any entry',
    example: 'sites:\n  products: { use: product-site, each: [{ key: hub, title: Hub }] }\n',
    page: 'templates',
  },
  id: { what: 'key of any object that has an id', example: undefined, page: 'lifecycle' },
} as const;

function anyTypes({ anyOf }: Readonly<Record<string, unknown>>): string {
  const types = Array.isArray(anyOf) ? anyOf.map((one) => (isRecord(one) ? one.type : undefined)) : [];
  return types.filter((one) => typeof one === 'string').join(', ');
}

export function explainDocumentKey(written: string): Explanation | undefined {
  if (!Object.hasOwn(documentKeys, written)) return undefined;
  const { what, example, page } = documentKeys[written as keyof typeof documentKeys];
  const schema = manifestJsonSchema(kinds);
  const manifest = isRecord(schema.else) ? schema.else : {};
  const found = [schema, manifest, ...Object.values(isRecord(schema.definitions) ? schema.definitions : {})]
    .map((one) => (isRecord(one) && isRecord(one.properties) ? one.properties[written] : undefined))
    .find(isRecord);
  if (found === undefined) return undefined;
  return {
    topic: written,
    what,
    description: plain(String(found.description ?? '')),
    facts: facts(
      example === undefined
        ? fact('Write it', 'octavo adopt writes the ids of live objects into the manifests')
        : fact('Value', String(found.const ?? found.type ?? anyTypes(found))),
    ),
    ...defined({ example }),
    reference: `docs/reference/${page}.md`,
  };
}
