import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ARTIFACT_ERRORS, MAX_ARTIFACTS } from '../../src/modules/sandbox/domain/artifacts.js';
import { ArtifactsStore } from '../../src/modules/sandbox/persistence/artifacts.store.js';
import { JobCancellations } from '../../src/platform/queues/job-cancellations.js';
import { EventStream } from '../support/event-stream.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const SESSIONS = '/api/v1/sandbox/sessions';
const EXECUTIONS = '/api/v1/sandbox/executions';
const MEBIBYTE = 1_048_576;

interface Artifact {
  readonly id: string;
  readonly path: string;
  readonly size_bytes: number;
  readonly type: string;
  readonly sha256: string;
}

const app = useApp({
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '2',
  SANDBOX_SESSIONS: '4',
  SANDBOX_SESSIONS_SHARE_PERCENT: '100',
});
const make = new Make(app);
let person: Person;
let key: string;
const begun: string[] = [];

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});

afterEach(async () => {
  for (const id of begun.splice(0)) await app.call('DELETE', `${SESSIONS}/${id}`, as(key));
});

async function started(body: object = {}, by = key): Promise<string> {
  const { data } = expectStatus(201, await app.post(SESSIONS, { language: 'python', ...body }, as(by))).body;
  begun.push(data.id as string);
  return data.id as string;
}
const ask = (id: string, code: string, more: object = {}, by = key): Promise<Answer> =>
  app.post(`${SESSIONS}/${id}/runs`, { code, artifacts: true, ...more }, as(by));
const run = async (id: string, code: string, more: object = {}): Promise<any> =>
  expectStatus(200, await ask(id, code, more)).body.data;
const shell = async (id: string, command: string, more: object = {}): Promise<any> =>
  expectStatus(200, await app.post(`${SESSIONS}/${id}/shell`, { command, artifacts: true, ...more }, as(key))).body
    .data;
const contentPath = (execution: string, artifact: string): string =>
  `${EXECUTIONS}/${execution}/artifacts/${artifact}/content`;
