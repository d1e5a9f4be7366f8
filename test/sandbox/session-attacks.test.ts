import { setTimeout as sleep } from 'node:timers/promises';

import { type Language } from '../../src/modules/sandbox/domain/sandbox-runtime.js';
import {
  SessionDiskFull,
  SessionFileNotFound,
  type SessionOutcome,
  SessionPathInvalid,
  type SessionProcess,
} from '../../src/modules/sandbox/sessions/host/session-process.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { onThisMachine } from '../support/patience.js';

/** Root's own, unlike anything below /tmp. */
const COPIES = '/var/lib/service-platform/runtime';
const MEBIBYTE = 1024 * 1024;
const LIMITS = { memoryBytes: 384 * MEBIBYTE, processes: 32, filesBytes: 32 * MEBIBYTE };
const OUTPUT_BYTES = 100_000;

const isolation = new Isolation({ cgroups: 'auto', cpuWeight: 1_000, copiesDirectory: COPIES });
const sessions = new SessionProcesses(isolation);

afterEach(async () => {
  // Whatever a session has done, it ends, and the host is well.
  expect(await survivor()).toBe('2');
});

afterAll(async () => {
  await sessions.closeAll();
  await isolation.close();
});

const start = (language: Language = 'python'): Promise<SessionProcess> =>
  sessions.start({ id: 'ses_test', language, limits: LIMITS });

const run = (session: SessionProcess, code: string, timeoutMs = onThisMachine(10_000)): Promise<SessionOutcome> =>
  session.run({ code, timeoutMs, outputBytes: OUTPUT_BYTES });

const sh = (session: SessionProcess, command: string, timeoutMs = onThisMachine(10_000)): Promise<SessionOutcome> =>
  session.shell({ command, timeoutMs, outputBytes: OUTPUT_BYTES });

const shown = ({ results }: SessionOutcome): string | undefined => results[0]?.data;

async function survivor(): Promise<string | undefined> {
  other ??= await start();
  return shown(await run(other, '1 + 1'));
}
let other: SessionProcess | undefined;

describe('code that attacks what runs it', () => {
  it.each([
    ['python', 'import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(60)'],
    ['python', 'import os, time\nos.kill(-1, 9)\ntime.sleep(60)'],
    ['javascript', 'process.kill(process.ppid, "SIGKILL"); await new Promise(() => {})'],
  ] as const)('ends its own session (%s: %s)', async (language, code) => {
    const session = await start(language);
    expect(await run(session, code)).toMatchObject({ status: 'failed', stateLost: true });
    expect(await session.ended).toBe('failed');
  });

  it('ends its own session when it stops the agent', async () => {
    const session = await start();
    const code = 'import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(60)';
    expect(await run(session, code, 200)).toMatchObject({ status: 'timed_out', stateLost: true });
    expect(await session.ended).toBe('failed');
  });

  it('cannot reach the pipes and the memory of the agent', async () => {
    const session = await start();
    const code = `import os
def attempt(path, mode):
  try: open(path, mode).close(); return "opened"
  except PermissionError: return "refused"
parent = os.getppid()
files = ("fd/0", "rb"), ("fd/1", "wb"), ("mem", "r+b"), ("environ", "rb")
[attempt(f"/proc/{parent}/{name}", mode) for name, mode in files]`;
    expect(shown(await run(session, code))).toBe("['refused', 'refused', 'refused', 'refused']");
  });

  it.each(['python', 'javascript'] as const)('writes garbage to all its descriptors (%s)', async (language) => {
    const session = await start(language);
    const code = {
      python: `import os
for fd in [3, *range(30)]:
  try: os.write(fd, os.urandom(5000))
  except OSError: pass`,
      javascript: `const fs = require('fs');
for (const fd of [3, ...Array(30).keys()]) try { fs.writeSync(fd, require('crypto').randomBytes(5000)) } catch {}`,
    }[language];
    const outcome = await run(session, code, 3_000);
    expect(outcome.stdout.length).toBeLessThanOrEqual(OUTPUT_BYTES);
    expect(shown(await run(session, '1 + 1'))).toBe('2');
  });

  it('writes frames of its own: more results and ends than there can be', async () => {
    const session = await start();
    const code = `import json, os, struct
def frame(header, body=b""):
  head = json.dumps(header).encode()
  data = struct.pack(">II", len(head), len(body)) + head + body
  while data: data = data[os.write(3, data):]
for _ in range(100): frame({"op": "result", "type": "text/plain"}, b"x" * 100_000)
frame({"op": "ready", "version": "9"}); frame({"op": "nothing"}); frame({"op": "done", "id": 99})
frame({"op": "done", "id": 2, "error": {"name": "Forged", "message": "x" * 20_000}})
frame({"op": "done", "id": 2})`;
    await run(session, '0');
    const outcome = await run(session, code);
    expect(outcome).toMatchObject({ status: 'failed', error: { name: 'Forged' } });
    expect(outcome.results).toHaveLength(20);
    expect(outcome.error!.message.length).toBeLessThanOrEqual(8_192);
    expect(outcome.runtime.version).toMatch(/^3\./);
    expect(shown(await run(session, '1 + 1'))).toBe('2');

    // A result of a type that does not exist is not shown.
    await run(session, 'frame({"op": "result", "type": "text/evil"}, b"x")');
    expect(await session.ended).toBe('failed');
  });

  it('closes its standard streams', async () => {
    const session = await start();
    await run(session, 'import os\nos.close(1); os.close(2)\nprint(1)');
    expect(shown(await run(session, '1 + 1'))).toBe('2');
    const node = await start('javascript');
    await run(node, 'require("fs").closeSync(1); console.log(1)');
    expect(shown(await run(node, '1 + 1'))).toBe('2');
  });
});

