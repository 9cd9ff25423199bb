/**
 * Runs the commands of a page in one real shell, in an empty folder, so that each finds the files of the previous ones. `octavo` is a
 * script there that runs the command inside the test: real files and real pipes, without starting a process.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { octavo, root } from '../cli/octavo.ts';
import type { CommandBlock } from './page.ts';

/** The result of one block. */
export interface BlockResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit codes of commands that did not end with 0. */
  readonly exits: readonly number[];
}

/** A folder that pages share, deleted after the tests. */
const shared = mkdtempSync(join(tmpdir(), 'octavo-docs-shared-'));
process.once('exit', () => rmSync(shared, { recursive: true, force: true }));

/** Sends its arguments, its folder and its environment to the test, and prints the response. Starts no process. */
const client = `#!/bin/bash
request="$DOCS_SCRATCH/request.$$"
{
  printf '%s\\0' "$PWD" "$#" "$@"
  for name in $(compgen -e); do printf '%s=%s\\0' "$name" "\${!name}"; done
} > "$request"
input=
for word in "$@"; do if [ "$word" = - ]; then input="$request.in"; cat > "$input"; fi; done
exec 3<>"/dev/tcp/127.0.0.1/$DOCS_PORT"
printf '%s\\n%s\\n' "$request" "$input" >&3
IFS= read -r out <&3
IFS= read -r err <&3
IFS= read -r code <&3
mapfile -d '' -t text < "$out"
printf '%s' "\${text[0]}"
mapfile -d '' -t text < "$err"
printf '%s' "\${text[0]}" >&2
exit "$code"
`;

/** Runs blocks, in order; stops after one that exits the shell. */
export async function runBlocks(blocks: readonly CommandBlock[]): Promise<readonly BlockResult[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'octavo-docs-'));
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket, scratch));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await runIn(scratch, (server.address() as AddressInfo).port, blocks);
  } finally {
    await stop(server);
    rmSync(scratch, { recursive: true, force: true });
  }
}

function stop(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}

async function runIn(
  scratch: string,
  port: number,
  blocks: readonly CommandBlock[],
): Promise<readonly BlockResult[]> {
  const [bin, work, home] = ['bin', 'work', 'home'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [bin, work, home]) mkdirSync(folder);
  for (const [name, text] of [
    ['octavo', client],
    ['npx', '#!/bin/bash\nexec "$@"\n'],
  ] as const) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  // All blocks run in the same shell, so variables are kept.
  const script = blocks.flatMap(({ commands, answer: typed }, at) => {
    // The exit code of the whole file is not used.
    writeFileSync(join(scratch, `${at}.sh`), `${commands}\n:\n`);
    return [
      `${typed === undefined ? 'unset DOCS_ANSWER' : `export DOCS_ANSWER=${JSON.stringify(typed)}`}`,
      `trap 'echo $? >> ${scratch}/${at}.exits' ERR`,
      `. ${scratch}/${at}.sh > ${scratch}/${at}.out 2> ${scratch}/${at}.err < /dev/null`,
      'trap - ERR',
      `touch ${scratch}/${at}.done`,
    ];
  });
  const child = spawn('bash', ['--noprofile', '--norc', '-c', script.join('\n')], {
    cwd: work,
    stdio: 'ignore',
    env: {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: home,
      DOCS_PORT: String(port),
      DOCS_SCRATCH: scratch,
      DOCS_SHARED: shared,
      REPOSITORY: root,
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@acme.dev',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@acme.dev',
      GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
      GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
      XDG_STATE_HOME: join(home, 'state'),
    },
  });
  await new Promise((done) => child.once('close', done));
  const read = (name: string) =>
    existsSync(join(scratch, name)) ? readFileSync(join(scratch, name), 'utf8') : '';
  return blocks.map((_block, at) => ({
    stdout: read(`${at}.out`),
    stderr: existsSync(join(scratch, `${at}.done`))
      ? read(`${at}.err`)
      : `${read(`${at}.err`)}\nthe shell ended here`,
    exits: read(`${at}.exits`).split('\n').filter(Boolean).map(Number),
  }));
}

/** Runs the command that a client requests. */
async function answer(socket: Socket, scratch: string): Promise<void> {
  socket.on('error', () => undefined);
  const received = await new Promise<string>((done) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.split('\n').length > 2) done(text);
    });
  });
  const [request = '', input = ''] = received.split('\n');
  const parts = readFileSync(request, 'utf8').split('\0');
  const [cwd = '', count = '0'] = parts;
  const args = parts.slice(2, 2 + Number(count));
  const env = Object.fromEntries(
    parts.slice(2 + Number(count)).flatMap((one) => {
      const at = one.indexOf('=');
      return at < 1 ? [] : [[one.slice(0, at), one.slice(at + 1)]];
    }),
  );
  const { DOCS_ANSWER: typed } = env;
  const ran = await octavo(args, {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    input: typed === undefined ? (input === '' ? '' : readFileSync(input, 'utf8')) : `${typed}\n`,
    isTerminal: typed !== undefined,
  });
  const base = mkdtempSync(join(scratch, 'ran-'));
  writeFileSync(join(base, 'out'), ran.stdout);
  writeFileSync(join(base, 'err'), ran.stderr);
  socket.end(`${join(base, 'out')}\n${join(base, 'err')}\n${ran.code ?? 1}\n`);
}
