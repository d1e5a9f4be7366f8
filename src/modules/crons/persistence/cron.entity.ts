import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { CronExpression } from '../../../platform/time/cron-expression.js';
import { WallClock } from '../../../platform/time/wall-clock.js';

export type CronSource = 'api' | 'file';

/** The fields of a cron that people choose. They are valid by the rules of `cron-rules.ts`. */
export interface CronFields {
  readonly path: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly enabled: boolean;
}

/** A request to the production deploy of a project at times of a schedule. */
@Entity('project_crons')
export class Cron {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  /** `file` is kept equal to the file of the production deploy. */
  @Column('text') source!: CronSource;
  @Column('text') path!: string;
  @Column('text') schedule!: string;
  @Column('text', { name: 'time_zone' }) timeZone!: string;
  @Column('boolean') enabled!: boolean;
  @Column('timestamptz', { name: 'next_at' }) nextAt!: Date;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;

  static create(
    facts: CronFields & Pick<Cron, 'orgId' | 'projectId' | 'source'>,
    { id, at }: { id: string; at: Date },
  ): Cron {
    const cron = Object.assign(new Cron(), { ...facts, id, createdAt: at, updatedAt: at });
    cron.nextAt = cron.timeAfter(at);
    return cron;
  }

  /** Times that passed while the cron was disabled or had another schedule are not made up for. */
  change(fields: Partial<CronFields>, at: Date): void {
    Object.assign(this, fields, { updatedAt: at });
    this.nextAt = this.timeAfter(at);
  }

  timeAfter(at: Date): Date {
    const clock = WallClock.in(this.timeZone);
    assert(clock !== undefined, `${this.id} has an unknown time zone.`);
    const next = CronExpression.parse(this.schedule).next(at, clock);
    assert(next !== undefined, `${this.id} has a schedule without a next time.`);
    return next;
  }

  /** Returns the next times, as many as given. */
  timesAfter(at: Date, count: number): Date[] {
    const times: Date[] = [];
    for (let last = at; times.length < count; times.push(last)) last = this.timeAfter(last);
    return times;
  }
}
