import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { BuildDisk, MEBIBYTE, MOST_FILES, type WatchedBuild } from './build-disk.js';
import { DiskTimer } from './disk-timer.js';
import { hasRoom } from './machine-room.js';

const IMAGE = 'disk.img';
const MOUNT = 'disk';
/** The size of an inode of ext4. */
const INODE_BYTES = 256;
/** Packages are many small files. With a limit of 8 GiB a build has room for a million files. */
const BYTES_PER_FILE = 8_192;
/**
 * The file system is a little larger than the limit, so that the check can distinguish a build that exceeded the limit
 * from one that came close.
 */
const SLACK_SHARE = 1.02;
const SLACK_BYTES = 32 * MEBIBYTE;
/** Nothing on this disk outlives the build, so it needs no journal, no flushes and no work in the background. */
const FORMAT = ['-q', '-F', '-m', '0', '-O', '^has_journal', '-E', 'lazy_itable_init=1,nodiscard'];
const MOUNT_OPTIONS = 'loop,nosuid,nodev,noatime,nobarrier,noinit_itable';

/**
 * A file system of its own in a sparse file. Whatever a build writes can never exceed that file, including deleted
 * files that it holds open and directories that it locks. It needs root, loop devices and e2fsprogs.
 */
export class FixedDisk extends BuildDisk {
  readonly isFixed = true;
  private readonly timer = new DiskTimer(() => this.check());
  private readonly emptyBlocks: Promise<number>;

  private constructor(
    readonly directory: string,
    private readonly build: WatchedBuild,
    private readonly closed: () => void,
  ) {
    super();
    this.emptyBlocks = statfs(directory).then(({ blocks, bfree }) => blocks - bfree);
    this.emptyBlocks.catch(() => undefined);
  }

  /**
   * `spare` is a file of {@link format} for the same limit, which then belongs to this disk. `closed` is called when
   * the disk is unmounted.
   *
   * @throws {Error} with the message of the system when the disk cannot be created. Nothing is left then.
   */
  static async open(
    build: WatchedBuild,
    { spare = null, closed = () => undefined }: { spare?: string | null; closed?: () => void } = {},
  ): Promise<FixedDisk> {
    const [image, directory] = [join(build.job, IMAGE), join(build.job, MOUNT)];
    try {
      if (spare === null) await FixedDisk.format(image, build.limitBytes);
      else await rename(spare, image);
      await mkdir(directory, { mode: 0o711 });
      await run('mount', ['-t', 'ext4', '-o', MOUNT_OPTIONS, image, directory]);
      await chmod(directory, 0o711);
      return new FixedDisk(directory, build, closed);
    } catch (error) {
      await FixedDisk.release(build.job);
      await rm(image, { force: true });
      throw error;
    }
  }

  /** Writes an empty file system for a build with this limit into a new file. */
  static async format(image: string, limitBytes: number): Promise<void> {
    const files = Math.min(MOST_FILES, Math.max(1_024, Math.ceil(limitBytes / BYTES_PER_FILE)));
    const size = Math.ceil(limitBytes * SLACK_SHARE) + SLACK_BYTES + files * INODE_BYTES;
    const file = await open(image, 'wx', 0o600);
    await file.truncate(size).finally(() => file.close());
    await run('mkfs.ext4', [...FORMAT, '-N', String(files), image]);
  }

  /**
   * Unmounts the disk in a job's directory, also one that an ended process has left. This frees the loop device.
   */
  static async release(job: string): Promise<void> {
    const directory = join(job, MOUNT);
    if (!(await isMountPoint(directory))) return;
    // A program that is ending may hold the disk for a moment. The lazy unmount puts it out of reach at once.
    await run('umount', [directory]).catch(() => run('umount', ['--lazy', directory]));
  }

  look(): Promise<void> {
    return this.timer.look();
  }

  async close(): Promise<void> {
    await this.timer.stop();
    await FixedDisk.release(this.build.job);
    this.closed();
  }

  private async check(): Promise<void> {
    const { bsize, blocks, bfree, ffree } = await statfs(this.directory);
    const bytes = (blocks - bfree - (await this.emptyBlocks)) * bsize;
    if (bytes > this.build.limitBytes || ffree === 0) this.build.exceeded('build');
    else if (!(await hasRoom(this.build.job))) this.build.exceeded('machine');
  }
}

async function isMountPoint(directory: string): Promise<boolean> {
  const [own, above] = await Promise.all([directory, dirname(directory)].map((path) => stat(path).catch(() => null)));
  return own != null && own.dev !== above?.dev;
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    cwd: '/',
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (status !== 0) throw new Error(`${program}: ${said.trim().split('\n')[0] ?? ''} (status ${status ?? 'none'})`);
}
