import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Mount } from '../../../../platform/isolation/isolation-spec.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterPrograms } from './cluster-programs.js';
import { CLUSTER, SOCKETS } from './cluster-settings.js';

const KEPT_CHARACTERS = 2_000;
const WITHIN_MS = 300_000;
/** The end of the names of directories that are no longer clusters. */
export const REMOVED = '.removed';
/** A tenant may have removed the rights of directories. */
const REMOVE = `
chmod -R u+rwx ${CLUSTER} ${SOCKETS} 2>/dev/null
rm -rf ${CLUSTER}/* ${CLUSTER}/.[!.]* ${CLUSTER}/..?* ${SOCKETS}/* ${SOCKETS}/.[!.]* ${SOCKETS}/..?*
`;

/** Changes the files of clusters: from inside of an isolation, once a tenant's server has run on them. */
@Injectable()
export class ClusterFiles {
  constructor(
    private readonly home: ClusterHome,
    private readonly programs: ClusterPrograms,
  ) {}

  /** Runs lines of shell on the files of a cluster. @throws {Error} with what they printed when they fail. */
  async run(directory: string, script: string, mounts: readonly Mount[] = []): Promise<void> {
    let said = '';
    const program = await this.programs.launch({
      directory,
      mounts,
      command: () => ['/bin/sh', '-c', script],
      limits: { wallMs: WITHIN_MS },
      output: {
        line: (_stream, text) => {
          said = `${said}${text}\n`.slice(-KEPT_CHARACTERS);
        },
        bytes: 65_536,
      },
    });
    const { cause, exitStatus } = await program.exited;
    await program.gone;
    if (cause !== 'exit' || exitStatus !== 0)
      throw new Error(`The files of a database could not be changed (${cause}, ${exitStatus ?? 'none'}): ${said}`);
  }

  /** What a cluster has written. Only programs in isolation look into it. */
  filesOf(directory: string): string {
    return join(directory, 'files');
  }

  /** Copies a cluster that no tenant's server has run on, and waits until the copy is on the disk. */
  async copy(from: string, to: string): Promise<void> {
    const copy = promisify(execFile);
    await copy('cp', ['-a', '--reflink=auto', '--', from, to]);
    await copy('sync', ['-f', '--', to]);
  }

  /** Moves a directory, and waits until that is on the disk. @returns false when there is none. */
  async move(from: string, to: string): Promise<boolean> {
    try {
      await rename(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    const parent = await open(dirname(to));
    await parent.sync().finally(() => parent.close());
    return true;
  }

  /** Removes a cluster, or what is left of one. It is no cluster any longer as soon as this begins. */
  async remove(directory: string): Promise<void> {
    const removed = `${directory}${REMOVED}`;
    await this.clear(removed);
    if (await this.move(directory, removed)) await this.clear(removed);
  }

  /** Goes on with removing what a killed service was removing. */
  async goOnRemoving(removed: string): Promise<void> {
    await this.clear(removed);
  }

  /**
   * Removes what is there of a cluster that no tenant's server has run on. The program that was making it may outlive a
   * killed service; what it has made belongs to the service until it has ended, and so is not removed in isolation.
   */
  async removeUnused(directory: string): Promise<void> {
    const removed = directory.endsWith(REMOVED) ? directory : `${directory}${REMOVED}`;
    // A program that still writes there finds nothing by the former name.
    if (removed !== directory) await this.move(directory, removed);
    await rm(removed, { recursive: true, force: true, maxRetries: 10 });
  }

  private async clear(directory: string): Promise<void> {
    if (!existsSync(directory)) return;
    await this.home.makeDirectories(directory);
    await this.run(directory, REMOVE);
    await this.home.removeDirectories(directory);
  }
}
