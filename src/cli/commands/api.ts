/** `octavo api`: calls one operation of the API and prints its response as JSON. */
import { STATUS_CODES } from 'node:http';
import type { RequestEvent } from '../../client/client.ts';
import { type OperationId, operationOf } from '../../contract/index.ts';
import { safeText } from '../../report/safe-text.ts';
import { readText } from '../../run/read-file.ts';
import { userError } from '../../util/user-error.ts';
import { readInput } from '../api/input.ts';
import { describeOperation, listOperations } from '../api/listing.ts';
import { findOperation, type NamedOperation } from '../api/operation.ts';
import { hideShareUrls, jsonText, valueLine } from '../api/output.ts';
import { parseSelector, select } from '../api/select.ts';
import { connect } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import { readSettings } from '../settings.ts';
import type { World } from '../world.ts';

/** Exit code 0 when the service did as requested. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, words, output } = invocation;
  if (flags.list === true) return list(invocation);
  const named = findOperation(words);
  if (flags.describe === true) {
    output.result(describeOperation(named.id, output));
    return 0;
  }
  const selector = flags.select === undefined ? undefined : parseSelector(flags.select);
  const { response, status, shareKey } = await request(invocation, named);
  if (flags.include === true)
    output.result(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd().concat('\n\n'));
  if (status === 404) throw alreadyGone(named.id);
  if (response === undefined) return 0;
  const shown =
    flags.showSecrets === true ? { value: response, hidden: 0 } : hideShareUrls(named.id, response, shareKey);
  if (shown.hidden > 0) {
    output.note(
      `${shown.hidden === 1 ? 'A secret address is' : `${shown.hidden} secret addresses are`} hidden; --show-secrets shows them.`,
    );
  }
  if (selector === undefined) {
    output.result(jsonText(shown.value));
    return 0;
  }
  const { values, doubt } = select(shown.value, selector);
  if (doubt !== undefined) output.note(`warning: ${safeText(doubt)}`);
  output.result(values.map((value) => valueLine(value, output)).join(''));
  return 0;
}

function list({ words, output }: Invocation): number {
  const text = listOperations(words.join(' '), output);
  if (text === '') throw userError('operation', `no operation matches ${JSON.stringify(words.join(' '))}`);
  output.result(text);
  return 0;
}

async function request(
  invocation: Invocation,
  named: NamedOperation,
): Promise<{ readonly response: unknown; readonly status: number; readonly shareKey: unknown }> {
  const { flags, cwd, world } = invocation;
  const paginate = flags.paginate === true;
  if (paginate && !operationOf(named.id).paged) {
    throw userError('paginate', `${named.id} has no pages`, 'leave out --paginate');
  }
  const json = flags.input === undefined ? undefined : await readJsonText(world, flags.input);
  const { input, doubts } = readInput(named, { cwd, fields: flags.field ?? [], json });
  for (const doubt of doubts) invocation.output.note(`warning: ${safeText(doubt)}`);
  let status = 0;
  const onRequest = ({ outcome }: RequestEvent) => {
    if (typeof outcome === 'number') status = outcome;
  };
  const connection = await connect(invocation, { ...(await readSettings(invocation)), onRequest }, []);
  try {
    const { api } = connection;
    const response = await (paginate ? api.all(named.id, input) : api.send(named.id, input));
    return { response, status, shareKey: input.query?.shareKey };
  } finally {
    await connection.close();
  }
}

async function readJsonText({ cwd, stdin }: World, file: string): Promise<string> {
  if (file !== '-') return readText(cwd, file);
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A plan may delete an object that is already gone; a user who named its id must hear of it. */
function alreadyGone(id: OperationId): Error {
  return userError('api-status', `${id} returned 404: nothing to delete`, 'check the ids in the path');
}
