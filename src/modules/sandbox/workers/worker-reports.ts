import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { Clock } from '../../../platform/time/clock.js';
import type { SandboxReadiness } from '../domain/sandbox-runtime.js';

const KEY = 'sandbox:workers';
/** A worker without a report for this long counts as gone. A worker that is merely busy still reports. */
const STALE_MS = 15_000;

export interface WorkerReport {
  readonly reportedAtMs: number;
  readonly readiness: SandboxReadiness;
  /** The number of concurrent runs. */
  readonly slots: number;
  /** The moving average of recent runs of all kinds. */
  readonly averageRunMs: number;
}

/** Keeps the reports of the sandbox workers in Redis, so that API processes without a sandbox can read them. */
@Injectable()
export class WorkerReports {
  constructor(
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {}

  async put(workerId: string, facts: Omit<WorkerReport, 'reportedAtMs'>): Promise<void> {
    const report: WorkerReport = { reportedAtMs: this.clock.now().getTime(), ...facts };
    await this.redis.producer().hset(KEY, workerId, JSON.stringify(report));
  }

  async remove(workerId: string): Promise<void> {
    await this.redis.producer().hdel(KEY, workerId);
  }

  /** Returns the reports of live workers and deletes the reports of dead ones. */
  async all(): Promise<WorkerReport[]> {
    const nowMs = this.clock.now().getTime();
    const entries = Object.entries(await this.redis.producer().hgetall(KEY)).map(([workerId, text]) => ({
      workerId,
      report: JSON.parse(text) as WorkerReport,
    }));
    const dead = entries.filter(({ report }) => report.reportedAtMs + STALE_MS < nowMs);
    if (dead.length > 0) await this.redis.producer().hdel(KEY, ...dead.map(({ workerId }) => workerId));
    return entries.filter((entry) => !dead.includes(entry)).map(({ report }) => report);
  }
}
