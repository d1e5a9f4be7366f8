import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * `succeeded` is a status below 400, `failed` any other or none. `overlapped`: the last run was still active.
 * `missed`: the service was not running at that time. `no_production`: nothing was in production. `lost`: the process
 * that ran it ended.
 */
export const CRON_OUTCOMES = [
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'overlapped',
  'missed',
  'no_production',
  'lost',
] as const;
export type CronOutcome = (typeof CRON_OUTCOMES)[number];

/** One time of a cron, and what came of it. */
@Entity('cron_runs')
export class CronRun {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'cron_id' }) cronId!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('timestamptz', { name: 'scheduled_for' }) scheduledFor!: Date;
  @Column('timestamptz', { name: 'started_at' }) startedAt!: Date;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt!: Date | null;
  @Column('text') outcome!: CronOutcome;
  /** The HTTP status of the answer, if there was one. */
  @Column('int', { nullable: true }) status!: number | null;

  /** True for a run that a person began, and false for a time of the schedule. */
  @Column('boolean', { name: 'is_manual', default: false }) isManual!: boolean;
  /** Set until the request of a manual run is sent. */
  @Column('timestamptz', { name: 'requested_at', nullable: true }) requestedAt!: Date | null;

  /** Returns a run that a person asks for. Only `running` is not over yet. */
  static requested(
    cron: { readonly id: string; readonly orgId: string },
    outcome: 'running' | 'overlapped',
    { id, at }: { id: string; at: Date },
  ): CronRun {
    const run = CronRun.at({ ...cron, nextAt: at }, outcome, { id, at });
    run.isManual = true;
    run.requestedAt = outcome === 'running' ? at : null;
    return run;
  }

  /** Returns a run of the time that the cron is due. Only `running` is not over yet. */
  static at(
    { id: cronId, orgId, nextAt }: { readonly id: string; readonly orgId: string; readonly nextAt: Date },
    outcome: CronOutcome,
    { id, at }: { id: string; at: Date },
  ): CronRun {
    return Object.assign(new CronRun(), {
      id,
      cronId,
      orgId,
      scheduledFor: nextAt,
      startedAt: at,
      finishedAt: outcome === 'running' ? null : at,
      outcome,
      status: null,
      isManual: false,
      requestedAt: null,
    });
  }
}
