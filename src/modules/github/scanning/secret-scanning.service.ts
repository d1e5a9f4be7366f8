import { createHash, type KeyObject, verify } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type LeakPlace, LeakedTokens } from '../../auth/leaked-tokens.js';
import { ScanningSignatureInvalid } from '../github.errors.js';
import { SecretScanningMetrics } from '../metrics/secret-scanning.metrics.js';
import { ScanningKeys } from './scanning-keys.js';

const IDENTIFIER = /^[\w-]{1,128}$/;
/** An ECDSA signature of P-256 has 72 bytes at most. */
const SIGNATURE = /^[A-Za-z0-9+/]{1,100}={0,2}$/;

/** The headers of a message. Empty for those that are missing. */
interface ScanningHeaders {
  readonly identifier: string;
  readonly signature: string;
}

/** A message whose headers name a key of the scanner. Its signature is not checked yet. */
interface ScanningMessage {
  readonly key: KeyObject;
  readonly signature: Buffer;
  /** The raw bytes of the body, which the signature covers. */
  readonly body: Buffer;
}

/** Text that looks like a token, and where it was found. */
export interface ScanningMatch {
  readonly token: string;
  /** The name under which the operator registered the format of the token. */
  readonly type: string;
  readonly place: LeakPlace;
}

/** What the scanner learns of a token: whether this service issued it. */
export interface ScanningVerdict {
  /** The SHA-256 of the token in hex, so that the answer contains no token. */
  readonly token_hash: string;
  readonly token_type: string;
  readonly label: 'true_positive' | 'false_positive';
}

/** Ends tokens that secret scanning has found in public, in the partner format of GitHub. */
@Injectable()
export class SecretScanningService implements OnApplicationBootstrap {
  constructor(
    private readonly keys: ScanningKeys,
    private readonly leaked: LeakedTokens,
    private readonly metrics: SecretScanningMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.leaked.requireComplete();
  }

  /**
   * Finds the key of a message before its body is read.
   *
   * @throws {ScanningSignatureInvalid} `invalid_signature`
   * @throws {ServiceUnavailable} `service_unavailable`: the keys of the scanner cannot be fetched.
   */
  async open({ identifier, signature }: ScanningHeaders): Promise<Omit<ScanningMessage, 'body'>> {
    const key = IDENTIFIER.test(identifier) && SIGNATURE.test(signature) ? await this.keys.find(identifier) : undefined;
    if (key === undefined) throw this.refused();
    return { key, signature: Buffer.from(signature, 'base64') };
  }

  /** @throws {ScanningSignatureInvalid} `invalid_signature`: nothing of the body counts. */
  requireSigned({ key, signature, body }: ScanningMessage): void {
    if (!verify('sha256', body, key, signature)) throw this.refused();
    this.metrics.reported('accepted');
  }

  /**
   * Ends the tokens of a signed message, for all processes, before it resolves. A repeated message changes nothing and
   * has the same answer.
   */
  async end(matches: readonly ScanningMatch[]): Promise<ScanningVerdict[]> {
    const results = await this.leaked.end(new Map(matches.map(({ token, place }) => [token, place])));
    for (const { kind, outcome } of results.values()) this.metrics.found(kind ?? 'other', outcome);
    return matches.map(({ token, type }) => ({
      token_hash: createHash('sha256').update(token).digest('hex'),
      token_type: type,
      label: results.get(token)!.outcome === 'unknown' ? 'false_positive' : 'true_positive',
    }));
  }

  private refused(): ScanningSignatureInvalid {
    this.metrics.reported('refused');
    return new ScanningSignatureInvalid();
  }
}
