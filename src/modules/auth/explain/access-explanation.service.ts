import { Injectable } from '@nestjs/common';
import { AuthSettings } from '../auth.settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { CallBudgetService } from '../../limits/call-budget.service.js';
import { LimitExceeded } from '../../limits/limits.errors.js';
import { EmailNotVerified, InsufficientScopes } from '../access.errors.js';
import { SessionRequired, SessionTokenNotAllowed } from '../auth.errors.js';
import type { Call } from '../caller.js';
import { budgetAccountOf } from '../callers/org-budget.js';
import type { Credential, OrgMembership } from '../principal.js';
import { type SessionRule, takesOnlySessions } from '../require-scope.js';
import { type DeclaredRoute, RouteDirectory } from '../route-directory.js';

/** The checks that can refuse a call, in their order. */
export const OBSTACLES = ['route', 'credential', 'organization', 'budget', 'scope', 'role', 'email'] as const;
export type Obstacle = (typeof OBSTACLES)[number];

export interface AccessExplanation {
  readonly allowed: boolean;
  readonly route: string | undefined;
  readonly organization: OrgMembership | undefined;
  readonly requiredScopes: readonly string[];
  readonly refusal:
    | { readonly by: Obstacle; readonly code: string; readonly message: string; readonly fix: string | undefined }
    | undefined;
}

interface Question {
  readonly method: string;
  readonly path: string;
  /** Id or slug. The default is the organization of a call without `x-service-org`. */
  readonly org: string | undefined;
}

/** Explains whether a call would be allowed, with the same rules that the guards apply. */
@Injectable()
export class AccessExplanationService {
  constructor(
    private readonly budgets: CallBudgetService,
    private readonly routes: RouteDirectory,
    private readonly settings: AuthSettings,
  ) {}

  /** The call is neither made nor counted. An address that the key does not allow was already refused. */
  async explain(call: Call, question: Question): Promise<AccessExplanation> {
    const route = this.routes.find(question.method, question.path);
    if (route === undefined) {
      return refused('route', {
        code: 'route_not_found',
        message: `There is no endpoint ${question.method} ${question.path}.`,
        fix: 'Find the endpoint in the list at /docs.',
      });
    }
    const facts = {
      route: `${route.method} ${route.path}`,
      requiredScopes: route.rule?.scope === undefined ? [] : [route.rule.scope],
    };
    let org: OrgMembership | undefined;
    try {
      org = await this.check(call, route, question.org);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return {
        ...refused(obstacleOf(error), { code: error.code, message: error.message, fix: error.help.hint }),
        ...facts,
      };
    }
    return { allowed: true, organization: org, refusal: undefined, ...facts };
  }

  private async check(
    { principal }: Call,
    route: DeclaredRoute,
    idOrSlug: string | undefined,
  ): Promise<OrgMembership | undefined> {
    const { rule, sessions } = route;
    if (rule !== undefined) requireKind(principal.credential, sessions);
    const org = principal.orgOf(idOrSlug);
    const { remaining, account } = await this.budgets.look(budgetAccountOf(org, principal));
    if (remaining === 0 && account.burstOnly === undefined) throw this.budgets.usedUp(account);
    if (rule?.scope !== undefined) {
      if (rule.in === 'resource') principal.requireOfKey(rule.scope);
      principal.require(rule.scope, org.id);
    }
    if (route.needsVerifiedEmail && this.settings.needsVerification(principal.user.emailVerified))
      throw new EmailNotVerified();
    return org;
  }
}

/** @throws {SessionTokenNotAllowed} `session_token_not_allowed`, {SessionRequired} `session_required` */
function requireKind(credential: Credential, sessions: SessionRule | undefined): void {
  if (credential.type === 'api_key') {
    if (takesOnlySessions(sessions)) throw new SessionRequired();
  } else if (sessions === 'only_token' && credential.inCookie) {
    throw new SessionRequired();
  } else if (sessions === 'never' || (sessions === undefined && !credential.inCookie)) {
    throw new SessionTokenNotAllowed();
  }
}

function refused(by: Obstacle, refusal: Omit<NonNullable<AccessExplanation['refusal']>, 'by'>): AccessExplanation {
  return { allowed: false, route: undefined, organization: undefined, requiredScopes: [], refusal: { by, ...refusal } };
}

function obstacleOf(error: DomainError): Obstacle {
  if (error instanceof InsufficientScopes) return error.missing.lackedBy === 'key' ? 'scope' : 'role';
  if (error instanceof LimitExceeded) return 'budget';
  if (error instanceof EmailNotVerified) return 'email';
  return error.status === 401 ? 'credential' : 'organization';
}
