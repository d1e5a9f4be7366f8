import { containsRange } from '../domain/address-ranges.js';
import type { Principal } from '../principal.js';
import { scopesOf } from '../scopes.js';
import { KeyTooWide } from '../keys.errors.js';

/** The permissions of a key. */
export interface KeyRange {
  readonly kind: 'personal' | 'select_orgs' | 'org_bound';
  readonly scopes: readonly string[];
  readonly orgIds: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: Date | null;
}

const WIDTH: Readonly<Record<KeyRange['kind'], number>> = { org_bound: 0, select_orgs: 1, personal: 2 };

/**
 * Refuses a key with wider permissions than the credential that creates or changes it: more scopes, organizations or
 * addresses, or a later expiry. A session has all permissions of its user.
 *
 * @throws {KeyTooWide} `insufficient_scopes`
 */
export function requireNoWider(principal: Principal, key: KeyRange, expiryOfCredential: Date | null): void {
  const { credential } = principal;
  if (credential.type === 'session') return;

  const missing = [...scopesOf(key.scopes)].filter((scope) => !credential.scopes.has(scope));
  if (missing.length > 0) throw new KeyTooWide(missing);
  const reachesFurther =
    WIDTH[key.kind] > WIDTH[credential.kind] || key.orgIds.some((id) => principal.membershipIn(id) === undefined);
  const livesLonger = expiryOfCredential !== null && (key.expiresAt === null || key.expiresAt > expiryOfCredential);
  if (reachesFurther || livesLonger || worksFromMore(credential.allowedIps, key.allowedIps)) throw new KeyTooWide([]);
}

function worksFromMore(own: readonly string[], requested: readonly string[]): boolean {
  if (own.length === 0) return false;
  return requested.length === 0 || !requested.every((range) => own.some((allowed) => containsRange(allowed, range)));
}
