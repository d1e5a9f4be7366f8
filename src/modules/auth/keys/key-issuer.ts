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

type NewKey = Pick<ApiKey, 'userId' | 'homeOrgId' | 'kind' | 'name' | 'scopes' | 'orgIds' | 'allowedIps' | 'expiresAt'>;

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

  createKey(key: NewKey): ApiKey {
    const now = this.clock.now();
    return Object.assign(new ApiKey(), {
      id: this.ids.next(API_KEY_ID),
      ...key,
      revokedAt: null,
      lastUsedAt: null,
      lastUsedIp: null,
      createdAt: now,
      updatedAt: now,
    });
  }

  issueSecret(key: ApiKey): IssuedSecret {
    const secret = this.hasher.createToken(TOKEN_KIND_OF[key.kind]);
    const row = Object.assign(new ApiKeySecret(), {
      id: this.ids.next(API_KEY_SECRET_ID),
      keyId: key.id,
      ...this.hasher.hash(secret),
      last4: secret.slice(-LAST_CHARACTERS),
      createdAt: this.clock.now(),
      rotatedAt: null,
      worksUntil: null,
    });
    return { secret, row };
  }
}

/** The visible beginning of a key, such as `svc_pat_`. */
export const prefixOf = (kind: KeyKind): string => `svc_${TOKEN_KIND_OF[kind]}_`;
