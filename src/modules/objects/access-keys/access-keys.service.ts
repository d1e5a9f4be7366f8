import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { Principal } from '../../auth/principal.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { AccessKeyRemoval } from './access-key-removal.js';
import type { AccessKey, KeyAccess } from './access-key-rows.js';
import { AccessKeyVault } from './access-key-vault.js';
import { AccessKeyAttached, AccessKeyNotFound, AccessKeyTooWide, TooManyAccessKeys } from './access-keys.errors.js';
import { newKeyPair } from './new-key-pair.js';
import { AccessKeysStore } from './persistence/access-keys.store.js';
import { BucketsStore } from '../persistence/buckets.store.js';

/** Enough for every machine of an organization, and few enough for a list. */
const MAX_KEYS = 1_000;

export interface CreateAccessKeyInput {
  readonly name: string;
  readonly access: KeyAccess;
  /** Ids of buckets; null for all of them. */
  readonly bucketIds: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** A key with its secret, which is returned only once. */
export interface CreatedAccessKey {
  readonly key: AccessKey;
  readonly secret: string;
}

/** Key pairs for programs that speak S3. Their permissions are those of who created them, narrowed. */
@Injectable()
export class AccessKeysService {
  constructor(
    private readonly database: Database,
    private readonly keys: AccessKeysStore,
    private readonly removal: AccessKeyRemoval,
    private readonly vault: AccessKeyVault,
    private readonly buckets: BucketsStore,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a key in the organization of the call.
   *
   * @throws {RequestInvalid} `invalid_request`: the expiry has passed, or a bucket is not one of the organization.
   * @throws {AccessKeyTooWide} `insufficient_scopes`
   * @throws {TooManyAccessKeys} `plan_limit_reached`
   */
  create(call: Call, input: CreateAccessKeyInput): Promise<CreatedAccessKey> {
    const { principal, org } = call;
    requireUnlimited(principal);
    const now = this.clock.now();
    if (input.expiresAt !== null && input.expiresAt <= now) throw expiryPassed(input.expiresAt);
    return this.database.transaction(async () => {
      // Keys are counted under the lock of the organization, so that concurrent calls see each other.
      await this.orgs.lockAndGetPlan(call, org.id);
      if ((await this.keys.count(org.id)) >= MAX_KEYS) throw new TooManyAccessKeys(MAX_KEYS);
      await this.requireBuckets(org.id, input.bucketIds);
      const { id, secret } = newKeyPair();
      const { credential } = principal;
      const key: AccessKey = {
        id,
        orgId: org.id,
        name: input.name,
        access: input.access,
        bucketIds: input.bucketIds,
        secret: this.vault.seal(secret, id),
        projectId: null,
        createdBy: principal.user.id,
        createdKeyId: credential.type === 'api_key' ? credential.keyId : null,
        expiresAt: input.expiresAt,
        lastUsedAt: null,
        createdAt: now,
      };
      await this.keys.insert(key);
      await this.record(call, 'access_key.created', key);
      return { key, secret };
    });
  }

  /** Lists the keys of the organization of the call, newest first. */
  list({ org }: Call, page: PageRequest): Promise<Page<AccessKey>> {
    return this.keys.list(org.id, page);
  }

  /**
   * @throws {AccessKeyNotFound} `access_key_not_found` @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {AccessKeyAttached} `access_key_attached`
   */
  delete(call: Call, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const key = await this.keys.lockIn(call.principal.lookupOrgIds, id);
      if (key === undefined) throw new AccessKeyNotFound();
      call.principal.require('storage:write', key.orgId);
      if (key.projectId !== null) throw new AccessKeyAttached();
      await this.removal.remove(id);
      await this.record(call, 'access_key.deleted', key);
    });
  }

  private async requireBuckets(orgId: string, ids: readonly string[] | null): Promise<void> {
    for (const [index, id] of (ids ?? []).entries())
      if ((await this.buckets.find([orgId], id)) === undefined)
        throw new RequestInvalid([
          {
            path: `bucket_ids[${index}]`,
            in: 'body',
            code: 'is_bucket',
            message: 'Each of bucket_ids must be the id of a bucket of the organization.',
            received: id,
          },
        ]);
  }

  private record(call: Call, action: `access_key.${string}`, { id, orgId, name, access }: AccessKey): Promise<void> {
    return this.orgs.record({ orgId, action, target: { type: 'access_key', id }, details: { name, access } }, call);
  }
}

/** An access key works from every address. @throws {AccessKeyTooWide} `insufficient_scopes` */
function requireUnlimited({ credential }: Principal): void {
  if (credential.type === 'api_key' && credential.allowedIps.length > 0) throw new AccessKeyTooWide();
}

const expiryPassed = (at: Date): RequestInvalid =>
  new RequestInvalid([
    {
      path: 'expires_at',
      in: 'body',
      code: 'in_future',
      message: 'expires_at must be in the future.',
      received: at.toISOString(),
    },
  ]);
