import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { UploadContentInvalid } from '../uploads.errors.js';
import { FramedBlobs } from './framed-blobs.js';

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const framed = (contents: readonly Buffer[]): Buffer =>
  Buffer.concat(contents.flatMap((content) => [Buffer.from(`${hashOf(content)}\n`), content]));
const sizesOf = (contents: readonly Buffer[]): Map<string, number> =>
  new Map(contents.map((content) => [hashOf(content), content.length]));

/** Cuts the bytes at the given places, as a network would. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

async function read(chunks: readonly Buffer[], wanted: ReadonlyMap<string, number>): Promise<Buffer[]> {
  const blobs: Buffer[] = [];
  for await (const { bytes, content } of new FramedBlobs(Readable.from(chunks), wanted).blobs()) {
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    blobs.push(Buffer.concat(parts));
    expect(blobs.at(-1)).toHaveLength(bytes);
  }
  return blobs;
}

const CONTENTS = fc.uniqueArray(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  {
    minLength: 1,
    maxLength: 6,
    selector: hashOf,
  },
);

describe('FramedBlobs', () => {
  it('reads all contents, however the body is cut', async () => {
    await fc.assert(
      fc.asyncProperty(CONTENTS, fc.array(fc.nat()), async (contents, places) => {
        expect(await read(cut(framed(contents), places), sizesOf(contents))).toEqual(contents);
      }),
    );
  });

  it('refuses a body with any other byte, or that ends early', async () => {
    await fc.assert(
      fc.asyncProperty(CONTENTS, fc.nat(), fc.integer({ min: 1, max: 255 }), async (contents, at, change) => {
        const body = framed(contents);
        const damaged = Buffer.from(body);
        damaged[at % body.length]! ^= change;
        const early = body.subarray(0, body.length - 1 - (at % 60));
        for (const wrong of [damaged, early])
          await expect(read([wrong], sizesOf(contents))).rejects.toBeInstanceOf(UploadContentInvalid);
      }),
    );
  });

  it.each([
    ['an empty body', Buffer.alloc(0), []],
    ['a content twice', framed([Buffer.from('a'), Buffer.from('a')]), [Buffer.from('a')]],
    ['a content that is not missing', framed([Buffer.from('a')]), [Buffer.from('b')]],
    ['no hash', Buffer.from('a'.repeat(100)), []],
  ])('refuses %s', async (_what, body, wanted) => {
    await expect(read([body], sizesOf(wanted))).rejects.toBeInstanceOf(UploadContentInvalid);
  });
});
