import { accessSync, constants } from 'node:fs';

import { type GroupLimits, ResourceGroup, ResourceGroups, type Usage } from '../resource-group.js';
import { CgroupDirectory, nextName, sweepDirectories } from './cgroup-files.js';
import { type OwnCgroups } from './own-cgroups.js';

const CONTROLLERS = ['memory', 'pids', 'cpuacct'] as const;
type Places = Readonly<Record<(typeof CONTROLLERS)[number], string>>;

/** Version 1: one hierarchy per controller, so a sandbox enters three cgroups. */
export class CgroupsV1 extends ResourceGroups {
  readonly mode = 'cgroup-v1';

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
    const name = nextName();
    const made: CgroupDirectory[] = [];
    try {
      for (const controller of CONTROLLERS) made.push(CgroupDirectory.make(this.places[controller], name));
      const [memory, pids, cpu] = made as [CgroupDirectory, CgroupDirectory, CgroupDirectory];
      memory.write('memory.limit_in_bytes', limits.memoryBytes);
      // Without swap accounting the file is missing; the probe's machine then has no bound on swap, as v1 offers none.
      memory.tryWrite('memory.memsw.limit_in_bytes', limits.memoryBytes);
      pids.write('pids.max', limits.tasks);
      return new CgroupV1(memory, pids, cpu);
    } catch (error) {
      for (const directory of made) void directory.remove();
      throw error;
    }
  }
}

class CgroupV1 extends ResourceGroup {
  constructor(
    private readonly memory: CgroupDirectory,
    private readonly pids: CgroupDirectory,
    private readonly cpu: CgroupDirectory,
  ) {
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

  usage(): Usage {
    return {
      cpuMs: this.cpu.number('cpuacct.usage') / 1e6,
      memoryPeakBytes: this.memory.number('memory.max_usage_in_bytes'),
      watched: null,
    };
  }

  ranOutOfMemory(): boolean {
    return this.memory.entry('memory.oom_control', 'oom_kill') > 0;
  }

  kill(): void {
    this.pids.killMembers();
  }

  async remove(): Promise<void> {
    await Promise.all(this.directories.map((directory) => directory.remove()));
  }

  private get directories(): readonly CgroupDirectory[] {
    return [this.memory, this.pids, this.cpu];
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
