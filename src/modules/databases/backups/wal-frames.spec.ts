import fc from 'fast-check';
import { readFrames, type WalFrame } from './wal-frames.js';
import { nameOfSegment, SEGMENT_BYTES } from './wal-segments.js';

const DISK = Buffer.from('disk 40 3\n');

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function read(bytes: Buffer, size = 100_000): Promise<{ frames: WalFrame[]; waiting: number; disks: unknown[] }> {
  const frames: WalFrame[] = [];
  const disks: unknown[] = [];
  const waiting = await readFrames(inChunks(bytes, size), {
    measured: (disk) => {
      disks.push(disk);
      return Promise.resolve();
    },
    take: (frame) => {
      frames.push(frame);
      return Promise.resolve();
    },
  });
  return { frames, waiting, disks };
}

describe('readFrames', () => {
  const frame = (number: number, fill: string): Buffer =>
    Buffer.concat([Buffer.from(`${nameOfSegment({ timeline: 1, number })}\n`), Buffer.alloc(SEGMENT_BYTES, fill)]);

  it.each([1_000, 65_536, 4_000_000])('reads segments from chunks of %i bytes', async (size) => {
    const { frames, waiting, disks } = await read(
      Buffer.concat([DISK, frame(1, '\n'), frame(2, 'b'), Buffer.from('end 3\n')]),
      size,
    );
    expect(waiting).toBe(3);
    expect(disks).toEqual([{ diskBytes: 40_960, undrainedBytes: 3_072 }]);
    expect(frames.map(({ number, content }) => [number, content.length, content[9]])).toEqual([
      [1, SEGMENT_BYTES, 10],
      [2, SEGMENT_BYTES, 98],
    ]);
  });

  it.each([
    ['an early end', Buffer.concat([DISK, frame(1, 'a')])],
    ['a short segment', Buffer.concat([DISK, frame(1, 'a').subarray(0, 1_000), Buffer.from('end 0\n')])],
    ['a path', Buffer.concat([DISK, Buffer.from('../../etc/passwd\nend 0\n')])],
    ['no use of the disk', Buffer.concat([frame(1, 'a'), Buffer.from('end 0\n')])],
    ['a use of the disk that is no number', Buffer.from('disk 1e9 0\nend 0\n')],
    ['an endless header', Buffer.alloc(10_000, 'A')],
    ['something after the end', Buffer.concat([DISK, Buffer.from('end 0\nend 0\n')])],
    ['nothing', Buffer.alloc(0)],
  ])('refuses %s', async (_name, bytes) => {
    await expect(read(bytes)).rejects.toThrow('log');
  });

  it('refuses any other bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await expect(read(Buffer.from(bytes), 7)).rejects.toThrow();
      }),
      { numRuns: 50 },
    );
  });
});
