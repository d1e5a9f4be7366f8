import type { CurrentMembership } from '../membership-directory.js';
import type { ClosedMembership, Credential, OrgMembership } from '../principal.js';

const HOUR_MS = 3_600_000;

interface OrgAccess {
  readonly memberships: readonly OrgMembership[];
  readonly closed: readonly ClosedMembership[];
  /** The organizations whose own SSO connection the credential came through. */
  readonly ssoOrgIds: readonly string[];
}

/** Who asks, with which credential, and when. */
interface Asking {
  readonly user: { readonly id: string; readonly hasSecondFactor: boolean };
  readonly credential: Credential;
  readonly now: Date;
}

/**
 * Parts the organizations that a person has access to from those that require more than the credential shows: a second
 * factor, or a sign-in through the SSO connection of the organization. It holds for keys too, because a key could
 * otherwise be made to keep the access.
 */
export function accessOf(asking: Asking, memberships: readonly CurrentMembership[]): OrgAccess {
  const access = { memberships: [] as OrgMembership[], closed: [] as ClosedMembership[], ssoOrgIds: [] as string[] };
  for (const membership of memberships) {
    const hasProof = hasSsoProof(asking, membership);
    if (hasProof) access.ssoOrgIds.push(membership.id);
    const closedBy = closingRuleOf(asking, membership, hasProof);
    if (closedBy === undefined) access.memberships.push(withoutFacts(membership));
    else access.closed.push({ ...withoutFacts(membership), closedBy });
  }
  return access;
}

function closingRuleOf(
  { user, credential }: Asking,
  { sso, secondFactorRequired }: CurrentMembership,
  hasProof: boolean,
): ClosedMembership['closedBy'] | undefined {
  if (sso.isRequired && !hasProof && !mayEnterWithout(credential, user.id, sso.exemptOwnerIds)) return 'sso';
  // The provider of the organization has asked for what it wants.
  return secondFactorRequired && !user.hasSecondFactor && !hasProof ? 'second_factor' : undefined;
}

function hasSsoProof({ credential, now }: Asking, { id, sso }: CurrentMembership): boolean {
  if (credential.type === 'api_key') return credential.ssoOrgIds.includes(id);
  const connection = credential.signIn?.connection;
  if (connection === undefined || !sso.connectionIds.includes(connection.id)) return false;
  return connection.at.getTime() > now.getTime() - sso.sessionHours * HOUR_MS;
}

/**
 * Work that goes on without its session was begun in one that had access. Owners who are named for it enter with a
 * passkey, so that a provider which fails locks nobody out.
 */
const mayEnterWithout = (credential: Credential, userId: string, exemptOwnerIds: readonly string[]): boolean =>
  credential.type === 'session' &&
  (credential.signIn === undefined ||
    (exemptOwnerIds.includes(userId) && credential.signIn.methods.includes('passkey')));

const withoutFacts = ({ id, slug, name, plan, role, personal }: CurrentMembership): OrgMembership => {
  return { id, slug, name, plan, role, personal };
};
