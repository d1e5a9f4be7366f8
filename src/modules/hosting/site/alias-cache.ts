import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AliasChanges } from '../persistence/alias-changes.js';
import { AliasesStore } from '../persistence/aliases.store.js';

/** The deploy that a label serves. */
export interface ShownDeploy {
  readonly deployId: string;
  readonly orgId: string;
}

/** Unknown labels are cached too, because scanners request thousands of them. */
const MAX_LABELS = 10_000;
/** A missed notification is corrected after this time. */
const MAX_AGE_MS = 5_000;
/** The age limit while notifications are not received. */
const DEAF_AGE_MS = 50;

interface Entry {
  readonly shown: ShownDeploy | null;
  readonly readAtMs: number;
}

/** Caches the deploys of labels. */
@Injectable()
export class AliasCache {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_LABELS });
  private readonly reading = new Map<string, Promise<ShownDeploy | null>>();
  private hearing = false;
  private changes = 0;
  /** Entries that were read before this time may have changed without a notification. */
  private trustedFromMs = 0;

  constructor(
    private readonly aliases: AliasesStore,
    changes: AliasChanges,
  ) {
    changes.listen({
      changed: (label) => {
        this.changes++;
        this.reading.delete(label);
        const entry = this.entries.get(label);
        // The stale entry is kept for use while the database is unavailable.
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

  /** Returns the deploy of a label without waiting, or undefined when the database must be queried. */
  known(label: string): ShownDeploy | null | undefined {
    const entry = this.entries.get(label);
    if (entry === undefined) return undefined;
    if (entry.readAtMs < this.trustedFromMs) return undefined;
    const maxAgeMs = this.hearing ? MAX_AGE_MS : DEAF_AGE_MS;
    return performance.now() - entry.readAtMs < maxAgeMs ? entry.shown : undefined;
  }

  /** Returns null for an unknown label. While the database is unavailable, it returns the last known deploy. */
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
      // A value that was read during a change may be the old one.
      this.entries.set(label, { shown, readAtMs: changes === this.changes ? readAtMs : -Infinity });
      return shown;
    } catch (error) {
      const last = this.entries.get(label);
      if (last === undefined) throw error;
      return last.shown;
    }
  }
}
