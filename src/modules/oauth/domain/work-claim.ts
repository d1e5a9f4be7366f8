import type { JWTPayload } from 'jose';
import type { WorkGrant } from '../../auth/access-tokens.js';
import { scopesOf } from '../../auth/scopes.js';

/** What an access token of a run says besides what every access token says. */
interface WorkClaims extends JWTPayload {
  readonly work: {
    readonly id: string;
    readonly org: string;
    readonly user: string;
    readonly key: string | null;
    readonly budgets: readonly string[];
  };
  /** Scopes with spaces between. */
  readonly scope: string;
}

export const workClaimsOf = ({ work, budgetSubjects }: WorkGrant): WorkClaims => ({
  work: { id: work.id, org: work.orgId, user: work.userId, key: work.keyId, budgets: budgetSubjects },
  scope: work.scopes.join(' '),
});

/** Returns what a token with a valid signature stands for, or undefined when it is not that of a run. */
export function workGrantIn(payload: JWTPayload): WorkGrant | undefined {
  if (payload['work'] === undefined) return undefined;
  const { work, scope } = payload as WorkClaims;
  return {
    work: { id: work.id, orgId: work.org, userId: work.user, keyId: work.key, scopes: [...scopesOf(scope.split(' '))] },
    budgetSubjects: work.budgets,
  };
}
