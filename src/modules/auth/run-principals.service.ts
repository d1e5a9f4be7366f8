import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { MembershipDirectory } from './membership-directory.js';
import { ApiKeyStore } from './persistence/api-key.store.js';
import type { ApiKey } from './persistence/api-key.entity.js';
import { PersonDirectory } from './person-directory.js';
import { type Credential, Principal } from './principal.js';
import { type Scope, scopesOf } from './scopes.js';
import { prefixOf } from './keys/key-issuer.js';

/** Work that goes on after the call that started it. */
export interface StartedWork {
  readonly id: string;
  readonly orgId: string;
  readonly userId: string;
  /** The key of that call. Null for a session, whose end does not end the work. */
  readonly keyId: string | null;
  /** What the work may do at most. */
  readonly scopes: readonly Scope[];
}

/** Finds the present permissions of those who started work, as long as it runs. Nothing is remembered. */
@Injectable()
export class RunPrincipalsService {
  constructor(
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly keys: ApiKeyStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the caller that the work acts as: who started it, within the scopes of the work. Undefined when the key was
   * revoked or has expired, and when the person or the key no longer has access to the organization.
   */
  async find(work: StartedWork): Promise<Principal | undefined> {
    const credential = await this.credentialOf(work);
    const person = credential && (await this.people.find(work.userId));
    if (credential === undefined || person === undefined) return undefined;
    const memberships = (await this.memberships.listOf(work.userId)).filter(({ id }) => id === work.orgId);
    if (memberships.length === 0) return undefined;
    return new Principal({
      user: withoutEpoch(person),
      credential,
      memberships: memberships.map(withoutEpoch),
      homeOrgId: work.orgId,
      within: new Set(work.scopes),
    });
  }

  private async credentialOf({ id, orgId, keyId }: StartedWork): Promise<Credential | undefined> {
    // The work of a person in a session goes on when the session ends.
    if (keyId === null) return { type: 'session', sessionId: id, inCookie: false, prolonged: false };
    const key = await this.keys.findById(keyId);
    const isUsable =
      key !== null &&
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > this.clock.now()) &&
      (key.kind === 'personal' || key.orgIds.includes(orgId));
    return isUsable ? credentialOf(key) : undefined;
  }
}

const credentialOf = (key: ApiKey): Credential => ({
  type: 'api_key',
  keyId: key.id,
  kind: key.kind,
  name: key.name,
  prefix: prefixOf(key.kind),
  last4: '',
  scopes: scopesOf(key.scopes),
  allowedIps: [],
  ...(key.kind === 'org_bound' ? { boundOrgId: key.homeOrgId } : {}),
  ...(key.projectId === null ? {} : { projectId: key.projectId }),
});

function withoutEpoch<T extends { readonly authEpoch: unknown }>(given: T): Omit<T, 'authEpoch'> {
  const fields = Object.entries(given).filter(([name]) => name !== 'authEpoch');
  return Object.fromEntries(fields) as Omit<T, 'authEpoch'>;
}
