import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Ended, type RunOptions, useCommandLine } from '../support/command-line.js';
import { FakeDataApi } from '../support/fake-data-api.js';
import { fileFor } from '../../cli/src/storage/local-files.js';

jest.setTimeout(60_000);

const api = new FakeDataApi();
const command = useCommandLine(() => api.url);
const MIB = 1_048_576;

beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => {
  api.buckets.clear();
  api.objects.clear();
  api.fail = () => undefined;
  api.calls.length = api.bodies.length = 0;
  api.addBucket({ name: 'media' });
});

const run = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  command.run(['storage', ...args], { env: { SERVICE_API_KEY: 'svc_pat_x' }, ...options });
const ok = async (args: readonly string[], options: RunOptions = {}): Promise<string> => {
  const { code, stdout, stderr } = await run(args, options);
  if (code !== 0) throw new Error(`${code}: ${stdout}${stderr}`);
  return stdout.trimEnd();
};
const path = (name: string): string => join(command.home, name);
const write = (name: string, text: string): void => {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
};
const store = (key: string, text: string, type = 'text/plain'): void => {
  api.objects.set(key, { bytes: Buffer.from(text), type });
};

describe('where an object of a folder is written', () => {
  it.each([
    ['a/b.txt', 'down/a/b.txt'],
    ['...', 'down/...'],
    ['../a', undefined],
    ['a/../../b', undefined],
    ['/etc/passwd', undefined],
    ['a//b', undefined],
    ['a/', undefined],
    ['a\0b', undefined],
    ['a\\..\\b', undefined],
    ['', undefined],
    ['x'.repeat(300), undefined],
  ])('%j is %j', (key, file) => {
    expect(fileFor('down', key)).toBe(file);
    expect(fileFor('.', key)).toBe(file?.replace('down/', ''));
  });
});

describe('service storage buckets', () => {
  it('creates, lists, shows, changes and deletes buckets', async () => {
    expect(await ok(['buckets', 'create', 'files', '--expire-after-days', '30'])).toBe('files-k3v9x2ma');
    expect(api.bodies.at(-1)).toEqual({ name: 'files', expire_after_days: 30 });
    expect(await ok(['buckets', 'list'])).toMatch(/^NAME +VISIBILITY +OBJECTS +SIZE +S3 NAME +ID\nmedia +private/);
    expect(await ok(['buckets', 'show', 'files-k3v9x2ma'])).toMatch(/Endpoint +http:\/\/storage\.test/);
    // Everybody could read it, so that it is asked first.
    expect((await run(['buckets', 'update', 'files', '--public'])).code).toBe(2);
    expect(await ok(['buckets', 'update', 'files', '--public', '--yes'])).toBe('files is public.');
    expect(await ok(['buckets', 'update', 'files', '--no-public', '--expire-after-days', '0'])).toBe(
      'files is private.',
    );
    expect(api.bodies.at(-1)).toEqual({ visibility: 'private', expire_after_days: null });
    expect((await run(['buckets', 'update', 'files'])).code).toBe(2);
    expect(await ok(['buckets', 'delete', 'files', '--yes'])).toMatch(/^bkt_\w+ is deleted\.$/);
    expect((await run(['buckets', 'show', 'files'])).stderr).toContain('There is no bucket "files"');
    expect(await ok(['usage'])).toBe('5 B of 1.0 GB\n1 of 10 buckets');
  });

  it('creates key pairs as two variables, and attaches buckets', async () => {
    const key = await run([
      'keys',
      'create',
      'backup',
      '--bucket',
      'media',
      '--access',
      'read',
      '--expires-in-days',
      '1',
    ]);
    expect(key.stdout).toBe('AWS_ACCESS_KEY_ID=AK1\nAWS_SECRET_ACCESS_KEY=hidden\n');
    expect(api.bodies.at(-1)).toMatchObject({ name: 'backup', access: 'read', bucket_ids: [expect.any(String)] });
    expect(await ok(['keys', 'rm', 'AK1'])).toBe('AK1 is deleted.');
    expect(await ok(['attach', 'media', '--project', 'site'])).toBe('site gets STORAGE_BUCKET in production.');
    expect(await ok(['detach', 'media', '--project', 'site'])).toBe('site is detached.');
  });
});

