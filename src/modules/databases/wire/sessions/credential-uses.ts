import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/time/clock.js';
import { WireAccessStore } from '../../persistence/wire-access.store.js';

/** Gathers when credentials were used, so that a client that connects often does not write often. */
@Injectable()
export class CredentialUses {
  private usedAt = new Map<string, Date>();

  constructor(
    private readonly store: WireAccessStore,
    private readonly clock: Clock,
  ) {}

  record(credentialId: string): void {
    this.usedAt.set(credentialId, this.clock.now());
  }

  /** Writes what was gathered. What fails is written the next time. */
  async write(): Promise<void> {
    if (this.usedAt.size === 0) return;
    const written = this.usedAt;
    this.usedAt = new Map();
    try {
      await this.store.recordUse(written);
    } catch (error) {
      this.usedAt = new Map([...written, ...this.usedAt]);
      throw error;
    }
  }
}