async function contentOf({ id, artifacts }: { id: string; artifacts: Artifact[] }, path: string): Promise<Buffer> {
  const found = artifacts.find((artifact) => artifact.path === path)!;
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${app.url}${contentPath(id, found.id)}`, { headers });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}
const pathsOf = ({ artifacts }: { artifacts: Artifact[] }): string[] => artifacts.map(({ path }) => path);
const codesOf = ({ artifact_errors = [] }: { artifact_errors?: { path?: string; code: string }[] }): object =>
  Object.fromEntries(artifact_errors.map(({ path = '', code }) => [path, code]));
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
/** A storage that keeps the next file waiting. */
function holdStorage(): { isAsked: Promise<unknown>; letGo: () => void } {
  const [asked, free] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const store = app.get(ArtifactsStore);
  const add = store.add.bind(store);
  jest.spyOn(store, 'add').mockImplementationOnce(async (artifact) => {
    asked.resolve(undefined);
    await free.promise;
    await add(artifact);
  });
  return {
    isAsked: asked.promise,
    letGo: () => {
      free.resolve(undefined);
    },
  };
}
async function cancelNewest(): Promise<void> {
  const [{ id }] = (await app.fetch(EXECUTIONS, as(key))).body.data;
  expectStatus(200, await app.call('POST', `${EXECUTIONS}/${id}/cancel`, as(key)));
}
const heldNano = async (): Promise<number> =>
  Number((await app.fetch('/api/v1/billing/credits', as(person))).body.data.held);

describe('artifacts of a run in a session', () => {
  it.each([
    ['python', 'import os\nos.mkdir("/artifacts/a")\nn = open("/artifacts/a/b.html", "w").write("<b>hi</b>")'],
    [
      'javascript',
      'fs = require("fs"); fs.mkdirSync("/artifacts/a"); fs.writeFileSync("/artifacts/a/b.html", "<b>hi</b>")',
    ],
  ])('are the files that %s leaves in /artifacts, as those of an execution', async (language, code) => {
    const id = await started({ language });
    const data = await run(id, code);
    expect(data).toMatchObject({
      status: 'succeeded',
      session_id: id,
      limits: { artifact_bytes: 100 * MEBIBYTE },
      artifacts: [
        {
          id: expect.stringMatching(/^art_/),
          path: 'a/b.html',
          size_bytes: 9,
          type: 'text/html',
          sha256: sha256('<b>hi</b>'),
        },
      ],
    });
    expect(data).not.toHaveProperty('artifact_errors');
    expect((await app.fetch(`${EXECUTIONS}/${data.id}`, as(key))).body.data).toEqual(data);
    expect((await app.fetch(`${EXECUTIONS}/${data.id}/artifacts`, as(key))).body.data).toEqual(data.artifacts);
    expect((await contentOf(data, 'a/b.html')).toString()).toBe('<b>hi</b>');
    expect(await heldNano()).toBe(0);
  });

  it('are not returned twice: each run has its own, and what was kept is no longer in the session', async () => {
    const id = await started();
    const first = await run(id, 'n = open("/artifacts/one", "w").write("1")');
    expect(pathsOf(first)).toEqual(['one']);
    const second = await run(
      id,
      'import os\nprint(os.listdir("/artifacts"))\nn = open("/artifacts/two", "w").write("2")',
    );
    expect(second).toMatchObject({ stdout: '[]\n' });
    expect(pathsOf(second)).toEqual(['two']);
    expect(pathsOf(await shell(id, 'ls /artifacts; echo 3 > /artifacts/three'))).toEqual(['three']);
    // The artifacts of the first run are still its own.
    expect((await contentOf(first, 'one')).toString()).toBe('1');
    expect((await app.fetch(`${EXECUTIONS}/${first.id}/artifacts`, as(key))).body.data).toHaveLength(1);
  });

  it('stay in the session until a run asks for them', async () => {
    const id = await started();
    const silent = await run(id, 'n = open("/artifacts/x", "w").write("1")', { artifacts: false });
    expect(silent).not.toHaveProperty('artifacts');
    expect(silent.limits).not.toHaveProperty('artifact_bytes');
    expect(pathsOf(await run(id, 'pass'))).toEqual(['x']);
  });

  it.each([
    ['fails', '1 / 0', { status: 'failed', error: { name: 'ZeroDivisionError' }, state_lost: false }],
    ['ends its interpreter', 'os._exit(3)', { status: 'failed', exit_code: 3, state_lost: true }],
    ['is killed', 'os.kill(os.getpid(), 9)', { status: 'failed', signal: 'SIGKILL', state_lost: true }],
    ['reaches its time limit', 'while True: pass', { status: 'timed_out' }],
  ])('are kept also when the code %s', async (_how, code, ending) => {
    const id = await started();
    const data = await run(id, `import os\nn = open("/artifacts/x", "w").write("1")\n${code}`, { timeout_ms: 2_000 });
    expect(data).toMatchObject(ending);
    expect(pathsOf(data)).toEqual(['x']);
  });

  it('are lost with their session, which is said', async () => {
    const id = await started();
    const data = await run(
      id,
      'import os, time\nn = open("/artifacts/x", "w").write("1")\nos.kill(os.getppid(), 9)\ntime.sleep(9)',
    );
    expect(data).toMatchObject({ status: 'failed', artifacts: [], artifact_errors: [{ code: 'not_sent' }] });
  });

  it('come after the session was frozen, and with the result of a stream', async () => {
    const id = await started();
    await run(id, 'n = open("/artifacts/x", "w").write("1")', { artifacts: false });
    expectStatus(200, await app.call('POST', `${SESSIONS}/${id}/freeze`, as(key)));
    const body = { code: '1', artifacts: true };
    const stream = await EventStream.open(app, `${SESSIONS}/${id}/runs`, { method: 'POST', body, ...as(key) });
    await stream.ended;
    expect(stream.events.find(({ type }) => type === 'result')?.data).toMatchObject({ artifacts: [{ path: 'x' }] });
  });

  it('of 30 MiB and any bytes arrive whole, and are paid for', async () => {
    const id = await started({ memory_mib: 512 });
    const data = await run(
      id,
      'import hashlib, os\nbody = os.urandom(30 << 20)\nn = open("/artifacts/big.bin", "wb").write(body)\n' +
        'print(hashlib.sha256(body).hexdigest())',
    );
    expect(data.artifacts).toMatchObject([{ size_bytes: 30 * MEBIBYTE, sha256: data.stdout.trim() }]);
    expect(sha256(await contentOf(data, 'big.bin'))).toBe(data.artifacts[0].sha256);
    const usage = await make.sql('SELECT quantity::text FROM usage_events WHERE source_id = $1', [
      `${data.id}:artifacts`,
    ]);
    expect(usage).toEqual([{ quantity: String(30 * MEBIBYTE * 24) }]);
  });

  it('of the Free plan are bounded, and what did not fit stays for the program', async () => {
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const id = await started({}, free);
    const code = 'for n in "abc": open("/artifacts/" + n, "wb").write(bytes(9 << 20))';
    const { data } = expectStatus(200, await ask(id, code, {}, free)).body;
    expect([pathsOf(data), codesOf(data)]).toEqual([['a', 'b'], { c: 'too_large' }]);
    expect(pathsOf(expectStatus(200, await ask(id, 'pass', {}, free)).body.data)).toEqual(['c']);
    expectStatus(200, await app.call('DELETE', `${SESSIONS}/${id}`, as(free)));
  });

  it('that cannot be stored are named, and stay for the next run', async () => {
    const id = await started();
    jest.spyOn(app.get(ArtifactsStore), 'add').mockRejectedValueOnce(new Error('no'));
    const data = await run(id, 'n = open("/artifacts/x", "w").write("1")');
    expect(data).toMatchObject({
      status: 'succeeded',
      artifacts: [],
      artifact_errors: [{ path: 'x', code: 'not_stored' }],
    });
    expect(pathsOf(await run(id, 'pass'))).toEqual(['x']);
    expect(pathsOf(await run(id, 'pass'))).toEqual([]);
  });

  it('of a cancelled run stay for the next one, which does not wait for the storage', async () => {
    const id = await started();
    const beforeMs = performance.now();
    const storage = holdStorage();
    const cancelled = ask(id, 'n = open("/artifacts/x", "w").write("1")', { timeout_ms: 60_000 });
    await storage.isAsked;
    await cancelNewest();
    expect(expectStatus(200, await cancelled).body.data).toMatchObject({ status: 'cancelled' });
    expect(pathsOf(await run(id, 'pass'))).toEqual(['x']);
    expect(performance.now() - beforeMs).toBeLessThan(onThisMachine(10_000));
    storage.letGo();
  });

  it('stay when they were stored for a run that had been cancelled, of which its worker did not hear', async () => {
    const id = await started();
    const storage = holdStorage();
    const cancelled = ask(id, 'n = open("/artifacts/x", "w").write("1")');
    await storage.isAsked;
    jest.spyOn(app.get(JobCancellations), 'cancel').mockResolvedValueOnce(undefined);
    await cancelNewest();
    storage.letGo();
    const { data } = expectStatus(200, await cancelled).body;
    expect(data).toMatchObject({ status: 'cancelled' });
    expect((await app.fetch(`${EXECUTIONS}/${data.id}/artifacts`, as(key))).body.data).toEqual([]);
    expect(pathsOf(await run(id, 'pass'))).toEqual(['x']);
  });

  it('stay when they were written again before they were stored', async () => {
    const id = await started();
    const storage = holdStorage();
    const code = `
import os, threading, time
def stat(): return os.stat("/artifacts/x")
def again():
    while stat().st_atime_ns == unread: time.sleep(0.01)  # Until it is sent.
    n = open("/artifacts/x", "w").write("22")
n = open("/artifacts/x", "w").write("1")
unread = stat().st_atime_ns
time.sleep(0.1)
threading.Thread(target=again).start()`;
    const first = run(id, code);
    await storage.isAsked;
    await sleep(500);
    storage.letGo();
    expect((await first).artifacts).toMatchObject([{ path: 'x', size_bytes: 1 }]);
    expect((await run(id, 'pass')).artifacts).toMatchObject([{ path: 'x', size_bytes: 2 }]);
  });

  it('cost the time that sending them takes, and not the time of the storage', async () => {
    const id = await started();
    const storage = holdStorage();
    const running = run(id, 'n = open("/artifacts/x", "w").write("1")', { timeout_ms: 30_000 });
    await storage.isAsked;
    await sleep(4_000);
    storage.letGo();
    const data = await running;
    expect(pathsOf(data)).toEqual(['x']);
    expect(data.duration_ms).toBeLessThan(3_500);
  });

  it('are read by whom the execution is read by, and asked for by true or false', async () => {
    const id = await started();
    const data = await run(id, 'n = open("/artifacts/x", "w").write("1")');
    const path = contentPath(data.id as string, data.artifacts[0].id as string);
    expectStatus(401, await app.fetch(path));
    expectStatus(403, await app.fetch(path, as(await make.key(person, { scopes: ['projects:read'] }))));
    expectStatus(404, await app.fetch(path, as(await make.key(await make.person()))));
    expect((await ask(id, '1', { artifacts: 'yes' })).body.error).toMatchObject({
      code: 'invalid_request',
      status: 400,
    });
  });
});

describe('what hostile code leaves in /artifacts of its session', () => {
  it('is not kept unless it is a regular file with a name for every system', async () => {
    const id = await started();
    const data = await run(
      id,
      `
import os, socket, stat
os.chdir("/artifacts")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "directory-link")
os.symlink("/proc/1/environ", "environ")
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
for kind in (stat.S_IFCHR, stat.S_IFBLK):
    try: os.mknod("device", 0o666 | kind, os.makedev(1, 3)); print("made")
    except OSError: pass
