import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, utcDay } from '../../../platform/time/clock.js';
import { burstSizeOf, type Tier } from '../tier.js';

/** Bounds what callers without end could make us remember. */
const MAX_CALLERS = 10_000;

interface Memory {
  day: string;
  used: number;
  /** When the burst is empty again. */
  arrivalMs: number;
}

export interface InProcessAnswer {
  readonly refusedBy: 'burst' | 'daily' | undefined;
  readonly burstWaitMs: number;
  readonly burstLeft: number;
  readonly used: number;
}

/**
 * The same two limits for one process alone, for as long as Redis is away: calls go on, counted from the last budget
 * that was known.
 */
@Injectable()
export class InProcessLimiter {
  private readonly callers = new LRUCache<string, Memory>({ max: MAX_CALLERS });

  constructor(private readonly clock: Clock) {}

  /** Notes what Redis said, to go on from there if it goes away. */
  remember(caller: string, used: number): void {
    const memory = this.callers.get(caller);
    const day = utcDay(this.clock.now());
    if (memory === undefined) this.callers.set(caller, { day, used, arrivalMs: 0 });
    else Object.assign(memory, { day, used });
  }

  take(caller: string, tier: Tier, cost: number): InProcessAnswer {
    const nowMs = this.clock.now().getTime();
    const memory = this.memoryOf(caller);
    const emissionMs = 1000 / tier.callsPerSecond;
    const toleranceMs = emissionMs * burstSizeOf(tier);

    const afterMs = Math.max(memory.arrivalMs, nowMs) + emissionMs * cost;
    const burstWaitMs = Math.max(0, Math.ceil(afterMs - toleranceMs - nowMs));
    const refusedBy = refusal(memory.used + cost > (tier.callsPerDay ?? Infinity), burstWaitMs > 0, cost);
    if (refusedBy === undefined) {
      memory.used += cost;
      memory.arrivalMs = afterMs;
    }
    const burstLeft = Math.max(0, Math.floor((toleranceMs - (Math.max(memory.arrivalMs, nowMs) - nowMs)) / emissionMs));
    return { refusedBy, burstWaitMs, burstLeft, used: memory.used };
  }

  giveBack(caller: string): void {
    const memory = this.memoryOf(caller);
    memory.used = Math.max(0, memory.used - 1);
  }

  private memoryOf(caller: string): Memory {
    const day = utcDay(this.clock.now());
    let memory = this.callers.get(caller);
    if (memory === undefined) this.callers.set(caller, (memory = { day, used: 0, arrivalMs: 0 }));
    if (memory.day !== day) Object.assign(memory, { day, used: 0 });
    return memory;
  }
}

function refusal(dayIsUsedUp: boolean, tooFast: boolean, cost: number): InProcessAnswer['refusedBy'] {
  if (cost === 0) return undefined;
  if (dayIsUsedUp) return 'daily';
  return tooFast ? 'burst' : undefined;
}
