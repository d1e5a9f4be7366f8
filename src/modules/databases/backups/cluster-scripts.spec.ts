import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { WAL_OUT } from './cluster-scripts.js';
import { readFrames } from './wal-frames.js';
import { SEGMENT_BYTES } from './wal-segments.js';

describe('WAL_OUT', () => {
  const cluster = mkdtempSync(join(tmpdir(), 'cluster-'));
  const archive = join(cluster, 'archive');
  const segment = '00000001000000000000000A';

  beforeAll(() => {
    mkdirSync(join(cluster, 'data/pg_wal/archive_status'), { recursive: true });
    mkdirSync(archive);
  });
  afterAll(() => {
    rmSync(cluster, { recursive: true });
  });

  it('writes whole segments alone, also when PostgreSQL archives a label meanwhile', async () => {
    writeFileSync(join(archive, segment), Buffer.alloc(SEGMENT_BYTES, 7));
    writeFileSync(join(archive, '000000010000000000000009.00000028.backup'), 'from before');
    // The script asks for the use of the disk between its removal of labels and its list of segments.
    const meanwhile = `du() { echo now > '${archive}/${segment}.00000028.backup'; command du "$@"; }`;
    const written = execFileSync('sh', ['-c', meanwhile + WAL_OUT.replaceAll('/cluster', cluster)], {
      maxBuffer: 2 * SEGMENT_BYTES,
    });

    const frames: string[] = [];
    const waiting = await readFrames(Readable.from([written]), {
      measured: () => Promise.resolve(),
      take: ({ timeline, number, content }) => {
        frames.push(`${timeline} ${number} ${content.length}`);
        return Promise.resolve();
      },
    });
    expect(frames).toEqual([`1 10 ${SEGMENT_BYTES}`]);
    expect(waiting).toBe(0);
  });
});
