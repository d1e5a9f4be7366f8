import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/time/clock.js';
import { MembershipDirectory } from '../../auth/membership-directory.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { Principal } from '../../auth/principal.js';
import { RunPrincipalsService } from '../../auth/run-principals.service.js';
import type { Scope } from '../../auth/scopes.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { AccessKey, KeyAccess } from './access-key-rows.js';
import { AccessKeyVault } from './access-key-vault.js';
import { EPOCH_OF_EXISTING, type KnownAccessKey, stampsOf } from './known-access-key.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';

/** How long a key is used without a lookup, while no epoch reports a change. */
const KNOWN_MS = 10_000;

const SCOPES_OF: Readonly<Record<KeyAccess, readonly Scope[]>> = {
  read: ['storage:read'],
  write: ['storage:read', 'storage:write'],
};

type Permissions = Pick<KnownAccessKey, 'org' | 'principal' | 'stamps' | 'epochs'>;

/** Reads an access key and the permissions that it has now: those of its maker, narrowed. */
@Injectable()
export class AccessKeyLookup {
  constructor(
    private readonly keys: AccessKeysStore,
    private readonly vault: AccessKeyVault,
    private readonly people: PersonDirectory,
    private readonly memberships: MembershipDirectory,
    private readonly principals: RunPrincipalsService,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined for a key that does not exist, has expired, or whose maker has no access any more. */
  async find(id: string): Promise<KnownAccessKey | undefined> {
    const key = await this.keys.find(id);
    if (key === undefined) return undefined;
    const { expiresAt } = key;
    const now = this.clock.now();
    if (expiresAt !== null && expiresAt <= now) return undefined;
    const permissions = key.projectId === null ? await this.ofMaker(key) : await this.ofAttachment(key);
    if (permissions === undefined) return undefined;
    return {
      id,
      secret: this.vault.open(key.secret, id),
      access: key.access,
      bucketIds: key.bucketIds,
      validUntilMs: Math.min(now.getTime() + KNOWN_MS, expiresAt?.getTime() ?? Infinity),
      ...permissions,
    };
  }

  /** Epochs are read before what they stand for: a change in between makes the permissions look older, never newer. */
  private async ofMaker({ id, orgId, createdBy, createdKeyId, access }: AccessKey): Promise<Permissions | undefined> {
    const person = await this.people.find(createdBy);
    const membership = (await this.memberships.listOf(createdBy)).find((each) => each.id === orgId);
    if (person === undefined || membership === undefined) return undefined;
    const work = { id, orgId, userId: createdBy, keyId: createdKeyId, scopes: SCOPES_OF[access] };
    const principal = await this.principals.find(work);
    if (principal === undefined) return undefined;
    const { authEpoch, ...org } = membership;
    return {
      org,
      principal,
      stamps: stampsOf([createdBy, orgId, id]),
      epochs: [person.authEpoch, authEpoch, EPOCH_OF_EXISTING],
    };
  }

  /** The key of an app works as long as its attachment exists, also after its maker has left. */
  private async ofAttachment({ id, orgId, access, createdBy }: AccessKey): Promise<Permissions | undefined> {
    const plan = await this.orgs.planOf(orgId);
    const slug = await this.orgs.slugOf(orgId);
    if (plan === undefined || slug === undefined) return undefined;
    const org = { id: orgId, slug, name: slug, plan, role: 'member', personal: false } as const;
    return {
      org,
      principal: new Principal({
        user: {
          id: createdBy,
          username: '',
          email: '',
          emailVerified: true,
          hasSecondFactor: false,
          hasPassword: true,
        },
        credential: { type: 'session', sessionId: id, inCookie: false, prolonged: false },
        memberships: [org],
        homeOrgId: orgId,
        within: new Set(SCOPES_OF[access]),
      }),
      stamps: stampsOf([id]),
      epochs: [EPOCH_OF_EXISTING],
    };
  }
}
