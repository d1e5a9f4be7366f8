import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { accessKeyUsageSchedule } from './access-keys.job.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

const MAX_REMEMBERED = 10_000;

/** Remembers when access keys are used, and saves it in batches, so that a request does not cost a write. */
@Injectable()
@Handles(accessKeyUsageSchedule)
export class AccessKeyUsage implements ScheduleHandler {
  private uses = new Map<string, Date>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: AccessKeysStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.run());
  }

  note(id: string): void {
    if (this.uses.size >= MAX_REMEMBERED && !this.uses.has(id)) return;
    this.uses.set(id, this.clock.now());
  }

  /** Saves what has been remembered so far. */
  run(): Promise<void> {
    this.writing = this.writing.then(() => this.writeOnce());
    return this.writing;
  }

  private async writeOnce(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = [...this.uses].map(([id, at]) => ({ id, at }));
    this.uses = new Map();
    try {
      await this.keys.noteUses(uses);
    } catch (error) {
      this.log.warn({ error }, 'Could not save when access keys were last used.');
    }
  }
}
