import type { Correlation } from '../../platform/logging/request-context.js';

/** The member of the log fields of a request that a person makes as an operator. */
export const OPERATOR_FIELD = 'operatorId';

/** Names who acts: the person by id, or any holder of `OPS_TOKEN`, which identifies no person. */
export const actingOperator = (request: Correlation | undefined): string =>
  request?.logFields?.[OPERATOR_FIELD] ?? 'operator';
