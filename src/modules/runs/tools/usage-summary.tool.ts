import { Injectable } from '@nestjs/common';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import type { Scope } from '../../auth/scopes.js';
import { METER_TABLE } from '../../metering/meter.js';
import { monthOf } from '../../metering/month.js';
import { type UsageGroup, UsageReportService } from '../../metering/usage-report.service.js';
import { inputOf, SingleTool, succeeded } from './single-tool.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PERIODS = ['today', 'yesterday', 'month'] as const;
const MAX_LINES = 500;

/** Summarizes what the organization used, and what it cost. */
@Injectable()
export class UsageSummaryTool extends SingleTool {
  readonly name = 'usage_summary';
  readonly summary = 'Summarizes usage and its cost by meter.';
  readonly description =
    'Returns what the organization used today, yesterday or in this month, by meter, with the cost in US dollars. ' +
    'Days and months are those of UTC.';
  readonly inputSchema = inputOf(
    {
      period: { type: 'string', enum: [...PERIODS] },
      by_day: { type: 'boolean', description: 'A line for each day.' },
      by_model: { type: 'boolean', description: 'A line for each model.' },
    },
    ['by_day', 'by_model'],
  );
  readonly effect = 'read';
  override readonly scopes: readonly Scope[] = ['billing:read'];

  constructor(
    tools: AgentTools,
    private readonly report: UsageReportService,
    private readonly clock: Clock,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller: { principal, org } }: ToolCall): Promise<ToolOutcome> {
    const asked = input as { period: (typeof PERIODS)[number]; by_day?: boolean; by_model?: boolean };
    principal.require('billing:read', org.id);
    const groups: UsageGroup[] = [];
    if (asked.by_day === true) groups.push('day');
    if (asked.by_model === true) groups.push('model');
    const time = this.timeOf(asked.period);
    const lines = await this.report.of(org.id, time, new Set(groups));
    return succeeded({
      from: time.from.toISOString(),
      to: time.to.toISOString(),
      cost: formatUsd(lines.reduce((sum, { costNano }) => sum + costNano, 0n)),
      usage: lines.slice(0, MAX_LINES).map(({ meter, model, day, quantity, unit, costNano }) => ({
        meter,
        label: METER_TABLE[meter].label,
        ...(model === undefined ? {} : { model }),
        ...(day === undefined ? {} : { day }),
        quantity: quantity.toString(),
        unit,
        cost: formatUsd(costNano),
      })),
      truncated: lines.length > MAX_LINES,
    });
  }

  /** Whole hours, up to the end of the current one. */
  private timeOf(period: (typeof PERIODS)[number]): { from: Date; to: Date } {
    const now = this.clock.now();
    const to = new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
    const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
    switch (period) {
      case 'today':
        return { from: today, to };
      case 'yesterday':
        return { from: new Date(today.getTime() - DAY_MS), to: today };
      case 'month':
        return { from: monthOf(now).start, to };
    }
  }
}
