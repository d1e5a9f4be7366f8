import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { keyFor, seal, unseal } from '../../../platform/secrets/sealed.js';
import type { EnvTarget } from '../project-settings.js';

const PURPOSE = 'project-env';
const VERSION_BYTES = 4;

/** The nonce and the tag of AES-GCM, and the version of the key: what a sealed value has besides the value. */
export const SEALED_OVERHEAD_BYTES = VERSION_BYTES + 28;

/** What a value belongs to. A sealed value that is copied to another place opens nowhere. */
export interface EnvPlace {
  readonly projectId: string;
  readonly target: EnvTarget;
  readonly name: string;
}

/**
 * Seals the values of environment variables by the newest `SECRETS_KEY`, and opens them by the one they were sealed
 * with.
 */
@Injectable()
export class EnvVault {
  private readonly keys: ReadonlyMap<number, Buffer>;
  private readonly newest: number | undefined;

  constructor({ secretsKeys }: Config) {
    this.keys = new Map(secretsKeys.map(({ version, secret }) => [version, keyFor(PURPOSE, secret)]));
    this.newest = secretsKeys[0]?.version;
  }

  /** Whether there is another key than that which new values are sealed by. */
  get hasOlderKeys(): boolean {
    return this.keys.size > 1;
  }

  /** What every value begins with that is sealed by the newest key. */
  get newestMark(): Buffer {
    if (this.newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot seal values.');
    const mark = Buffer.alloc(VERSION_BYTES);
    mark.writeUInt32BE(this.newest);
    return mark;
  }

  seal(value: string, place: EnvPlace): Buffer {
    const mark = this.newestMark;
    return Buffer.concat([mark, seal(Buffer.from(value), this.keys.get(this.newest!)!, contextOf(place))]);
  }

  /** @throws {Error} for a value of another place, and where its key is gone. */
  open(sealed: Buffer, place: EnvPlace): string {
    const version = sealed.readUInt32BE(0);
    const key = this.keys.get(version);
    if (key === undefined)
      throw new Error(`A value was sealed with version ${version} of SECRETS_KEY, which is not set.`);
    return unseal(sealed.subarray(VERSION_BYTES), key, contextOf(place)).toString();
  }
}

const contextOf = ({ projectId, target, name }: EnvPlace): string => `${projectId} ${target} ${name}`;
