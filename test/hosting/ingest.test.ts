import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import type { BuiltFile, BuiltLink } from '../../src/modules/hosting/built-output.js';
import { keyOf } from '../../src/modules/hosting/store/content-keys.js';
import { BlobStorage } from '../../src/platform/blobs/blob-storage.js';
import { LIMITS, built } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';

describe('ingesting build output', () => {
  const app = useApp();
  const owner = { deployId: 'dpl_ingest', projectId: 'prj_a', orgId: 'org_a' };
  const never = new AbortController().signal;
  const ingest = (output: ReturnType<typeof built>, limits = LIMITS, signal = never): Promise<unknown> =>
    app.get(ArtifactsService).ingest(owner, output, limits, signal);

  it('returns its size, and makes the deploy servable completely or not at all', async () => {
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
    expect(await ingest(built({ a: '12345', b: '' }))).toEqual({ files: 2, bytes: 5 });
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(true);
    await app.get(ArtifactsService).remove(owner.deployId);
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
  });

  it.each(['../up', '/etc/passwd', 'a/../../b', 'a//b', './a', 'a\\b', 'a\0b', '', 'x'.repeat(1_100)])(
    'rejects the path %j',
    async (path) => {
      await expect(ingest(built({ [path]: 'x' }))).rejects.toMatchObject({ code: 'output_invalid' });
      expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
    },
  );

  it('rejects more files or bytes than the limits', async () => {
    await expect(ingest(built({ a: 'x', b: 'x' }), { ...LIMITS, files: 1, bytes: 10 })).rejects.toMatchObject({
      code: 'output_too_large',
    });
    await expect(ingest(built({ a: 'x'.repeat(11) }), { ...LIMITS, files: 1, bytes: 10 })).rejects.toMatchObject({
      code: 'output_too_large',
    });
  });

  const lying = (bytes: number, path = 'a'): ReturnType<typeof built> => ({
    ...built({}),
    files: async function* (): AsyncGenerator<BuiltFile> {
      for await (const file of built({ [path]: '12345' }).files()) yield { ...(file as BuiltFile), bytes };
    },
  });

  it.each([4, 6, 20_000_000])('rejects a file whose size differs from its declared size: %d', async (bytes) => {
    await expect(ingest(lying(bytes))).rejects.toMatchObject({ code: 'output_invalid' });
  });

  it('keeps large files in DATA_DIR meanwhile, without a name, so that nothing is left of them', async () => {
    const mebibyte = Buffer.alloc(1_048_576);
    const directory = join(realpathSync(app.dataDirectory), 'ingest');
    const opened = (): string[] => openFiles().filter((path) => path.startsWith(`${directory}/`));
    const meanwhile: number[] = [];
    async function* pieces(count: number): AsyncGenerator<Buffer> {
      for (let piece = 0; piece < count; piece++) {
        meanwhile.push(opened().length);
        yield await Promise.resolve(mebibyte);
      }
    }
    const large = (sent: number): ReturnType<typeof built> => ({
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile> {
        yield await Promise.resolve({ path: 'film', bytes: 9 * 1_048_576, executable: false, content: pieces(sent) });
      },
    });
    const limits = { ...LIMITS, bytes: 20 * 1_048_576 };
    expect(await ingest(large(9), limits)).toEqual({ files: 1, bytes: 9 * 1_048_576 });
    await expect(ingest(large(8), limits)).rejects.toMatchObject({ code: 'output_invalid' });
    expect(meanwhile).toEqual(Array(17).fill(1));
    expect(opened()).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
    await app.get(ArtifactsService).remove(owner.deployId);
  });

  it('compresses what browsers receive once, and again when lost, and no server-only files', async () => {
    const [page, code] = ['text '.repeat(1_000), 'code '.repeat(1_000)];
    const output = built(
      { 'public/page.txt': page, 'node_modules/x.js': code },
      {
        kind: 'server',
        framework: 'node',
        server: { command: ['node', 'x.js'], directory: '' },
        static: [{ directory: './public', prefix: '/', immutable: false }],
      },
    );
    const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    const store = app.get(BlobStorage);
    const put = jest.spyOn(store, 'put');
    const putBy = async (): Promise<string[]> => {
      put.mockClear();
      await ingest(output);
      return put.mock.calls.map(([key]) => key);
    };
    const ofPage = [keyOf(nameOf(page)), keyOf(nameOf(page), 'br'), keyOf(nameOf(page), 'gzip')];
    const first = await putBy();
    expect(first).toEqual(expect.arrayContaining([...ofPage, keyOf(nameOf(code))]));
    // And the manifest.
    expect(first).toHaveLength(5);
    expect(await putBy()).toHaveLength(1);
    await store.delete(keyOf(nameOf(page), 'br'));
    expect(await putBy()).toContain(keyOf(nameOf(page), 'br'));
    put.mockRestore();
    await app.get(ArtifactsService).remove(owner.deployId);
  });

  it('rejects a duplicate path', async () => {
    const twice = {
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile | BuiltLink> {
        yield* built({ a: '1' }).files();
        yield* built({ a: '2' }).files();
      },
    };
    await expect(ingest(twice)).rejects.toMatchObject({ code: 'output_invalid' });
  });

  it.each([
    ['leads out of the tree', [['a', '../etc']]],
    ['is absolute', [['a', '/etc']]],
    ['has a file below it', [['a', 'b'], 'a/x']],
    ['lies below a file', ['a', ['a/b', '..']]],
    ['takes the place of a directory', ['a/b', ['a', 'c']]],
    [
      'comes twice',
      [
        ['a', 'b'],
        ['a', 'c'],
      ],
    ],
  ] as const)('rejects a link that %s', async (_what, entries) => {
    const output = {
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile | BuiltLink> {
        for (const entry of entries)
          if (typeof entry === 'string') yield* built({ [entry]: 'x' }).files();
          else yield { path: entry[0], linkTo: entry[1] };
      },
    };
    await expect(ingest(output)).rejects.toMatchObject({ code: 'output_invalid' });
  });

  it('counts links as files', async () => {
    const output = {
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile | BuiltLink> {
        for (let index = 0; index < 3; index++) yield await Promise.resolve({ path: `l${index}`, linkTo: 'l0' });
      },
    };
    await expect(ingest(output, { ...LIMITS, files: 2 })).rejects.toMatchObject({ code: 'output_too_large' });
    await expect(ingest(output, { ...LIMITS, files: 3 })).resolves.toEqual({ files: 3, bytes: 0 });
    await app.get(ArtifactsService).remove(owner.deployId);
  });

  it('stops when aborted, and leaves no deploy', async () => {
    const abort = new AbortController();
    const endless = {
      ...built({}),
      files: async function* (): AsyncGenerator<BuiltFile | BuiltLink> {
        for (let index = 0; ; index++) {
          if (index === 3) abort.abort(new Error('cancelled'));
          yield* built({ [`f${index}`]: 'x' }).files();
        }
      },
    };
    await expect(ingest(endless, LIMITS, abort.signal)).rejects.toThrow('cancelled');
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
  });
});

/** The paths that this process has open. Those of files without a name end in `(deleted)`. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      // The one that the list was read by.
      return [];
    }
  });
}