for name in [b"\\xff", b"new\\nline", b"..\\\\up", b"\\xe2\\x80\\xaetxt", b"x" * 250 + b".txt", b"C:x", b"#done"]:
    open(name, "w").close()
open("secret", "w").close(); os.chmod("secret", 0)
os.truncate(os.open("sparse", os.O_CREAT | os.O_WRONLY), 101 << 20)
deep = "d"
for _ in range(30):
    os.mkdir(deep); deep += "/d"
open("one", "w").write("1"); os.link("one", "two")`,
    );
    expect(data).toMatchObject({ status: 'succeeded', stdout: '' });
    expect(pathsOf(data).sort()).toEqual(['#done', 'one', 'two', `${'x'.repeat(250)}.txt`]);
    expect(codesOf(data)).toMatchObject({
      link: 'not_a_file',
      'directory-link': 'not_a_file',
      environ: 'not_a_file',
      pipe: 'not_a_file',
      socket: 'not_a_file',
      'new\ufffdline': 'invalid_name',
      '..\\up': 'invalid_name',
      'C:x': 'invalid_name',
      secret: 'unreadable',
      sparse: 'too_large',
    });
    expect(Object.values(codesOf(data))).toContain('too_deep');
  });

  it('is bounded in number, and the rest comes with the next runs', async () => {
    const id = await started();
    const data = await run(id, 'for n in range(120): open(f"/artifacts/{n:03}", "w").close()');
    expect(data.artifacts).toHaveLength(MAX_ARTIFACTS);
    expect(data.artifact_errors).toHaveLength(MAX_ARTIFACT_ERRORS);
    expect(codesOf(data)).toMatchObject({ '050': 'too_many' });
    const second = await run(id, 'pass');
    expect([second.artifacts.length, second.artifacts[0].path]).toEqual([MAX_ARTIFACTS, '050']);
    const third = await run(id, 'pass');
    expect(third.artifacts).toHaveLength(20);
    expect(third).not.toHaveProperty('artifact_errors');
  });

  it('does not stop its session when there are more entries than anybody reads', async () => {
    const id = await started();
    const make_many = `