describe('code that takes all it can get', () => {
  it('starts processes without end', async () => {
    const session = await start();
    const bomb =
      'import os, time\nend = time.time() + 8\nwhile time.time() < end:\n  try: os.fork()\n  except OSError: pass';
    expect(await run(session, bomb, 500)).toMatchObject({ status: 'timed_out' });
    expect(shown(await run(session, '1 + 1', onThisMachine(20_000)))).toBe('2');
    const command = await sh(session, 'true');
    expect(command.status === 'succeeded' || command.error?.name === 'LimitExceeded').toBe(true);
    await session.end();
  });

  it('leaves processes that fill the table of processes', async () => {
    const session = await start();
    const code = `import os, time
def leave():
  while True:
    try: pid = os.fork()
    except OSError: return
    if pid == 0:
      os.setsid()
      time.sleep(100)
      os._exit(0)
leave()`;
    // What has started the session may end only now, and leave its place.
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(await run(session, code)).toMatchObject({ status: 'succeeded' });
      if ((await sh(session, 'true')).status === 'failed') break;
    }
    expect(await sh(session, 'true')).toMatchObject({ status: 'failed', error: { name: 'LimitExceeded' } });
    await session.writeFile('still', Buffer.from('works'));

    const remedy = `everyone = {int(name) for name in os.listdir("/proc") if name.isdigit()}
for pid in everyone - {1, os.getppid(), os.getpid()}: os.kill(pid, 9); os.waitpid(pid, 0)`;
    expect(await run(session, remedy)).toMatchObject({ status: 'succeeded' });
    expect(await sh(session, 'echo well')).toMatchObject({ stdout: 'well\n' });
    await session.end();
  });

  it('leaves processes that start others without end, and no interpreter', async () => {
    const session = await start();
    const code = `import os
if os.fork() == 0:
  os.setsid()
  while True:
    try: os.fork()
    except OSError: pass`;
    expect(await run(session, code)).toMatchObject({ status: 'succeeded' });
    await sleep(300);
    // The agent makes room for a new one.
    await run(session, 'os._exit(0)', onThisMachine(20_000));
    expect(shown(await run(session, '1 + 1', onThisMachine(20_000)))).toBe('2');
    await session.end();
  });

  it('leaves the pipes of many commands open', async () => {
    const session = await start();
    for (let i = 0; i < 40; i++)
      expect(await sh(session, `sleep 2 && echo ${i} &`)).toMatchObject({ status: 'succeeded' });
    await sleep(2_500);
    expect(await sh(session, 'echo well')).toMatchObject({ stdout: 'well\n' });
    await session.end();
  });

  it('starts processes without end in the shell', async () => {
    const session = await start();
    expect((await sh(session, 'bomb() { bomb | bomb & }; bomb; sleep 20', 500)).status).not.toBe('succeeded');
    // A shell that cannot start more may end before the others, which then slow down their session only.
    expect(await survivor()).toBe('2');
    await session.end();
    expect(await session.ended).toBe('ended');
  });

  it('fills its files', async () => {
    const session = await start();
    const code = 'with open("fill", "wb") as file:\n  while True: file.write(b"x" * 65536)';
    expect((await run(session, code)).error).toMatchObject({ name: 'OSError' });
    await expect(session.writeFile('more', Buffer.alloc(MEBIBYTE))).rejects.toThrow(SessionDiskFull);
    await expect(session.readFile('more')).rejects.toThrow(SessionFileNotFound);
    await session.removeFile('fill');
    await session.writeFile('more', Buffer.alloc(MEBIBYTE));
    await run(session, 'with open("/tmp/fill", "wb") as file:\n  while True: file.write(b"x" * 65536)');
    const input = await session.run({ code: '1', stdin: 'x', timeoutMs: 5_000, outputBytes: 1_000 });
    expect(input.status).toBe('succeeded');
    await session.shell({ command: 'cat', stdin: 'x', timeoutMs: 5_000, outputBytes: 1_000 });
    expect(shown(await run(session, '1 + 1'))).toBe('2');
    await session.end();
  });

  it('makes 100,000 files', async () => {
    const session = await start();
    const code = 'import os\nos.mkdir("many")\nfor i in range(100_000): os.mknod(f"many/{i:06}")';
    expect(await run(session, code, onThisMachine(20_000))).toMatchObject({ status: 'succeeded' });
    const files = await session.listFiles('many');
    expect(files.map(({ path }) => path)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `many/${String(index).padStart(6, '0')}`),
    );
    await session.removeFile('many');
    expect(await session.listFiles('')).toEqual([]);
    await session.end();
  });

  it('uses more memory than there is, in several processes', async () => {
    const session = await start();
    const code = `import subprocess, sys, time
use = "import time; x = bytearray(150_000_000); time.sleep(30)"
all = [subprocess.Popen([sys.executable, "-c", use]) for _ in range(4)]
time.sleep(3)
[one.poll() for one in all]`;
    const outcome = await run(session, code, 20_000);
    // With version 2 the kernel ends all of the session, with version 1 what uses most.
    if (outcome.status === 'out_of_memory') expect(outcome.stateLost).toBe(true);
    else expect(shown(outcome)).toContain('-9');
    expect(outcome.memoryPeakBytes).toBeLessThanOrEqual(LIMITS.memoryBytes);
  });

  it('writes without end, from everywhere', async () => {
    const session = await start();
    const code = `import subprocess
for _ in range(4): subprocess.Popen(["sh", "-c", "yes; yes >&2"])
while True: print("y" * 999)`;
    const outcome = await run(session, code);
    expect(outcome.status).toBe('output_limit');
    expect(outcome.stdout.length).toBeLessThanOrEqual(OUTPUT_BYTES);
    // What is left behind writes on, into the void, or else into the next runs.
    const later = await run(session, '1 + 1');
    expect(['succeeded', 'output_limit']).toContain(later.status);
    await sh(session, 'for n in /proc/[0-9]*; do case $(cat $n/comm) in yes) kill -9 ${n#/proc/};; esac; done');
    expect(shown(await run(session, '1 + 1'))).toBe('2');
    await session.end();
  });

  it('lets its last words be long', async () => {
    const session = await start();
    const outcome = await run(
      session,
      'class E(Exception): pass\nE.__name__ = "N" * 100_000\nraise E("\u{1f600}" * 1_000_000)',
    );
    expect(outcome).toMatchObject({ status: expect.stringMatching(/failed|output_limit/) });
    expect(outcome.error?.message.length ?? 0).toBeLessThanOrEqual(8_192);
    await run(session, 'class F(Exception):\n  def __str__(self): raise self\nraise F()');
    expect(shown(await run(session, '1 + 1'))).toBe('2');
    await session.end();
  });
});

