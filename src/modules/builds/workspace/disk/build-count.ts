import { stat } from 'node:fs/promises';

import { type IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { type Mount } from '../../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../../platform/isolation/isolation.js';
import { type LentUser } from '../../../../platform/isolation/launch-spec.js';
import { type BuildLimits } from '../../build-request.js';
import { type Toolchain } from '../toolchain.js';
import { type DiskUse, MEBIBYTE, MOST_FILES } from './build-disk.js';
import { heldBytes } from './held-files.js';

const COUNT_WALL_MS = 60_000;
/** Node has about a dozen threads. */
const COUNT_TASKS = 32;
const ATTEMPTS = 2;

export interface CountParts {
  readonly isolation: Isolation;
  readonly toolchain: Toolchain;
  readonly user: LentUser;
  readonly limits: BuildLimits;
  readonly job: string;
  /** The directories that the build can write, mounted where the counter sees them. */
  readonly places: readonly Mount[];
}

/**
 * Counts the files of a build while its program is frozen. A program in isolation walks the directories, because no
 * process of the host enters directories that a build can write. Null when something could not be counted.
 */
export async function countBuild(parts: CountParts, program: IsolatedProgram | null): Promise<DiskUse | null> {
  await program?.freeze();
  try {
    const named = await countNamed(parts);
    if (named === null || program === null || !program.isAlive) return named;
    const held = await heldBytes(program.initPid, (await stat(parts.job)).dev);
    return held === null ? null : { ...named, bytes: named.bytes + held };
  } finally {
    program?.thaw();
  }
}

/** The machine may be out of processes for a moment, so that a single failure is retried. */
async function countNamed(parts: CountParts): Promise<DiskUse | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const said = await measure(parts).catch(() => '');
    if (said !== '') return useOf(said);
  }
  return null;
}

async function measure({ isolation, toolchain, user, limits, places }: CountParts): Promise<string> {
  const lines: string[] = [];
  const counter = await isolation.launch({
    command: [
      '/opt/node/bin/node',
      '/opt/inside/measure.cjs',
      String(limits.diskBytes),
      String(MOST_FILES),
      ...places.map(({ to }) => to),
    ],
    mounts: [...(await toolchain.ownNode()), await toolchain.ownProgram('measure.cjs'), ...places],
    writable: [],
    directory: '/',
    environment: {},
    network: 'none',
    user,
    limits: {
      // The limit of tasks may apply to the user, whose processes of the build count as well.
      memoryBytes: 512 * MEBIBYTE,
      tasks: limits.tasks + COUNT_TASKS,
      cpuMs: COUNT_WALL_MS,
      wallMs: COUNT_WALL_MS,
      openFiles: 1024,
      fileBytes: 0,
      scratchBytes: MEBIBYTE,
    },
    output: {
      line: (stream, text) => {
        if (stream === 'stdout') lines.push(text);
      },
      bytes: 10_000,
    },
  });
  await counter.gone;
  return lines[0] ?? '';
}

function useOf(said: string): DiskUse | null {
  const { bytes, files, uncounted } = JSON.parse(said) as DiskUse & { uncounted: number };
  return uncounted > 0 ? null : { bytes, files };
}
