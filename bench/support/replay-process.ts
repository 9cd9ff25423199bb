/**
 * A service that costs no time: returns the recorded bytes of another one. Takes a file of exchanges; sends its address. Repeated requests
 * get their responses in order, and the last one from then on. A message restarts the sequence.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import type { Exchange } from './replay.ts';

const exchanges = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as readonly Exchange[];
const answers = new Map<string, Buffer[]>();
for (const { method, path, body, status, answer } of exchanges) {
  const key = `${method} ${path}\n${body}`;
  const length = status === 204 ? '' : `content-length: ${Buffer.byteLength(answer)}\r\n`;
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json; charset=utf-8\r\n${length}\r\n`;
  answers.set(key, [...(answers.get(key) ?? []), Buffer.from(head + answer)]);
}
const missing = Buffer.from('HTTP/1.1 500 Unknown\r\ncontent-length: 2\r\n\r\n{}');
const given = new Map<string, number>();

function answerTo(key: string): Buffer {
  const known = answers.get(key) ?? [missing];
  const at = given.get(key) ?? 0;
  given.set(key, at + 1);
  return known[Math.min(at, known.length - 1)] ?? missing;
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const body = text.slice(end + 4, end + 4 + length);
      text = text.slice(end + 4 + length);
      socket.write(answerTo(`${head.slice(0, head.indexOf(' HTTP/1.1'))}\n${body}`));
    }
  });
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => {
  given.clear();
  process.send?.('ready');
});
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
await once(process, 'disconnect');
process.exit();
