import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { HostedRuntime } from '../../src/modules/sandbox/runtime/host/hosted-runtime.js';
import { ownCgroups } from '../../src/platform/isolation/cgroups/own-cgroups.js';

/** An ordinary user can run two of the four modes; the others need root. */
export const AS_ROOT = process.getuid?.() === 0;

const ORDINARY_UID = 61_000;
const SOURCE = join(__dirname, '../../src/modules/sandbox/runtime/host/sandbox-host.process.ts');
const HOOK = join(__dirname, '../support/typescript-hook.cjs');

export const LIMITS = { memoryBytes: 256 * 1024 * 1024, timeoutMs: 10_000, outputBytes: 1024 * 1024 };

export interface Mode {
  readonly name: string;
  readonly user: 'root' | 'ordinary';
  readonly cgroups: 'auto' | 'off';
  readonly forkServer: 'auto' | 'off';
}

/** With forks everywhere. What starts sandboxes by themselves, as all JavaScript does, is the same for all users. */
export const MODES: readonly Mode[] = [
  { name: 'as root, with cgroups', user: 'root', cgroups: 'auto', forkServer: 'auto' },
  { name: 'as root, without cgroups', user: 'root', cgroups: 'off', forkServer: 'auto' },
  { name: 'as an ordinary user, with cgroups', user: 'ordinary', cgroups: 'auto', forkServer: 'auto' },
  { name: 'as an ordinary user, without cgroups', user: 'ordinary', cgroups: 'off', forkServer: 'auto' },
  { name: 'as root, with cgroups, without forks', user: 'root', cgroups: 'auto', forkServer: 'off' },
  { name: 'as an ordinary user, without cgroups and forks', user: 'ordinary', cgroups: 'off', forkServer: 'off' },
];

export interface OpenMode {
  readonly runtime: HostedRuntime;
  /** What the probe must say; undefined where the machine decides. */
  readonly expectedMode: string | undefined;
  readonly close: () => Promise<void>;
}

/** How a process starts as the user and with the cgroups of the mode. */
export function beginIn(mode: Mode): {
  readonly execPath?: string;
  readonly execArguments: string[];
  readonly expectedMode: string | undefined;
  readonly release: () => Promise<void>;
} {
  const delegated = mode.user === 'ordinary' && mode.cgroups === 'auto' && AS_ROOT ? delegateCgroups() : [];
  return {
    ...starter(mode, delegated),
    expectedMode: mode.cgroups === 'off' ? 'rlimits' : delegated.length > 0 ? 'cgroup-v1' : undefined,
    release: async () => {
      for (const path of delegated) await removeOnceEmpty(path);
    },
  };
}

/** The sandbox in a process of its own, as the user and with the cgroups of the mode. */
export function openMode(mode: Mode, poolSize = 1): OpenMode {
  const { expectedMode, release, ...start } = beginIn(mode);
  const runtime = new HostedRuntime({
    isolation: { cgroups: mode.cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' },
    runtime: { concurrency: 2, limits: LIMITS, poolSize, forkServer: mode.forkServer },
    start: { program: SOURCE, ...start },
  });
  return {
    runtime,
    expectedMode,
    close: async () => {
      await runtime.close();
      await release();
    },
  };
}

/** Root gives up its rights on the way, after it has entered the cgroups, as systemd does for a service. */
function starter({ user }: Mode, delegated: readonly string[]): { execPath?: string; execArguments: string[] } {
  if (user === 'root' || !AS_ROOT) return { execArguments: ['--require', HOOK] };
  const script = [
    ...delegated.map((path) => `echo $$ > '${path}/cgroup.procs'`),
    `exec setpriv --reuid ${ORDINARY_UID} --regid ${ORDINARY_UID} --clear-groups "$@"`,
  ].join('\n');
  return { execPath: '/bin/sh', execArguments: ['-c', script, 'sh', process.execPath, '--require', HOOK] };
}

/** What was inside has been killed; the kernel takes a moment to let it go, and longer on a busy machine. */
async function removeOnceEmpty(path: string, withinMs = 5_000): Promise<void> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      rmdirSync(path);
      return;
    } catch (error) {
      if (performance.now() > until) {
        const inside = readdirSync(path, { recursive: true })
          .filter((name) => String(name).endsWith('cgroup.procs'))
          .map(
            (name) =>
              `${String(name)}: ${readFileSync(join(path, String(name)), 'utf8')
                .split('\n')
                .join(' ')}`,
          );
        throw new Error(`${path} still holds ${inside.join('; ')}`, { cause: error });
      }
    }
    await sleep(20);
  }
}

/** Several processes may begin in one mode. */
let delegations = 0;

/** Cgroups of version 1 that belong to the ordinary user; none where this machine has others. */
function delegateCgroups(): string[] {
  const { v1 } = ownCgroups();
  const parents = ['memory', 'pids', 'cpuacct'].map((controller) => v1(controller));
  if (!parents.every((path) => path !== null && existsSync(path))) return [];
  delegations += 1;
  return parents.map((parent) => {
    const path = join(parent!, `abuse-${process.pid}-${delegations}`);
    mkdirSync(path);
    for (const file of ['', 'cgroup.procs']) chownSync(join(path, file), ORDINARY_UID, ORDINARY_UID);
    return path;
  });
}
