import { type LaunchEndCause, type LaunchLimits } from './launch-spec.js';
import { type ResourceGroup } from './resource-group.js';

/** To look at every process of a build costs some milliseconds where no cgroup counts for us. */
const INTERVAL_MS = 50;

/** Looks from outside at what a launched program uses and calls out, once, when it passes a limit. */
export class LaunchWatch {
  private readonly timer: NodeJS.Timeout | null;
  private sampler: NodeJS.Timeout | undefined;
  private isOver = false;

  constructor(private readonly group: ResourceGroup, private readonly limits: LaunchLimits, private readonly onBreach: (cause: LaunchEndCause) => void) {
    this.timer = limits.wallMs === null ? null : setTimeout(() => { this.breach('wall_time'); }, limits.wallMs);
    this.resume();
  }

  /** While nothing inside runs there is nothing new to see; its time still runs. */
  pause(): void {
    clearInterval(this.sampler);
    this.sampler = undefined;
  }

  resume(): void {
    if (!this.isOver) this.sampler ??= setInterval(() => { this.look(); }, INTERVAL_MS);
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
  }

  private breach(cause: LaunchEndCause): void {
    this.stop();
    this.onBreach(cause);
  }
}
