import { createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PublicFetch } from '../../../platform/egress/public-fetch.js';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { Log } from '../../../platform/logging/log.js';
import { Clock } from '../../../platform/time/clock.js';
import { GithubSettings } from '../github.settings.js';

const MAX_BYTES = 65_536;
const TIMEOUT_MS = 10_000;
const MAX_KEYS = 50;
/** After this, a key that the scanner has withdrawn is noticed. */
const FRESH_MS = 86_400_000;
/** An identifier that is unknown asks for the keys again, but no caller can ask for them more often than this. */
const PAUSE_MS = 5 * 60_000;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/** The public keys of the scanner. They are fetched when they are needed, and remembered in this process. */
@Injectable()
export class ScanningKeys {
  private keys: ReadonlyMap<string, KeyObject> = new Map();
  private freshUntilMs = 0;
  private pauseUntilMs = 0;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly publicFetch: PublicFetch,
    private readonly settings: GithubSettings,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * Returns undefined for a key that the scanner does not have. While it is unavailable, the keys of before count.
   *
   * @throws {ServiceUnavailable} `service_unavailable`: the keys could not be fetched since this process started.
   */
  async find(identifier: string): Promise<KeyObject | undefined> {
    const nowMs = this.clock.now().getTime();
    const isCurrent = this.keys.has(identifier) && nowMs < this.freshUntilMs;
    if (!isCurrent && (this.reading !== undefined || nowMs >= this.pauseUntilMs)) {
      this.reading ??= this.read().finally(() => {
        this.reading = undefined;
      });
      await this.reading;
    }
    if (this.keys.size === 0)
      throw new ServiceUnavailable(
        new Error('The keys of secret scanning could not be fetched.'),
        PAUSE_AFTER_FAILURE_MS / 1000,
      );
    return this.keys.get(identifier);
  }

  private async read(): Promise<void> {
    const url = this.settings.secretScanningKeysUrl;
    const answer = await this.publicFetch.fetch({
      url,
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'service-platform' },
      // The operator chose the address, so it may be private.
      trusted: [new URL(url).host],
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    const keys =
      'fault' in answer || answer.status !== 200 || answer.isCut ? undefined : keysIn(answer.bytes.toString());
    const nowMs = this.clock.now().getTime();
    this.pauseUntilMs = nowMs + (keys === undefined ? PAUSE_AFTER_FAILURE_MS : PAUSE_MS);
    if (keys === undefined) {
      const cause = 'fault' in answer ? answer.fault : `status ${answer.status}`;
      this.log.warn({ cause }, 'The keys of secret scanning could not be fetched; those of before count.');
      return;
    }
    this.keys = keys;
    this.freshUntilMs = nowMs + FRESH_MS;
  }
}

/** Returns undefined for text that holds no usable key. */
function keysIn(text: string): ReadonlyMap<string, KeyObject> | undefined {
  const keys = new Map(
    entriesOf(text)
      .slice(0, MAX_KEYS)
      .flatMap(({ key_identifier: identifier, key: pem }) => {
        const key = typeof pem === 'string' ? p256KeyOf(pem) : undefined;
        return typeof identifier === 'string' && key !== undefined ? [[identifier, key] as const] : [];
      }),
  );
  return keys.size === 0 ? undefined : keys;
}

function entriesOf(text: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const { public_keys: entries } = JSON.parse(text) as { public_keys?: unknown };
    if (!Array.isArray(entries)) return [];
    return entries.filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null);
  } catch {
    return [];
  }
}

function p256KeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
