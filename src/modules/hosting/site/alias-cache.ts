import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AliasChanges } from '../persistence/alias-changes.js';
import { AliasesStore } from '../persistence/aliases.store.js';

/** What a label shows, as far as a request needs it. */
export interface ShownDeploy {
  readonly deployId: string;
  readonly orgId: string;
}

/** Labels that nobody has are asked for too: by scanners, by the thousand. */
const MAX_LABELS = 10_000;
/** Whatever may go wrong with the telling of changes, it is over after so long. */
const MAX_AGE_MS = 5_000;
/** While changes are not heard: how long an answer of the database serves others. */
const DEAF_AGE_MS = 50;

interface Entry {
  readonly shown: ShownDeploy | null;
  readonly readAtMs: number;
}

/** What labels show, from memory where that is known to be true. */
@Injectable()
export class AliasCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_LABELS });
  private readonly reading = new Map<string, Promise<ShownDeploy | null>>();
  private hearing = false;
  private changes = 0;
  /** What was read before may have changed without our hearing of it. */
  private trustedFromMs = 0;

  constructor(
    private readonly aliases: AliasesStore,
    changes: AliasChanges,
  ) {
    changes.tell({
      changed: (label) => {
        this.changes++;
        this.reading.delete(label);
        const entry = this.entries.get(label);
        // Kept, but old: while the database is away it is better than nothing.
        if (entry !== undefined) this.entries.set(label, { ...entry, readAtMs: -Infinity });
      },
      hears: (hearing) => {
        this.hearing = hearing;
        this.changes++;
        this.reading.clear();
        this.trustedFromMs = performance.now();
      },
    });
  }

  /** What the label shows, without waiting; undefined where the database has to be asked. */
  known(label: string): ShownDeploy | null | undefined {
    const entry = this.entries.get(label);
    if (entry === undefined) return undefined;
    if (entry.readAtMs < this.trustedFromMs) return undefined;
    const maxAgeMs = this.hearing ? MAX_AGE_MS : DEAF_AGE_MS;
    return performance.now() - entry.readAtMs < maxAgeMs ? entry.shown : undefined;
  }

  /** Null where it shows nothing. With the database away, what it showed when that was last known. */
  find(label: string): Promise<ShownDeploy | null> {
    let reading = this.reading.get(label);
    if (reading === undefined) {
      const begun = this.read(label).finally(() => {
        if (this.reading.get(label) === begun) this.reading.delete(label);
      });
      reading = begun;
      this.reading.set(label, begun);
    }
    return reading;
  }

  private async read(label: string): Promise<ShownDeploy | null> {
    const { changes } = this;
    const readAtMs = performance.now();
    try {
      const alias = await this.aliases.find(label);
      const shown = alias === null ? null : { deployId: alias.deployId, orgId: alias.orgId };
      // What was read while something changed may be what was there before.
      this.entries.set(label, { shown, readAtMs: changes === this.changes ? readAtMs : -Infinity });
      return shown;
    } catch (error) {
      const last = this.entries.get(label);
      if (last === undefined) throw error;
      return last.shown;
    }
  }
}
