import { Injectable } from '@nestjs/common';
import { TypeID } from 'typeid-js';
import { Clock } from '../time/clock.js';
import { RandomBytes } from './random-bytes.js';

/** What an id can name. The prefix is part of the id, so that a log line tells what it speaks of. */
export type IdPrefix =
  | 'req' | 'out' | 'job' | 'exe' | 'wrk'
  | 'usr' | 'org' | 'ses' | 'key' | 'sec' | 'inv' | 'tok' | 'aud' | 'idm' | 'msg'
  | 'prj' | 'repo' | 'tsk' | 'tev' | 'dpl'
  | 'plc' | 'ivc' | 'crn'
  | 'ghi' | 'ghs'
  | 'crg' | 'ltx';

/** Mints TypeIDs (`exe_` + a UUIDv7 in base32): sortable by birth, easy to grep, legal as BullMQ job ids. */
@Injectable()
export class Ids {
  private readonly random = new RandomBytes();

  constructor(private readonly clock: Clock) {}

  next(prefix: IdPrefix): string {
    const bytes = this.random.take(16);
    let timestampMs = this.clock.now().getTime();
    for (let index = 5; index >= 0; index--) {
      bytes[index] = timestampMs % 256;
      timestampMs = Math.floor(timestampMs / 256);
    }
    // RFC 9562: version 7, variant 10.
    bytes[6] = (bytes[6]! & 0x0f) | 0x70;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return TypeID.fromUUIDBytes(prefix, bytes).toString();
  }
}
