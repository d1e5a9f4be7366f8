import { Injectable } from '@nestjs/common';

const DAY_MS = 86_400_000;

/** The only source of the current time, so that a test can stop it. */
export abstract class Clock {
  abstract now(): Date;
}

@Injectable()
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** The last result: it is needed on every call and changes once a day. */
let lastDay = { number: Number.NaN, name: '' };

/** Returns the UTC day as `2026-11-21`, by which daily limits count (service document §8). */
export function utcDay(at: Date): string {
  const number = Math.floor(at.getTime() / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, name: at.toISOString().slice(0, 10) };
  return lastDay.name;
}

/** Returns the next 00:00 UTC, when daily limits reset. */
export function nextUtcMidnight(at: Date): Date {
  return new Date((Math.floor(at.getTime() / DAY_MS) + 1) * DAY_MS);
}

/** Returns the whole seconds until a later time, rounded up so that a caller who waits that long is never too early. */
export function secondsUntil(later: Date, now: Date): number {
  return Math.max(0, Math.ceil((later.getTime() - now.getTime()) / 1000));
}
