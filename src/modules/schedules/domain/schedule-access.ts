import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Schedule, ScheduleWithLastFire } from '../persistence/schedule-rows.js';
import { SchedulesStore } from '../persistence/schedules.store.js';
import { ScheduleNotFound } from '../schedules.errors.js';

/** Finds the schedules that callers address, checks their permissions, and records what they do. */
@Injectable()
export class ScheduleAccess {
  constructor(
    private readonly schedules: SchedulesStore,
    private readonly orgs: OrgDirectory,
  ) {}

  /**
   * @throws {ScheduleNotFound} `schedule_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string, scope: Scope): Promise<ScheduleWithLastFire> {
    const schedule = await this.schedules.find(principal.lookupOrgIds, id);
    if (schedule === undefined) throw new ScheduleNotFound();
    principal.require(scope, schedule.orgId);
    return schedule;
  }

  /** {@link get}, and locks the schedule until the running transaction ends. */
  async lock({ principal }: Call, id: string): Promise<Schedule> {
    const schedule = await this.schedules.lock(principal.lookupOrgIds, id);
    if (schedule === undefined) throw new ScheduleNotFound();
    principal.require('agents:write', schedule.orgId);
    return schedule;
  }

  /** Writes to the audit log in the running transaction. The input is left out, because it may hold secrets. */
  record(
    by: Call | undefined,
    action: `schedule.${string}`,
    { id, orgId, agentId, name, state, pausedBecause }: Schedule,
  ): Promise<void> {
    const details = { name, agent_id: agentId, state, ...(pausedBecause === null ? {} : { because: pausedBecause }) };
    return this.orgs.record({ orgId, action, target: { type: 'schedule', id }, details }, by);
  }
}
