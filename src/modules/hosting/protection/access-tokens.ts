import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { keyFor } from '../../../platform/secrets/sealed.js';
import { Clock } from '../../../platform/time/clock.js';

/** What a token opens: one host of one project, at one version of the protection. */
export interface ProtectedPlace {
  /** The label of the app, or the whole host where it is a customer's. Labels have no dots, so they differ. */
  readonly label: string;
  readonly projectId: string;
  readonly version: number;
}

/** `l` is a link, which is exchanged for a cookie, or sent as a header by programs. `c` is a cookie. */
type TokenKind = 'l' | 'c';

const FORM = /^([lc])\.([0-9a-z]{1,8})\.([0-9a-z]{1,8})\.([\w-]{43})$/;

/**
 * Signs and checks the links and cookies that open protected hosts. Nothing of them is stored: they end by their time,
 * and all at once when the version of the protection changes. The host, the project and the version are not in the
 * token but in its signature, so a token fits nowhere else.
 */
@Injectable()
export class AccessTokens {
  private readonly keys: readonly Buffer[];

  constructor(
    { secretsKeys }: Config,
    private readonly clock: Clock,
  ) {
    this.keys = secretsKeys.map(({ secret }) => keyFor('app-protection', secret));
  }

  /** Returns a link that works for `linkSeconds`, and the cookie of which lasts until `sessionSeconds` from now. */
  link(
    place: ProtectedPlace,
    { linkSeconds, sessionSeconds }: { linkSeconds: number; sessionSeconds: number },
  ): string {
    return this.sign('l', place, [this.nowSeconds + linkSeconds, this.nowSeconds + sessionSeconds]);
  }

  cookie(place: ProtectedPlace, untilSeconds: number): string {
    return this.sign('c', place, [untilSeconds, untilSeconds]);
  }

  /** Returns the time, in seconds, at which the access that the token gives ends, or undefined when it gives none. */
  opens(kind: TokenKind, token: string, place: ProtectedPlace): number | undefined {
    const [, shown, ends = '', until = '', mac = ''] = FORM.exec(token) ?? [];
    if (shown !== kind) return undefined;
    const times = [Number.parseInt(ends, 36), Number.parseInt(until, 36)] as const;
    const sent = Buffer.from(mac, 'base64url');
    const isSigned = this.keys.some((key) => timingSafeEqual(macOf(key, kind, place, times), sent));
    return isSigned && times[0] > this.nowSeconds ? times[1] : undefined;
  }

  get nowSeconds(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }

  private sign(kind: TokenKind, place: ProtectedPlace, times: readonly [number, number]): string {
    const [newest] = this.keys;
    if (newest === undefined) throw new Error('This process has no SECRETS_KEY and cannot sign access to apps.');
    const mac = macOf(newest, kind, place, times).toString('base64url');
    return `${kind}.${times.map((seconds) => seconds.toString(36)).join('.')}.${mac}`;
  }
}

function macOf(
  key: Buffer,
  kind: TokenKind,
  { label, projectId, version }: ProtectedPlace,
  times: readonly [number, number],
): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([kind, label, projectId, version, ...times]))
    .digest();
}
