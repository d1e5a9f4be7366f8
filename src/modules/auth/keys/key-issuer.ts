import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeySecret } from '../persistence/api-key-secret.entity.js';
import { ApiKey } from '../persistence/api-key.entity.js';
import type { KeyKind } from '../principal.js';
import { SecretHasher } from '../secret-hasher.js';
import type { TokenKind } from '../token-format.js';
import { API_KEY_ID, API_KEY_SECRET_ID } from './keys.ids.js';

const LAST_CHARACTERS = 4;

const TOKEN_KIND_OF: Readonly<Record<KeyKind, TokenKind>> = { personal: 'pat', select_orgs: 'sel', org_bound: 'org' };

export interface IssuedSecret {
  /** The key itself, which is returned to the caller once and never stored. */
  readonly secret: string;
  readonly row: ApiKeySecret;
}

/** Creates keys and their secrets. It stores nothing. */
@Injectable()
export class KeyIssuer {
  constructor(
    private readonly hasher: SecretHasher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  createKey(input: Parameters<typeof ApiKey.issued>[0]): ApiKey {
    return ApiKey.issued(input, { id: this.ids.next(API_KEY_ID), at: this.clock.now() });
  }

  issueSecret({ id: keyId, kind }: ApiKey): IssuedSecret {
    const secret = this.hasher.createToken(TOKEN_KIND_OF[kind]);
    const row = ApiKeySecret.issued(
      { keyId, ...this.hasher.hash(secret), last4: secret.slice(-LAST_CHARACTERS) },
      { id: this.ids.next(API_KEY_SECRET_ID), at: this.clock.now() },
    );
    return { secret, row };
  }
}

/** The visible beginning of a key, such as `svc_pat_`. */
export const prefixOf = (kind: KeyKind): string => `svc_${TOKEN_KIND_OF[kind]}_`;
