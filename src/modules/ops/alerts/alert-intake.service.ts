import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { Runbooks } from '../manifest/runbooks.js';
import { UNTAGGED } from '../domain/ops-task-status.js';
import { TASK_EVENT_ID, TASK_ID } from '../ops.ids.js';
import { OpsMetrics } from '../metrics/ops.metrics.js';
import { type EndRow, type FiringRow, OpsAlertsStore, type TouchedTask } from '../persistence/ops-alerts.store.js';
import { GenericPayloadInvalid, readReports, type Rejection, type Report, type Reports } from './report.js';

/** The result of one body of alerts. */
export interface Intake {
  readonly received: number;
  readonly created: number;
  /** The number of existing tasks that were updated. */
  readonly updated: number;
  readonly resolved: number;
  /** The number of resolutions without a task, and of faults whose resolution arrived first. */
  readonly ignored: number;
  readonly rejected: readonly Rejection[];
  readonly tasks: readonly TouchedTask[];
}

/** Creates tasks from alerts (service document §4). */
@Injectable()
export class AlertIntakeService {
  constructor(
    private readonly database: Database,
    private readonly alerts: OpsAlertsStore,
    private readonly runbooks: Runbooks,
    private readonly metrics: OpsMetrics,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores all reports of a body, or none while the database is unavailable, so that the sender retries.
   *
   * @throws {RequestInvalid} `invalid_request` for a generic payload. Invalid alerts within a group are reported one by
   * one in the result.
   */
  async take(body: Readonly<Record<string, unknown>>): Promise<Intake> {
    const now = this.clock.now();
    const { reports, rejected } = this.read(body, now);
    const touched = await this.database.transaction(() => this.store(reports, now));
    const resolved = touched.filter(({ status }) => status === 'resolved').length;
    const created = touched.filter((task) => task.created).length;
    const intake = {
      received: reports.length + rejected.length,
      created,
      updated: touched.length - resolved - created,
      resolved,
      ignored: reports.length - touched.length,
      rejected,
      tasks: touched,
    };
    this.metrics.taken(intake);
    return intake;
  }

  private read(body: Readonly<Record<string, unknown>>, now: Date): Reports {
    try {
      return readReports(body, now);
    } catch (error) {
      if (!(error instanceof GenericPayloadInvalid)) throw error;
      throw new RequestInvalid([{ path: error.path, in: 'body', code: 'invalid', message: error.message }]);
    }
  }

  /**
   * Stores the reports in rounds, because one statement can touch a task only once. One round is nearly always enough.
   */
  private async store(reports: readonly Report[], now: Date): Promise<TouchedTask[]> {
    await this.alerts.lock();
    const touched: TouchedTask[] = [];
    for (let rest = reports; rest.length > 0;) {
      const seen = new Set<string>();
      const round = rest.filter(({ dedupKey }) => !seen.has(dedupKey) && seen.add(dedupKey));
      const inRound = new Set(round);
      rest = rest.filter((report) => !inRound.has(report));
      touched.push(
        ...(await this.alerts.fire(
          round.filter(({ status }) => status === 'firing').map((report) => this.firing(report)),
          now,
        )),
        ...(await this.alerts.end(
          round.filter(({ status }) => status === 'resolved').map((report) => this.ending(report, now)),
          now,
        )),
      );
    }
    return touched;
  }

  private firing(report: Report): FiringRow {
    const { dedupKey, title, severity, source, description, url, labels, annotations, startsAt } = report;
    const runbookTag = report.runbookTag ?? this.runbooks.tagOf(labels['alertname']) ?? UNTAGGED;
    const ids = { id: this.ids.next(TASK_ID), eventId: this.ids.next(TASK_EVENT_ID) };
    return { ...ids, dedupKey, title, runbookTag, severity, source, description, url, labels, annotations, startsAt };
  }

  private ending({ dedupKey, endsAt }: Report, now: Date): EndRow {
    return { dedupKey, endsAt: endsAt ?? now, eventId: this.ids.next(TASK_EVENT_ID) };
  }
}
