import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { withLock } from './directory-lock.js';
import { fetchPackage, PackageNotFetched, type PinnedPackage } from './fetch-package.js';
import { FETCHED_RELEASES, type NodeRelease } from './node-releases.js';

const UNFINISHED = 'fetching-';

export interface NodeProgramsOptions {
  /** The directory of fetched programs. */
  readonly directory: string;
  readonly releases?: Readonly<Record<string, NodeRelease>>;
}

/** A release for the processor of this machine. */
type PinnedRelease = Omit<PinnedPackage, 'name'>;

/** A version of Node is not available. The message is for users of the service and says what they can do. */
export class NodeUnavailable extends Error {
  override readonly name = 'NodeUnavailable';
}

/**
 * The versions of Node on this machine by release line (`22`): the one that the service runs on, and those that are
 * fetched from the npm registry on first use, checked against a pinned hash, and kept.
 */
export class NodePrograms {
  private readonly fetches = new Map<string, Promise<void>>();
  private readonly releases: Readonly<Record<string, NodeRelease>>;

  constructor(private readonly options: NodeProgramsOptions) {
    this.releases = options.releases ?? FETCHED_RELEASES;
  }

  /** The release lines that are available here, the newest first. */
  get lines(): string[] {
    return [
      ...new Set([ownLine(), ...Object.keys(this.releases).filter((line) => this.releaseOf(line) !== undefined)]),
    ].sort((a, b) => Number(b) - Number(a));
  }

  /**
   * Returns the path of a program that other users may read and run. `report` receives a line when it must be fetched
   * first.
   * @throws {NodeUnavailable}
   */
  async program(line: string, report: (text: string) => void): Promise<string> {
    if (line === ownLine()) return ownNodeProgram();
    const release = this.releaseOf(line);
    if (release === undefined) {
      throw new NodeUnavailable(`Node ${line} is not offered here. Choose one of: ${this.lines.join(', ')}.`);
    }
    const program = join(this.options.directory, `node-v${release.version}-linux-${process.arch}`);
    if (!existsSync(program)) {
      report(`Fetching Node ${release.version} …`);
      await this.fetchOnce(release, program);
      report(`Node ${release.version} was fetched and is kept for the next time.`);
    }
    return program;
  }

  private releaseOf(line: string): PinnedRelease | undefined {
    const release = Object.hasOwn(this.releases, line) ? this.releases[line] : undefined;
    const integrity = release?.integrity[process.arch];
    return release === undefined || integrity === undefined ? undefined : { version: release.version, integrity };
  }

  private async fetchOnce(release: PinnedRelease, program: string): Promise<void> {
    const fetching = this.fetches.get(program) ?? this.fetch(release, program);
    this.fetches.set(program, fetching);
    try {
      await fetching;
    } finally {
      this.fetches.delete(program);
    }
  }

  private async fetch({ version, integrity }: PinnedRelease, program: string): Promise<void> {
    try {
      mkdirSync(this.options.directory, { recursive: true });
      chmodSync(this.options.directory, 0o755);
      await withLock(this.options.directory, async () => {
        // Another process may have been faster.
        if (!existsSync(program))
          await this.fetchTo(program, { name: `node-linux-${process.arch}`, version, integrity });
      });
    } catch (error) {
      const reason = error instanceof PackageNotFetched ? error.message : 'it could not be stored on this machine';
      throw new NodeUnavailable(
        `Node ${version} could not be fetched: ${reason}. ` +
          `Try again later, or choose Node ${ownLine()}, which is installed.`,
        { cause: error },
      );
    }
  }

  private async fetchTo(program: string, pinned: PinnedPackage): Promise<void> {
    await this.removeUnfinished();
    const scratch = await mkdtemp(join(this.options.directory, UNFINISHED));
    try {
      await fetchPackage(pinned, scratch);
      const fetched = join(scratch, 'node_modules', pinned.name, 'bin/node');
      const file = await open(fetched, 'r');
      await file.chmod(0o755);
      await file.sync();
      await file.close();
      await rename(fetched, program);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  /** Removes what killed processes have left. The lock ensures that no other process is fetching. */
  private async removeUnfinished(): Promise<void> {
    const left = (await readdir(this.options.directory)).filter((name) => name.startsWith(UNFINISHED));
    await Promise.all(left.map((name) => rm(join(this.options.directory, name), { recursive: true, force: true })));
  }
}

const ownLine = (): string => process.versions.node.split('.')[0]!;

/** Returns the pinned Node, even when another Node of the same line runs the service. */
export function ownNodeProgram(): string {
  try {
    const manifest = createRequire(__filename).resolve(`node-linux-${process.arch}/package.json`);
    const { version } = createRequire(__filename)(manifest) as { version: string };
    const program = join(dirname(manifest), 'bin/node');
    return version.startsWith(`${ownLine()}.`) && existsSync(program) ? program : process.execPath;
  } catch {
    return process.execPath;
  }
}