describe('service storage ls, rm and sign', () => {
  it('lists folders and objects page by page', async () => {
    for (const key of ['a.txt', 'dir/b.txt', 'dir/c.txt', 'dir/sub/d.txt', 'z\u001B[31m.txt']) store(key, 'cat');
    const listed = await ok(['ls', 'media']);
    expect(listed).toMatch(/^KEY +SIZE +TYPE +UPDATED\ndir\/ +folder\na\.txt +3 B +text\/plain/);
    expect(listed).not.toContain('\u001B');
    const inFolder = JSON.parse(await ok(['ls', 'media:dir/', '--json'])) as {
      objects: { key: string }[];
      prefixes: [];
    };
    expect(inFolder.prefixes).toEqual(['dir/sub/']);
    expect(inFolder.objects.map(({ key }) => key)).toEqual(['dir/b.txt', 'dir/c.txt']);
    expect((await ok(['ls', 'media', '-r'])).split('\n')).toHaveLength(6);
    expect((await ok(['ls', 'media', '-r', '--limit', '3'])).split('\n')).toHaveLength(4);
    expect(await ok(['ls'])).toContain('media');
  });

  it('deletes one object, or all with a prefix', async () => {
    for (const key of ['a', 'dir/b', 'dir/c', 'dir/d', 'e']) store(key, 'cat');
    expect(await ok(['rm', 'media:a'])).toBe('a is deleted.');
    expect((await run(['rm', 'media:dir/', '-r'])).code).toBe(2);
    expect(await ok(['rm', 'media:dir/', '-r', '--yes'])).toBe('3 objects are deleted.');
    expect(api.keys).toEqual(['e']);
    expect((await run(['rm', 'media:'])).code).toBe(2);
    expect((await run(['rm', 'media'])).code).toBe(2);
  });

  it('prints a signed URL', async () => {
    expect(await ok(['sign', 'media:a/b', '--expires-in', '60'])).toBe(`${api.url}/s3/signed`);
    expect(api.bodies.at(-1)).toEqual({ method: 'GET', key: 'a/b', expires_in: 60 });
  });
});

