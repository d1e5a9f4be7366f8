import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Shutdown } from '../../../platform/lifecycle/shutdown.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyStore, type KeyUse } from '../persistence/api-key.store.js';

const WRITE_EVERY_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** Notes when and from where keys are used, and writes it down in batches: a call must not cost a write. */
@Injectable()
export class KeyUsage implements OnApplicationBootstrap {
  private uses = new Map<string, KeyUse>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: ApiKeyStore,
    private readonly clock: Clock,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.at('workers', () => this.stop());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => { void this.write(); }, WRITE_EVERY_MS);
    this.timer.unref();
  }

  note(keyId: string, ip: string): void {
    if (this.uses.size >= MAX_REMEMBERED && !this.uses.has(keyId)) return;
    this.uses.set(keyId, { keyId, at: this.clock.now(), ip });
  }

  /** Writes down what has been noted so far. */
  write(): Promise<void> {
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
      this.log.warn({ error }, 'When keys were last used could not be written down.');
    }
  }

  private stop(): Promise<void> {
    clearInterval(this.timer);
    return this.write();
  }
}
