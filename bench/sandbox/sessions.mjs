/**
 * Sessions: how long a run of the smallest program takes in a session that is awake, over the same in a bare
 * interpreter at the end of a pipe, which reads the same frames and has neither isolation nor an agent; how long one
 * takes that has to wake its session; and the start of a session beside that of a cold `bwrap` and interpreter. All in
 * turns in the same run.
 *
 *   npm run bench:sandbox -- sessions
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import { millisecondsOf, printTable, quantile } from './figures.mjs';
import { HELLO } from './hello.mjs';
import { NODE, requireHello, runCold } from './layer.mjs';

const require = createRequire(import.meta.url);
const { Isolation } = require('../../dist/src/platform/isolation/isolation.js');
const { SessionProcesses } = require('../../dist/src/modules/sandbox/sessions/host/session-processes.js');
const { frameOf, FrameReader } = require('../../dist/src/modules/sandbox/sessions/host/frames.js');

const MEBIBYTE = 1024 * 1024;
const LIMITS = { memoryBytes: 256 * MEBIBYTE, processes: 64, filesBytes: 32 * MEBIBYTE };
const WORK = { timeoutMs: 30_000, outputBytes: MEBIBYTE };

const BARE_PYTHON = `
import json, os, struct, sys
def take(size):
  data = b""
  while len(data) < size:
    piece = os.read(0, size - len(data))
    if not piece: os._exit(0)
    data += piece
  return data
names = {}
while True:
  head, body = struct.unpack(">II", take(8))
  take(head)
  exec(compile(take(body), "cell", "exec"), names)
  sys.stdout.flush()
  head = json.dumps({"op": "done"}).encode()
  os.write(3, struct.pack(">II", len(head), 0) + head)
`;

const BARE_NODE = `
const { readSync, writeSync } = require('node:fs');
const { runInThisContext } = require('node:vm');
const { stripTypeScriptTypes } = require('node:module');
const take = (size) => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const read = readSync(0, bytes, at, size - at, null);
    if (read === 0) process.exit();
    at += read;
  }
  return bytes;
};
console.log = (text) => writeSync(1, text + '\\n');
for (;;) {
  const lengths = take(8);
  take(lengths.readUInt32BE(0));
  const code = take(lengths.readUInt32BE(4)).toString();
  runInThisContext('{' + (process.argv[1] === 'typescript' ? stripTypeScriptTypes(code) : code) + '}');
  const head = Buffer.from('{"op":"done"}');
  const answer = Buffer.alloc(8);
  answer.writeUInt32BE(head.length, 0);
  writeSync(3, Buffer.concat([answer, head]));
}
`;

/** An interpreter at the end of a pipe. */
class Bare {
  constructor(language) {
    const [program, ...parameters] =
      language === 'python'
        ? ['/usr/bin/python3', '-ISc', BARE_PYTHON]
        : [NODE, '--disable-warning=ExperimentalWarning', '-e', BARE_NODE, '--', language];
    this.child = spawn(program, parameters, { env: {}, stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    this.reader = new FrameReader();
    this.output = '';
    this.child.stdout.on('data', (piece) => {
      this.output += piece;
      this.settle();
    });
    this.child.stdio[3].on('data', (piece) => {
      this.isDone ||= this.reader.push(piece).length > 0;
      this.settle();
    });
  }

  run(code) {
    this.isDone = false;
    this.output = '';
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.child.stdin.write(frameOf({ op: 'run' }, Buffer.from(code)));
    });
  }

  settle() {
    if (this.isDone && this.output.endsWith('\n')) this.resolve?.(this.output);
  }

  end() {
    this.child.kill('SIGKILL');
  }
}

const runIn = async (session, code) => (await session.run({ ...WORK, code })).stdout;
/** A cell may declare a name once only. */
const cellOf = (language) =>
  language === 'typescript'
    ? `{${HELLO.typescript.replace(/^interface.*\n/, '').replace(': Greeting', ': { readonly text: string }')}}`
    : HELLO[language];

async function measure(sessions, language, turns) {
  const code = cellOf(language);
  const start = () => sessions.start({ id: 'sbx_bench', language, limits: LIMITS });
  const [awake, sleeping] = [await start(), await start()];
  const bare = new Bare(language);
  const ways = {
    awake: () => runIn(awake, code),
    bare: () => bare.run(code),
    thawed: () => runIn(sleeping, code),
    start: async () => {
      const own = await start();
      started.push(own);
      return 'hello';
    },
    cold: () => runCold(language),
  };
  const started = [];
  try {
    const times = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
    for (let turn = -10; turn < turns; turn++)
      for (const [way, run] of Object.entries(ways)) {
        if (way === 'thawed') await sleeping.freeze();
        // A start takes as long as many runs.
        if ((way === 'start' || way === 'cold') && turn % 4 !== 0) continue;
        const took = await millisecondsOf(() => requireHello(run()));
        if (turn >= 0) times[way].push(took);
        await Promise.all(started.splice(0).map((own) => own.end()));
        await sleep(5);
      }
    return times;
  } finally {
    bare.end();
    await Promise.all([awake.end(), sleeping.end()]);
  }
}

export async function benchSessions({ turns = 60, cgroups = 'auto', cpuWeight = 10 } = {}) {
  const isolation = new Isolation({ cgroups, cpuWeight, copiesDirectory: '/var/lib/service-platform/sandbox' });
  const sessions = new SessionProcesses(isolation);
  try {
    const rows = [];
    for (const language of Object.keys(HELLO)) {
      const times = await measure(sessions, language, turns);
      const at = (way, share) => quantile(times[way], share);
      for (const share of [0.5, 0.99])
        rows.push({
          language,
          quantile: `p${share * 100}`,
          'awake ms': at('awake', share),
          'bare ms': at('bare', share),
          'over bare ms': at('awake', share) - at('bare', share),
          'thawed ms': at('thawed', share),
          'start ms': at('start', share),
          'cold bwrap ms': at('cold', share),
        });
    }
    printTable(`Sessions, ${isolation.mode}, one at a time`, rows);
    return rows;
  } finally {
    await sessions.closeAll();
    await isolation.close();
  }
}
