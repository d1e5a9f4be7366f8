import { posix } from 'node:path';
import fc from 'fast-check';
import { ArchiveBroken, ArchiveReader } from './archive-reader.js';

const record = (value: unknown, content = Buffer.alloc(0)): Buffer => {
  const text = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, content]);
};
const file = (path: string, content: string): Buffer =>
  record({ file: path, bytes: Buffer.byteLength(content), executable: false }, Buffer.from(content));
const link = (path: string, to: unknown): Buffer => record({ link: path, to });
const END = record({ end: true });

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

async function read(bytes: Buffer, size = 7, most = Infinity): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const entry of new ArchiveReader(inPieces(bytes, size), () => undefined).files()) {
    if ('linkTo' in entry) {
      files[entry.path] = `-> ${entry.linkTo}`;
      continue;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of entry.content) {
      chunks.push(chunk);
      if (chunks.length >= most) break;
    }
    files[entry.path] = Buffer.concat(chunks).toString();
  }
  return files;
}

describe('an archive out of a sandbox', () => {
  it('is read completely for any size of chunks, and when a reader stops early', async () => {
    const archive = Buffer.concat([
      file('a.html', 'hello'),
      record({ note: 'left out' }),
      file('deep/b', ''),
      link('deep/link', '../c'),
      file('c', 'x'.repeat(100)),
      END,
    ]);
    for (const size of [1, 3, 1_000])
      expect(await read(archive, size)).toEqual({
        'a.html': 'hello',
        'deep/b': '',
        'deep/link': '-> ../c',
        c: 'x'.repeat(100),
      });
    expect(await read(archive, 7, 1)).toMatchObject({ 'deep/b': '', c: expect.stringMatching(/^x+$/) as string });
  });

  it('may begin with the lines about a commit, for any size of chunks', async () => {
    const bytes = Buffer.concat([Buffer.from('abc\nAda é\n\n'), record({ inspection: { found: true } })]);
    for (const size of [1, 3, 1_000]) {
      const reader = new ArchiveReader(inPieces(bytes, size), () => undefined);
      expect(await reader.commit()).toEqual({ sha: 'abc', author: 'Ada é', message: '' });
      expect(await reader.inspection()).toEqual({ found: true });
    }
  });

  it.each([
    ['break off', Buffer.from('abc\nAda\n')],
    ['never end', Buffer.alloc(2_000_000, 'x')],
  ])('is refused when the lines about a commit %s', async (_what, bytes) => {
    await expect(new ArchiveReader(inPieces(bytes, 65_536), () => undefined).commit()).rejects.toBeInstanceOf(
      ArchiveBroken,
    );
  });

  it.each([
    '../a',
    'a/../b',
    '/etc/passwd',
    './a',
    'a//b',
    'a/',
    '',
    '.',
    '..',
    'a\0b',
    'a\nb',
    'a\\b',
    'a\u001b[2Jb',
    '\ufffd',
    `${'d/'.repeat(101)}a`,
    'x'.repeat(1_025),
  ])('has no file %j', async (path) => {
    await expect(read(Buffer.concat([file(path, ''), END]))).rejects.toBeInstanceOf(ArchiveBroken);
  });

  it.each([
    ['that came twice', Buffer.concat([file('a', '1'), file('a', '2'), END])],
    ['whose size is none', Buffer.concat([record({ file: 'a', bytes: -1 }), END])],
    ['whose size is no number', Buffer.concat([record({ file: 'a', bytes: '3' }), END])],
    ['that breaks off', file('a', 'hello').subarray(0, -2)],
    ['after which no end comes', file('a', 'hello')],
    ['below a link', Buffer.concat([link('a', 'b'), file('a/x', '1'), END])],
    ['that takes the place of a link', Buffer.concat([link('a', 'b'), file('a', '1'), END])],
    ['beside a link that leads outside', Buffer.concat([file('a', ''), link('b', '../a'), END])],
    ['beside a link that is absolute', Buffer.concat([file('a', ''), link('b', '/etc'), END])],
    ['beside a link to nothing', Buffer.concat([file('a', ''), link('b', 1), END])],
    ['beside a link with a path that leads outside', Buffer.concat([file('a', ''), link('../b', 'a'), END])],
    ['with a record beyond all measure', Buffer.from([0xff, 0xff, 0xff, 0xff, 1])],
    ['with a record that is no JSON', Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('x')])],
    ['with a record that is no object', record(null)],
  ])('is refused with a file %s', async (_what, bytes) => {
    await expect(read(bytes)).rejects.toBeInstanceOf(ArchiveBroken);
  });

  it('never yields an unsafe path, and ends properly or is refused', async () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'b.html', '\\', '\0', 'é'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    const entry = fc.oneof(
      fc
        .tuple(fc.array(part, { maxLength: 5 }), fc.string({ maxLength: 20 }))
        .map(([parts, content]) => file(parts.join('/'), content)),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 4 }))
        .map(([parts, to]) => link(parts.join('/'), to.join('/'))),
      fc.json().map((text) => record(JSON.parse(text))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), async (entries, size) => {
        const files = await read(Buffer.concat([...entries, END]), size).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ArchiveBroken);
          return {};
        });
        for (const [path, content] of Object.entries(files)) {
          if (content.startsWith('-> ') && !content.includes('\0'))
            expect(posix.join('/tree', path, '..', content.slice(3))).toMatch(/^\/tree(\/|$)/);
          expect(path).not.toMatch(/[\x00-\x1f\\]/);
          expect(path.split('/').some((name) => ['', '.', '..'].includes(name))).toBe(false);
        }
      }),
    );
  });
});
