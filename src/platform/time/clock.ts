import { Injectable } from '@nestjs/common';

const DAY_MS = 86_400_000;

/** The only source of the current time, so that a test can stand still. */
export abstract class Clock {
  abstract now(): Date;
}

@Injectable()
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** The day that was asked for last; it is asked for with every call and changes once a day. */
let lastDay = { number: Number.NaN, name: '' };

/** The UTC day as `2026-11-21`: daily limits count by it (service document §8). */
export function utcDay(at: Date): string {
  const number = Math.floor(at.getTime() / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, name: at.toISOString().slice(0, 10) };
  return lastDay.name;
}

/** The next 00:00 UTC, when daily limits start afresh. */
export function nextUtcMidnight(at: Date): Date {
  return new Date((Math.floor(at.getTime() / DAY_MS) + 1) * DAY_MS);
}

/** Whole seconds from one time until a later one, rounded up so that a caller who waits them is never too early. */
export function secondsUntil(later: Date, now: Date): number {
  return Math.max(0, Math.ceil((later.getTime() - now.getTime()) / 1000));
}
