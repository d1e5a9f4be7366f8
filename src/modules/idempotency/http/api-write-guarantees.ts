import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { isDryRun } from '../../../platform/http/dry-run.js';
import { RawAnswer } from '../../../platform/http/raw-answer.js';
import { stateOf } from '../../../platform/http/request-state.js';
import { WriteGuarantees, type WriteRule } from '../../../platform/http/write-guarantees.js';
import { keyFor } from '../../../platform/secrets/sealed.js';
import { clientAddressOf } from '../../limits/client-address.js';
import type { KeptAnswer } from '../writes/answer-vault.js';
import { IdempotencyService, type IdempotentRequest } from '../writes/idempotency.service.js';

const KEY_HEADER = 'idempotency-key';
/** A sign-in for a cookie is another write than the same one for a token in the response. */
const SESSION_HEADER = 'x-service-session';
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;
/** Secrets that are shown only once are left out of dry runs, which create nothing. */
const SECRETS = new Set(['secret', 'session_token']);

/** Implements `Idempotency-Key` and `Dry-Run` for every write of the API. */
@Injectable()
export class ApiWriteGuarantees extends WriteGuarantees {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly database: Database,
    private readonly config: Config,
  ) {
    super();
  }

  areAskedBy({ headers }: Request): boolean {
    return headers[KEY_HEADER] !== undefined || headers['dry-run'] !== undefined;
  }

  async answer(request: Request, { actsOutside }: WriteRule, handler: () => Promise<unknown>): Promise<unknown> {
    if (isDryRun(request)) return actsOutside ? handler() : rehearsed(await this.database.rehearse(handler));

    const key = request.headers[KEY_HEADER];
    if (key === undefined) return handler();
    const { answer, replayed } = await this.idempotency.once(this.requestOf(request, key), !actsOutside, async () =>
      keptOf(await handler()),
    );
    if (replayed) request.res!.setHeader('Idempotency-Replayed', 'true');
    if ('raw' in answer) {
      const { text, contentType, headers } = answer.raw;
      return new RawAnswer(Buffer.from(text), contentType, headers);
    }
    if ('plain' in answer) return answer.plain;
    return 'data' in answer
      ? new Envelope(answer.data, answer.meta, answer.status === 0 ? undefined : answer.status)
      : undefined;
  }

  /** @throws {RequestInvalid} `invalid_request` */
  private requestOf(request: Request, key: string | string[]): IdempotentRequest {
    if (typeof key !== 'string' || !KEY_FORM.test(key)) {
      throw new RequestInvalid([
        {
          path: 'Idempotency-Key',
          in: 'header',
          code: 'is_idempotency_key',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
        },
      ]);
    }
    const route = (request.route as { path: string }).path;
    return {
      scope: `${callerOf(request)} ${request.method} ${route}`,
      key,
      fingerprints: this.fingerprintsOf(request),
    };
  }

  /**
   * Hashes with the pepper, because the body of a sign-in holds a password, which a plain hash would allow to guess
   * fast.
   */
  private fingerprintsOf({ originalUrl, body, headers }: Request): Buffer[] {
    const sessionPlace = headers[SESSION_HEADER];
    const content = JSON.stringify([originalUrl, body ?? null, ...(sessionPlace === undefined ? [] : [sessionPlace])]);
    return this.config.apiKeyPeppers.map(({ secret }) =>
      createHmac('sha256', keyFor('idempotency fingerprint', secret)).update(content).digest(),
    );
  }
}

/** An unauthenticated caller is identified by its network. */
const callerOf = (request: Request): string => stateOf(request).callerKey ?? clientAddressOf(request.ip).network;

/** A status of 0 stands for the status that the route declares. */
function keptOf(result: unknown): KeptAnswer {
  if (result === undefined) return { status: 0 };
  if (result instanceof RawAnswer) {
    const { body, contentType, headers } = result;
    return { status: 0, raw: { text: body.toString(), contentType, headers } };
  }
  // The operator endpoints answer without an envelope.
  if (!(result instanceof Envelope)) return { status: 0, plain: result };
  const { data, meta, status } = result as Envelope<unknown>;
  return { status: status ?? 0, data, meta };
}

function rehearsed(result: unknown): unknown {
  if (!(result instanceof Envelope)) return result;
  const { data, meta, status } = result as Envelope<unknown>;
  return new Envelope(withoutSecrets(data), { ...meta, dry_run: true }, status);
}

const withoutSecrets = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && !Array.isArray(data)
    ? Object.fromEntries(Object.entries(data).filter(([name]) => !SECRETS.has(name)))
    : data;
