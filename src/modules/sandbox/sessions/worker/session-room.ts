import { Injectable } from '@nestjs/common';
import { SandboxSettings } from '../../sandbox.settings.js';
import { WaitingStarts } from './waiting-starts.js';

interface Room {
  readonly places: number;
  readonly memoryBytes: number;
}

const NONE: Room = { places: 0, memoryBytes: 0 };

/**
 * The places for sessions in this worker. The memory that a session may use is reserved, even while it is frozen. An
 * organization gets its first session wherever there is room, and another one only while enough is left for others:
 * with a share of 50 %, as much as it then has. So one alone has half of a worker, and each of two a third.
 */
@Injectable()
export class SessionRoom {
  private taken = NONE;
  /** Only of organizations that have sessions. */
  private readonly takenBy = new Map<string, Room>();

  constructor(
    private readonly settings: SandboxSettings,
    private readonly waiting: WaitingStarts,
  ) {}

  /** Returns false when there is no room, or none for this organization. */
  take(memoryBytes: number, orgId: string): boolean {
    const { sessions, sessionsMemoryBytes } = this.settings;
    const own = this.takenBy.get(orgId) ?? NONE;
    const taken = plus(this.taken, 1, memoryBytes);
    const left = { places: sessions - taken.places, memoryBytes: sessionsMemoryBytes - taken.memoryBytes };
    if (left.places < 0 || left.memoryBytes < 0) return false;
    const owned = plus(own, 1, memoryBytes);
    if (own.places > 0 && !this.isWithinShare(owned, left)) return false;
    this.taken = taken;
    this.takenBy.set(orgId, owned);
    return true;
  }

  /** The starts that wait look for room again. */
  free(memoryBytes: number, orgId: string): void {
    this.taken = plus(this.taken, -1, -memoryBytes);
    const owned = plus(this.takenBy.get(orgId) ?? NONE, -1, -memoryBytes);
    if (owned.places > 0) this.takenBy.set(orgId, owned);
    else this.takenBy.delete(orgId);
    this.waiting.wake();
  }

  /** With a share of 50 %, as much is left as the organization has. */
  private isWithinShare(owned: Room, left: Room): boolean {
    const share = this.settings.sessionsSharePercent;
    const isWithin = (has: number, isLeft: number): boolean => has * (100 - share) <= isLeft * share;
    return isWithin(owned.places, left.places) && isWithin(owned.memoryBytes, left.memoryBytes);
  }
}

const plus = (room: Room, places: number, memoryBytes: number): Room => ({
  places: room.places + places,
  memoryBytes: room.memoryBytes + memoryBytes,
});
