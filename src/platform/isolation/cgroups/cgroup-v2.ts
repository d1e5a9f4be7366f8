import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_ISOLATED_WEIGHT, beNice, maxOf, nicenessOf } from '../cpu-share.js';
import { type GroupLimits, ResourceGroup, ResourceGroups, type Usage } from '../resource-group.js';
import { CgroupDirectory, nextName, removeShared, sharedName, sweepDirectories } from './cgroup-files.js';
import { type OwnCgroups } from './own-cgroups.js';

const CONTROLLERS = ['memory', 'pids'] as const;
/** Where this controller is not delegated, niceness replaces it. */
const CPU = 'cpu';

/** The service itself moves into this leaf, because a v2 cgroup with members of its own cannot delegate controllers. */
const OWN_LEAF = 'service';

/**
 * Version 2 has one hierarchy. The service's own cgroup must be delegated to it, as systemd and container engines can.
 */
export class CgroupsV2 extends ResourceGroups {
  readonly mode = 'cgroup-v2';
  readonly countsProcesses = true;
  readonly countsSockets = true;

  private constructor(
    private readonly parent: string,
    private readonly weight: number,
  ) {
    super();
  }

  /** Returns null where the controllers are missing or the cgroup is not writable. */
  static find(own: OwnCgroups, weight = ALL_ISOLATED_WEIGHT): CgroupsV2 | null {
    if (own.unified === null) return null;
    // A service that was started again inside its own leaf finds itself there.
    const parent = own.unified.endsWith(`/${OWN_LEAF}`) ? join(own.unified, '..') : own.unified;
    return handsDownControllers(parent) ? new CgroupsV2(parent, weight) : null;
  }

  async sweep(): Promise<void> {
    // Older releases had their groups directly below the parent, without the shared one.
    await Promise.all([this.parent, this.shared].map(sweepDirectories));
  }

  create(limits: GroupLimits): ResourceGroup {
    const directory = CgroupDirectory.makeWithin(this.shared, nextName(), () => {
      prepareShared(this.shared, this.weight);
    });
    try {
      directory.write('memory.max', limits.memoryBytes);
      directory.tryWrite('memory.swap.max', 0);
      directory.tryWrite('memory.oom.group', 1);
      directory.write('pids.max', limits.tasks);
      const hasCpu =
        directory.tryWrite('cpu.weight', limits.cpu.weight) && directory.tryWrite('cpu.max', maxOf(limits.cpu));
      return new CgroupV2(directory, hasCpu ? null : nicenessOf(limits.cpu, this.weight));
    } catch (error) {
      void directory.remove();
      throw error;
    }
  }

  override close(): Promise<void> {
    removeShared(this.shared);
    return Promise.resolve();
  }

  private get shared(): string {
    return join(this.parent, sharedName(this.weight));
  }
}

class CgroupV2 extends ResourceGroup {
  /** `memory.peak` exists since Linux 5.19. Older kernels use the largest sample. */
  private largestSample = 0;

  /** @param niceness replaces a share of the processors; null where the group has the cpu controller. */
  constructor(
    private readonly directory: CgroupDirectory,
    private readonly niceness: number | null,
  ) {
    super();
  }

  get limitsCpu(): boolean {
    return this.niceness === null;
  }

  override enter(launcherPid: number): Promise<void> {
    if (this.niceness !== null) beNice(launcherPid, this.niceness);
    return Promise.resolve();
  }

  override async adopt(pid: number): Promise<void> {
    await this.directory.adopt(pid);
  }

  get entrances(): readonly number[] {
    return [this.directory.procs];
  }

  override contains(): void {
    // The kernel knows the members.
  }

  closeEntrances(): void {
    this.directory.closeEntrance();
  }

  usage(): Usage {
    this.largestSample = Math.max(this.largestSample, this.directory.number('memory.current'));
    return {
      cpuMs: this.directory.entry('cpu.stat', 'usage_usec') / 1e3,
      memoryPeakBytes: this.directory.number('memory.peak') || this.largestSample,
      watched: null,
    };
  }

  ranOutOfMemory(): boolean {
    return this.directory.entry('memory.events', 'oom_kill') > 0;
  }

  kill(): void {
    // `cgroup.kill` exists since Linux 5.14.
    if (!this.directory.tryWrite('cgroup.kill', 1)) this.directory.killMembers();
  }

  async remove(): Promise<void> {
    await this.directory.remove();
  }
}

function handsDownControllers(parent: string): boolean {
  try {
    const offered = words(join(parent, 'cgroup.controllers'));
    if (!CONTROLLERS.every((controller) => offered.includes(controller))) return false;

    handDown(parent, CONTROLLERS);
    if (offered.includes(CPU)) tryHandDown(parent, [CPU]);
    return true;
  } catch {
    return false;
  }
}

function prepareShared(shared: string, weight: number): void {
  handDown(shared, CONTROLLERS);
  if (!words(join(shared, 'cgroup.controllers')).includes(CPU)) return;
  tryHandDown(shared, [CPU]);
  writeFileSync(join(shared, 'cpu.weight'), String(weight));
}

/** The kernel refuses the cpu controller while real-time processes are outside of the root group. */
function tryHandDown(parent: string, controllers: readonly string[]): void {
  try {
    handDown(parent, controllers);
  } catch {
    // Niceness replaces the controller.
  }
}

function handDown(parent: string, controllers: readonly string[]): void {
  const control = join(parent, 'cgroup.subtree_control');
  const handedDown = words(control);
  if (controllers.every((controller) => handedDown.includes(controller))) return;

  const wanted = controllers.map((controller) => `+${controller}`).join(' ');
  try {
    writeFileSync(control, wanted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    moveMembers(parent, join(parent, OWN_LEAF));
    writeFileSync(control, wanted);
  }
}

function moveMembers(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const pid of words(join(from, 'cgroup.procs'))) writeFileSync(join(to, 'cgroup.procs'), pid);
}

function words(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split(/\s+/)
    .filter((word) => word !== '');
}
