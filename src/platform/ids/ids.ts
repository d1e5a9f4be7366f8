import { Injectable } from '@nestjs/common';
import { Clock } from '../time/clock.js';
import { base32OfTenBytes, base32OfTime } from './base32.js';
import type { IdKind } from './define-id.js';
import { RandomBytes } from './random-bytes.js';

/** A clock that is set back by more than this is followed, although ids then no longer sort. */
const MAX_AHEAD_MS = 1_000;
const MAX_COUNT = 0xfff;

/**
 * Creates TypeIDs (`exe_` + a UUIDv7 in base32), which are easy to grep, and are valid as BullMQ job ids. They sort by
 * creation: between processes by the millisecond, and within a process exactly, so that what is stored or enqueued
 * together keeps its order.
 */
@Injectable()
export class Ids {
  private readonly random = new RandomBytes();
  /** Ids of the same millisecond share this beginning, and are counted in the twelve bits after it (RFC 9562 §6.2). */
  private last = { ms: Number.NaN, text: '', count: 0 };

  constructor(private readonly clock: Clock) {}

  next({ prefix }: IdKind): string {
    const ms = this.clock.now().getTime();
    const { bytes, start } = this.random.reserve(10);
    if (ms <= this.last.ms && ms > this.last.ms - MAX_AHEAD_MS && this.last.count < MAX_COUNT) this.last.count++;
    else this.begin(ms, bytes.readUInt16BE(start));
    // RFC 9562 requires version 7 and variant 10.
    bytes[start] = 0x70 | (this.last.count >> 8);
    bytes[start + 1] = this.last.count & 0xff;
    bytes[start + 2] = (bytes[start + 2]! & 0x3f) | 0x80;
    return `${prefix}_${this.last.text}${base32OfTenBytes(bytes, start)}`;
  }

  /** Begins a millisecond: the one of the clock, or the next one when more ids are created than one can count. */
  private begin(clockMs: number, random: number): void {
    const isFull = clockMs <= this.last.ms && clockMs > this.last.ms - MAX_AHEAD_MS;
    const ms = isFull ? this.last.ms + 1 : clockMs;
    // The upper half is left to the counter.
    this.last = { ms, text: base32OfTime(ms), count: random & (MAX_COUNT >> 1) };
  }
}