import os
os.mkdir("/artifacts/many")
try:
    for n in range(60_000): os.link("/artifacts/x", f"/artifacts/many/{n}") if n else open("/artifacts/x", "w").close()
except OSError: pass`;
    await run(id, make_many, { artifacts: false, timeout_ms: 30_000 });
    const data = await run(id, 'kept = 1');
    expect(data.artifacts).toHaveLength(MAX_ARTIFACTS);
    expect(Object.values(codesOf(data))).toContain('too_many');
    expect(await run(id, 'print(kept)')).toMatchObject({ stdout: '1\n' });
  });

  it('is what it was called when it changes while it is sent', async () => {
    const id = await started();
    const data = await run(
      id,
      `
import os, threading, time
os.chdir("/artifacts")
stop = False
def swap(n):
    while not stop:
        for do in (lambda: os.symlink("/etc/passwd", f"x{n}"), lambda: os.unlink(f"x{n}"),
                lambda: open(f"x{n}", "wb").write(bytes(200_000)), lambda: os.truncate(f"x{n}", 3),
                lambda: os.unlink(f"x{n}"), lambda: os.mkdir(f"x{n}"), lambda: os.rmdir(f"x{n}")):
            try: do()
            except OSError: pass
            time.sleep(0.0005)  # There is a time limit for the sending, and processors are few.
