import { hkdfSync } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { DecryptChunks, DecryptionFailed, EncryptChunks, type KeyOf } from './chunk-cipher.js';

const CHUNK = 16;
const SALT = 32;
const SEALED_CHUNK = CHUNK + 16;

const keyOf =
  (name: string): KeyOf =>
  (salt) =>
    Buffer.from(hkdfSync('sha256', 'main key', salt, name, 32));

/** Splits the bytes into pieces of these sizes, as a disk or a socket would deliver them. */
function* inPieces(data: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, piece = 0; at < data.length; piece++) {
    const size = sizes[piece % sizes.length]!;
    yield data.subarray(at, at + size);
    at += size;
  }
}

const encrypt = async (plain: Buffer, { sizes = [7], chunk = CHUNK, name = 'a' } = {}): Promise<Buffer> =>
  buffer(Readable.from(inPieces(plain, sizes)).pipe(new EncryptChunks(keyOf(name), chunk)));

/** The output before a failure is checked too: it must be the start of the plain text. */
async function decrypt(
  sealed: Buffer,
  { sizes = [7], chunk = CHUNK, name = 'a' } = {},
): Promise<{ plain: Buffer; error?: unknown }> {
  const seen: Buffer[] = [];
  const collect = new Writable({
    write: (data: Buffer, _encoding, done) => {
      seen.push(data);
      done();
    },
  });
  try {
    await pipeline(Readable.from(inPieces(sealed, sizes)), new DecryptChunks(keyOf(name), chunk), collect);
    return { plain: Buffer.concat(seen) };
  } catch (error) {
    return { plain: Buffer.concat(seen), error };
  }
}

const content = fc.uint8Array({ maxLength: 5 * CHUNK }).map((bytes) => Buffer.from(bytes));
const pieces = fc.array(fc.integer({ min: 1, max: 3 * CHUNK }), { minLength: 1, maxLength: 5 });

async function expectRefused(sealed: Buffer, plain: Buffer, name = 'a'): Promise<void> {
  const { plain: seen, error } = await decrypt(sealed, { name });
  expect(error).toBeInstanceOf(DecryptionFailed);
  expect(plain.subarray(0, seen.length).equals(seen)).toBe(true);
  expect(seen.length % CHUNK).toBe(0);
}

describe('chunk cipher', () => {
  it('decrypts content of any size from pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(content, pieces, pieces, async (plain, in1, in2) => {
        const sealed = await encrypt(plain, { sizes: in1 });
        expect(sealed.length).toBe(SALT + plain.length + 16 * Math.max(1, Math.ceil(plain.length / CHUNK)));
        expect(await decrypt(sealed, { sizes: in2 })).toEqual({ plain });
      }),
    );
  });

  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('decrypts %i bytes with the real chunk size', async (bytes) => {
    const plain = Buffer.alloc(bytes, 'abcdefg');
    const sealed = await buffer(Readable.from([plain]).pipe(new EncryptChunks(keyOf('a'))));
    expect(sealed.includes('abcdefg')).toBe(false);
    expect((await buffer(Readable.from([sealed]).pipe(new DecryptChunks(keyOf('a'))))).equals(plain)).toBe(true);
  });

  it('encrypts the same content differently each time', async () => {
    const plain = Buffer.alloc(3 * CHUNK);
    const [one, other] = [await encrypt(plain), await encrypt(plain)];
    expect(one.subarray(SALT).equals(other.subarray(SALT))).toBe(false);
  });

  it('refuses any bit that was changed', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.nat(), fc.integer({ min: 0, max: 7 }), async (plain, where, bit) => {
        const sealed = await encrypt(plain);
        sealed[where % sealed.length]! ^= 1 << bit;
        await expectRefused(sealed, plain);
      }),
    );
  });

  it('refuses truncated data, also at the border of a chunk, and appended data', async () => {
    await fc.assert(
      fc.asyncProperty(
        content,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 2 * SEALED_CHUNK }),
        async (plain, where, more) => {
          const sealed = await encrypt(plain);
          await expectRefused(sealed.subarray(0, where % sealed.length), plain);
          await expectRefused(Buffer.concat([sealed, more]), plain);
        },
      ),
    );
    const plain = Buffer.alloc(4 * CHUNK, 'x');
    const sealed = await encrypt(plain);
    for (let chunks = 0; chunks < 4; chunks++)
      await expectRefused(sealed.subarray(0, SALT + chunks * SEALED_CHUNK), plain);
  });

  it('refuses chunks that were reordered, removed, repeated or taken from another file', async () => {
    const full = fc.uint8Array({ minLength: 3 * CHUNK, maxLength: 6 * CHUNK }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(full, fc.nat(), fc.nat(), async (plain, first, second) => {
        const [sealed, other] = [await encrypt(plain), await encrypt(plain)];
        const count = Math.ceil(plain.length / CHUNK);
        const [i, j] = [first % count, second % count];
        const chunks = (of: Buffer): Buffer[] =>
          Array.from({ length: count }, (_, at) =>
            of.subarray(SALT + at * SEALED_CHUNK, SALT + (at + 1) * SEALED_CHUNK),
          );
        const mine = chunks(sealed);
        const join = (parts: readonly Buffer[]): Buffer => Buffer.concat([sealed.subarray(0, SALT), ...parts]);
        if (i !== j) await expectRefused(join(mine.with(i, mine[j]!).with(j, mine[i]!)), plain);
        await expectRefused(join(mine.toSpliced(i, 1)), plain);
        await expectRefused(join(mine.toSpliced(i, 0, mine[i]!)), plain);
        await expectRefused(join(mine.with(i, chunks(other)[i]!)), plain);
      }),
    );
  });

  it('refuses one file in the place of another', async () => {
    const plain = Buffer.alloc(2 * CHUNK, 'x');
    await expectRefused(await encrypt(plain, { name: 'database/users.copy' }), plain, 'database/orgs.copy');
  });

  it('buffers only a few chunks while nothing reads', async () => {
    let produced = 0;
    const piece = Buffer.alloc(65_536);
    const source = new Readable({
      read() {
        produced += piece.length;
        this.push(piece);
      },
    });
    const stalled = new Writable({ highWaterMark: 1, write: () => undefined });
    const running = pipeline(source, new EncryptChunks(keyOf('a')), stalled).catch(() => undefined);
    // Bounded buffers are full after a few turns of the event loop; unbounded ones keep growing.
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
    stalled.destroy();
    await running;
    expect(produced).toBeLessThan(16 * piece.length);
  });
});
