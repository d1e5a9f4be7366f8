import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { FLUSH, KEEP_ALIVE, messageOf, SideBand } from './side-band.js';

const packet = (band: number, payload: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from((payload.length + 5).toString(16).padStart(4, '0')),
    Buffer.from([band]),
    Buffer.from(payload),
  ]);

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

async function passed(chunks: readonly Buffer[]): Promise<{ bytes: Buffer; isOpen: boolean }> {
  const band = new SideBand();
  const read = buffer(band);
  for (const chunk of chunks) band.write(chunk);
  band.end();
  return { bytes: await read, isOpen: band.isOpen };
}

const PACKETS = fc.array(
  fc.tuple(fc.constantFrom(1, 2, 3), fc.uint8Array({ maxLength: 50 })).map(([band, payload]) => packet(band, payload)),
  { minLength: 1, maxLength: 6 },
);
const PLACES = fc.array(fc.nat());

describe('SideBand', () => {
  it('holds back the end of an answer with side bands, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(PACKETS, PLACES, async (packets, places) => {
        const answer = Buffer.concat(packets);
        expect(await passed(cut(Buffer.concat([answer, FLUSH]), places))).toEqual({ bytes: answer, isOpen: true });
      }),
    );
  });

  it('passes any other answer unchanged', async () => {
    const other = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(Buffer.from('000eunpack ok\n0000'), FLUSH, Buffer.alloc(0), Buffer.from('0000more')),
      PACKETS.map((packets) => Buffer.concat(packets)),
      PACKETS.map((packets) => Buffer.concat([...packets, FLUSH, ...packets])),
      PACKETS.map((packets) => Buffer.concat([...packets, FLUSH]).subarray(0, -1)),
    );
    await fc.assert(
      fc.asyncProperty(other, PLACES, async (bytes, places) => {
        const after = await passed(cut(bytes, places));
        expect(after.isOpen ? Buffer.concat([after.bytes, FLUSH]) : after.bytes).toEqual(bytes);
      }),
    );
  });

  it('shows each line as one packet without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (line) => {
        const message = messageOf(line);
        expect(Number.parseInt(message.toString('latin1', 0, 4), 16)).toBe(message.length);
        expect(message.length).toBeLessThan(1_000);
        const text = new TextDecoder('utf-8', { fatal: true }).decode(message.subarray(5, -1));
        expect(text).not.toMatch(/\p{Cc}/u);
      }),
    );
    expect(KEEP_ALIVE).toHaveLength(5);
  });
});