for n in range(3): threading.Thread(target=swap, args=(n,), daemon=True).start()
for n in range(20): k = open(f"y{n:02}", "wb").write(bytes([n]) * 100_000)
time.sleep(0.3)`,
      { timeout_ms: 20_000 },
    );
    await run(id, 'stop = True', { artifacts: false });
    for (const { path, size_bytes, sha256: hash } of data.artifacts as Artifact[]) {
      const content = await contentOf(data, path);
      expect([content.length, sha256(content)]).toEqual([size_bytes, hash]);
      // Nothing but what the program has written: neither a file of the host nor a part of another one.
      const byte = path.startsWith('y') ? Number(path.slice(1)) : 0;
      expect(content.every((each) => each === byte)).toBe(true);
    }
    expect(pathsOf(data).filter((path) => path.startsWith('y'))).toHaveLength(20);
  });

  it('cannot be had without an end by one that stops the agent, which ends its own session', async () => {
    const id = await started();
    const code = `
import os, signal, threading
for n in range(40): k = open(f"/artifacts/{n:02}", "wb").write(bytes(2 << 20))
unread = os.stat("/artifacts/00").st_atime_ns
def stop():
    while os.stat("/artifacts/00").st_atime_ns == unread: pass  # Until it is read.
    os.kill(os.getppid(), signal.SIGSTOP)
threading.Thread(target=stop, daemon=True).start()`;
    const data = await run(id, code, { timeout_ms: 5_000 });
    expect(data.status).toBe('succeeded');
    expect(data.artifact_errors).toContainEqual(expect.objectContaining({ code: 'not_sent' }));
    await eventually(
      async () => (await app.fetch(`${SESSIONS}/${id}`, as(key))).body.data.status === 'ended',
      'the session has ended',
    );
  });

  it('reaches no other session', async () => {
    const [one, other] = [await started(), await started()];
    await run(one, 'n = open("/artifacts/secret", "w").write("1")', { artifacts: false });
    expect(pathsOf(await run(other, 'pass'))).toEqual([]);
    expect(pathsOf(await run(one, 'pass'))).toEqual(['secret']);
  });
});
