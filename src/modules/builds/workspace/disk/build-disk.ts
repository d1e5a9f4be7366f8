/** The maximum number of files of a build. */
export const MOST_FILES = 1_000_000;

export const MEBIBYTE = 1024 * 1024;

/** `build` means that the build exceeded its limit, `machine` that the disk of this machine is nearly full. */
export type DiskProblem = 'build' | 'machine';

/** The files of one build, and a watch on how much they take. */
export abstract class BuildDisk {
  /** The parent of the build's directories. The host creates them, and the build owns what is in them. */
  abstract readonly directory: string;
  /** True when writes beyond the limit fail, so that ENOSPC means that the limit is reached. */
  abstract readonly isFixed: boolean;

  /** Checks the disk now. Call it when a program has ended, because the periodic check may be too late. */
  abstract look(): Promise<void>;

  /** Call this when all programs of the build have ended. */
  abstract close(): Promise<void>;
}

export interface DiskUse {
  readonly bytes: number;
  readonly files: number;
}

export interface WatchedBuild {
  /** A directory of the host for this build alone, which no program of it can change. */
  readonly job: string;
  readonly limitBytes: number;
  /**
   * Counts all files of the build while it is frozen. Null when something could not be counted.
   */
  readonly count: () => Promise<DiskUse | null>;
  readonly exceeded: (problem: DiskProblem) => void;
}
