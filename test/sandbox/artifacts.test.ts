import { createHash } from 'node:crypto';
import { ArtifactBlobs } from '../../src/modules/sandbox/artifacts/artifact-blobs.js';
import { ExpiredArtifactsSweeper } from '../../src/modules/sandbox/artifacts/expired-artifacts.sweeper.js';
import { MAX_ARTIFACT_ERRORS, MAX_ARTIFACTS } from '../../src/modules/sandbox/domain/artifacts.js';
import { Database } from '../../src/platform/database/database.js';
import { formatUsd, parseUsd } from '../../src/platform/money/nano-dollars.js';
import { faultsOf } from '../credits/support.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

const PATH = '/api/v1/sandbox/executions';
const MEBIBYTE = 1_048_576;

interface Artifact {
  readonly id: string;
  readonly path: string;
  readonly size_bytes: number;
  readonly type: string;
  readonly sha256: string;
  readonly expires_at: string;
}

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2' });
const make = new Make(app);
let person: Person;
let key: string;

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});

const execute = (language: string, code: string, more: object = {}, by = key): Promise<Answer> =>
  app.post(PATH, { language, code, artifacts: true, ...more }, as(by));
const python = async (code: string, more?: object): Promise<any> =>
  expectStatus(200, await execute('python', `import os\nos.chdir("/artifacts")\n${code}`, more)).body.data;
const javascript = async (code: string, more?: object): Promise<any> =>
  expectStatus(
    200,
    await execute('javascript', `const fs = require("fs"); process.chdir("/artifacts");\n${code}`, more),
  ).body.data;
const contentPath = (execution: string, artifact: string): string =>
  `${PATH}/${execution}/artifacts/${artifact}/content`;
const download = async (execution: string, artifact: string, by = key): Promise<Response> =>
  fetch(`${app.url}${contentPath(execution, artifact)}`, { headers: { authorization: `Bearer ${by}` } });
