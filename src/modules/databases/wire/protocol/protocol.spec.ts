import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { MessageBoundary } from './message-boundary.js';
import { messageOf } from './messages.js';
import { readMessage, readStartup } from './read-packets.js';
import { cancelPacketOf, codedPacketOf, parseStartupPacket, startupMessageOf } from './startup-packet.js';
import { WireRefusal } from './wire-refusal.js';

const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((value) => !value.includes('\0'));
const name = text.filter((value) => value !== '' && !value.startsWith('_pq_.'));

describe('parseStartupPacket', () => {
  it('reads what startupMessageOf writes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, text), { minLength: 1, maxLength: 20, selector: ([key]) => key }),
        (parameters) => {
          const parsed = parseStartupPacket(startupMessageOf(parameters).subarray(4));
          expect(parsed).toEqual({ kind: 'startup', minorVersion: 0, parameters: new Map(parameters), extensions: [] });
        },
      ),
    );
  });

  it('accepts or refuses any bytes, and never throws anything else', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(Buffer.alloc(0), Buffer.from([0, 3, 0, 0]), Buffer.from([0, 3, 0, 2]), Buffer.from([4, 210])),
        fc.uint8Array({ maxLength: 300 }),
        (head, rest) => {
          try {
            parseStartupPacket(Buffer.concat([head, rest]));
          } catch (error) {
            expect(error).toBeInstanceOf(WireRefusal);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('knows the packets that come before the protocol', () => {
    expect(parseStartupPacket(codedPacketOf('tls').subarray(4))).toEqual({ kind: 'tls' });
    expect(parseStartupPacket(cancelPacketOf({ processId: 7, secret: 4_000_000_000 }).subarray(4))).toEqual({
      kind: 'cancel',
      processId: 7,
      secret: 4_000_000_000,
    });
    expect(parseStartupPacket(codedPacketOf('ticket', Buffer.from('abc')).subarray(4))).toEqual({
      kind: 'ticket',
      ticket: 'abc',
    });
  });

  it.each([
    ['no terminator', 'user\0a'],
    ['a name without a value', 'user\0'],
    ['bytes after the end', 'user\0a\0\0x'],
    ['too many parameters', 'a\0b\0'.repeat(101) + '\0'],
  ])('refuses %s', (_, body) => {
    const packet = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(body)]);
    expect(() => parseStartupPacket(packet)).toThrow(WireRefusal);
  });

  it('keeps empty values, and tells the offered extensions apart', () => {
    const packet = startupMessageOf([
      ['user', 'a'],
      ['options', ''],
      ['_pq_.new', '1'],
    ]);
    expect(parseStartupPacket(packet.subarray(4))).toMatchObject({
      parameters: new Map([
        ['user', 'a'],
        ['options', ''],
      ]),
      extensions: ['_pq_.new'],
    });
  });
});

describe('readStartup and readMessage', () => {
  it('read packets however they are split, and leave what follows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 60 }),
        fc.array(fc.nat(7), { minLength: 1, maxLength: 20 }),
        async (body, cuts) => {
          const packet = startupMessageOf([['user', Buffer.from(body).toString('hex')]]);
          const bytes = Buffer.concat([packet, messageOf('p', Buffer.from(body)), Buffer.from('rest')]);
          const stream = new PassThrough();
          const read = (async () => [await readStartup(stream), await readMessage(stream, 100)] as const)();
          for (let at = 0; at < bytes.length;) {
            const size = 1 + cuts[at % cuts.length]!;
            stream.write(bytes.subarray(at, at + size));
            at += size;
            if (size % 3 === 0) await new Promise(setImmediate);
          }
          const [startup, message] = await read;
          expect(startup).toEqual(packet.subarray(4));
          expect(message).toEqual({ type: 'p', body: Buffer.from(body) });
          expect((stream.read() as Buffer).toString()).toBe('rest');
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([0, 7, 10_001, 0xffff_ffff])('refuse a declared length of %d at once', async (length) => {
    const stream = new PassThrough();
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    stream.write(head);
    await expect(readStartup(stream)).rejects.toThrow(WireRefusal);
    stream.write(Buffer.concat([Buffer.from('p'), Buffer.from([0x7f, 0, 0, 0])]));
    await expect(readMessage(stream, 1_000)).rejects.toThrow(WireRefusal);
  });

  it('reject when the peer leaves in the middle', async () => {
    const stream = new PassThrough();
    const read = readStartup(stream);
    stream.end(Buffer.from([0, 0, 0, 50, 1, 2]));
    await expect(read).rejects.toThrow('The connection ended.');
  });
});

describe('MessageBoundary', () => {
  it('is reached exactly between messages, however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('D', 'E', 'Z'), fc.uint8Array({ maxLength: 40 })), { maxLength: 10 }),
        fc.integer({ min: 1, max: 50 }),
        (messages, size) => {
          const packets = messages.map(([type, body]) => messageOf(type, Buffer.from(body)));
          const bytes = Buffer.concat(packets);
          const ends = new Set<number>([0]);
          packets.reduce((end, packet) => {
            ends.add(end + packet.length);
            return end + packet.length;
          }, 0);
          const boundary = new MessageBoundary();
          for (let at = 0; at < bytes.length; at += size) {
            boundary.take(bytes.subarray(at, at + size));
            expect(boundary.isReached).toBe(ends.has(Math.min(at + size, bytes.length)));
          }
          expect(boundary.followsError).toBe(messages.at(-1)?.[0] === 'E');
        },
      ),
    );
  });
});
