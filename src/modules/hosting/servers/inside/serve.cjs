/*
 * Runs inside the sandbox of an app, beside its server: carries what comes in on the socket that the host has given us
 * to the port that the server listens on. The network in here is the app's own, so no other way leads to it.
 *
 * If the app has a network, questions for names go the other way: from the usual port to a socket of the host, which
 * answers them. Nothing depends on this for safety, because the rules of the network see addresses only.
 *
 * What is attached to the app, such as a database, and models of the service, if a variable of the app is a key, are
 * reached the same way: from a port of ours to a socket of the host, which passes connections on.
 *
 * Many servers have a port of their own written into them. One that does not listen on that of PORT, and answers HTTP
 * on exactly one other, gets its requests there, until it listens on that of PORT.
 *
 * Nothing is accepted before the server listens: until then requests wait in the queue of the socket. The first
 * connection is the host's and carries no request: a byte on it tells the host that the server listens. Each byte that
 * the host sends back asks for what is in the directories of our arguments, as one archive in pieces: four bytes with
 * the length of a piece, then the piece. A piece without a length ends it, and FAILED says that there is none.
 */
'use strict';
const { spawn } = require('node:child_process');
const dgram = require('node:dgram');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const LISTEN_DESCRIPTOR = 4;
const RETRY_MS = 10;
const HOSTS = ['127.0.0.1', '::1'];

const PORT = Number(process.env.PORT);

/** Where requests go. */
let target = { port: PORT, host: HOSTS[0] };

// A server that cannot be reached is of no use: with the shell that started us both ends the sandbox.
process.once('exit', () => process.kill(process.ppid, 'SIGKILL'));

async function waitForServer() {
  let other = null;
  for (let turn = 1; ; turn++) {
    // Some servers listen on one address only.
    const host = HOSTS[turn % HOSTS.length];
    if (await listensOn(PORT, host)) {
      target = { port: PORT, host };
      return listen();
    }
    // The search does not delay what listens on PORT meanwhile.
    if (turn % TURNS_PER_SEARCH === 0) void otherPlace().then((place) => (other ??= place));
    if (other !== null) {
      target = other;
      listen();
      return returnToPort();
    }
    await sleep(RETRY_MS);
  }
}

