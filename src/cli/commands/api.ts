import { STATUS_CODES } from 'node:http';
import type { RequestEvent } from '../../client/client.ts';
import { accepted, unlisted } from '../../contract/api.ts';
import { readText } from '../../run/read-file.ts';
import { userError } from '../../util/user-error.ts';
import { readInput } from '../api/input.ts';
import { findOperation, type NamedOperation, unknownText } from '../api/operation.ts';
import { describeOperation, hideShareUrls, jsonText, listOperations } from '../api/output.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, service, text, texts, toggle } from '../line/flags.ts';
import { connect } from '../service/connection.ts';
import { readSettings } from '../service/settings.ts';
import type { World } from '../world/world.ts';

const flags = {
  baseUrl: service.baseUrl,
  tokenFile: service.tokenFile,
  seed: service.seed,
  maxRps: service.maxRps,
  ...flagTable('Other flags', {
    field: texts(
      'name=value',
      'Field of the body; dots for nested fields, @file for the text of a file, repeat for lists',
      { alias: 'F' },
    ),
    input: text('path', 'JSON file with the body; - for stdin'),
    paginate: toggle('Fetch all pages and print their items as one list'),
    include: toggle('Print the status before the response', { alias: 'i' }),
    showSecrets: toggle('Show the addresses of share links, hidden by default'),
    list: toggle('List the operations, or those that match the words that follow'),
    describe: toggle('Show the parameters of the operation without calling it'),
  }),
};

type ApiInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'words', many: true, completes: 'operations' },
  flags,
  run,
});

async function run(invocation: ApiInvocation): Promise<number> {
  const { flags, words, output } = invocation;
  if (flags.list === true) return list(invocation);
  const named = findOperation(words);
  if (flags.describe === true) {
    if (typeof named.call !== 'string')
      throw userError('operation', unknownText(named.call), 'run octavo api --list to see all of them');
    output.result(describeOperation(named.call, output));
    return 0;
  }
  const { response, status, shareKey } = await request(invocation, named);
  if (flags.include === true)
    output.result(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd().concat('\n\n'));
  if (response === accepted)
    output.note('The service accepted the request (202) and has not carried it out yet.');
  if (response === undefined || response === accepted) return 0;
  const shown =
    flags.showSecrets === true
      ? { value: response, hidden: 0 }
      : hideShareUrls(unlisted(named.call).operation.path, response, shareKey);
  if (shown.hidden > 0) {
    output.note(
      `${shown.hidden === 1 ? 'A secret address is' : `${shown.hidden} secret addresses are`} hidden; --show-secrets shows them.`,
    );
  }
  output.result(jsonText(shown.value));
  return 0;
}

function list({ words, output }: ApiInvocation): number {
  const text = listOperations(words.join(' '));
  if (text === '') throw userError('operation', `no operation matches ${JSON.stringify(words.join(' '))}`);
  output.result(text);
  return 0;
}

async function request(
  invocation: ApiInvocation,
  named: NamedOperation,
): Promise<{ readonly response: unknown; readonly status: number; readonly shareKey: unknown }> {
  const { flags, cwd, world, output } = invocation;
  const paginate = flags.paginate === true;
  const { id, operation } = unlisted(named.call);
  if (paginate && !operation.paged) {
    throw userError('paginate', `${id} has no pages`, 'leave out --paginate');
  }
  const json = flags.input === undefined ? undefined : await readJsonText(world, flags.input);
  const { call, input, unknown } = readInput(named, { cwd, fields: flags.field ?? [], json });
  if (unknown !== undefined) output.note(`${unknown}: sent as is; the service may reject it`);
  let status = 0;
  const onRequest = ({ outcome }: RequestEvent) => {
    if (typeof outcome === 'number') status = outcome;
  };
  const connection = await connect(invocation, { ...(await readSettings(invocation)), onRequest }, []);
  try {
    const { api } = connection;
    const response = await (paginate ? api.all(call, input) : api.send(call, input));
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
