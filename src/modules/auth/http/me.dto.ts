import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { PLAN_IDS, type PlanId } from '../../plans/plan.js';
import type { Call } from '../caller.js';
import { ORG_ROLES, type OrgRole } from '../org-role.js';
import { type ClosedMembership, KEY_KINDS, type KeyKind, type OrgMembership } from '../principal.js';
import { type Scope, SCOPES } from '../scopes.js';

class CallingUserView {
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) username!: string;
  @ApiProperty({ example: 'ada@example.org' }) email!: string;
  @ApiProperty() email_verified!: boolean;
  @ApiProperty({ description: 'False for an account that is only used through GitHub or Google. A reset sets one.' })
  has_password!: boolean;
  @ApiPropertyOptional({
    type: String,
    description: 'Address that a change in progress leads to. Absent without one. See GET /api/v1/me/email.',
  })
  pending_email?: string;
  @ApiProperty({ description: 'True when this call may use the operator endpoints: never with a key or a token.' })
  operator!: boolean;
}

class MembershipView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) slug!: string;
  @ApiProperty({ example: 'Ada' }) name!: string;
  @ApiProperty({ enum: PLAN_IDS }) plan!: PlanId;
  @ApiProperty({ enum: ORG_ROLES }) role!: OrgRole;
  @ApiProperty({ description: "True for the user's personal organization." }) personal!: boolean;

  static of({ id, slug, name, plan, role, personal }: OrgMembership): MembershipView {
    return { id, slug, name, plan, role, personal };
  }
}

class ClosedOrganizationView {
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'acme' }) slug!: string;
  @ApiProperty({ example: 'Acme' }) name!: string;
  @ApiProperty({
    enum: ['sso', 'second_factor'],
    description: 'What the organization requires: a sign-in through its SSO connection, or a second factor.',
  })
  closed_by!: ClosedMembership['closedBy'];

  static of({ id, slug, name, closedBy }: ClosedMembership): ClosedOrganizationView {
    return { id, slug, name, closed_by: closedBy };
  }
}

class CallingKeyView {
  @ApiProperty({ example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: KEY_KINDS }) kind!: KeyKind;
  @ApiProperty() name!: string;
  @ApiProperty({ example: 'svc_pat_' }) prefix!: string;
  @ApiProperty({ example: 'x7Qz' }) last4!: string;
}

class CredentialView {
  @ApiProperty({ enum: ['session', 'api_key'] }) type!: 'session' | 'api_key';
  @ApiPropertyOptional({ type: CallingKeyView, description: 'Present if `type` is `api_key`.' }) key?: CallingKeyView;
}

export class MeView {
  @ApiProperty({ type: CallingUserView }) user!: CallingUserView;
  @ApiProperty({
    type: MembershipView,
    description: 'Organization of this call: the one in `x-service-org`, or the default one of the credential.',
  })
  organization!: MembershipView;
  @ApiProperty({ type: [MembershipView], description: 'Organizations that the credential has access to.' })
  organizations!: MembershipView[];
  @ApiProperty({
    type: [ClosedOrganizationView],
    description: 'Organizations of the caller that require more than the credential shows. Calls to them get 403.',
  })
  closed_organizations!: ClosedOrganizationView[];
  @ApiProperty({ type: CredentialView }) credential!: CredentialView;
  @ApiProperty({ enum: SCOPES, isArray: true, description: 'Scopes of the caller in the organization of this call.' })
  scopes!: Scope[];

  static of({ principal, org }: Call, operator: boolean): MeView {
    const { user, credential, memberships, closed } = principal;
    return {
      user: {
        id: user.id,
        username: user.username,
        email: user.email,
        email_verified: user.emailVerified,
        has_password: user.hasPassword,
        ...(user.pendingEmail === undefined ? {} : { pending_email: user.pendingEmail }),
        operator,
      },
      organization: MembershipView.of(org),
      organizations: memberships.map((membership) => MembershipView.of(membership)),
      closed_organizations: closed.map((membership) => ClosedOrganizationView.of(membership)),
      credential:
        credential.type === 'session'
          ? { type: 'session' }
          : {
              type: 'api_key',
              key: {
                id: credential.keyId,
                kind: credential.kind,
                name: credential.name,
                prefix: credential.prefix,
                last4: credential.last4,
              },
            },
      scopes: [...principal.rightsIn(org.id)],
    };
  }
}

export class MeAnswer {
  @ApiProperty({ type: MeView }) data!: MeView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
