import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { SystemClock } from '../time/clock.js';
import type { BlobContent } from './blob-storage.js';
import { DirectorySyncs } from './directory-syncs.js';
import { FileBlobStorage } from './file-blob-storage.js';

const parent = mkdtempSync(join(tmpdir(), 'service-blobs-'));
let count = 0;
let syncs: RecordedSyncs;
let blobs: FileBlobStorage;
let root: string;

/** Notes which directories are synced, and waits for `gate` before each. */
class RecordedSyncs extends DirectorySyncs {
  readonly seen: string[] = [];
  gate: Promise<void> = Promise.resolve();

  protected override async syncNow(directory: string): Promise<void> {
    this.seen.push(relative(parent, directory));
    await this.gate;
    await super.syncNow(directory);
  }
}

beforeEach(() => {
  root = `r${++count}/objects`;
  syncs = new RecordedSyncs();
  blobs = new FileBlobStorage(join(parent, root), new SystemClock(), syncs);
});
afterAll(() => {
  rmSync(parent, { recursive: true });
});

const content = (text: string, isNew: boolean): BlobContent => ({
  bytes: text.length,
  open: () => Readable.from([Buffer.from(text)], { objectMode: false }),
  isNew,
});

describe.each([
  ['that is new', true],
  ['that is named by its content', false],
])('a blob %s', (_what, isNew) => {
  it('is stored when its name and those of its directories are safe', async () => {
    await blobs.put('blobs/ab/1', content('one', isNew));
    expect(new Set(syncs.seen)).toEqual(new Set(['', `r${count}`, root, `${root}/blobs`, `${root}/blobs/ab`]));
    expect(syncs.seen.at(-1)).toBe(`${root}/blobs/ab`);
    syncs.seen.length = 0;
    await blobs.put('blobs/ab/2', content('two', isNew));
    expect(syncs.seen).toEqual([`${root}/blobs/ab`]);
    // What another process has created a moment ago may not be safe yet.
    syncs.seen.length = 0;
    await new FileBlobStorage(join(parent, root), new SystemClock(), syncs).put('blobs/ab/3', content('three', isNew));
    expect(syncs.seen).toEqual(expect.arrayContaining([root, `${root}/blobs`]));
  });

  it('is not stored before, and not at all when its name cannot be made safe', async () => {
    await blobs.put('blobs/ab/1', content('one', isNew));
    let fail: (error: Error) => void = () => undefined;
    syncs.gate = new Promise((_resolve, reject) => (fail = reject));
    let isStored = false;
    const storing = blobs.put('blobs/ab/2', content('two', isNew)).then(() => (isStored = true));
    storing.catch(() => undefined);
    while (syncs.seen.length < 7) await new Promise(setImmediate);
    expect(isStored).toBe(false);
    fail(new Error('no disk'));
    await expect(storing).rejects.toThrow('no disk');
    if (isNew) expect(existsSync(join(parent, root, 'blobs/ab/2'))).toBe(false);
    syncs.gate = Promise.resolve();
    await blobs.put('blobs/ab/3', content('three', isNew));
  });
});

it('syncs a directory once for all that wait, and again for those that came while it was synced', async () => {
  await blobs.put('blobs/ab/0', content('zero', true));
  const directory = join(parent, root, 'blobs/ab');
  syncs.seen.length = 0;
  let open = (): void => undefined;
  syncs.gate = new Promise((resolve) => (open = resolve));
  const first = syncs.sync(directory);
  const others = Array.from({ length: 10 }, () => syncs.sync(directory));
  const other = syncs.sync(join(parent, root, 'blobs'));
  expect(syncs.seen).toHaveLength(2);
  open();
  await Promise.all([first, other, ...others]);
  expect(syncs.seen).toEqual([`${root}/blobs/ab`, `${root}/blobs`, `${root}/blobs/ab`]);
  await syncs.sync(directory);
  expect(syncs.seen).toHaveLength(4);
});

describe('an unfinished file', () => {
  const unfinished = (): string[] => readdirSync(join(parent, root, 'unfinished'));

  /** Content of which nothing comes before `gate`. */
  const waiting = (gate: Promise<void>, onOpen: () => void): BlobContent => ({
    bytes: 3,
    open: () => Readable.from(one(gate, onOpen), { objectMode: false }),
  });
  async function* one(gate: Promise<void>, onOpen: () => void): AsyncGenerator<Buffer> {
    onOpen();
    await gate;
    yield Buffer.from('one');
  }

  it('is not that of another container, whose process has the same number and writes the same', async () => {
    let Other!: typeof FileBlobStorage;
    await jest.isolateModulesAsync(async () => {
      ({ FileBlobStorage: Other } = await import('./file-blob-storage.js'));
    });
    const storages = [blobs, new Other(join(parent, root), new SystemClock())];
    let opened = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const content = waiting(gate, () => {
      if (++opened === storages.length) open();
    });
    await Promise.all(storages.map((storage) => storage.put('blobs/ab/1', content)));
    expect(readFileSync(join(parent, root, 'blobs/ab/1'), 'utf8')).toBe('one');
    expect(unfinished()).toEqual([]);
  });

  it('is removed when it is a day old, and not while it may be written', async () => {
    let [onOpen, open] = [(): void => undefined, (): void => undefined];
    const isOpen = new Promise<void>((resolve) => (onOpen = resolve));
    const writing = blobs.put('blobs/ab/1', waiting(new Promise((resolve) => (open = resolve)), onOpen));
    await isOpen;
    await blobs.tidy();
    expect(unfinished()).toHaveLength(1);
    const twoDaysAgo = Date.now() / 1_000 - 172_800;
    utimesSync(join(parent, root, 'unfinished', unfinished()[0]!), twoDaysAgo, twoDaysAgo);
    await blobs.tidy();
    expect(unfinished()).toEqual([]);
    open();
    await expect(writing).rejects.toThrow('ENOENT');
  });
});
