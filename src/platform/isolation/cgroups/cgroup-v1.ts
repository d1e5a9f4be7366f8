import { accessSync, constants, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ALL_ISOLATED_WEIGHT, beNice, nicenessOf, quotaOf, sharesOf } from '../cpu-share.js';
import { type GroupLimits, ResourceGroup, ResourceGroups, type Usage } from '../resource-group.js';
import { CgroupDirectory, nextName, removeShared, sharedName, sweepDirectories } from './cgroup-files.js';
import { type OwnCgroups } from './own-cgroups.js';

const CONTROLLERS = ['memory', 'pids', 'cpuacct'] as const;
type Places = Readonly<Record<(typeof CONTROLLERS)[number], string>> & {
  /**
   * The group of all isolated programs. It is null where the controller is missing or not writable; niceness then
   * replaces it.
   */
  readonly cpu: string | null;
};

/** Limits the buffers of internet sockets. A kernel can be built without it. */
const SOCKET_LIMIT = 'memory.kmem.tcp.limit_in_bytes';
const SOCKET_USAGE = 'memory.kmem.tcp.usage_in_bytes';
/** They may use this part of the memory limit, in addition to it. */
const SOCKET_PART = 4;

/** Most machines have at most this many in use at a time. */
const MOST_SPARE = 16;
/**
 * Page cache that a program touched first stays charged to its cgroup. With more than this, the cgroup is not reused.
 */
const CLEAN_BYTES = 4 * 1024 * 1024;
/** bubblewrap's init remains as a zombie, and is counted, until process 1 of the machine reaps it. */
const MOST_ZOMBIES = 4;

/**
 * Version 1 has one hierarchy per controller, so a program enters three cgroups. Creating and removing them takes an
 * eighth of the processor time of a short run, so empty and clean ones are reused. No program can see its cgroup.
 */
export class CgroupsV1 extends ResourceGroups {
  readonly mode = 'cgroup-v1';
  readonly countsProcesses = true;
  readonly countsSockets: boolean;

  private readonly spare: CgroupV1[] = [];
  private isClosed = false;

  private constructor(
    private readonly places: Places,
    private readonly weight: number,
  ) {
    super();
    this.countsSockets = existsSync(join(places.memory, SOCKET_LIMIT));
  }

  /** Returns null where a controller is missing or not writable. */
  static find(own: OwnCgroups, weight = ALL_ISOLATED_WEIGHT): CgroupsV1 | null {
    const [memory, pids, cpuacct] = CONTROLLERS.map((controller) => writable(own.v1(controller)));
    if (memory == null || pids == null || cpuacct == null) return null;
    const cpu = writable(own.v1('cpu'));
    const shared = cpu === null ? null : join(cpu, sharedName(weight));
    return new CgroupsV1({ memory, pids, cpuacct: cpu === cpuacct ? shared! : cpuacct, cpu: shared }, weight);
  }

  async sweep(): Promise<void> {
    // Controllers may share one hierarchy (cpu and cpuacct often do), which is then swept once.
    const places = Object.values(this.places).filter((place) => place !== null);
    await Promise.all([...new Set(places)].map(sweepDirectories));
  }

  create(limits: GroupLimits): ResourceGroup {
    const place = this.spare.findIndex((group) => group.has(limits));
    const [again] = place < 0 ? [] : this.spare.splice(place, 1);
    if (again === undefined) return this.make(limits);
    again.beginAgain();
    return again;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.spare.splice(0).map((group) => group.dissolve()));
    if (this.places.cpu !== null) removeShared(this.places.cpu);
  }

  private make(limits: GroupLimits): ResourceGroup {
    const name = nextName();
    const made: CgroupDirectory[] = [];
    const make = (place: string): CgroupDirectory => {
      const directory = place === this.places.cpu ? this.makeShared(place, name) : CgroupDirectory.make(place, name);
      made.push(directory);
      return directory;
    };
    try {
      const [memory, pids, cpuacct] = CONTROLLERS.map((controller) => make(this.places[controller])) as MadeDirectories;
      memory.write('memory.limit_in_bytes', limits.memoryBytes);
      // Without swap accounting the file is missing. Such a machine has no limit on swap, because version 1 offers no
      // other.
      memory.tryWrite('memory.memsw.limit_in_bytes', limits.memoryBytes);
      // Version 1 counts them apart.
      memory.tryWrite(SOCKET_LIMIT, Math.floor(limits.memoryBytes / SOCKET_PART));
      pids.write('pids.max', limits.tasks);
      const cpu = this.isCpuWithAccounting ? cpuacct : this.places.cpu === null ? null : make(this.places.cpu);
      cpu?.write('cpu.shares', sharesOf(limits.cpu));
      // A kernel without bandwidth control lacks the file.
      const limitsCpu = cpu?.tryWrite('cpu.cfs_quota_us', quotaOf(limits.cpu)) ?? false;
      return new CgroupV1(
        { memory, pids, cpuacct, cpu, limits, limitsCpu, niceness: nicenessOf(limits.cpu, this.weight) },
        (group) => this.takeBack(group),
      );
    } catch (error) {
      for (const directory of made) void directory.remove();
      throw error;
    }
  }

  /** Many systems mount both controllers as one hierarchy, in which a process can be in one group only. */
  private get isCpuWithAccounting(): boolean {
    return this.places.cpu === this.places.cpuacct;
  }

  private makeShared(shared: string, name: string): CgroupDirectory {
    return CgroupDirectory.makeWithin(shared, name, () => {
      writeFileSync(join(shared, 'cpu.shares'), String(sharesOf({ weight: this.weight })));
    });
  }

  private async takeBack(group: CgroupV1): Promise<void> {
    const isClean = await group.clean();
    if (isClean && !this.isClosed && this.spare.length < MOST_SPARE) this.spare.push(group);
    else await group.dissolve();
  }
}

