/** Explains diagnostics, operations, exit codes, `${…}` and the keys at the top of a document. Pure. */
import { describeResponse, parametersOf } from '../../contract/describe-operation.ts';
import { isOperationId, type OperationId, operationIds, operationOf } from '../../contract/index.ts';
import { kinds } from '../../kinds/index.ts';
import { interpolationForms } from '../../manifest/interpolation-forms.ts';
import { manifestJsonSchema } from '../../manifest/json-schema.ts';
import type { Explanation } from '../../report/explanation.ts';
import { lintRuleIds } from '../../util/codes/lint.ts';
import type { DiagnosticTexts } from '../../util/codes/texts.ts';
import { diagnosticCodes } from '../../util/diagnostic-codes.ts';
import { isRecord } from '../../util/json.ts';
import { exitCodes } from '../exit-codes.ts';
import { fact, facts, plain } from './words.ts';

/** All codes with their texts and the part of the program that they belong to. */
export function allCodes(): readonly (readonly [code: string, texts: DiagnosticTexts, part: string])[] {
  return Object.entries(diagnosticCodes).flatMap(([part, codes]) =>
    Object.entries(codes).map(([code, texts]) => [code, texts, part] as const),
  );
}

/** A code as messages show it, alone or in its brackets. */
export function explainCode(written: string): Explanation | undefined {
  const code = /^(?:error|warning|hint)\[([a-z0-9-]+)\]:?$/.exec(written)?.[1] ?? written;
  const found = allCodes().find(([one]) => one === code);
  if (found === undefined) return undefined;
  const [, [meaning, example, wayOut], part] = found;
  return {
    topic: `error[${code}]`,
    what: `diagnostic about ${part.toLowerCase()}`,
    description: `${plain(meaning)}.`,
    facts: facts(fact('Example', example), fact('Way out', `${wayOut}.`), offFact(code)),
    reference: `docs/reference/diagnostics.md#${code}`,
  };
}

/** Rules can be turned off; no other diagnostic can. */
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

/** An operation by its name. */
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

/** `exit-codes`, or one of them. */
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

/** `interpolation`, or one of its forms as it is written. */
export function explainInterpolation(written: string): Explanation | undefined {
  const scheme = /^\$?\{?(\w+)(?::.*)?\}?$/s.exec(written)?.[1] ?? '';
  const isForm = /^\$\{/.test(written);
  const own = interpolationForms.filter((form) => form.scheme === scheme);
  if (written !== 'interpolation' && own.length === 0) return undefined;
  const shown = own.length === 0 ? interpolationForms : own;
  return {
    topic: isForm || own.length > 0 ? `\${${scheme}:…}` : 'interpolation',
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

/** The keys at the top of a document that no kind has. */
export const documentKeys = ['octavo', 'overlay'] as const;

/** A key at the top of a document, or `id`, from what editors are told of it. */
export function explainDocumentKey(written: string): Explanation | undefined {
  if (written !== 'id' && !(documentKeys as readonly string[]).includes(written)) return undefined;
  const schema = manifestJsonSchema(kinds);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  if (written === 'id') return idTopic(schema);
  const found = properties[written];
  if (!isRecord(found)) return undefined;
  const values = found.const === undefined ? String(found.type) : String(found.const);
  const isOverlay = written === 'overlay';
  return {
    topic: written,
    what: 'key of a document',
    description: plain(String(found.description ?? '')),
    facts: facts(fact('Value', values)),
    example: isOverlay ? 'octavo: 1\noverlay: production\n' : 'octavo: 1\n',
    reference: isOverlay ? 'docs/reference/overlays.md' : 'docs/reference/kinds.md',
  };
}

/** Any object that has ids takes the key. */
function idTopic({ definitions }: Readonly<Record<string, unknown>>): Explanation | undefined {
  const objects = isRecord(definitions) ? Object.values(definitions) : [];
  const described = objects
    .map((one) => (isRecord(one) && isRecord(one.properties) ? one.properties.id : undefined))
    .find(isRecord);
  if (described === undefined) return undefined;
  return {
    topic: 'id',
    what: 'key of any object that has an id',
    description: plain(String(described.description ?? '')),
    facts: facts(fact('Write it', 'octavo adopt writes the ids of live objects into the manifests')),
    reference: 'docs/reference/lifecycle.md',
  };
}
