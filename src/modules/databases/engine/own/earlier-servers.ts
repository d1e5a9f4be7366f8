import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ClusterHome } from './cluster-home.js';

const KILL_AFTER_MS = 1_000;
const GIVE_UP_AFTER_MS = 15_000;
const LOOK_MS = 50;

/**
 * Waits for servers of a killed service. They die with it, but not at the same moment, and two servers must never run
 * on the same data. A server is known by its working directory, because process ids are reused.
 */
@Injectable()
export class EarlierServers {
  constructor(private readonly home: ClusterHome) {}

  /** @throws {Error} when one does not end. */
  async end(): Promise<void> {
    const directories = new Set(this.dataDirectories());
    const beganAtMs = performance.now();
    for (let left = processesIn(directories); left.length > 0; left = processesIn(directories)) {
      const waitedMs = performance.now() - beganAtMs;
      if (waitedMs > GIVE_UP_AFTER_MS) throw new Error('Servers of databases of an earlier start do not end.');
      if (waitedMs > KILL_AFTER_MS) for (const pid of left) kill(pid);
      await sleep(LOOK_MS);
    }
  }

  /** Nothing is opened or followed: a cluster may have put anything there. */
  private dataDirectories(): string[] {
    return readdirSync(this.home.clusters).flatMap((name) => {
      const found = lstatSync(join(this.home.clusters, name, 'files', 'data'), { throwIfNoEntry: false });
      return found === undefined ? [] : [`${found.dev}:${found.ino}`];
    });
  }
}

function processesIn(directories: ReadonlySet<string>): number[] {
  if (directories.size === 0) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const { dev, ino } = statSync(`/proc/${pid}/cwd`);
        return directories.has(`${dev}:${ino}`);
      } catch {
        // It has ended, or it belongs to another user.
        return false;
      }
    });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
