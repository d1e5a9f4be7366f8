import { Injectable } from '@nestjs/common';
import { Clock } from '../time/clock.js';
import { base32OfTenBytes, base32OfTime } from './base32.js';
import type { IdKind } from './define-id.js';
import { RandomBytes } from './random-bytes.js';

/**
 * Creates TypeIDs (`exe_` + a UUIDv7 in base32), which sort by creation time, are easy to grep, and are valid as BullMQ
 * job ids.
 */
@Injectable()
export class Ids {
  private readonly random = new RandomBytes();
  /** Ids of the same millisecond share this beginning. */
  private last = { ms: Number.NaN, text: '' };

  constructor(private readonly clock: Clock) {}

  next({ prefix }: IdKind): string {
    const ms = this.clock.now().getTime();
    if (ms !== this.last.ms) this.last = { ms, text: base32OfTime(ms) };
    const { bytes, start } = this.random.reserve(10);
    // RFC 9562 requires version 7 and variant 10.
    bytes[start] = (bytes[start]! & 0x0f) | 0x70;
    bytes[start + 2] = (bytes[start + 2]! & 0x3f) | 0x80;
    return `${prefix}_${this.last.text}${base32OfTenBytes(bytes, start)}`;
  }
}
