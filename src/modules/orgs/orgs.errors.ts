import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import { ACCESS_ERRORS } from '../auth/access.errors.js';
import type { OrgRole } from '../auth/org-role.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const ORG_ERRORS = defineErrors({
  organization_not_found: { type: 'not_found_error', status: 404, title: 'Organization not found.' },
  member_not_found: { type: 'not_found_error', status: 404, title: 'Member not found.' },
  invitation_not_found: { type: 'not_found_error', status: 404, title: 'Invitation not found.' },
  last_owner: { type: 'conflict_error', status: 409, title: 'An organization must have an owner.' },
  sso_not_active: {
    type: 'conflict_error',
    status: 409,
    title: 'The organization has no active SSO connection.',
    dashboard: '/~/sso',
  },
  personal_organization: {
    type: 'conflict_error',
    status: 409,
    title: 'A personal organization cannot be deleted or shared.',
  },
});

/**
 * The response is byte for byte the same for an organization that does not exist and for one that the caller does not
 * belong to, so that it reveals no name.
 */
export class OrganizationNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.organization_not_found, 'Organization not found.', {
      hint: 'List your organizations with GET /api/v1/orgs.',
    });
  }
}

export class MemberNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.member_not_found, 'Member not found in this organization.', {
      hint: 'List the members with GET /api/v1/orgs/{org_id}/members.',
    });
  }
}

export class InvitationNotFound extends DomainError {
  constructor() {
    super(ORG_ERRORS.invitation_not_found, 'Invitation not found, or no longer open.', {
      hint: 'List the open invitations with GET /api/v1/orgs/{org_id}/invitations.',
    });
  }
}

export class SlugTaken extends DomainError {
  constructor(slug: string) {
    super(GENERIC_ERRORS.already_exists, `The slug ${slug} is taken by a user or an organization.`, {
      hint: 'Choose another slug.',
      details: { slug },
    });
  }
}

/** SSO can be required only where people can sign in through it. */
export class SsoNotActive extends DomainError {
  constructor() {
    super(ORG_ERRORS.sso_not_active, 'This organization has no active SSO connection.', {
      hint: 'Create, test and activate one under /api/v1/orgs/{org_id}/sso/connections.',
    });
  }
}

/** Only owners can be exempt from SSO, and only two. */
export class ExemptOwnersInvalid extends RequestInvalid {
  constructor() {
    super([
      { path: 'sso_exempt_owners', in: 'body', code: 'are_owners', message: 'sso_exempt_owners must be ids of owners' },
    ]);
  }
}

export class AlreadyMember extends DomainError {
  constructor() {
    super(GENERIC_ERRORS.already_exists, 'This user is already a member of the organization.', {
      hint: 'Change the role of the existing member instead.',
    });
  }
}

export class LastOwner extends DomainError {
  constructor() {
    super(ORG_ERRORS.last_owner, 'This member is the last owner of the organization.', {
      hint: 'Make another member an owner first, or delete the organization.',
    });
  }
}

/** Others would be left without an owner when the account is deleted. */
export class OnlyOwner extends DomainError {
  constructor(organizations: readonly { readonly id: string; readonly slug: string; readonly name: string }[]) {
    super(ORG_ERRORS.last_owner, 'You are the only owner of organizations that have other members.', {
      hint: 'Make another member an owner of each, or delete them.',
      details: { organizations: organizations.map(({ id, slug, name }) => ({ id, slug, name })) },
    });
  }
}

export class OrganizationIsPersonal extends DomainError {
  constructor() {
    super(
      ORG_ERRORS.personal_organization,
      'A personal organization cannot have other members, change its slug or be deleted.',
      {
        hint: 'Create an organization with POST /api/v1/orgs.',
      },
    );
  }
}

/** Some actions need more than a scope: the role of an owner, or a role at least as high as the member's. */
export class RoleTooLow extends DomainError {
  constructor(role: OrgRole | undefined, requiredRole: OrgRole) {
    super(ACCESS_ERRORS.insufficient_scopes, `This requires the role ${requiredRole} or a higher one.`, {
      hint: 'Ask an owner of the organization.',
      details: { lacked_by: 'role', ...(role === undefined ? {} : { role }), required_role: requiredRole },
    });
  }
}

/** The key could neither see nor use the organization that it creates. */
export class KeyCannotCreateOrganizations extends DomainError {
  constructor(keyKind: string) {
    super(ACCESS_ERRORS.org_access_denied, 'This key is limited to certain organizations and cannot create one.', {
      hint: 'Use a personal key or a session.',
      details: { key_kind: keyKind },
    });
  }
}

/** The limit does not count the personal organization. */
export class TooManyFreeOrganizations extends DomainError {
  constructor(limit: number, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Organization limit reached: you can own ${limit} on the Free plan.`, {
      hint: `Delete one, transfer one, or upgrade one at ${upgradeUrl}`,
      details: { limit },
    });
  }
}
