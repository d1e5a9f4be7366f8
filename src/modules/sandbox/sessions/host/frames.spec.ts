import * as fc from 'fast-check';

import { entriesIn, messageIn } from './agent-messages.js';
import { type Frame, FrameFault, frameOf, FrameReader } from './frames.js';

const MOST = 9 * 1024 * 1024 + 262_144 + 8;

/** Cuts the bytes into pieces of these sizes, and the rest. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)];
}

const anyHeader = fc.dictionary(fc.string(), fc.jsonValue());
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

describe('frames', () => {
  it('arrive whole, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyHeader, anyBytes), { maxLength: 6 }),
        fc.array(fc.nat({ max: 60 })),
        (sent, sizes) => {
          const bytes = Buffer.concat(sent.map(([header, body]) => frameOf(header, body)));
          const reader = new FrameReader();
          const received = cut(bytes, sizes).flatMap((piece) => reader.push(piece));
          expect(received.map(({ header, body }) => [header, [...body]])).toEqual(
            sent.map(([header, body]) => [JSON.parse(JSON.stringify(header)), [...body]]),
          );
          expect(reader.keptBytes).toBe(0);
        },
      ),
    );
  });

  it('are refused, and only that, for any other bytes', () => {
    fc.assert(
      fc.property(fc.array(anyBytes, { maxLength: 20 }), (pieces) => {
        const reader = new FrameReader();
        try {
          for (const frame of pieces.flatMap((piece) => reader.push(piece))) messageIn(frame);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameFault);
          // A broken stream stays broken.
          expect(() => reader.push(frameOf({ op: 'ready' }))).toThrow(FrameFault);
          expect(reader.keptBytes).toBe(0);
        }
        expect(reader.keptBytes).toBeLessThanOrEqual(MOST);
      }),
    );
  });

  it.each([
    [0xffff_ffff, 0],
    [0, 0xffff_ffff],
    [262_145, 0],
    [2, 9 * 1024 * 1024 + 1],
  ])('are refused by their lengths %d and %d alone', (header, body) => {
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(header, 0);
    lengths.writeUInt32BE(body, 4);
    expect(() => new FrameReader().push(lengths)).toThrow('too large');
  });

  it.each(['', 'null', '[]', '1', '"x"', '{', '['.repeat(60_000)])('have an object as header, not %j', (text) => {
    const head = Buffer.from(text);
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(head.length, 0);
    expect(() => new FrameReader().push(Buffer.concat([lengths, head]))).toThrow(FrameFault);
  });
});

describe('messages of the agent', () => {
  it('are known ones or nothing, whatever the frame is', () => {
    const op = fc.constantFrom('ready', 'begun', 'output', 'over', 'result', 'ended', 'answer', 'start', '__proto__');
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(1, 0, 'stdout', 'text/plain', 'start', 255, -1, 1e300));
    const header = fc.record(
      Object.fromEntries([
        ['op', op],
        ...['id', 'stream', 'type', 'version', 'lost', 'exit', 'signal', 'fault', 'error', 'ms'].map((name) => [
          name,
          value,
        ]),
      ]) as Record<string, fc.Arbitrary<unknown>>,
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(header, anyBytes, (given, body) => {
        const message = messageIn({ header: given, body });
        if (message === null) return;
        if (message.op === 'ready') expect(message.version.length).toBeLessThanOrEqual(40);
        else expect(Number.isSafeInteger(message.id)).toBe(true);
        if (message.op === 'ended') {
          expect([true, false]).toContain(message.lost);
          for (const number of [message.exit, message.signal])
            expect(number === null || (Number.isInteger(number) && number >= 0 && number <= 255)).toBe(true);
          expect(message.ms).toBeGreaterThanOrEqual(0);
          expect((message.error?.message ?? '').length).toBeLessThanOrEqual(8_192);
        }
      }),
    );
  });

  it('list files, or nothing, whatever the body is', () => {
    const entry = fc.oneof(fc.jsonValue(), fc.tuple(fc.string(), fc.constantFrom('file', 'x'), fc.jsonValue()));
    fc.assert(
      fc.property(
        fc.oneof(
          anyBytes,
          fc.array(entry).map((all) => Buffer.from(JSON.stringify(all))),
        ),
        (body) => {
          for (const file of entriesIn(body, 'in') ?? []) {
            expect(file.path.startsWith('in/')).toBe(true);
            expect(Number.isSafeInteger(file.sizeBytes) && file.sizeBytes >= 0).toBe(true);
          }
        },
      ),
    );
    expect(entriesIn(Buffer.from(JSON.stringify([['a', 'file', 3, 4]])), '')).toEqual([
      { path: 'a', type: 'file', sizeBytes: 3, modifiedAtMs: 4 },
    ]);
    expect(entriesIn(Buffer.from(JSON.stringify(Array(1_001).fill(['a', 'file', 3, 4]))), '')).toBeNull();
  });

  it('say how a run ended', () => {
    const frame: Frame = {
      header: {
        op: 'ended',
        id: 3,
        lost: true,
        exit: 1,
        signal: null,
        error: { name: 'E', message: 'm', line: 2 },
        ms: 4,
      },
      body: Buffer.alloc(0),
    };
    expect(messageIn(frame)).toEqual({
      ...{ op: 'ended', id: 3, lost: true, exit: 1, signal: null, fault: null, ms: 4 },
      error: { name: 'E', message: 'm', line: 2 },
    });
  });
});
