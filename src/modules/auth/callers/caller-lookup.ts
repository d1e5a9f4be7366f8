import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { ApiKeyInvalid } from '../auth.errors.js';
import { accessOf } from '../domain/org-access.js';
import { prefixOf } from '../keys/key-issuer.js';
import { type CurrentMembership, MembershipDirectory } from '../membership-directory.js';
import type { KeyRecord } from '../persistence/key-lookup.store.js';
import { type Person, PersonDirectory } from '../person-directory.js';
import { type Credential, Principal } from '../principal.js';
import { scopesOf } from '../scopes.js';
import type { KnownCaller } from './known-caller.js';
import { RememberedCallers } from './remembered-callers.js';

/** A person with their memberships, read after the epochs that these stand for. */
export interface FoundCaller {
  readonly person: Person;
  readonly memberships: readonly CurrentMembership[];
}

interface Found {
  readonly caller: FoundCaller;
  readonly credential: Credential;
  readonly homeOrgId: string;
  readonly endsAt: Date | null;
}

/** Reads who a credential belongs to. */
@Injectable()
export class CallerLookup {
  constructor(
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly remembered: RememberedCallers,
    private readonly clock: Clock,
  ) {}

  /** @throws {ApiKeyInvalid} `invalid_api_key`, and what `find` throws. */
  async byKey(find: () => Promise<KeyRecord>): Promise<KnownCaller> {
    const { userId } = await find();
    const caller = await this.findCaller(userId);
    // The key is read again after its epoch, so that a revocation in between is not missed.
    const key = await find();
    if (caller === undefined) throw new ApiKeyInvalid();
    const memberships =
      key.kind === 'personal' ? caller.memberships : caller.memberships.filter(({ id }) => key.orgIds.includes(id));
    return this.known({
      caller: { ...caller, memberships },
      credential: credentialOf(key),
      homeOrgId: key.homeOrgId,
      endsAt: earlier(key.expiresAt, key.worksUntil),
    });
  }

  /**
   * Reads the epoch before the data that it stands for. A change in between makes the data look older than it is, never
   * newer.
   */
  async findCaller(userId: string): Promise<FoundCaller | undefined> {
    const person = await this.people.find(userId);
    return person && { person, memberships: await this.memberships.listOf(userId) };
  }

  known({ caller, credential, homeOrgId, endsAt }: Found): KnownCaller {
    const { authEpoch: userEpoch, ...user } = caller.person;
    return {
      principal: new Principal({
        user,
        credential,
        ...accessOf({ user, credential, now: this.clock.now() }, caller.memberships),
        homeOrgId,
      }),
      userEpoch,
      orgEpochs: new Map(caller.memberships.map(({ id, authEpoch }) => [id, authEpoch])),
      validUntilMs: this.remembered.validUntilMs(endsAt),
    };
  }
}

function credentialOf(key: KeyRecord): Credential {
  return {
    type: 'api_key',
    keyId: key.keyId,
    kind: key.kind,
    name: key.name,
    prefix: prefixOf(key.kind),
    last4: key.last4,
    scopes: scopesOf(key.scopes),
    allowedIps: key.allowedIps,
    ssoOrgIds: key.ssoOrgIds,
    ...(key.kind === 'org_bound' ? { boundOrgId: key.homeOrgId } : {}),
    ...(key.projectId === null ? {} : { projectId: key.projectId }),
  };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
