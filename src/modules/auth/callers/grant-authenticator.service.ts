import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { type AccessGrant, isWorkGrant, type KeyGrant } from '../access-tokens.js';
import { ApiKeyRevoked } from '../auth.errors.js';
import type { StartedWork } from '../domain/started-work.js';
import { RunPrincipalsService } from '../run-principals.service.js';
import { scopesOf } from '../scopes.js';
import { CallerLookup } from './caller-lookup.js';
import type { KnownCaller } from './known-caller.js';
import { RememberedCallers } from './remembered-callers.js';
import { UsableKeys } from './usable-keys.js';

/** Finds the caller that an access token stands for, whose signature was checked before. */
@Injectable()
export class GrantAuthenticatorService {
  /** Apart from the callers by token, so that nothing that a caller sends finds one of these. */
  private readonly granted: RememberedCallers;

  constructor(
    private readonly keys: UsableKeys,
    private readonly lookup: CallerLookup,
    private readonly work: RunPrincipalsService,
    clock: Clock,
  ) {
    this.granted = new RememberedCallers(clock);
  }

  /**
   * @throws {ApiKeyInvalid} `invalid_api_key`
   * @throws {ApiKeyExpired} `expired_api_key`
   * @throws {ApiKeyRevoked} `revoked_api_key`: the grant has ended, or the caller who started a run has no access.
   */
  authenticate(grant: AccessGrant): KnownCaller | Promise<KnownCaller> {
    return this.granted.get(nameOf(grant), () => this.find(grant));
  }

  /** {@link authenticate} without the remembered callers: the database is read again. */
  reauthenticate(grant: AccessGrant): Promise<KnownCaller> {
    return this.granted.renew(nameOf(grant), () => this.find(grant));
  }

  private find(grant: AccessGrant): Promise<KnownCaller> {
    return isWorkGrant(grant) ? this.ofWork(grant.work) : this.ofKey(grant);
  }

  private async ofWork(work: StartedWork): Promise<KnownCaller> {
    const caller = await this.work.findCaller(work);
    if (caller === undefined) throw new ApiKeyRevoked();
    const { endsAt, ...known } = caller;
    return { ...known, validUntilMs: this.granted.validUntilMs(endsAt) };
  }

  private ofKey({ keyId, scopes }: KeyGrant): Promise<KnownCaller> {
    return this.lookup.byKey(async () => {
      const key = await this.keys.getGranted(keyId);
      const ofKey = scopesOf(key.scopes);
      return { ...key, scopes: [...scopesOf(scopes)].filter((scope) => ofKey.has(scope)) };
    });
  }
}

function nameOf(grant: AccessGrant): string {
  if (!isWorkGrant(grant)) return `${grant.keyId} ${[...grant.scopes].sort().join(' ')}`;
  const { id, orgId, userId, keyId, scopes } = grant.work;
  return [id, orgId, userId, keyId ?? '', ...scopes].join(' ');
}
