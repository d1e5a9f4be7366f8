import assert from 'node:assert';
import { closeSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { tryLockFile } from '../../../../platform/accounts/file-lock.js';
import { Config } from '../../../../platform/config/config.js';
import { Ids } from '../../../../platform/ids/ids.js';
import { Isolation } from '../../../../platform/isolation/isolation.js';
import { DATABASE_HOST_ID } from '../../databases.ids.js';
import { DatabasesHome } from '../../home/databases-home.js';

/** The user inside of an isolation. `initdb` asks for its name. */
const USERS = 'postgres:x:1000:1000::/:/bin/sh\n';
const HOST = /^dbh_[0-9a-z]{26}$/;
const CLUSTER = /^clu_[0-9a-z]{26}$/;

interface OpenHome {
  readonly path: string;
  readonly hostId: string;
  readonly lock: number;
}

/**
 * The directory of all clusters of this host. What a cluster writes is below two directories of each, `files` and
 * `run`; everything else belongs to the service. The service never opens what is in those two.
 */
@Injectable()
export class ClusterHome {
  private opened: OpenHome | undefined;
  private opening: Promise<string> | undefined;

  constructor(
    private readonly home: DatabasesHome,
    private readonly isolation: Isolation,
    private readonly config: Config,
    private readonly ids: Ids,
  ) {}

  /** Returns the id of this host. @throws {Error} when another service keeps databases in it. */
  async open(): Promise<string> {
    this.opening ??= this.openOnce().finally(() => {
      this.opening = undefined;
    });
    return this.opened?.hostId ?? (await this.opening);
  }

  close(): void {
    if (this.opened !== undefined) closeSync(this.opened.lock);
    this.opened = undefined;
  }

  get path(): string {
    assert(this.opened !== undefined, 'the home of databases is not open');
    return this.opened.path;
  }

  /** The id of this host. It is kept with the data. */
  get hostId(): string | undefined {
    return this.opened?.hostId;
  }

  get usersFile(): string {
    return join(this.path, 'passwd');
  }

  get templates(): string {
    return join(this.path, 'templates');
  }

  get spares(): string {
    return join(this.path, 'spares');
  }

  get clusters(): string {
    return join(this.path, 'clusters');
  }

  directoryOf(clusterId: string): string {
    assert(CLUSTER.test(clusterId), 'not the id of a cluster');
    return join(this.clusters, clusterId);
  }

  /** Makes the directories of a cluster, whose files are those of the kept user. */
  async makeDirectories(directory: string): Promise<void> {
    const user = this.isolation.keptUser();
    await makeReadable(directory);
    await makeReadable(join(directory, 'settings'));
    for (const name of ['files', 'run']) {
      await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
      // An earlier attempt may have ended between the two. Nothing inside can replace the directory itself.
      await user.own(join(directory, name));
    }
  }

  /** Removes the directories of a cluster, after what it has written has been removed in isolation. */
  async removeDirectories(directory: string): Promise<void> {
    for (const name of ['files', 'run']) await rmdir(join(directory, name)).catch(ignoreMissing);
    await rm(directory, { recursive: true, force: true });
  }

  private async openOnce(): Promise<string> {
    if (this.opened !== undefined) return this.opened.hostId;
    const path = this.home.open();
    const lock = await tryLockFile(join(path, 'service.lock'));
    if (lock === undefined) throw new Error(`Another service keeps databases in ${path}.`);
    try {
      for (const name of ['clusters', 'spares', 'templates']) await makeReadable(join(path, name));
      await writeFile(join(path, 'passwd'), USERS, { mode: 0o644 });
      this.opened = { path, hostId: await this.hostIdIn(path), lock };
      return this.opened.hostId;
    } catch (error) {
      closeSync(lock);
      throw error;
    }
  }

  private async hostIdIn(path: string): Promise<string> {
    const file = join(path, 'host.id');
    const known = await readFile(file, 'utf8').catch(() => '');
    if (HOST.test(known.trim())) return known.trim();
    // After the whole service was restored, the databases in its backup are those of this host.
    const restored = await readFile(join(this.config.dataDir, 'databases.host-id'), 'utf8').catch(() => '');
    const id = HOST.test(restored.trim()) ? restored.trim() : this.ids.next(DATABASE_HOST_ID);
    await writeWhole(file, `${id}\n`);
    return id;
  }
}

/** Writes a file of the service: all of it or nothing. */
export async function writeWhole(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  await writeFile(`${path}.new`, text, { mode: 0o644, flush: true });
  await rename(`${path}.new`, path);
}

/** The home is closed to other users, so what is in it need not be. */
async function makeReadable(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
