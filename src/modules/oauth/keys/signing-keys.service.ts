import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { Database } from '../../../platform/database/database.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { OAUTH_SIGNING_KEY_ID } from '../oauth.ids.js';
import { type SigningKeyRow, SigningKeysStore } from '../persistence/signing-keys.store.js';
import { SigningKeySecrets } from './signing-key-secrets.js';

const SIGNS_MS = 90 * 86_400_000;
/** Access tokens last for minutes, so a replaced key is of no use after a day. */
const VERIFIES_MS = SIGNS_MS + 86_400_000;
const REMEMBERED_MS = 60_000;
/** A new key signs when every process knows it. */
const KNOWN_MS = 2 * REMEMBERED_MS;
/** Callers can send tokens that name any key, which must not read the database each time. */
const READ_AGAIN_MS = 5_000;
const FIRST_KEY_MS = 500;

interface KnownKeys {
  readonly readAtMs: number;
  readonly rows: readonly SigningKeyRow[];
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
}

/** The keys that sign access tokens, which all processes share. A new one signs every 90 days. */
@Injectable()
export class SigningKeysService {
  private known: KnownKeys | undefined;

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeysStore,
    private readonly secrets: SigningKeySecrets,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /** Returns the private keys, the one that signs first. Creates the first one. */
  async privateJwks(): Promise<JWK[]> {
    let rows = await this.rows(REMEMBERED_MS);
    if (rows.length === 0) {
      await this.rotate();
      rows = (this.known = await this.read()).rows;
    }
    return Promise.all(this.inOrder(rows).map((row) => this.secrets.privateJwkOf(row)));
  }

  /** Returns which keys there are and which one signs, so that a change is noticed. */
  async version(): Promise<string> {
    return this.inOrder(await this.rows(REMEMBERED_MS))
      .map(({ id }) => id)
      .join(' ');
  }

  /** Returns the key that verifies, or undefined for an unknown or an old one. */
  async findPublicKey(id: string): Promise<KeyObject | undefined> {
    await this.rows((await this.rows(REMEMBERED_MS)).length === 0 ? FIRST_KEY_MS : REMEMBERED_MS);
    if (this.known?.publicKeys.has(id) !== true) await this.rows(READ_AGAIN_MS);
    return this.known?.publicKeys.get(id);
  }

  /** Creates a key when the newest is too old to sign, and deletes those that verify nothing any more. */
  async rotate(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      await this.keys.lock();
      const rows = await this.keys.list();
      const isDue = rows.every(({ createdAt }) => now.getTime() - createdAt.getTime() >= SIGNS_MS);
      if (isDue) await this.keys.insert(await this.secrets.create(this.ids.next(OAUTH_SIGNING_KEY_ID), now));
      for (const { id, createdAt } of isDue ? rows : rows.slice(1))
        if (now.getTime() - createdAt.getTime() >= VERIFIES_MS) await this.keys.delete(id);
    });
  }

  private inOrder(rows: readonly SigningKeyRow[]): readonly SigningKeyRow[] {
    const [newest, ...older] = rows;
    if (newest === undefined || older.length === 0) return rows;
    return this.clock.now().getTime() - newest.createdAt.getTime() < KNOWN_MS ? [...older, newest] : rows;
  }

  private async rows(maxAgeMs: number): Promise<readonly SigningKeyRow[]> {
    const known = this.known;
    if (known !== undefined && this.clock.now().getTime() - known.readAtMs < maxAgeMs) return known.rows;
    return (this.known = await this.read()).rows;
  }

  private async read(): Promise<KnownKeys> {
    const readAtMs = this.clock.now().getTime();
    const rows = await this.database.apart(() => this.keys.list());
    return { readAtMs, rows, publicKeys: new Map(rows.map((row) => [row.id, this.secrets.publicKeyOf(row)])) };
  }
}
