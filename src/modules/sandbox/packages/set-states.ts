import { Injectable } from '@nestjs/common';
import { RedisConnections } from '../../../platform/redis/redis-connections.js';
import { type PackageSetName } from '../domain/packages.js';

export type SetState =
  | { readonly state: 'installing' | 'available' }
  /** Why it cannot be used now, for the caller. */
  | { readonly state: 'unavailable'; readonly reason: string };

/** An installation that says nothing for this long has ended with its worker. */
const INSTALLING_MS = 300_000;
const FAILED_MS = 86_400_000;

/** Tells processes of the API what workers found when they installed a set. */
@Injectable()
export class SetStates {
  constructor(private readonly redis: RedisConnections) {}

  async put(set: PackageSetName, state: SetState): Promise<void> {
    const keptMs = state.state === 'installing' ? INSTALLING_MS : FAILED_MS;
    await this.redis.producer().set(keyOf(set), JSON.stringify(state), 'PX', keptMs);
  }

  async get(set: PackageSetName): Promise<SetState | null> {
    const text = await this.redis.producer().get(keyOf(set));
    return text === null ? null : (JSON.parse(text) as SetState);
  }
}

const keyOf = (set: PackageSetName): string => `sandbox:package-set:${set}`;
