import { Injectable } from '@nestjs/common';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import type { LiveAgent } from '../../agents/live-agents.service.js';
import type { RunBudget } from '../../agents/agent-definition.js';
import type { NewRun } from '../../runs/new-run.js';
import { RunEndsService } from '../../runs/run-ends.service.js';
import { RunRequestsService } from '../../runs/run-requests.service.js';
import type { Schedule, ScheduleBudget } from '../persistence/schedule-rows.js';

/** Creates and cancels the runs of schedules, in the running transaction. */
@Injectable()
export class ScheduledRuns {
  constructor(
    private readonly requests: RunRequestsService,
    private readonly ends: RunEndsService,
  ) {}

  /** Cancels the active runs of schedules whose next run replaces them. */
  async cancel(schedules: readonly Schedule[]): Promise<void> {
    const byOrg = new Map<string, string[]>();
    for (const { orgId, activeRunId } of schedules)
      if (activeRunId !== null) byOrg.set(orgId, [...(byOrg.get(orgId) ?? []), activeRunId]);
    for (const [orgId, runIds] of byOrg) await this.ends.cancel(orgId, runIds, 'The next run of the schedule began.');
  }

  /** Creates a run for each schedule, and returns their ids in the same order. */
  async create(schedules: readonly Schedule[], agents: ReadonlyMap<string, LiveAgent>): Promise<readonly string[]> {
    if (schedules.length === 0) return [];
    const runs = schedules.map((schedule): NewRun => {
      const { orgId, agentId, input, budget, createdBy: userId, createdKeyId: keyId, id: scheduleId } = schedule;
      const { version } = agents.get(agentId)!;
      const starter = { userId, keyId };
      return {
        orgId,
        version,
        input,
        starter,
        trigger: 'schedule',
        scheduleId,
        ...(budget === null ? {} : { budget: limitsOf(budget) }),
      };
    });
    return (await this.requests.createAll(runs)).map(({ id }) => id);
  }
}

function limitsOf({ cost, steps, active_seconds, tool_calls }: ScheduleBudget): Partial<RunBudget> {
  return {
    ...(cost === undefined ? {} : { costNano: parseUsd(cost) }),
    ...(steps === undefined ? {} : { steps }),
    ...(active_seconds === undefined ? {} : { activeMs: active_seconds * 1_000 }),
    ...(tool_calls === undefined ? {} : { toolCalls: tool_calls }),
  };
}
