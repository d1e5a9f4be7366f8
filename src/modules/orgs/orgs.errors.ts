import { DomainError } from '../../platform/errors/domain-error.js';
import type { OrgRole } from '../auth/org-role.js';

/** To the byte the same for an organization of strangers as for one that never was, so that it repeats no name. */
export class OrganizationNotFound extends DomainError {
  constructor() {
    super('organization_not_found', 'You belong to no such organization.', {
      hint: 'GET /api/v1/orgs lists those that can be named.',
    });
  }
}

export class MemberNotFound extends DomainError {
  constructor() {
    super('member_not_found', 'The organization has no such member.', {
      hint: 'GET /api/v1/orgs/{org_id}/members lists them.',
    });
  }
}

export class InvitationNotFound extends DomainError {
  constructor() {
    super('invitation_not_found', 'The organization has no such open invitation.', {
      hint: 'GET /api/v1/orgs/{org_id}/invitations lists them.',
    });
  }
}

export class SlugTaken extends DomainError {
  constructor(slug: string) {
    super('already_exists', `The slug ${slug} is taken by an organization or a person.`, {
      hint: 'Send another slug.',
      details: { slug },
    });
  }
}

export class AlreadyMember extends DomainError {
  constructor() {
    super('already_exists', 'This person is a member of the organization already.', {
      hint: 'Change the role of the member instead.',
    });
  }
}

export class LastOwner extends DomainError {
  constructor() {
    super('last_owner', 'An organization needs an owner, and this is the only one.', {
      hint: 'Make somebody else an owner first, or delete the organization.',
    });
  }
}

export class OrganizationIsPersonal extends DomainError {
  constructor() {
    super(
      'personal_organization',
      'A personal organization belongs to its person alone: it has no other members, keeps its slug and cannot be deleted.',
      {
        hint: 'Create an organization with POST /api/v1/orgs.',
      },
    );
  }
}

/** Beyond what scopes say: some things are for owners, or for those who are not below the member concerned. */
export class RoleTooLow extends DomainError {
  constructor(role: OrgRole | undefined, requiredRole: OrgRole) {
    super('insufficient_scopes', `Only a member of role ${requiredRole}, or one above it, may do this.`, {
      hint: 'Ask an owner of the organization.',
      details: { lacked_by: 'role', ...(role === undefined ? {} : { role }), required_role: requiredRole },
    });
  }
}

/** It could neither see nor use what it had made. */
export class KeyCannotCreateOrganizations extends DomainError {
  constructor(keyKind: string) {
    super('org_access_denied', 'This key reaches certain organizations only, and a new one is none of them.', {
      hint: 'Use a personal key, or a session.',
      details: { key_kind: keyKind },
    });
  }
}

/** Besides the personal one. */
export class TooManyFreeOrganizations extends DomainError {
  constructor(limit: number, upgradeUrl: string) {
    super('plan_limit_reached', `You own ${limit} organizations of the Free plan, and can have no more.`, {
      hint: `Delete one, hand one over, or give one a larger plan: ${upgradeUrl}`,
      details: { limit },
    });
  }
}