describe('files that are none', () => {
  it('block nothing and lead nowhere', async () => {
    const session = await start();
    await sh(
      session,
      `mkfifo fifo; ln -s loop loop; ln -s /dev/zero zero; ln -s . here; ln -s /proc/self/mem mem
       python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'; mkdir locked; chmod 0 locked`,
    );
    const begunAt = performance.now();
    for (const path of ['fifo', 'loop', 'zero', 'loop/x', 'socket']) {
      await expect(session.readFile(path)).rejects.toThrow(Error);
      await expect(session.writeFile(path, Buffer.from('x'))).rejects.toThrow(
        /* Something else has this path. */ path === 'loop/x' || path === 'loop' ? Error : SessionPathInvalid,
      );
    }
    await expect(session.readFile('mem')).rejects.toThrow(Error);
    await expect(session.readFile('locked/x')).rejects.toThrow(SessionPathInvalid);
    expect((await session.listFiles('here/here/here')).map(({ path, type }) => `${path} ${type}`)).toContain(
      'here/here/here/fifo other',
    );
    for (const path of ['fifo', 'loop', 'here', 'socket', 'mem', 'zero']) await session.removeFile(path);
    expect((await session.listFiles('')).map(({ path }) => path)).toEqual(['locked']);
    expect(performance.now() - begunAt).toBeLessThan(onThisMachine(2_000));
    await session.end();
  });

  it('have names that are no text', async () => {
    const session = await start();
    await run(session, 'import os\nfor name in (b"\\xff\\xfe", "é".encode(), b"new\\nline"): open(name, "w").close()');
    expect((await session.listFiles('')).map(({ path }) => path).sort()).toEqual(
      ['new\nline', 'é', '\ufffd\ufffd'].sort(),
    );
    await session.removeFile('é');
    await expect(session.readFile('\ud800')).rejects.toThrow(Error);
    await session.end();
  });

  it('are deeper than any path', async () => {
    const session = await start();
    await run(session, 'import os\nfor _ in range(3000):\n  os.mkdir("d"); os.chdir("d")\nos.chdir("/session")');
    await session.removeFile('d');
    expect(await session.listFiles('')).toEqual([]);
    await session.end();
  });
});

it('freezes and ends a session whatever is under way', async () => {
  const session = await start();
  const running = run(session, 'while True: pass');
  await sleep(50);
  await session.freeze();
  expect(session.isFrozen).toBe(true);
  await session.end();
  expect(await running).toMatchObject({ status: 'failed', stateLost: true });
});
