import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Clock } from '../../../platform/time/clock.js';
import { type ClusterActivity, HostedEngine } from '../engine/hosted-engine.js';
import { type ClusterReport, ClustersStore } from '../persistence/clusters.store.js';
import { databaseActivitySchedule } from './host.job.js';

/** The time of the last activity is written this often while there is nothing else to write. */
const ACTIVE_EVERY_MS = 30_000;

interface Written {
  readonly report: ClusterReport;
  readonly atMs: number;
}

/** Writes to the rows of databases what has changed since it was last written. */
@Injectable()
@Handles(databaseActivitySchedule)
export class ActivityWriter implements ScheduleHandler {
  private readonly written = new Map<string, Written>();
  private isFirst = true;

  constructor(
    private readonly engine: HostedEngine,
    private readonly clusters: ClustersStore,
    private readonly clock: Clock,
  ) {}

  async run(): Promise<void> {
    const { hostId } = this.engine;
    if (hostId === undefined) return;
    // What a killed process has written is no longer true.
    if (this.isFirst) await this.clusters.allAsleep(hostId);
    this.isFirst = false;
    const reports = this.engine.activities.map((each) => this.reportOf(each)).filter((each) => this.isNews(each));
    await this.clusters.report(reports);
    for (const report of reports) this.written.set(report.clusterId, { report, atMs: performance.now() });
    for (const { clusterId, activity } of this.engine.activities) if (activity === 'asleep') this.forget(clusterId);
  }

  private reportOf({ clusterId, activity, connections, quietMs }: ClusterActivity): ClusterReport {
    return { clusterId, activity, connections, lastActiveAt: new Date(this.clock.now().getTime() - quietMs) };
  }

  private isNews({ clusterId, activity, connections }: ClusterReport): boolean {
    const last = this.written.get(clusterId);
    if (last?.report.activity !== activity || last.report.connections !== connections) return true;
    return activity === 'active' && performance.now() - last.atMs >= ACTIVE_EVERY_MS;
  }

  /** Only what was written as asleep may be forgotten. */
  private forget(clusterId: string): void {
    if (this.written.get(clusterId)?.report.activity !== 'asleep') return;
    this.written.delete(clusterId);
    this.engine.forget(clusterId);
  }
}
