import { accessSync, constants } from 'node:fs';

import { type GroupLimits, ResourceGroup, ResourceGroups, type Usage } from '../resource-group.js';
import { CgroupDirectory, nextName, sweepDirectories } from './cgroup-files.js';
import { type OwnCgroups } from './own-cgroups.js';

const CONTROLLERS = ['memory', 'pids', 'cpuacct'] as const;
type Places = Readonly<Record<(typeof CONTROLLERS)[number], string>>;

/** As many as are in use at a time on most machines. */
const MOST_SPARE = 16;
/** File pages that a program was the first to touch stay charged to its cgroup: too many, and it is not used again. */
const CLEAN_BYTES = 4 * 1024 * 1024;
/** bubblewrap's init stays behind as a zombie, and is counted, until process 1 of the machine collects it. */
const MOST_ZOMBIES = 4;

/**
 * Version 1: one hierarchy per controller, so a sandbox enters three cgroups. To make and remove them takes an eighth of
 * the processor time of a short run, so those that are empty and clean are used again; no program can see its cgroup.
 */
export class CgroupsV1 extends ResourceGroups {
  readonly mode = 'cgroup-v1';

  private readonly spare: CgroupV1[] = [];
  private isClosed = false;

  private constructor(private readonly places: Places) {
    super();
  }

  /** Null where a controller is missing or not ours to write. */
  static find(own: OwnCgroups): CgroupsV1 | null {
    const [memory, pids, cpuacct] = CONTROLLERS.map((controller) => writable(own.v1(controller)));
    if (memory == null || pids == null || cpuacct == null) return null;
    return new CgroupsV1({ memory, pids, cpuacct });
  }

  async sweep(): Promise<void> {
    // Controllers may share one hierarchy (cpu and cpuacct often do), which is then swept once.
    await Promise.all([...new Set(Object.values(this.places))].map(sweepDirectories));
  }

  create(limits: GroupLimits): ResourceGroup {
    const place = this.spare.findIndex((group) => group.has(limits));
    const [again] = place < 0 ? [] : this.spare.splice(place, 1);
    if (again === undefined) return this.make(limits);
    again.openEntrances();
    return again;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.spare.splice(0).map((group) => group.dissolve()));
  }

  private make(limits: GroupLimits): ResourceGroup {
    const name = nextName();
    const made: CgroupDirectory[] = [];
    try {
      for (const controller of CONTROLLERS) made.push(CgroupDirectory.make(this.places[controller], name));
      const [memory, pids, cpu] = made as [CgroupDirectory, CgroupDirectory, CgroupDirectory];
      memory.write('memory.limit_in_bytes', limits.memoryBytes);
      // Without swap accounting the file is missing; the probe's machine then has no bound on swap, as v1 offers none.
      memory.tryWrite('memory.memsw.limit_in_bytes', limits.memoryBytes);
      pids.write('pids.max', limits.tasks);
      return new CgroupV1({ memory, pids, cpu, limits }, (group) => this.takeBack(group));
    } catch (error) {
      for (const directory of made) void directory.remove();
      throw error;
    }
  }

  private async takeBack(group: CgroupV1): Promise<void> {
    const isClean = await group.clean();
    if (isClean && !this.isClosed && this.spare.length < MOST_SPARE) this.spare.push(group);
    else await group.dissolve();
  }
}

interface CgroupV1Parts {
  readonly memory: CgroupDirectory;
  readonly pids: CgroupDirectory;
  readonly cpu: CgroupDirectory;
  readonly limits: GroupLimits;
}

class CgroupV1 extends ResourceGroup {
  constructor(private readonly parts: CgroupV1Parts, private readonly onEnd: (group: CgroupV1) => Promise<void>) {
    super();
  }

  get entrances(): readonly number[] {
    return this.directories.map(({ procs }) => procs);
  }

  override contains(): void {
    // The kernel knows who is inside.
  }

  closeEntrances(): void {
    for (const directory of this.directories) directory.closeEntrance();
  }

  openEntrances(): void {
    for (const directory of this.directories) directory.openEntrance();
  }

  has({ memoryBytes, tasks }: GroupLimits): boolean {
    return this.parts.limits.memoryBytes === memoryBytes && this.parts.limits.tasks === tasks;
  }

  usage(): Usage {
    return {
      cpuMs: this.parts.cpu.number('cpuacct.usage') / 1e6,
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

  /** Empties it, and says whether nothing of its last sandbox would be counted against the next. */
  async clean(): Promise<boolean> {
    const { memory, pids } = this.parts;
    this.closeEntrances();
    const isEmpty = await pids.empty();
    return isEmpty && !this.ranOutOfMemory() && pids.number('pids.current') <= MOST_ZOMBIES
      && memory.number('memory.usage_in_bytes') < CLEAN_BYTES && memory.tryWrite('memory.max_usage_in_bytes', 0);
  }

  async dissolve(): Promise<void> {
    await Promise.all(this.directories.map((directory) => directory.remove()));
  }

  async remove(): Promise<void> {
    await this.onEnd(this);
  }

  private get directories(): readonly CgroupDirectory[] {
    return [this.parts.memory, this.parts.pids, this.parts.cpu];
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