type MadeDirectories = [CgroupDirectory, CgroupDirectory, CgroupDirectory];

interface CgroupV1Parts {
  readonly memory: CgroupDirectory;
  readonly pids: CgroupDirectory;
  readonly cpuacct: CgroupDirectory;
  /** The same as `cpuacct` where both share one hierarchy; null where niceness replaces it. */
  readonly cpu: CgroupDirectory | null;
  readonly limits: GroupLimits;
  readonly limitsCpu: boolean;
  /** Used where the cpu controller is missing. */
  readonly niceness: number;
}

class CgroupV1 extends ResourceGroup {
  /** What earlier programs have used. */
  private cpuMsBefore = 0;

  constructor(
    private readonly parts: CgroupV1Parts,
    private readonly onEnd: (group: CgroupV1) => Promise<void>,
  ) {
    super();
    if (!this.entersCpuByItself) parts.cpu?.closeEntrance();
  }

  get entrances(): readonly number[] {
    return this.enteredByLauncher.map(({ procs }) => procs);
  }

  get limitsCpu(): boolean {
    return this.parts.limitsCpu;
  }

  /** The launcher's shell has descriptors for three hierarchies, so it is moved into the fourth one from outside. */
  override async enter(launcherPid: number): Promise<void> {
    const { cpu, niceness } = this.parts;
    if (cpu === null) beNice(launcherPid, niceness);
    else if (!this.entersCpuByItself) await cpu.adopt(launcherPid);
  }

  override async adopt(pid: number): Promise<void> {
    await Promise.all(this.directories.map((directory) => directory.adopt(pid)));
  }

  override contains(): void {
    // The kernel knows the members.
  }

  closeEntrances(): void {
    for (const directory of this.enteredByLauncher) directory.closeEntrance();
  }

  /** Makes it ready for another program, which is not charged for the ones before. */
  beginAgain(): void {
    this.cpuMsBefore = this.cpuMs;
    for (const directory of this.enteredByLauncher) directory.openEntrance();
  }

  has({ memoryBytes, tasks, cpu }: GroupLimits): boolean {
    const { limits } = this.parts;
    return (
      limits.memoryBytes === memoryBytes &&
      limits.tasks === tasks &&
      limits.cpu.weight === cpu.weight &&
      limits.cpu.maxPercent === cpu.maxPercent
    );
  }

  usage(): Usage {
    return {
      cpuMs: this.cpuMs - this.cpuMsBefore,
      memoryPeakBytes: this.parts.memory.number('memory.max_usage_in_bytes'),
      watched: null,
    };
  }

  ranOutOfMemory(): boolean {
    return this.parts.memory.entry('memory.oom_control', 'oom_kill') > 0;
  }

  kill(): void {
    this.parts.pids.killMembers();
  }

  /** Empties the cgroup. Returns true when nothing of its last program would be charged to the next one. */
  async clean(): Promise<boolean> {
    const { memory, pids } = this.parts;
    this.closeEntrances();
    const isEmpty = await pids.empty();
    return (
      isEmpty &&
      !this.ranOutOfMemory() &&
      pids.number('pids.current') <= MOST_ZOMBIES &&
      memory.number('memory.usage_in_bytes') < CLEAN_BYTES &&
      // The kernel closes the connections of a network some time after its last process.
      memory.number(SOCKET_USAGE) === 0 &&
      memory.tryWrite('memory.max_usage_in_bytes', 0)
    );
  }

  async dissolve(): Promise<void> {
    await Promise.all(this.directories.map((directory) => directory.remove()));
  }

  async remove(): Promise<void> {
    await this.onEnd(this);
  }

  private get cpuMs(): number {
    return this.parts.cpuacct.number('cpuacct.usage') / 1e6;
  }

  private get directories(): readonly CgroupDirectory[] {
    const { cpu } = this.parts;
    return cpu === null || this.entersCpuByItself ? this.enteredByLauncher : [...this.enteredByLauncher, cpu];
  }

  private get enteredByLauncher(): readonly CgroupDirectory[] {
    return [this.parts.memory, this.parts.pids, this.parts.cpuacct];
  }

  private get entersCpuByItself(): boolean {
    return this.parts.cpu === this.parts.cpuacct;
  }
}

function writable(path: string | null): string | null {
  if (path === null) return null;
  try {
    accessSync(path, constants.W_OK);
    return path;
  } catch {
    return null;
  }
}
