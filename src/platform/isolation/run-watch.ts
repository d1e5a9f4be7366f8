import { type EndCause, type RunLimits, type StartLimits } from './isolation-spec.js';
import { scratchFilesOf } from './process-facts.js';
import { type ResourceGroup, type Usage } from './resource-group.js';

/** The interval is below half of the 50 ms within which a runaway must end. */
const INTERVAL_MS = 20;

/**
 * The resident size lags behind: RLIMIT_DATA first refuses memory to a program at its limit, which can then report it.
 */
const RESIDENT_GRACE_BYTES = 48 * 1024 * 1024;

export interface WatchedRun {
  readonly group: ResourceGroup;
  readonly initPid: number;
  readonly start: StartLimits;
  readonly run: RunLimits;
  /** What was used before the work was handed over. */
  readonly before: Usage;
}

/** Watches from outside what one run uses and calls `onBreach` once, when it exceeds a limit. */
export class RunWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly sampler: NodeJS.Timeout;
  private readonly directories: readonly string[];

  constructor(
    private readonly watched: WatchedRun,
    private readonly onBreach: (cause: EndCause) => void,
  ) {
    this.directories = ['/tmp', ...(watched.start.directories ?? []).map(({ to }) => to)];
    this.timer = setTimeout(() => {
      this.breach('wall_time');
    }, watched.run.wallMs);
    this.sampler = setInterval(() => {
      this.look();
    }, INTERVAL_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    clearInterval(this.sampler);
  }

  private look(): void {
    const cause = this.findBreach();
    if (cause !== null) this.breach(cause);
  }

  private findBreach(): EndCause | null {
    const { group, before, start, run, initPid } = this.watched;
    const usage = group.usage();
    if (usage.cpuMs - before.cpuMs > run.cpuMs) return 'cpu_time';
    if (usage.watched !== null) {
      if (usage.watched.residentBytes > start.memoryBytes + RESIDENT_GRACE_BYTES) return 'memory';
      if (usage.watched.tasks > start.tasks) return 'tasks';
    }
    // bubblewrap can limit the bytes of a tmpfs but not its files.
    return (scratchFilesOf(initPid, this.directories) ?? 0) > start.scratchFiles ? 'scratch_files' : null;
  }

  private breach(cause: EndCause): void {
    this.stop();
    this.onBreach(cause);
  }
}
