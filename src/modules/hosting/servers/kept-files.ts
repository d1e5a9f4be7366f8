import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../hosting.settings.js';

const MEBIBYTE = 1_048_576;
/** Nothing is kept on a disk with less than this. */
const LEAST_FREE_BYTES = 1_024 * MEBIBYTE;
/** Trees of deploys, beside which these files are, have a dot and a hash in this place. */
const KEPT = '.kept.';
const ID = /^[a-z0-9_]+$/;
const UNFINISHED = '.unfinished-';
/** Nothing takes this long to keep, so that its process was killed. */
const ABANDONED_AFTER_MS = 3_600_000;

interface KeptFile {
  readonly path: string;
  readonly orgId: string;
  readonly bytes: number;
  readonly atMs: number;
}

/**
 * What servers have written to their directories, for their next start on this machine: an archive for each deploy,
 * which only the server of the same deploy ever opens, inside of its isolation. The directory of trees holds them, so
 * that they are removed with the tree. When there is no room, those that were kept first go.
 */
@Injectable()
export class KeptFiles {
  /** For the deploys of one organization together, and for those of all. */
  protected readonly most = { ofOrg: 256 * MEBIBYTE, ofAll: 2_048 * MEBIBYTE };
  private saving: Promise<unknown> = Promise.resolve();

  constructor(private readonly settings: HostingSettings) {}

  /** Returns the path of the archive of a deploy, or null when nothing is kept. */
  async of(deployId: string, orgId: string): Promise<string | null> {
    const path = this.pathOf(deployId, orgId);
    if (path === null) return null;
    return lstat(path).then(
      (found) => (found.isFile() ? path : null),
      () => null,
    );
  }

  /** Replaces the archive of a deploy. Without content, or without room, nothing is kept. */
  async keep(deployId: string, orgId: string, archive: AsyncIterable<Buffer>): Promise<void> {
    const path = this.pathOf(deployId, orgId);
    if (path === null) return;
    await mkdir(this.settings.serversDirectory, { recursive: true, mode: 0o755 });
    const unfinished = `${path}${UNFINISHED}${randomBytes(6).toString('hex')}`;
    try {
      // It is opened first: a stream that opens it could do so after an archive broke off and the file was removed.
      const file = await open(unfinished, 'wx', 0o644);
      await pipeline(archive, file.createWriteStream());
      // The user of the next server has to be able to read it, whatever the mask of this process is.
      await chmod(unfinished, 0o644);
      const { size, mtimeMs } = await lstat(unfinished);
      await this.removeBegunBefore(mtimeMs - ABANDONED_AFTER_MS);
      // One after the other, so that two do not take the same room.
      const making = this.saving.then(() => this.makeRoom(path, orgId, size));
      this.saving = making.catch(() => undefined);
      if (size === 0 || !(await making)) await rm(path, { force: true });
      else await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  private pathOf(deployId: string, orgId: string): string | null {
    if (!ID.test(deployId) || !ID.test(orgId)) return null;
    return join(this.settings.serversDirectory, `${deployId}${KEPT}${orgId}`);
  }

  /** Removes the oldest archives until this one has room. Returns false when the disk has none. */
  private async makeRoom(path: string, orgId: string, bytes: number): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.settings.serversDirectory);
    if (bavail * bsize < LEAST_FREE_BYTES) return false;
    const others = (await this.all()).filter((file) => file.path !== path);
    const removed = new Set<string>();
    const fit = async (files: readonly KeptFile[], limit: number): Promise<void> => {
      let sum = bytes + files.reduce((total, file) => total + file.bytes, 0);
      for (const file of files) {
        if (sum <= limit) return;
        await rm(file.path, { force: true });
        removed.add(file.path);
        sum -= file.bytes;
      }
    };
    await fit(
      others.filter((file) => file.orgId === orgId),
      this.most.ofOrg,
    );
    await fit(
      others.filter((file) => !removed.has(file.path)),
      this.most.ofAll,
    );
    return true;
  }

  private async removeBegunBefore(atMs: number): Promise<void> {
    for (const name of await readdir(this.settings.serversDirectory)) {
      if (!name.includes(KEPT) || !name.includes(UNFINISHED)) continue;
      const path = join(this.settings.serversDirectory, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats !== undefined && stats.mtimeMs < atMs) await rm(path, { force: true });
    }
  }

  /** All archives, oldest first. */
  private async all(): Promise<KeptFile[]> {
    const found: KeptFile[] = [];
    for (const name of await readdir(this.settings.serversDirectory)) {
      const orgId = name.split(KEPT)[1];
      if (orgId === undefined || !ID.test(orgId)) continue;
      const path = join(this.settings.serversDirectory, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.isFile() === true) found.push({ path, orgId, bytes: stats.size, atMs: stats.mtimeMs });
    }
    return found.sort((one, other) => one.atMs - other.atMs);
  }
}
