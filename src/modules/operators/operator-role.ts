import type { OperatorsSettings } from './operators.settings.js';
import { asListed } from './settings/operator-emails.js';

/**
 * Why a person is an operator. `named`: the verified address is in `OPERATOR_EMAILS`. `first_account`: the person has
 * the first account of an installation that names no operators and has no `OPS_TOKEN`. The first account counts only in
 * calls from the machine itself, where every program may call the operator endpoints then (decision 0070).
 */
export type OperatorRole = 'named' | 'first_account';

interface Candidate {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly hasFirstAccount: boolean;
}

export function operatorRoleOf(
  { email, emailVerified, hasFirstAccount }: Candidate,
  { operatorEmails, opsToken }: Pick<OperatorsSettings, 'operatorEmails' | 'opsToken'>,
): OperatorRole | undefined {
  if (operatorEmails.size > 0) return emailVerified && operatorEmails.has(asListed(email)) ? 'named' : undefined;
  return hasFirstAccount && opsToken === undefined ? 'first_account' : undefined;
}
