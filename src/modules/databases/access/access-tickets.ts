import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { keyFor } from '../../../platform/secrets/sealed.js';
import { Clock } from '../../../platform/time/clock.js';
import type { DatabaseRole } from '../engine/database-engine.js';

const VALID_MS = 60_000;
const FORM = /^(db_[0-9a-z]{26})\.(platform|owner|reader)\.([0-9a-z]{1,9})\.([\w-]{16})\.([\w-]{43})$/;

export interface Ticket {
  readonly databaseId: string;
  readonly role: DatabaseRole;
}

/**
 * Signs and checks what processes of the service present to the host of a database instead of a password. A ticket is
 * for one database, one role and one host, and for a minute. Nothing of it is stored.
 */
@Injectable()
export class AccessTickets {
  private readonly keys: readonly Buffer[];

  constructor(
    { secretsKeys }: Config,
    private readonly clock: Clock,
  ) {
    this.keys = secretsKeys.map(({ secret }) => keyFor('database-tickets', secret));
  }

  issue({ databaseId, role }: Ticket, hostId: string): string {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot sign access to databases.');
    const expires = (this.clock.now().getTime() + VALID_MS).toString(36);
    const text = `${databaseId}.${role}.${expires}.${randomBytes(12).toString('base64url')}`;
    return `${text}.${macOf(newest, text, hostId).toString('base64url')}`;
  }

  /** Returns what the ticket opens at this host, or undefined. */
  check(text: string, hostId: string): Ticket | undefined {
    const [, databaseId, role, expires, , mac] = FORM.exec(text) ?? [];
    if (databaseId === undefined || mac === undefined) return undefined;
    const sent = Buffer.from(mac, 'base64url');
    const signed = text.slice(0, text.lastIndexOf('.'));
    const isSigned = this.keys.some((key) => timingSafeEqual(macOf(key, signed, hostId), sent));
    if (!isSigned || Number.parseInt(expires!, 36) <= this.clock.now().getTime()) return undefined;
    return { databaseId, role: role as DatabaseRole };
  }
}

const macOf = (key: Buffer, text: string, hostId: string): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([text, hostId]))
    .digest();
