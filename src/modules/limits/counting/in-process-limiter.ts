import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, utcDay } from '../../../platform/time/clock.js';
import { burstSizeOf, type Tier } from '../tier.js';

/** Bounds the memory that an unlimited number of callers could take. */
const MAX_CALLERS = 10_000;

interface Memory {
  day: string;
  used: number;
  /** The time at which the burst is fully available again. */
  arrivalMs: number;
}

export interface InProcessAnswer {
  readonly refusedBy: 'burst' | 'daily' | undefined;
  readonly burstWaitMs: number;
  readonly burstLeft: number;
  readonly used: number;
}

/**
 * Applies the same two limits within one process while Redis is unavailable. It continues from the last known counts,
 * so that calls are still served.
 */
@Injectable()
export class InProcessLimiter {
  private readonly callers = new LRUCache<string, Memory>({ max: MAX_CALLERS });

  constructor(private readonly clock: Clock) {}

  /** Stores the count that Redis reported, to continue from it when Redis becomes unavailable. */
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
