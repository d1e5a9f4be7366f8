import { beNice, nicenessOf, setSessionNiceness } from '../cpu-share.js';
import { childOf, processStatus, sampleProcess, sampleTreeOfLate } from '../process-facts.js';
import { type GroupLimits, ResourceGroup, ResourceGroups, type Usage } from '../resource-group.js';

/**
 * Replaces cgroups where none can be written: RLIMIT_DATA and the denied fork limit a program, and sampling measures
 * it.
 */
export class NoCgroups extends ResourceGroups {
  readonly mode = 'rlimits';
  readonly countsProcesses = false;
  readonly countsSockets = false;

  constructor(private readonly weight: number) {
    super();
  }

  override async sweep(): Promise<void> {
    // Nothing survives the service here, because bubblewrap dies with it.
  }

  create({ processes, cpu }: GroupLimits): ResourceGroup {
    const niceness = nicenessOf(cpu, this.weight);
    return processes === 'any' ? new SampledTree(niceness) : new SampledProcess(niceness);
  }

  override async close(): Promise<void> {
    // Nothing is kept.
  }
}

const NOTHING = { cpuMs: 0, residentBytes: 0, tasks: 0, sessions: [] };

/**
 * Measures two processes: the program, which the filter prevents from forking, and bubblewrap's init. The program may
 * write to the memory of init and so could make it work on its behalf, but init has the same filter and the same
 * limits.
 */
class SampledProcess extends ResourceGroup {
  readonly entrances: readonly number[] = [];
  readonly limitsCpu = false;

  private initPid: number | null = null;
  private programPid: number | null = null;
  private cpuMs = 0;
  private memoryPeakBytes = 0;

  constructor(private readonly niceness: number) {
    super();
  }

  override enter(launcherPid: number): Promise<void> {
    beNice(launcherPid, this.niceness);
    return Promise.resolve();
  }

  override adopt(pid: number): Promise<void> {
    beNice(pid, this.niceness);
    return Promise.resolve();
  }

  contains(initPid: number): void {
    this.initPid = initPid;
    setSessionNiceness(initPid, this.niceness);
  }

  override closeEntrances(): void {
    // No descriptors were opened.
  }

  usage(): Usage {
    this.programPid ??= this.initPid === null ? null : childOf(this.initPid);
    const program = this.programPid === null ? null : sampleProcess(this.programPid);
    if (this.initPid === null || this.programPid === null || program === null)
      return this.last({ residentBytes: 0, tasks: 0 });

    const init = sampleProcess(this.initPid) ?? NOTHING;
    const highWater = /^(\d+) kB$/.exec(processStatus(this.programPid)?.VmHWM ?? '')?.[1];
    this.cpuMs = Math.max(this.cpuMs, program.cpuMs + init.cpuMs);
    this.memoryPeakBytes = Math.max(this.memoryPeakBytes, program.residentBytes, Number(highWater ?? 0) * 1024);
    return this.last({ residentBytes: program.residentBytes + init.residentBytes, tasks: program.tasks + init.tasks });
  }

  override ranOutOfMemory(): boolean {
    // Beyond RLIMIT_DATA the program is refused memory, not killed, and reports that itself.
    return false;
  }

  override kill(): void {
    // Killing bubblewrap's init, which the caller does anyway, kills the one process.
  }

  override async remove(): Promise<void> {
    // Nothing was created.
  }

  private last(watched: { residentBytes: number; tasks: number }): Usage {
    return { cpuMs: this.cpuMs, memoryPeakBytes: this.memoryPeakBytes, watched };
  }
}

/**
 * Measures a program that may start others by sampling all of them, which takes some milliseconds on a busy machine.
 */
class SampledTree extends ResourceGroup {
  readonly entrances: readonly number[] = [];
  readonly limitsCpu = false;

  private initPid: number | null = null;
  private cpuMs = 0;
  private memoryPeakBytes = 0;
  private niceSessions: readonly number[] = [];

  constructor(private readonly niceness: number) {
    super();
  }

  override enter(launcherPid: number): Promise<void> {
    beNice(launcherPid, this.niceness);
    return Promise.resolve();
  }

  override adopt(pid: number): Promise<void> {
    beNice(pid, this.niceness);
    return Promise.resolve();
  }

  contains(initPid: number): void {
    this.initPid = initPid;
  }

  override closeEntrances(): void {
    // No descriptors were opened.
  }

  usage(): Usage {
    const { cpuMs, residentBytes, tasks, sessions } = this.initPid === null ? NOTHING : sampleTreeOfLate(this.initPid);
    this.niceSessions = sessions.filter(
      (session) => this.niceSessions.includes(session) || setSessionNiceness(session, this.niceness),
    );
    this.cpuMs = Math.max(this.cpuMs, cpuMs);
    this.memoryPeakBytes = Math.max(this.memoryPeakBytes, residentBytes);
    return { cpuMs: this.cpuMs, memoryPeakBytes: this.memoryPeakBytes, watched: { residentBytes, tasks } };
  }

  override ranOutOfMemory(): boolean {
    // The kernel does not limit memory here; the watch outside ends the program.
    return false;
  }

  override kill(): void {
    // The first process of the namespace is killed anyway, and all others die with it.
  }

  override async remove(): Promise<void> {
    // Nothing was created.
  }
}
