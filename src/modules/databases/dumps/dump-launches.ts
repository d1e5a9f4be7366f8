import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../platform/isolation/isolation.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import type { LaunchLimits, LaunchOutput } from '../../../platform/isolation/launch-spec.js';

/** The directory of the program inside of an isolation. */
const PLACE = '/opt/pg_dump';
const MEBIBYTE = 1_048_576;
/** It holds the definitions of a database, and one row at a time. */
export const MEMORY_MIB = 512;
const LIMITS: LaunchLimits = {
  memoryBytes: MEMORY_MIB * MEBIBYTE,
  tasks: 16,
  openFiles: 256,
  fileBytes: MEBIBYTE,
  scratchBytes: MEBIBYTE,
  wallMs: 10_000,
  cpuMs: null,
};

interface DumpLaunch {
  /** What {@link DumpLaunches.mountsOf} has returned, and further files that the program reads. */
  readonly mounts: readonly Mount[];
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly output: LaunchOutput;
  readonly wallMs?: number;
}

/**
 * Runs `pg_dump` in isolation, as what it reads was made by tenants: with a user of its own, no network and no files
 * but its own.
 */
@Injectable()
export class DumpLaunches {
  constructor(private readonly isolation: Isolation) {}

  /** Returns what this machine lacks, each as the thing to install or set. */
  missing(): string[] {
    return this.isolation.missing();
  }

  /** Returns the mounts of a `pg_dump`: itself, and the libraries beside it that are not those of the system. */
  async mountsOf(path: string): Promise<Mount[]> {
    const program = await realpath(path);
    const installation = dirname(dirname(program));
    const libraries = join(installation, 'lib');
    return [
      { from: await this.isolation.reachable(program), to: `${PLACE}/bin/pg_dump` },
      ...(installation !== '/usr' && existsSync(libraries)
        ? [{ from: await this.isolation.reachable(libraries), to: `${PLACE}/lib` }]
        : []),
    ];
  }

  /** @throws {IsolationDidNotStart} */
  launch({ mounts, environment, output, wallMs, ...launch }: DumpLaunch): Promise<IsolatedProgram> {
    return this.isolation.launch({
      command: [`${PLACE}/bin/pg_dump`, ...launch.arguments],
      mounts,
      writable: [],
      directory: '/tmp',
      environment: { LC_ALL: 'C', HOME: '/tmp', LD_LIBRARY_PATH: `${PLACE}/lib`, ...environment },
      network: 'none',
      limits: { ...LIMITS, ...(wallMs === undefined ? {} : { wallMs }) },
      output,
    });
  }
}