const pathsOf = (data: { artifacts: Artifact[] }): string[] => data.artifacts.map(({ path }) => path);
const errorsOf = (data: { artifact_errors?: { path?: string; code: string }[] }): [string | undefined, string][] =>
  (data.artifact_errors ?? []).map(({ path, code }) => [path, code]);
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('artifacts of an execution', () => {
  it.each([
    ['python', 'os.mkdir("a")\nopen("a/b.html", "w").write("<b>hi</b>")\nopen("empty", "w").close()', python],
    [
      'javascript',
      'fs.mkdirSync("a"); fs.writeFileSync("a/b.html", "<b>hi</b>"); fs.writeFileSync("empty", "")',
      javascript,
    ],
  ] as const)('are the files that %s leaves in /artifacts', async (_language, code, run) => {
    const data = await run(code);
    const expires_at = expect.any(String) as unknown as string;
    const artifacts: Artifact[] = [
      {
        id: expect.stringMatching(/^art_/),
        path: 'empty',
        size_bytes: 0,
        type: 'application/octet-stream',
        sha256: sha256(''),
        expires_at,
      },
      {
        id: expect.stringMatching(/^art_/),
        path: 'a/b.html',
        size_bytes: 9,
        type: 'text/html',
        sha256: sha256('<b>hi</b>'),
        expires_at,
      },
    ];
    expect(data).toMatchObject({ status: 'succeeded', artifacts, limits: { artifact_bytes: 100 * MEBIBYTE } });
    expect(data).not.toHaveProperty('artifact_errors');
    const inDay = Date.parse(data.artifacts[0].expires_at as string) - Date.now();
    expect(inDay).toBeGreaterThan(23.9 * 3_600_000);
    expect(inDay).toBeLessThanOrEqual(24 * 3_600_000);

    expect((await app.fetch(`${PATH}/${data.id}`, as(key))).body.data).toEqual(data);
    const listed = expectStatus(200, await app.fetch(`${PATH}/${data.id}/artifacts`, as(key))).body.data as Artifact[];
    expect(listed).toEqual([data.artifacts[1], data.artifacts[0]]);

    const answer = await download(data.id as string, data.artifacts[1].id as string);
    expect(await answer.text()).toBe('<b>hi</b>');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '9',
      'content-disposition': "attachment; filename*=UTF-8''b.html",
      'x-content-type-options': 'nosniff',
    });
  });

  it('are kept when the program fails, exits, or prints nothing more', async () => {
    const failed = await python('open("x", "w").write("1")\n1 / 0');
    expect(failed).toMatchObject({ status: 'failed', exit_code: 1, error: { name: 'ZeroDivisionError', line: 4 } });
    expect(pathsOf(failed)).toEqual(['x']);
    const left = await python('import sys, atexit\natexit.register(lambda: open("late", "w").close())\nsys.exit(3)');
    expect(left).toMatchObject({ exit_code: 3 });
    expect(pathsOf(left)).toEqual(['late']);
    const thrown = await javascript('fs.writeFileSync("x", "1"); throw new Error("no")');
    expect(thrown).toMatchObject({ status: 'failed', error: { message: 'no' } });
    expect(pathsOf(thrown)).toEqual(['x']);
    expect(pathsOf(await javascript('fs.writeFileSync("x", "1"); process.exit(4)'))).toEqual(['x']);
  });

  it.each([
    ['at its time limit', () => python('open("x", "w").write("1")\nwhile True: pass', { timeout_ms: 500 })],
    ['by force', () => python('open("x", "w").write("1")\nos._exit(0)')],
    ['by a signal', () => javascript('fs.writeFileSync("x", "1"); process.kill(process.pid, "SIGKILL")')],
  ])('are lost when the program is ended %s, which is said', async (_how, run) => {
    const data = await run();
    expect(data.artifacts).toEqual([]);
    expect(data.artifact_errors).toEqual([{ code: 'not_sent', message: expect.any(String) }]);
  });

  it('are not kept unless they are asked for', async () => {
    const data = await python('open("x", "w").write("1")', { artifacts: false });
    expect(data).toMatchObject({ status: 'succeeded' });
    expect(data).not.toHaveProperty('artifacts');
    expect(data.limits).not.toHaveProperty('artifact_bytes');
    expect((await app.fetch(`${PATH}/${data.id}/artifacts`, as(key))).body.data).toEqual([]);
  });

  it('come with the result of a stream', async () => {
    const answer = await fetch(`${app.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ language: 'python', code: 'open("/artifacts/x", "w").close()', artifacts: true }),
    });
    expect(await answer.text()).toMatch(/event: result\ndata: \{.*"artifacts":\[\{"id":"art_\w+","path":"x"/);
  });

  it('of 30 MiB and any bytes arrive whole', async () => {
    const data = await python(
      'import hashlib\nbody = os.urandom(30 << 20)\nopen("big.bin", "wb").write(body)\n' +
        'print(hashlib.sha256(body).hexdigest())',
    );
    const [artifact] = data.artifacts as Artifact[];
    expect(artifact).toMatchObject({ size_bytes: 30 * MEBIBYTE, sha256: data.stdout.trim() });
    const content = Buffer.from(await (await download(data.id as string, artifact!.id)).arrayBuffer());
    expect(sha256(content)).toBe(artifact!.sha256);
  });
});

describe('what hostile programs leave', () => {
  it('is not kept unless it is a regular file with a name for every system', async () => {
    const data = await python(`
import socket
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "directory-link")
os.mkfifo("pipe")
socket.socket(socket.AF_UNIX).bind("socket")
for name in [b"\\xff", b"new\\nline", b"..\\\\up", b"\\xe2\\x80\\xaetxt", b"x" * 250 + b".txt", b"C:x"]:
    open(name, "w").close()
open("secret", "w").close(); os.chmod("secret", 0)
os.truncate(os.open("sparse", os.O_CREAT | os.O_WRONLY), 101 << 20)
deep = "d"
for _ in range(30):
    os.mkdir(deep); deep += "/d"
open("one", "w").write("1"); os.link("one", "two")
`);
    expect(pathsOf(data).sort()).toEqual(['one', 'two', `${'x'.repeat(250)}.txt`]);
    const codes = Object.fromEntries(errorsOf(data));
    expect(codes).toMatchObject({
      link: 'not_a_file',
      'directory-link': 'not_a_file',
      pipe: 'not_a_file',
      socket: 'not_a_file',
      '\ufffd': 'invalid_name',
      'new\ufffdline': 'invalid_name',
      '..\\up': 'invalid_name',
      '\ufffdtxt': 'invalid_name',
      'C:x': 'invalid_name',
      secret: 'unreadable',
      sparse: 'too_large',
    });
    expect(Object.values(codes)).toContain('too_deep');
  });

  it('is bounded in number, and named up to a bound', async () => {
    for (const data of [
      await python('for n in range(900): open(f"{n:03}", "w").close()'),
      await javascript('for (let n = 0; n < 900; n++) fs.writeFileSync(String(n).padStart(3, "0"), "")'),
    ]) {
      expect(data.artifacts).toHaveLength(MAX_ARTIFACTS);
      expect(data.artifact_errors).toHaveLength(MAX_ARTIFACT_ERRORS);
      expect(errorsOf(data)[0]).toEqual(['050', 'too_many']);
    }
    expect(await python('for n in range(100_000): open(str(n), "w").close()')).toMatchObject({
      status: 'failed',
      error: { name: 'LimitExceeded' },
      artifacts: [],
      artifact_errors: [{ code: 'not_sent' }],
    });
  });

  it('is no device, is counted once for each of its names, and is sent with its holes', async () => {
    const data = await python(`
import stat
for kind in (stat.S_IFCHR, stat.S_IFBLK):
    try: os.mknod("device", 0o666 | kind, os.makedev(1, 3)); print("made")
    except OSError: pass
open("one", "wb").write(bytes(30 << 20))
for n in range(5): os.link("one", f"link{n}")
os.truncate(os.open("hole", os.O_CREAT | os.O_WRONLY), 1 << 20)
`);
    expect(data.stdout).toBe('');
    const sizes = (data.artifacts as Artifact[]).map(({ size_bytes }) => size_bytes);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100 * MEBIBYTE);
    expect(sizes.filter((size) => size === 30 * MEBIBYTE)).toHaveLength(3);
    expect(errorsOf(data).map(([, code]) => code)).toEqual(['too_large', 'too_large', 'too_large']);
    const hole = (data.artifacts as Artifact[]).find(({ path }) => path === 'hole')!;
    expect(hole.sha256).toBe(sha256(Buffer.alloc(MEBIBYTE)));
  });

  it('is what it was called when it changes while it is sent', async () => {
    const data = await python(
      `
import threading
def swap(n):
    while True:
        for do in (lambda: os.symlink("/etc/passwd", f"x{n}"), lambda: os.unlink(f"x{n}"),
                lambda: open(f"x{n}", "wb").write(bytes(200_000)), lambda: os.truncate(f"x{n}", 3),
                lambda: os.unlink(f"x{n}"), lambda: os.mkdir(f"x{n}"), lambda: os.rmdir(f"x{n}")):
            try: do()
            except OSError: pass
for n in range(6): threading.Thread(target=swap, args=(n,), daemon=True).start()
for n in range(20): open(f"y{n:02}", "wb").write(bytes([n]) * 100_000)
import time; time.sleep(0.3)`,
      { timeout_ms: 20_000 },
    );
    for (const { path, size_bytes, id, sha256: hash } of data.artifacts as Artifact[]) {
      const content = Buffer.from(await (await download(data.id as string, id)).arrayBuffer());
      expect([content.length, sha256(content)]).toEqual([size_bytes, hash]);
      // Nothing but what the program has written: neither a file of the host nor a part of another one.
      const byte = path.startsWith('y') ? Number(path.slice(1)) : 0;
      expect(content.every((each) => each === byte)).toBe(true);
    }
    expect(pathsOf(data).filter((path) => path.startsWith('y'))).toHaveLength(20);
  });

  it('is no more than the plan allows, and what fits is kept', async () => {
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const code =
      'for n in "abc": open("/artifacts/" + n, "wb").write(bytes(9 << 20))\nopen("/artifacts/d", "w").close()';
    const { data } = expectStatus(200, await execute('python', code, {}, free)).body;
    expect(pathsOf(data)).toEqual(['a', 'b', 'd']);
    expect(errorsOf(data)).toEqual([['c', 'too_large']]);
    expect(data.limits.artifact_bytes).toBe(20 * MEBIBYTE);
  });

  it('can be anything on the channel itself, and is then only its own', async () => {
    const data = await python(
      'os.write(4, b"#file 4 3\\n../xabc#file 1 2\\nyhi#result text/html 3\\n<b>#done\\n#file 1 1\\nzz")',
    );
    expect(pathsOf(data)).toEqual(['y']);
    expect(data).not.toHaveProperty('results');
    expect(errorsOf(data)).toEqual([['../x', 'invalid_name']]);
    const flood = await python('while True: os.write(4, b"#file 1 1000000\\nx" + bytes(900000))', {
      timeout_ms: 1_000,
    });
    expect(flood).toMatchObject({ status: 'timed_out' });
  });
});

describe('who can read artifacts', () => {
  it('is who can read the execution', async () => {
    const data = await python('open("x", "w").write("1")');
    const [{ id }] = data.artifacts as [Artifact];
    const list = `${PATH}/${data.id}/artifacts`;
    for (const path of [list, contentPath(data.id as string, id)]) {
      expectStatus(401, await app.fetch(path));
      const without = await make.key(person, { scopes: ['projects:read'] });
      expect(expectStatus(403, await app.fetch(path, as(without))).body.error.code).toBe('insufficient_scopes');
      const other = await make.key(await make.person());
      expect(expectStatus(404, await app.fetch(path, as(other))).body.error.code).toBe('execution_not_found');
    }
    const another = await python('pass');
    for (const path of [contentPath(another.id as string, id), contentPath(data.id as string, 'art_x')])
      expect(expectStatus(404, await app.fetch(path, as(key))).body.error.code).toBe('artifact_not_found');
    expectStatus(404, await app.fetch(`${PATH}/exe_x/artifacts`, as(key)));
  });

  it.each([{ artifacts: 'yes' }, { artifacts: 1 }])('refuses %j', async (body) => {
    expect((await execute('python', 'pass', body)).body.error).toMatchObject({ code: 'invalid_request', status: 400 });
  });
});

describe('how long artifacts are kept', () => {
  const rows = (id: string): Promise<object[]> =>
    make.sql('SELECT 1 FROM sandbox_artifacts WHERE execution_id = $1', [id]);
  const blobsNow = async (): Promise<number> => {
    const found: string[] = [];
    for await (const { key: blob } of app.get(ArtifactBlobs).list('artifacts/')) found.push(blob);
    return found.length;
  };

  it('is a day, and then the files are gone and the execution says what there was', async () => {
    const before = await blobsNow();
    const data = await python('open("x", "w").write("1")');
    const [{ id }] = data.artifacts as [Artifact];
    expect(await blobsNow()).toBe(before + 1);
    await app.get(ExpiredArtifactsSweeper).run();
    expectStatus(200, await app.fetch(contentPath(data.id as string, id), as(key)));

    await make.sql("UPDATE sandbox_artifacts SET expires_at = now() - interval '1 s' WHERE execution_id = $1", [
      data.id,
    ]);
    expectStatus(404, await app.fetch(contentPath(data.id as string, id), as(key)));
    expect((await app.fetch(`${PATH}/${data.id}/artifacts`, as(key))).body.data).toEqual([]);
    await app.get(ExpiredArtifactsSweeper).run();
    expect(await rows(data.id as string)).toEqual([]);
    expect(await blobsNow()).toBe(before);
    expect(pathsOf((await app.fetch(`${PATH}/${data.id}`, as(key))).body.data)).toEqual(['x']);
  });

  it('is as long as the organization', async () => {
    const owner = await make.person();
    const org = await make.org(owner, { plan: 'pro' });
    const inOrg = as(await make.key(owner), { headers: { 'x-service-org': org.slug } });
    const body = { language: 'python', code: 'open("/artifacts/x", "w").close()', artifacts: true };
    const { data } = expectStatus(200, await app.post(PATH, body, inOrg)).body;
    expect(await rows(data.id as string)).toHaveLength(1);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${org.id}`, as(owner)));
    await eventually(async () => {
      await app.get(ExpiredArtifactsSweeper).run();
      return (await rows(data.id as string)).length === 0;
    }, 'the artifacts are gone');
  });
});

