import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyStore, type KeyUse } from '../persistence/api-key.store.js';
import { keyUsageSchedule } from './keys.job.js';

const MAX_REMEMBERED = 10_000;

/** Remembers when and from where keys are used, and saves it in batches, so that a call does not cost a write. */
@Injectable()
@Handles(keyUsageSchedule)
export class KeyUsage implements ScheduleHandler {
  private uses = new Map<string, KeyUse>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: ApiKeyStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.run());
  }

  note(keyId: string, ip: string): void {
    if (this.uses.size >= MAX_REMEMBERED && !this.uses.has(keyId)) return;
    this.uses.set(keyId, { keyId, at: this.clock.now(), ip });
  }

  /** Saves what has been remembered so far. */
  run(): Promise<void> {
    this.writing = this.writing.then(() => this.writeOnce());
    return this.writing;
  }

  private async writeOnce(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses.values()];
    this.uses = new Map();
    try {
      await this.keys.noteUses(uses);
    } catch (error) {
      this.log.warn({ error }, 'Could not save when API keys were last used.');
    }
  }
}
