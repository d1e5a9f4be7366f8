import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/time/clock.js';
import { MembershipDirectory } from './membership-directory.js';
import { ApiKeyStore } from './persistence/api-key.store.js';
import type { ApiKey } from './persistence/api-key.entity.js';
import { PersonDirectory } from './person-directory.js';
import { accessOf } from './domain/org-access.js';
import { type Credential, Principal } from './principal.js';
import { scopesOf } from './scopes.js';
import type { StartedWork } from './domain/started-work.js';
import { prefixOf } from './keys/key-issuer.js';

/** The caller that work acts as, with the epochs at which it was looked up. */
export interface WorkCaller {
  readonly principal: Principal;
  readonly userEpoch: number;
  readonly orgEpochs: ReadonlyMap<string, number>;
  /** When the key of the caller expires. */
  readonly endsAt: Date | null;
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
    return (await this.findCaller(work))?.principal;
  }

  /** {@link find}, for callers that remember the answer until an epoch rises. */
  async findCaller(work: StartedWork): Promise<WorkCaller | undefined> {
    const person = await this.people.find(work.userId);
    const current = (await this.memberships.listOf(work.userId)).filter(({ id }) => id === work.orgId);
    // The key is read after the epochs, so that a revocation in between is not missed.
    const started = await this.startOf(work);
    if (started === undefined || person === undefined) return undefined;
    const { authEpoch: userEpoch, ...user } = person;
    const { credential, endsAt } = started;
    const { memberships } = accessOf({ user: person, credential, now: this.clock.now() }, current);
    if (memberships.length === 0) return undefined;
    const within = new Set(work.scopes);
    return {
      endsAt,
      principal: new Principal({ user, credential, memberships, homeOrgId: work.orgId, within }),
      userEpoch,
      orgEpochs: new Map(current.map(({ id, authEpoch }) => [id, authEpoch])),
    };
  }

  private async startOf({
    id,
    orgId,
    keyId,
  }: StartedWork): Promise<{ credential: Credential; endsAt: Date | null } | undefined> {
    // The work of a person in a session goes on when the session ends.
    if (keyId === null)
      return { credential: { type: 'session', sessionId: id, inCookie: false, prolonged: false }, endsAt: null };
    const key = await this.keys.findById(keyId);
    const isUsable =
      key !== null &&
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > this.clock.now()) &&
      (key.kind === 'personal' || key.orgIds.includes(orgId));
    return isUsable ? { credential: credentialOf(key), endsAt: key.expiresAt } : undefined;
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
  ssoOrgIds: key.ssoOrgIds,
  ...(key.kind === 'org_bound' ? { boundOrgId: key.homeOrgId } : {}),
  ...(key.projectId === null ? {} : { projectId: key.projectId }),
});
