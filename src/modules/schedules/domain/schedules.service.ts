import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { AgentsService } from '../../agents/agents.service.js';
import type { Call } from '../../auth/caller.js';
import type { Fire, Schedule, ScheduleFields, ScheduleWithLastFire } from '../persistence/schedule-rows.js';
import { ScheduleFiresStore } from '../persistence/schedule-fires.store.js';
import { type ScheduleFilter, SchedulesStore } from '../persistence/schedules.store.js';
import { ScheduleAccess } from './schedule-access.js';
import { ScheduleCreation } from './schedule-creation.js';
import { ScheduleGate } from './schedule-gate.js';
import { requireTiming } from './schedule-rules.js';
import { Timing, type TimingFields } from './timing.js';

/** Manages the schedules of agents. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsService,
    private readonly schedules: SchedulesStore,
    private readonly fires: ScheduleFiresStore,
    private readonly access: ScheduleAccess,
    private readonly gate: ScheduleGate,
    private readonly creation: ScheduleCreation,
  ) {}

  /** Lists the schedules of the organization of the call, newest first. */
  list({ org }: Call, filter: ScheduleFilter, page: PageRequest): Promise<Page<ScheduleWithLastFire>> {
    return this.schedules.list(org.id, filter, page);
  }

  /**
   * @throws {ScheduleNotFound} `schedule_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  get(call: Call, id: string): Promise<ScheduleWithLastFire> {
    return this.access.get(call, id, 'agents:read');
  }

  /** Lists what came of the times of a schedule, newest first. @throws as {@link get}. */
  async listFires(call: Call, id: string, page: PageRequest): Promise<Page<Fire>> {
    return this.fires.list((await this.get(call, id)).id, page);
  }

  /** Returns the next times that a schedule would have. @throws {RequestInvalid} `invalid_request` */
  preview(timing: TimingFields, count: number): Date[] {
    const { now } = this.creation;
    requireTiming(timing, now);
    return Timing.of(timing, now).take(count, now);
  }

  /**
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {TooManySchedules} `plan_limit_reached`
   * @throws {RequestInvalid} `invalid_request`
   */
  async create(call: Call, agentIdOrSlug: string, fields: ScheduleFields): Promise<ScheduleWithLastFire> {
    const agent = await this.agents.get(call, agentIdOrSlug, 'agents:write');
    return this.database.transaction(async () => {
      await this.gate.lockRoom(call, agent.orgId);
      const schedule = this.creation.of(call.principal, agent, fields);
      await this.schedules.insert(schedule);
      await this.access.record(call, 'schedule.created', schedule);
      return { ...schedule, lastFire: null };
    });
  }

  /** Changes the given fields. @throws {RequestInvalid} `invalid_request`, and as {@link get}. */
  update(call: Call, id: string, fields: Partial<ScheduleFields>): Promise<ScheduleWithLastFire> {
    return this.change(call, id, 'schedule.updated', (schedule) => this.creation.changed(schedule, fields));
  }

  /** Nothing fires until it is resumed. A paused schedule stays as it is. @throws as {@link get}. */
  pause(call: Call, id: string): Promise<ScheduleWithLastFire> {
    return this.change(call, id, 'schedule.paused', async (schedule) => {
      if (schedule.state === 'paused') return undefined;
      await this.fires.skipBuffered(schedule.bufferedFireId, 'schedule_paused', this.creation.now);
      return { ...this.creation.paused(schedule, 'person'), bufferedFireId: null };
    });
  }

  /**
   * Fires again from now on, and forgets earlier failures. An active schedule stays as it is.
   *
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {RequestInvalid} `invalid_request`: its only time has passed.
   * @throws as {@link get}.
   */
  resume(call: Call, id: string): Promise<ScheduleWithLastFire> {
    return this.change(call, id, 'schedule.resumed', async (schedule) => {
      await this.gate.require(schedule.orgId);
      return schedule.state === 'active' ? undefined : this.creation.resumed(schedule);
    });
  }

  /** Deletes a schedule with its history. Its runs stay. @throws as {@link get}. */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const schedule = await this.access.lock(call, id);
      await this.schedules.delete(schedule.id);
      await this.access.record(call, 'schedule.deleted', schedule);
    });
  }

  /** `to` returns undefined when nothing changes. */
  private change(
    call: Call,
    id: string,
    action: `schedule.${string}`,
    to: (schedule: Schedule) => Schedule | undefined | Promise<Schedule | undefined>,
  ): Promise<ScheduleWithLastFire> {
    return this.database.transaction(async () => {
      const changed = await to(await this.access.lock(call, id));
      if (changed !== undefined) {
        await this.schedules.save(changed);
        await this.access.record(call, action, changed);
      }
      return this.access.get(call, id, 'agents:write');
    });
  }
}
