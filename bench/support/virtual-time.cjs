/**
 * Preloaded into clients that are measured without a real network: the *virtual time* of a process is the CPU time of its main thread
 * plus the skipped waiting time. Each response is held back until OCTAVO_BENCH_LATENCY milliseconds of virtual time have passed since
 * its request was written. When the process is idle, the clock advances to the next response that is due.
 *
 * The result is the time on a machine with idle cores and a service that costs no time, regardless of the load on this machine.
 * Each connection has at most one request in flight.
 */
const { Socket } = require('node:net');
const { closeSync, openSync, readSync } = require('node:fs');

const latency = Number(process.env.OCTAVO_BENCH_LATENCY);
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const buffer = Buffer.alloc(64);
/** Skipped milliseconds, minus the cost of measuring. */
let skipped = 0;
/** Time when the response is due, and its received pieces, by socket. */
const open = new Map();
let isChecking = false;

function mainCpu() {
  const length = readSync(schedstat, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

const now = () => mainCpu() + skipped;

const { write, push } = Socket.prototype;
const isMeasured = (socket) => socket.remotePort === Number(process.env.OCTAVO_BENCH_PORT);

Socket.prototype.write = function (...args) {
  if (isMeasured(this)) {
    const known = open.get(this);
    if (known === undefined) open.set(this, { due: now() + latency, pieces: [] });
  }
  return write.apply(this, args);
};

Socket.prototype.push = function (piece, encoding) {
  const held = open.get(this);
  if (held === undefined || piece === null) return push.call(this, piece, encoding);
  held.pieces.push(piece);
  check();
  return true;
};

/** Runs two turns later, so that the program's own work comes first. */
function check() {
  if (isChecking) return;
  isChecking = true;
  setImmediate(() => setImmediate(release));
}

/** Waits without CPU cost while responses are in flight. */
function checkLater() {
  isChecking = true;
  setTimeout(release, 1);
}

function release() {
  isChecking = false;
  const begin = mainCpu();
  const arrived = [...open].filter(([, { pieces }]) => pieces.length > 0);
  const isComplete = arrived.length === open.size;
  const next = Math.min(...arrived.map(([, { due }]) => due));
  // All responses have arrived, and the process is idle.
  if (isComplete && next > begin + skipped) skipped += next - begin - skipped;
  const time = begin + skipped;
  const due = arrived.filter(([, held]) => held.due <= time);
  for (const [socket] of due) open.delete(socket);
  skipped -= mainCpu() - begin;
  for (const [socket, { pieces }] of due) for (const piece of pieces) push.call(socket, piece);
  if (arrived.length > due.length) isComplete ? check() : checkLater();
}

exports.virtualTime = () => {
  const time = now();
  closeSync(schedstat);
  return time;
};
