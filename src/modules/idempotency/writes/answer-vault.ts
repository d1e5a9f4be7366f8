import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { ErrorHelp } from '../../../platform/errors/domain-error.js';
import { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { KeyMissing, KeyRing } from '../../../platform/secrets/key-ring.js';
import { IdempotencyMismatch, RefusedBefore } from '../idempotency.errors.js';

/** The answer of a handler; `data` is absent from an empty answer, and `plain` is one without an envelope. */
export interface KeptAnswer {
  readonly status: number;
  readonly plain?: unknown;
  /** A response with a form of its own. */
  readonly raw?: {
    readonly text: string;
    readonly contentType: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly data?: unknown;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export interface KeptRefusal {
  readonly refusal: { readonly code: string; readonly message: string; readonly help: ErrorHelp };
}

/** Encrypts the answers of writes with the pepper, because an answer may contain the secret of a key. */
@Injectable()
export class AnswerVault {
  private readonly keys: KeyRing;

  constructor(
    { apiKeyPeppers }: Config,
    private readonly errors: ErrorCatalog,
  ) {
    this.keys = new KeyRing('API_KEY_PEPPER', 'idempotency', apiKeyPeppers);
  }

  seal(content: KeptAnswer | KeptRefusal, scope: string): Buffer {
    return this.keys.encrypt(JSON.stringify(content), scope);
  }

  /**
   * Returns the answer that was stored for the scope.
   *
   * @throws {RefusedBefore} when a refusal was stored.
   * @throws {IdempotencyMismatch} when the pepper is gone: the first outcome is unknown, and the work must not run
   * twice.
   */
  open(sealed: Buffer, scope: string): KeptAnswer {
    const kept = JSON.parse(this.decrypt(sealed, scope)) as KeptAnswer | KeptRefusal;
    if ('refusal' in kept) throw new RefusedBefore(this.errors.get(kept.refusal.code), kept.refusal);
    return kept;
  }

  private decrypt(sealed: Buffer, scope: string): string {
    try {
      return this.keys.decrypt(sealed, scope);
    } catch (error) {
      if (error instanceof KeyMissing) throw new IdempotencyMismatch();
      throw error;
    }
  }
}
