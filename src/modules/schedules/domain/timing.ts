import assert from 'node:assert/strict';
import { CronExpression } from '../../../platform/time/cron-expression.js';
import { WallClock } from '../../../platform/time/wall-clock.js';

/** When a schedule fires: exactly one of the three is set. */
export interface TimingFields {
  /** A cron expression of five fields, in the time zone. */
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly at: Date | null;
  readonly timeZone: string;
}

const MAX_REMEMBERED = 1_000;
const expressions = new Map<string, CronExpression>();

/** The times of a schedule. Each follows from the one before and not from the clock, so that none is lost or moved. */
export abstract class Timing {
  /** @param anchor the time from which `every_seconds` counts, in whole seconds. */
  static of({ cron, everySeconds, at, timeZone }: TimingFields, anchor: Date): Timing {
    if (cron !== null) return new CronTiming(cron, timeZone);
    if (everySeconds !== null) return new IntervalTiming(everySeconds * 1_000, anchor.getTime());
    assert(at !== null, 'A schedule has no times.');
    return new SingleTiming(at);
  }

  /** Returns the first time after this one. Undefined means that there is none. */
  abstract next(after: Date): Date | undefined;

  /** Returns up to `count` times after this one. */
  take(count: number, after: Date): Date[] {
    const times: Date[] = [];
    for (let time = this.next(after); time !== undefined && times.length < count; time = this.next(time))
      times.push(time);
    return times;
  }
}

/** Returns the next two times of a schedule, or fewer when there are no more. */
export function nextFiresOf(
  schedule: TimingFields & { readonly anchorAt: Date; readonly nextAt: Date | null; readonly thenAt: Date | null },
): Date[] {
  const { nextAt, anchorAt } = schedule;
  if (nextAt === null) return [];
  const thenAt = schedule.thenAt ?? Timing.of(schedule, anchorAt).next(nextAt);
  return thenAt === undefined ? [nextAt] : [nextAt, thenAt];
}

class CronTiming extends Timing {
  private readonly expression: CronExpression;
  private readonly clock: WallClock;

  constructor(text: string, timeZone: string) {
    super();
    this.expression = expressionOf(text);
    const clock = WallClock.in(timeZone);
    assert(clock !== undefined, 'A schedule has an unknown time zone.');
    this.clock = clock;
  }

  next(after: Date): Date | undefined {
    return this.expression.next(after, this.clock);
  }
}

class IntervalTiming extends Timing {
  constructor(
    private readonly everyMs: number,
    private readonly anchorMs: number,
  ) {
    super();
  }

  next(after: Date): Date {
    const passed = Math.floor((after.getTime() - this.anchorMs) / this.everyMs);
    return new Date(this.anchorMs + (Math.max(0, passed) + 1) * this.everyMs);
  }
}

class SingleTiming extends Timing {
  constructor(private readonly at: Date) {
    super();
  }

  next(after: Date): Date | undefined {
    return this.at.getTime() > after.getTime() ? this.at : undefined;
  }
}

/** Many schedules share an expression, and reading one takes longer than finding its next time. */
function expressionOf(text: string): CronExpression {
  let expression = expressions.get(text);
  if (expression === undefined) {
    expression = CronExpression.parse(text);
    if (expressions.size === MAX_REMEMBERED) expressions.clear();
    expressions.set(text, expression);
  }
  return expression;
}
