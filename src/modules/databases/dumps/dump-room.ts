import { Injectable } from '@nestjs/common';
import { WireRefusal } from '../wire/protocol/wire-refusal.js';

/** Each takes a user and memory of this machine for as long as its caller reads. */
const MAX_AT_ONCE = 8;

/** Bounds how many archives this host writes at a time: one for each organization. */
@Injectable()
export class DumpRoom {
  private readonly orgs = new Set<string>();

  /** @throws {WireRefusal} `53300` */
  async within<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    if (this.orgs.has(orgId) || this.orgs.size >= MAX_AT_ONCE)
      throw new WireRefusal('53300', 'Too many archives are written at once.');
    this.orgs.add(orgId);
    try {
      return await work();
    } finally {
      this.orgs.delete(orgId);
    }
  }
}
