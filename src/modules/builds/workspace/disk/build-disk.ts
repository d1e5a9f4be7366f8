/** What a build's files may come to. */
export const MOST_FILES = 1_000_000;

export const MEBIBYTE = 1024 * 1024;

/** `build`: it wrote more than it may. `machine`: the disk of this machine has no room left for it. */
export type DiskProblem = 'build' | 'machine';

/** The files of one build, and a watch on how much they take. */
export abstract class BuildDisk {
  /** Where the build's directories are to be made. The host makes them; whatever is in them is the build's. */
  abstract readonly directory: string;
  /** Whether a write beyond the limit fails: then a program that met ENOSPC has met the limit. */
  abstract readonly isFixed: boolean;

  /** Looks now; the watch looks by itself as well. To be called when a program has ended. */
  abstract look(): Promise<void>;

  /** To be called when no program of the build runs any more. */
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
   * Counts everything that the build has on the disk while it stands still; null when something could not be counted.
   */
  readonly count: () => Promise<DiskUse | null>;
  readonly exceeded: (problem: DiskProblem) => void;
}
