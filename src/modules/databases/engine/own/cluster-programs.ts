import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../../platform/isolation/isolation.js';
import type { IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { IsolationDidNotStart, type Mount } from '../../../../platform/isolation/isolation-spec.js';
import type { LaunchLimits, LaunchOutput, LaunchSpec } from '../../../../platform/isolation/launch-spec.js';
import { Log } from '../../../../platform/logging/log.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { ClusterHome } from './cluster-home.js';
import { CLUSTER, SETTINGS, SOCKETS } from './cluster-settings.js';
import { type Installation, PostgresInstallation } from './postgres-installation.js';

const MEBIBYTE = 1_048_576;
const LIMITS: LaunchLimits = {
  memoryBytes: 256 * MEBIBYTE,
  tasks: 64,
  openFiles: 4_096,
  // PostgreSQL divides tables into files of 1 GiB.
  fileBytes: 2_048 * MEBIBYTE,
  scratchBytes: 16 * MEBIBYTE,
  wallMs: null,
  cpuMs: null,
};
/** The shell, and the programs that copy files. */
const TOOLS = ['/usr/bin', '/bin'];

const START_ATTEMPTS = 3;
const START_AGAIN_MS = 200;

export interface ProgramSpec {
  /** The directory of the cluster, with `files`, `run` and `settings`. */
  readonly directory: string;
  readonly command: (installation: Installation) => readonly string[];
  readonly limits?: Partial<LaunchLimits>;
  readonly output: LaunchOutput;
  /** Further files that the program reads. */
  readonly mounts?: readonly Mount[];
  readonly stdin?: Buffer;
  /** True when standard input continues with `IsolatedProgram.stdin` or `send`. */
  readonly sendsMore?: boolean;
}

/**
 * Runs programs that see one cluster and nothing else. They have no network, and only the files of their cluster to
 * write to.
 */
@Injectable()
export class ClusterPrograms {
  constructor(
    private readonly isolation: Isolation,
    private readonly home: ClusterHome,
    private readonly postgres: PostgresInstallation,
    private readonly log: Log,
  ) {}

  /** Returns what this machine lacks, each as the thing to install or set. */
  missing(): string[] {
    return this.isolation.missing();
  }

  installation(): Promise<Installation> {
    return this.postgres.open(this.home.path);
  }

  /**
   * Starts a program, and tries again when its isolation does not start: the kernel may refuse it for a moment.
   * @throws {DatabaseUnavailable} when it still does not start.
   */
  async launch(spec: ProgramSpec): Promise<IsolatedProgram> {
    const missing = this.missing();
    if (missing.length > 0)
      throw new DatabaseUnavailable('This machine cannot run databases.', { cause: new Error(missing.join(', ')) });
    const launch = this.launchOf(spec, await this.installation());
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.isolation.launch(launch);
      } catch (error) {
        if (!(error instanceof IsolationDidNotStart)) throw error;
        this.log.warn({ error, attempt }, 'The isolation of a database did not start.');
        if (attempt === START_ATTEMPTS)
          throw new DatabaseUnavailable('This machine could not isolate the database.', { cause: error });
      }
      await sleep(attempt * START_AGAIN_MS);
    }
  }

  private launchOf(spec: ProgramSpec, installation: Installation): LaunchSpec {
    const { directory, command, limits, output, mounts = [], stdin, sendsMore } = spec;
    return {
      command: command(installation),
      mounts: [
        ...installation.mounts,
        ...TOOLS.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
        { from: this.home.usersFile, to: '/etc/passwd' },
        { from: join(directory, 'settings'), to: SETTINGS },
        ...mounts,
      ],
      writable: [
        { from: join(directory, 'files'), to: CLUSTER },
        { from: join(directory, 'run'), to: SOCKETS },
      ],
      links: [
        { to: `${CLUSTER}/data`, at: '/data' },
        { to: `${CLUSTER}/archive`, at: '/archive' },
      ],
      directory: '/tmp',
      environment: { PATH: `${installation.bin}:/usr/bin:/bin`, LC_ALL: 'C', TZ: 'UTC', HOME: '/tmp' },
      network: 'none',
      sharedMemory: true,
      user: this.isolation.keptUser(),
      limits: { ...LIMITS, ...limits },
      output,
      ...(stdin === undefined ? {} : { stdin }),
      ...(sendsMore === undefined ? {} : { sendsMore }),
    };
  }
}
