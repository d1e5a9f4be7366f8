import { Injectable } from '@nestjs/common';
import { WireRefusal } from '../protocol/wire-refusal.js';

const WAIT_MS = 10_000;
const MAX_WAITING = 200;

interface Places {
  taken: number;
  readonly waiting: Set<() => void>;
}

/** Counts the connections of each database against the limit of its plan. Callers beyond it wait for a while. */
@Injectable()
export class ConnectionPlaces {
  private readonly byDatabase = new Map<string, Places>();

  /**
   * Returns a function that gives the place back, which may be called twice.
   * @throws {WireRefusal} 53300 when no place was given back in time.
   */
  async take(databaseId: string, limit: number, waitMs = WAIT_MS): Promise<() => void> {
    const places = this.byDatabase.get(databaseId) ?? { taken: 0, waiting: new Set() };
    this.byDatabase.set(databaseId, places);
    if (places.taken < limit) places.taken += 1;
    else await this.wait(places, limit, waitMs);
    let isTaken = true;
    return () => {
      if (isTaken) this.giveBack(databaseId, places);
      isTaken = false;
    };
  }

  takenOf(databaseId: string): number {
    return this.byDatabase.get(databaseId)?.taken ?? 0;
  }

  private wait({ waiting }: Places, limit: number, waitMs: number): Promise<void> {
    const refusal = new WireRefusal(
      '53300',
      `sorry, too many clients already: the plan allows ${limit} connections`,
      'Close connections that are not used, or upgrade the plan.',
    );
    if (waiting.size >= MAX_WAITING) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(turn);
        reject(refusal);
      }, waitMs);
      waiting.add(turn);
    });
  }

  /** The place passes directly to the first who waits, so that a new caller cannot take it in between. */
  private giveBack(databaseId: string, places: Places): void {
    const [next] = places.waiting;
    if (next !== undefined) {
      places.waiting.delete(next);
      next();
      return;
    }
    places.taken -= 1;
    if (places.taken === 0) this.byDatabase.delete(databaseId);
  }
}
