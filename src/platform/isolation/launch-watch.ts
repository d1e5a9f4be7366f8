import { CpuAllowance } from './cpu-allowance.js';
import { type LaunchEndCause, type LaunchLimits } from './launch-spec.js';
import { type ResourceGroup } from './resource-group.js';

/** Sampling every process of a build costs some milliseconds where there is no cgroup. */
const INTERVAL_MS = 50;

export interface WatchEvents {
  /** Called once, for the first limit that is exceeded. */
  readonly onBreach: (cause: LaunchEndCause) => void;
  /** Called with true to stop a program that has used its share of the processors, and with false to continue it. */
  readonly onHold: (isHeld: boolean) => void;
}

/**
 * Watches from outside what a launched program uses, keeps it within its share, and ends it when it exceeds a limit.
 */
export class LaunchWatch {
  private readonly allowance: CpuAllowance | null;
  private isHeld = false;
  private readonly timer: NodeJS.Timeout | null;
  private sampler: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(
    private readonly group: ResourceGroup,
    private readonly limits: LaunchLimits,
    private readonly events: WatchEvents,
  ) {
    const maxPercent = limits.cpu?.maxPercent;
    this.allowance = group.limitsCpu || maxPercent === undefined ? null : new CpuAllowance(maxPercent);
    this.timer =
      limits.wallMs === null
        ? null
        : setTimeout(() => {
            this.breach('wall_time');
          }, limits.wallMs);
    this.resume();
  }

  /** While nothing inside runs, sampling is useless; the wall time still counts. */
  pause(): void {
    clearInterval(this.sampler);
    this.sampler = undefined;
  }

  resume(): void {
    if (!this.isOver)
      this.sampler ??= setInterval(() => {
        this.look();
      }, INTERVAL_MS);
  }

  stop(): void {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.pause();
  }

  private look(): void {
    const { cpuMs, watched } = this.group.usage();
    if (this.limits.cpuMs !== null && cpuMs > this.limits.cpuMs) this.breach('cpu_time');
    else if (watched !== null && watched.residentBytes > this.limits.memoryBytes) this.breach('memory');
    else if (watched !== null && watched.tasks > this.limits.tasks) this.breach('tasks');
    else if (this.allowance !== null) this.hold(this.allowance.isSpent(cpuMs, performance.now()));
  }

  private hold(isHeld: boolean): void {
    // The call is repeated, because processes that were started since the last sample must be stopped too.
    if (isHeld || this.isHeld) this.events.onHold(isHeld);
    this.isHeld = isHeld;
  }

  private breach(cause: LaunchEndCause): void {
    this.stop();
    this.events.onBreach(cause);
  }
}
