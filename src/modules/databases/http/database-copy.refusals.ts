import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { CREDIT_ERRORS } from '../../credits/credits.errors.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { OPERATOR_ERRORS } from '../../operators/operators.errors.js';
import { PLAN_ERRORS } from '../../plans/plans.errors.js';
import { DATABASE_ERRORS } from '../databases.errors.js';

/** What refuses a new database that begins with the data of another one: a branch, or a restored one. */
export const DATABASE_COPY_REFUSALS = [
  ...ANY_CALLER,
  ...ANY_BODY,
  DATABASE_ERRORS.database_not_found,
  DATABASE_ERRORS.database_busy,
  DATABASE_ERRORS.database_not_restorable,
  PLAN_ERRORS.plan_limit_reached,
  CREDIT_ERRORS.credits_exhausted,
  CREDIT_ERRORS.spend_cap_reached,
  GENERIC_ERRORS.already_exists,
  OPERATOR_ERRORS.feature_disabled,
];
