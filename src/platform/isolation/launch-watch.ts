import { type LaunchEndCause, type LaunchLimits } from './launch-spec.js';
import { type ResourceGroup } from './resource-group.js';

/** To look at every process of a build costs some milliseconds where no cgroup counts for us. */
const INTERVAL_MS = 50;

/** Looks from outside at what a launched program uses and calls out, once, when it passes a limit. */
export class LaunchWatch {
  private readonly timer: NodeJS.Timeout | null;
  private readonly sampler: NodeJS.Timeout;

  constructor(private readonly group: ResourceGroup, private readonly limits: LaunchLimits, private readonly onBreach: (cause: LaunchEndCause) => void) {
    this.timer = limits.wallMs === null ? null : setTimeout(() => { this.breach('wall_time'); }, limits.wallMs);
    this.sampler = setInterval(() => { this.look(); }, INTERVAL_MS);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    clearInterval(this.sampler);
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