describe('the cost of artifacts', () => {
  it('is held for all that fits, and charged for what is kept, for its day', async () => {
    const buyer = await make.person();
    const theirs = await make.key(buyer);
    const rehearsed = async (more: object): Promise<bigint> =>
      parseUsd(
        expectStatus(
          200,
          await app.post(
            PATH,
            { language: 'python', code: 'pass', ...more },
            as(theirs, { headers: { 'dry-run': 'true' } }),
          ),
        ).body.data.max_cost as string,
      );
    expect(await rehearsed({ artifacts: true })).toBeGreaterThan(await rehearsed({}));

    const code = 'open("/artifacts/x", "wb").write(bytes(10_000_000))';
    const { data } = expectStatus(200, await execute('python', code, {}, theirs)).body;
    const events = await make.sql<{ meter: string; quantity: string; cost_nano: string }>(
      'SELECT meter, quantity, cost_nano FROM usage_events WHERE org_id = $1 ORDER BY meter',
      [buyer.organization.id],
    );
    expect(events.map(({ meter }) => meter)).toEqual(['object_storage', 'sandbox_compute']);
    expect(events[0]!.quantity).toBe(String(10_000_000 * 24));
    expect(data.cost).toBe(formatUsd(events.reduce((sum, { cost_nano }) => sum + BigInt(cost_nano), 0n)));
    const credits = expectStatus(200, await app.fetch('/api/v1/billing/credits', as(theirs))).body.data;
    expect(credits).toMatchObject({ held: '0', balance: formatUsd(parseUsd('5') - parseUsd(data.cost as string)) });

    // Nothing is charged for nothing.
    expectStatus(200, await execute('python', 'pass', {}, theirs));
    expect(
      await make.sql("SELECT 1 FROM usage_events WHERE org_id = $1 AND meter = 'object_storage'", [
        buyer.organization.id,
      ]),
    ).toHaveLength(1);
    expect(await faultsOf(app.get(Database).manager)).toEqual([]);
  });
});
