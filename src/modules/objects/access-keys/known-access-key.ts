import { epochKeyOf } from '../../auth/auth-epochs.js';
import type { OrgMembership, Principal } from '../../auth/principal.js';
import type { KeyAccess } from './access-key-rows.js';

/** An access key that can be used, with the permissions that it has at present. */
export interface KnownAccessKey {
  readonly id: string;
  readonly secret: string;
  readonly access: KeyAccess;
  /** The organization whose buckets it opens. */
  readonly org: OrgMembership;
  /** The caller that it acts as: its maker within the scopes of the key, or an app. */
  readonly principal: Principal;
  /** Null means every bucket of the organization. */
  readonly bucketIds: readonly string[] | null;
  /** Redis keys of the epochs that it depends on, and the numbers at which it was looked up. */
  readonly stamps: readonly string[];
  readonly epochs: readonly number[];
  readonly validUntilMs: number;
}

/** The epoch of a key that exists. It is raised once, when the key is deleted. */
export const EPOCH_OF_EXISTING = 0;
export const EPOCH_OF_DELETED = '1';

export const stampsOf = (ids: readonly string[]): string[] => ids.map(epochKeyOf);

/** True when an epoch is higher than the one that the key was looked up at. Epochs only rise. */
export const isOutdated = ({ epochs }: KnownAccessKey, read: readonly number[]): boolean =>
  read.some((epoch, index) => epoch > (epochs[index] ?? 0));

/** True when the key opens this bucket, if its caller may. */
export const opens = (
  { org, bucketIds }: KnownAccessKey,
  bucket: { readonly id: string; readonly orgId: string },
): boolean => bucket.orgId === org.id && (bucketIds === null || bucketIds.includes(bucket.id));