function listensOn(port, host) {
  return new Promise((resolve) => {
    const probe = net.connect({ port, host });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

/** What listened on another port first may be for something else, such as metrics. */
async function returnToPort() {
  for (let turn = 0; ; turn++) {
    const host = HOSTS[turn % HOSTS.length];
    if (await listensOn(PORT, host)) {
      target = { port: PORT, host };
      console.error(`The server listens on port ${PORT} now. Requests go there.`);
      return;
    }
    await sleep(RETURN_MS);
  }
}

const TURNS_PER_SEARCH = 25;
const RETURN_MS = 500;
/** Others have to listen for this long, because the server may be about to listen on PORT. */
const SETTLED_MS = 2_000;
const LONGEST_ANSWER_MS = 5_000;
/** Those of the names of a network, of Node's debugger and of the models of the service. */
const DOOR_PORT = 9797;
const SERVICES = '/run/service';
const SERVICE_SOCKET = /^tcp-(\d+)$/;
/** The ports of what is attached to the app, each with the socket of the host. */
const ATTACHED = namesIn(SERVICES).flatMap((name) => {
  const port = SERVICE_SOCKET.exec(name)?.[1];
  return port === undefined ? [] : [[Number(port), path.join(SERVICES, name)]];
});
const NOT_FOR_REQUESTS = [53, 9229, DOOR_PORT, ...ATTACHED.map(([port]) => port)];
/** Ports that the system chooses begin here. */
const FIRST_CHOSEN = 32_768;
const LISTENS = '0A';
const MOST_PORTS = 10;

const settling = { ports: '', since: 0, isOver: false };

/** The one other place that answers HTTP, once nothing has changed for a while. */
async function otherPlace() {
  const ports = listeningPorts();
  const now = performance.now();
  if (ports.join() !== settling.ports) Object.assign(settling, { ports: ports.join(), since: now, isOver: false });
  if (ports.length === 0 || settling.isOver || now - settling.since < SETTLED_MS) return null;
  settling.isOver = true;
  const asked = ports.flatMap((port) => HOSTS.map((host) => ({ port, host })));
  const answers = await Promise.all(asked.map(answersHttp));
  if (isOpen) return null;
  const answering = asked.filter((_place, at) => answers[at]);
  const places = answering.filter(({ port }, at) => answering.findIndex((each) => each.port === port) === at);
  const found = `The server does not listen on the port in PORT, which is ${PORT}, but on ${ports.join(' and ')}. `;
  console.error(
    places.length === 1
      ? `${found}Requests go to port ${places[0].port}. Make it listen on the port in PORT, so that it starts sooner.`
      : `${found}Make it listen on the port in PORT.`,
  );
  return places.length === 1 ? places[0] : null;
}

/** In the kernel's tables, numbers are hexadecimal. */
function listeningPorts() {
  const ports = new Set();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of (textOf(table) ?? '').split('\n').slice(1)) {
      const [, local = '', , state] = line.trim().split(/\s+/);
      const port = parseInt(local.split(':')[1], 16);
      if (state === LISTENS && port < FIRST_CHOSEN && port !== PORT && !NOT_FOR_REQUESTS.includes(port))
        ports.add(port);
    }
  }
  return [...ports].sort((one, other) => one - other).slice(0, MOST_PORTS);
}

function namesIn(directory) {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

function textOf(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function answersHttp({ port, host }) {
  return new Promise((resolve) => {
    const probe = net.connect({ port, host });
    const end = (answers) => {
      probe.destroy();
      resolve(answers);
    };
    probe.setTimeout(LONGEST_ANSWER_MS, () => end(false));
    probe.once('error', () => end(false));
    probe.once('close', () => end(false));
    probe.once('data', (bytes) => end(bytes.toString('latin1', 0, 7) === 'HTTP/1.'));
    probe.write('HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  });
}

let isOpen = false;

function listen() {
  isOpen = true;
  let isFirst = true;
  const door = net.createServer({ allowHalfOpen: true, noDelay: true }, (from) => {
    if (isFirst) {
      isFirst = false;
      from.on('error', () => undefined);
      from.on('data', () => archive(from));
      from.write('.');
      return;
    }
    const to = net.connect({ ...target, allowHalfOpen: true, noDelay: true });
    from.pipe(to);
    to.pipe(from);
    const end = () => {
      from.destroy();
      to.destroy();
    };
    from.once('error', end);
    to.once('error', end);
  });
  door.listen({ fd: LISTEN_DESCRIPTOR });
}

const TREE = '/opt/hosting/tree';
const APP = '/app';
const KEPT_BYTES = 48 * 1_048_576;
const KEPT_FILES = 20_000;
const FAILED = 0xffffffff;

/** All regular files below a directory, without those that are mounted in it: they are of the deploy. */
function* filesIn(place) {
  const { dev } = fs.lstatSync(place);
  const waiting = [place];
  while (waiting.length > 0) {
    const directory = waiting.pop();
    for (const name of fs.readdirSync(directory)) {
      const file = path.join(directory, name);
      const stats = fs.lstatSync(file, { throwIfNoEntry: false });
      if (stats?.dev !== dev) continue;
      if (stats.isDirectory()) waiting.push(file);
      else if (stats.isFile()) yield { file, size: stats.size, mtimeMs: stats.mtimeMs };
    }
  }
}

let hasWarned = false;

/** The newest files that fit. Of those that were copied from the deploy, only what has changed since. */
function changedFiles() {
  const found = [];
  for (const place of process.argv.slice(2)) {
    for (const { file, size, mtimeMs } of filesIn(path.join(APP, place))) {
      const built = fs.lstatSync(path.join(TREE, path.relative(APP, file)), { throwIfNoEntry: false });
      if (built?.size === size && Math.abs(built.mtimeMs - mtimeMs) < 1) continue;
      found.push({ file, size: size + 1_024, mtimeMs });
      if (found.length > 2 * KEPT_FILES) throw new Error('There are too many files.');
    }
  }
  found.sort((one, other) => other.mtimeMs - one.mtimeMs);
  let left = KEPT_BYTES;
  const kept = found.slice(0, KEPT_FILES).filter(({ size }) => (left -= size) >= 0);
  if (kept.length < found.length && !hasWarned) {
    hasWarned = true;
    console.error(
      `Of ${found.length} files that the server wrote, ${kept.length} are kept for its next start: at most 48 MiB ` +
        'and 20000 files. See /docs/hosting#what-a-server-writes.',
    );
  }
  return kept;
}

function archive(to) {
  const piece = (bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    to.write(length);
    return to.write(bytes);
  };
  const end = (number) => {
    const last = Buffer.alloc(4);
    last.writeUInt32BE(number);
    to.write(last);
  };
  try {
    const files = changedFiles();
    if (files.length === 0) return end(0);
    const program = spawn('/usr/bin/tar', ['-c', '-f', '-', '-C', '/', '--null', '--no-recursion', '-T', '-'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
    });
    program.stdin.on('error', () => undefined);
    program.stdin.end(files.map(({ file }) => `${path.relative('/', file)}\0`).join(''));
    program.stdout.on('data', (bytes) => {
      if (piece(bytes)) return;
      program.stdout.pause();
      to.once('drain', () => program.stdout.resume());
    });
    program.once('error', () => end(FAILED));
    // 1 is for files that changed or vanished while they were read: the others are whole.
    program.once('close', (status) => end(status === 0 || status === 1 ? 0 : FAILED));
  } catch {
    end(FAILED);
  }
}

const NAMES_SOCKET = '/run/network/names';
const DOOR_SOCKET = '/run/service/api';
const NAMES_PORT = 53;
const LONGEST_QUERY = 512;
const LONGEST_DATAGRAM = 512;
const HEADER_BYTES = 12;
const TRUNCATED = 0x02;
const MOST_ASKED = 256;

/** Carries connections to a port of ours to a socket of the host. */
function carry(port, socket) {
  const door = net.createServer({ allowHalfOpen: true, noDelay: true }, (from) => {
    const to = net.connect({ path: socket, allowHalfOpen: true });
    from.pipe(to);
    to.pipe(from);
    const end = () => {
      from.destroy();
      to.destroy();
    };
    from.once('error', end).once('close', end);
    to.once('error', end).once('close', end);
  });
  door.on('error', () => undefined);
  door.listen(port, HOSTS[0]);
}

/** All datagrams share one connection, so each gets a number of ours there. */
function answerNamesOverUdp() {
  const socket = dgram.createSocket('udp4');
  const asked = new Map();
  let number = 0;
  let host;
  let received = Buffer.alloc(0);

  const connection = () => {
    if (host !== undefined) return host;
    received = Buffer.alloc(0);
    const opened = net.connect(NAMES_SOCKET);
    const end = () => {
      if (host === opened) host = undefined;
      opened.destroy();
    };
    opened
      .on('error', end)
      .on('close', end)
      .on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
          const end = 2 + received.readUInt16BE(0);
          deliver(received.subarray(2, end));
          received = received.subarray(end);
        }
      });
    host = opened;
    return opened;
  };

  const deliver = (answer) => {
    if (answer.length < HEADER_BYTES) return;
    const asker = asked.get(answer.readUInt16BE(0));
    if (asker === undefined) return;
    asked.delete(answer.readUInt16BE(0));
    // A longer answer is asked for again over TCP.
    const sent = Buffer.from(answer.length > LONGEST_DATAGRAM ? answer.subarray(0, asker.questionEnd) : answer);
    if (answer.length > LONGEST_DATAGRAM) {
      sent[2] |= TRUNCATED;
      sent.fill(0, 6, HEADER_BYTES);
    }
    sent.writeUInt16BE(asker.id, 0);
    socket.send(sent, asker.port, asker.address, () => undefined);
  };

  socket.on('error', () => undefined);
  socket.on('message', (query, { port, address }) => {
    if (query.length < HEADER_BYTES || query.length > LONGEST_QUERY) return;
    number = (number + 1) % 65_536;
    asked.set(number, { id: query.readUInt16BE(0), port, address, questionEnd: endOfQuestion(query) });
    if (asked.size > MOST_ASKED) asked.delete(asked.keys().next().value);
    const frame = Buffer.alloc(2 + query.length);
    frame.writeUInt16BE(query.length, 0);
    query.copy(frame, 2);
    frame.writeUInt16BE(number, 2);
    const to = connection();
    if (to.writableLength < 65_536) to.write(frame);
  });
  socket.bind(NAMES_PORT, HOSTS[0]);
}

function endOfQuestion(query) {
  let place = HEADER_BYTES;
  while (place < query.length && query[place] !== 0) place += 1 + query[place];
  return Math.min(place + 5, query.length);
}

if (fs.existsSync(NAMES_SOCKET)) {
  answerNamesOverUdp();
  // Over TCP, the format is that of the host.
  carry(NAMES_PORT, NAMES_SOCKET);
}
if (fs.existsSync(DOOR_SOCKET)) carry(DOOR_PORT, DOOR_SOCKET);
for (const [port, socket] of ATTACHED) carry(port, socket);
void waitForServer();
