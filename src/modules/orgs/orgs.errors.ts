import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { ACCESS_ERRORS } from '../auth/access.errors.js';
import type { OrgRole } from '../auth/org-role.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const ORG_ERRORS = defineErrors({
  organization_not_found: { type: 'not_found_error', status: 404, title: 'Organization not found.' },
  member_not_found: { type: 'not_found_error', status: 404, title: 'Member not found.' },
  invitation_not_found: { type: 'not_found_error', status: 404, title: 'Invitation not found.' },
  last_owner: { type: 'conflict_error', status: 409, title: 'An organization must have an owner.' },
  personal_organization: {
    type: 'conflict_error',
    status: 409,
    title: 'A personal organization cannot be deleted or shared.',
  },
});

/**
 * The one answer for an organization that does not exist and for one that the caller does not belong to, to the byte,
 * so that it gives no name away.
 */
export class OrganizationNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.organization_not_found, 'Organization not found.', {
      hint: 'List the organizations that you belong to with GET /api/v1/orgs.',
    });
  }
}

export class MemberNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.member_not_found, 'The organization has no such member.', {
      hint: 'GET /api/v1/orgs/{org_id}/members lists them.',
    });
  }
}

export class InvitationNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.invitation_not_found, 'The organization has no such open invitation.', {
      hint: 'GET /api/v1/orgs/{org_id}/invitations lists them.',
    });
  }
}

export class SlugTaken extends DomainError {
  constructor(slug: string) {
    super(GENERIC_ERRORS.already_exists, `The slug ${slug} is taken by an organization or a person.`, {
      hint: 'Send another slug.',
      details: { slug },
    });
  }
}

export class AlreadyMember extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.already_exists, 'This person is a member of the organization already.', {
      hint: 'Change the role of the member instead.',
    });
  }
}

export class LastOwner extends DomainError {
  constructor() {
    super(ORG_ERRORS.last_owner, 'An organization needs an owner, and this is the only one.', {
      hint: 'Make another member an owner first, or delete the organization.',
    });
  }
}

export class OrganizationIsPersonal extends DomainError {
  constructor() {
    super(
      ORG_ERRORS.personal_organization,
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
    super(ACCESS_ERRORS.insufficient_scopes, `Only a member of role ${requiredRole}, or one above it, may do this.`, {
      hint: 'Ask an owner of the organization.',
      details: { lacked_by: 'role', ...(role === undefined ? {} : { role }), required_role: requiredRole },
    });
  }
}

/** It could neither see nor use what it had made. */
export class KeyCannotCreateOrganizations extends DomainError {
  constructor(keyKind: string) {
    super(
      ACCESS_ERRORS.org_access_denied,
      'This key reaches certain organizations only, and a new one is none of them.',
      {
        hint: 'Use a personal key, or a session.',
        details: { key_kind: keyKind },
      },
    );
  }
}

/** Besides the personal one. */
export class TooManyFreeOrganizations extends DomainError {
  constructor(limit: number, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `You own ${limit} organizations of the Free plan, and can have no more.`, {
      hint: `Delete one, hand one over, or give one a larger plan: ${upgradeUrl}`,
      details: { limit },
    });
  }
}
