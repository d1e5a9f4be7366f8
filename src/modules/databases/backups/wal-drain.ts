import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { contentOf } from '../../../platform/blobs/blob-storage.js';
import { Clock } from '../../../platform/time/clock.js';
import { WalArchivesStore } from '../persistence/wal-archives.store.js';
import { BackupBlobs, keyOfRange } from './backup-blobs.js';
import { ClusterDisks } from './cluster-disks.js';
import { ClusterLocks } from './cluster-locks.js';
import { BackupPrograms } from './backup-programs.js';
import { WAL_OUT } from './cluster-scripts.js';
import { tarOf } from './tar-entries.js';
import { readFrames, type WalFrame } from './wal-frames.js';
import { nameOfSegment, rangesOf } from './wal-segments.js';

/** The segments of one blob. They are held in memory while it is made. */
const SEGMENTS_IN_BLOB = 16;

const compress = promisify(gzip);

export interface Drained {
  /** True when something was stored. */
  readonly stored: boolean;
  /** How many segments PostgreSQL has not archived yet. */
  readonly waiting: number;
}

/**
 * Stores the segments that PostgreSQL has put into the archive of a cluster, and then removes them there. Interrupted
 * anywhere, the next time continues: a segment that is stored already is only removed.
 */
@Injectable()
export class WalDrain {
  constructor(
    private readonly programs: BackupPrograms,
    private readonly blobs: BackupBlobs,
    private readonly archives: WalArchivesStore,
    private readonly locks: ClusterLocks,
    private readonly disks: ClusterDisks,
    private readonly clock: Clock,
  ) {}

  run(clusterId: string, signal?: AbortSignal): Promise<Drained> {
    return this.locks.run(clusterId, async () => {
      const known = new Map(
        (await this.archives.lastSegments(clusterId)).map(({ timeline, last }) => [timeline, last]),
      );
      let stored = false;
      for (let names: string[] = []; ;) {
        const batch = new Batch(known, (frames) => this.store(clusterId, frames));
        const waiting = await this.programs.require(clusterId, {
          script: WAL_OUT,
          arguments: names,
          output: (stdout) =>
            readFrames(stdout, {
              measured: (disk) => this.disks.measured(clusterId, disk),
              take: (frame) => batch.take(frame),
            }),
          ...(signal === undefined ? {} : { signal }),
        });
        await batch.flush();
        stored ||= batch.stored;
        names = batch.names;
        // The last round has removed what the rounds before it stored.
        if (names.length === 0) return { stored, waiting };
      }
    });
  }

  private async store(clusterId: string, frames: readonly WalFrame[]): Promise<void> {
    for (const range of rangesOf(frames, SEGMENTS_IN_BLOB)) {
      const { timeline, first, last } = range;
      const entries = frames
        .filter((frame) => frame.timeline === timeline && frame.number >= first && frame.number <= last)
        .map((frame) => ({ name: `pg_wal/${nameOfSegment(frame)}`, content: frame.content }));
      const content = await compress(tarOf(entries), { level: constants.Z_BEST_SPEED });
      await this.blobs.put(keyOfRange(clusterId, range), contentOf(content));
      await this.archives.addRange({ ...range, clusterId, bytes: content.length }, this.clock.now());
    }
  }
}

/** Collects the new segments of one run. */
class Batch {
  readonly names: string[] = [];
  stored = false;
  private held: WalFrame[] = [];

  constructor(
    private readonly known: Map<number, number>,
    private readonly store: (frames: readonly WalFrame[]) => Promise<void>,
  ) {}

  async take(frame: WalFrame): Promise<void> {
    this.names.push(nameOfSegment(frame));
    if (frame.number <= (this.known.get(frame.timeline) ?? -1)) return;
    this.known.set(frame.timeline, frame.number);
    this.held.push(frame);
    if (this.held.length >= SEGMENTS_IN_BLOB) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.held.length === 0) return;
    await this.store(this.held);
    this.stored = true;
    this.held = [];
  }
}