describe('service storage cp', () => {
  it('copies a file in and out, with its type', async () => {
    write('cat.png', 'meow');
    expect(await ok(['cp', 'cat.png', 'media:pets/'])).toBe('1 file copied (4 B).');
    expect(api.objects.get('pets/cat.png')).toEqual({ bytes: Buffer.from('meow'), type: 'image/png' });
    await ok(['cp', 'cat.png', 'media:raw', '--content-type', 'x/y']);
    expect(api.objects.get('raw')!.type).toBe('x/y');
    await ok(['cp', 'media:pets/cat.png', 'new/dir/']);
    expect(readFileSync(path('new/dir/cat.png'), 'utf8')).toBe('meow');
    await ok(['cp', 'media:pets/cat.png', 'copy.png']);
    expect(readFileSync(path('copy.png'), 'utf8')).toBe('meow');
    expect(await run(['cp', 'media:none', 'copy2.png'])).toMatchObject({ code: 5 });
    expect(existsSync(path('copy2.png'))).toBe(false);
  });

  it('copies folders both ways, and leaves out links and keys that lead out of the directory', async () => {
    for (const name of ['up/a.txt', 'up/sub/b.txt', 'up/sub/c.txt']) write(name, name);
    symlinkSync('/etc/passwd', path('up/link'));
    const up = await run(['cp', '-r', 'up', 'media:site']);
    expect(up).toMatchObject({ code: 1, stdout: expect.stringContaining('3 files copied') });
    expect(up.stderr).toContain('up/link');
    expect(api.keys).toEqual(['site/a.txt', 'site/sub/b.txt', 'site/sub/c.txt']);
    store('site/../../outside.txt', 'bad');
    store('site//x', 'bad');
    const down = await run(['cp', '-r', 'media:site', 'down']);
    expect(down).toMatchObject({ code: 1, stdout: '3 files copied (32 B).\n' });
    expect(down.stderr.match(/Left out/g)).toHaveLength(2);
    expect(readdirSync(path('down'), { recursive: true }).sort()).toEqual(['a.txt', 'sub', 'sub/b.txt', 'sub/c.txt']);
    expect(existsSync(path('outside.txt'))).toBe(false);
  });

  it.each([
    ['two paths', ['a', 'b']],
    ['two buckets', ['media:a', 'media:b']],
    ['a directory without -r', ['.', 'media:']],
    ['a folder without -r', ['media:dir/', '.']],
    ['a file that is missing', ['none.txt', 'media:']],
    ['an unknown bucket', ['cat.png', 'other:']],
  ])('exits with 2 for %s', async (_what, args) => {
    write('cat.png', 'meow');
    expect(await run(['cp', ...args])).toMatchObject({ code: 2, stdout: '' });
  });

  it('sends a large file in parts, and continues an upload that was interrupted', async () => {
    writeFileSync(path('big.bin'), 'start');
    truncateSync(path('big.bin'), 65 * MIB);
    const sent = (): string[] => api.calls.filter((call) => call.startsWith('PUT /s3/'));
    api.fail = (call) => (call.endsWith('/7') ? 400 : undefined);
    expect((await run(['cp', 'big.bin', 'media:'])).code).toBe(6);
    const before = new Set(sent().filter((call) => !call.endsWith('/7')));
    expect(before.size).toBeGreaterThanOrEqual(3);
    api.fail = () => undefined;
    api.calls.length = 0;
    expect(await ok(['cp', 'big.bin', 'media:'])).toBe('1 file copied (68.2 MB).');
    expect(sent()).toHaveLength(9 - before.size);
    expect(sent().filter((call) => before.has(call))).toEqual([]);
    const stored = api.objects.get('big.bin')!.bytes;
    expect([stored.length, stored.subarray(0, 5).toString()]).toEqual([65 * MIB, 'start']);
    expect(readFileSync(path('service/uploads.json'), 'utf8')).toBe('{}');
  });

  it('says how to continue an upload that a person interrupts', async () => {
    writeFileSync(path('big.bin'), '');
    truncateSync(path('big.bin'), 65 * MIB);
    const isSent = (call: string): boolean => call.startsWith('PUT /s3/');
    let interrupt = (): void => undefined;
    const interruption = new Promise<void>((resolve) => (interrupt = resolve));
    api.fail = (call) => {
      if (!isSent(call) || call.endsWith('/1')) return undefined;
      if (api.calls.filter(isSent).length >= 4) interrupt();
      return new Promise(() => undefined);
    };
    const { code, stdout, stderr } = await run(['cp', 'big.bin', 'media:stopped'], { interruption });
    expect([code, stdout]).toEqual([null, '']);
    expect(stderr).toBe(
      'Interrupted. Run the same command again to continue. Parts that have arrived count as stored for 7 days.\n',
    );
    api.fail = () => undefined;
    api.calls.length = 0;
    expect(await ok(['cp', 'big.bin', 'media:stopped'])).toContain('1 file copied');
    expect(api.calls.filter(isSent).map((call) => call.slice(-2))).not.toContain('/1');

    // What is sent in one request is not kept, so that there is nothing to say.
    write('small.txt', 'meow');
    let stop = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    api.fail = (call) => {
      if (!call.startsWith('PUT ')) return undefined;
      stop();
      return new Promise(() => undefined);
    };
    expect(await run(['cp', 'small.txt', 'media:'], { interruption: stopped })).toMatchObject({
      code: null,
      stderr: '',
    });
  });

  it('starts again when the service has given up the upload', async () => {
    writeFileSync(path('big.bin'), '');
    truncateSync(path('big.bin'), 65 * MIB);
    api.fail = (call) => (call.endsWith('/9') ? 400 : undefined);
    expect((await run(['cp', 'big.bin', 'media:again'])).code).toBe(6);
    api.fail = (call) => (/^GET .*uploads/.test(call) ? 404 : undefined);
    expect(await ok(['cp', 'big.bin', 'media:again'])).toContain('1 file copied');
  });

  it('continues a download that was interrupted, unless the object has changed', async () => {
    const parts = (): string[] => readdirSync(command.home).filter((name) => name.endsWith('.part'));
    store('a.txt', 'meow meow');
    api.cutAfter = 4;
    api.isTimeToCut = () => parts().some((name) => statSync(path(name)).size === 4);
    expect((await run(['cp', 'media:a.txt', 'got.txt'])).code).not.toBe(0);
    expect([parts().length, existsSync(path('got.txt'))]).toEqual([1, false]);
    expect(readFileSync(path(parts()[0]!), 'utf8')).toBe('meow');
    api.cutAfter = undefined;
    await ok(['cp', 'media:a.txt', 'got.txt']);
    expect(api.ranges.at(-1)).toBe('bytes=4-');
    expect(readFileSync(path('got.txt'), 'utf8')).toBe('meow meow');
    expect(parts()).toEqual([]);

    api.cutAfter = 4;
    await run(['cp', 'media:a.txt', 'got.txt']);
    api.cutAfter = undefined;
    store('a.txt', 'woof woof');
    await ok(['cp', 'media:a.txt', 'got.txt']);
    expect(readFileSync(path('got.txt'), 'utf8')).toBe('woof woof');
    for (const name of parts()) rmSync(path(name));
  });
});
