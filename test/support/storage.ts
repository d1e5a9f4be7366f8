import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Call } from '../../src/modules/auth/caller.js';
import { RunPrincipalsService } from '../../src/modules/auth/run-principals.service.js';
import { AccessKeysService } from '../../src/modules/objects/access-keys/access-keys.service.js';
import { BucketsService } from '../../src/modules/objects/buckets/buckets.service.js';
import type { Bucket } from '../../src/modules/objects/persistence/bucket-rows.js';
import { Database } from '../../src/platform/database/database.js';
import type { Person } from './make.js';
import type { TestApp } from './test-app.js';

export interface KeyPair {
  readonly id: string;
  readonly secret: string;
}

/** A call of a person in their own organization, with all of their rights on object storage. */
export async function callOf(app: TestApp, { user, organization }: Person): Promise<Call> {
  const principal = await app.get(RunPrincipalsService).find({
    id: 'test',
    orgId: organization.id,
    userId: user.id,
    keyId: null,
    scopes: ['storage:read', 'storage:write', 'projects:read'],
  });
  return { principal: principal!, org: principal!.memberships[0]!, ip: '198.18.0.1', requestId: 'req_test' };
}

export async function keyPair(app: TestApp, person: Person, access: 'read' | 'write' = 'write'): Promise<KeyPair> {
  const { key, secret } = await app
    .get(AccessKeysService)
    .create(await callOf(app, person), { name: 'Test', access, bucketIds: null, expiresAt: null });
  return { id: key.id, secret };
}

export async function bucketOf(app: TestApp, person: Person, name: string): Promise<Bucket> {
  const input = { name, projectId: null, visibility: 'private', cors: [], expireAfterDays: null } as const;
  return app.get(BucketsService).create(await callOf(app, person), input);
}

/** A client of the service below `/s3` of the API. */
export const clientOf = (app: TestApp, { id, secret }: KeyPair, more: S3ClientConfig = {}): S3Client =>
  new S3Client({
    endpoint: `${app.url}/s3`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: id, secretAccessKey: secret },
    maxAttempts: 1,
    ...more,
  });

/** What must hold whenever nothing is being written (laws 1 and 3, in the database). */
export async function requireSums(app: TestApp): Promise<void> {
  const [faults] = await app.get(Database).manager.query<[{ faults: unknown }]>(`
    WITH stored AS (
      SELECT bucket_id, size FROM objects
      UNION ALL
      SELECT bucket_id, upload_parts.size FROM upload_parts JOIN object_uploads ON object_uploads.id = upload_id
    ), of_bucket AS (
      SELECT buckets.id, buckets.bytes, coalesce((SELECT sum(size) FROM stored WHERE bucket_id = buckets.id), 0) AS sum,
        object_count, (SELECT count(*) FROM objects WHERE bucket_id = buckets.id) AS count
      FROM buckets
    ), of_org AS (
      SELECT org_id, bytes, coalesce((SELECT sum(bytes) FROM buckets WHERE buckets.org_id = account.org_id), 0) AS sum,
        reserved, coalesce((SELECT sum(bytes) FROM storage_reservations WHERE org_id = account.org_id), 0) AS leases
      FROM storage_accounts account
    )
    SELECT jsonb_build_object(
      'buckets', (SELECT jsonb_agg(to_jsonb(of_bucket)) FROM of_bucket WHERE bytes <> sum OR object_count <> count),
      'accounts', (SELECT jsonb_agg(to_jsonb(of_org)) FROM of_org WHERE bytes <> sum OR reserved <> leases)) AS
        faults`);
  expect(faults.faults).toEqual({ buckets: null, accounts: null });
}
