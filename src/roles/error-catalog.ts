import { AGENT_ERRORS } from '../modules/agents/agents.errors.js';
import { AI_ERRORS } from '../modules/ai/ai.errors.js';
import { ACCESS_ERRORS } from '../modules/auth/access.errors.js';
import { ATTEMPT_ERRORS } from '../modules/people/attempts/attempts.errors.js';
import { CREDENTIAL_ERRORS } from '../modules/auth/auth.errors.js';
import { FACTOR_ERRORS } from '../modules/factors/factors.errors.js';
import { IDENTITY_ERRORS } from '../modules/identities/identities.errors.js';
import { KEY_ERRORS } from '../modules/auth/keys.errors.js';
import { ORG_ERRORS } from '../modules/orgs/orgs.errors.js';
import { PEOPLE_ERRORS } from '../modules/people/people.errors.js';
import { BILLING_ERRORS } from '../modules/billing/billing.errors.js';
import { CREDIT_ERRORS } from '../modules/credits/credits.errors.js';
import { CRON_ERRORS } from '../modules/crons/crons.errors.js';
import { DEPLOY_ERRORS } from '../modules/deploys/deploys.errors.js';
import { SITE_ERRORS } from '../modules/site/site.errors.js';
import { DOMAIN_ERRORS } from '../modules/domains/domains.errors.js';
import { FEATURE_ERRORS } from '../modules/features/features.errors.js';
import { GITHUB_ERRORS } from '../modules/github/github.errors.js';
import { IDEMPOTENCY_ERRORS } from '../modules/idempotency/idempotency.errors.js';
import { LIMIT_ERRORS } from '../modules/limits/limits.errors.js';
import { OAUTH_ERRORS } from '../modules/oauth/oauth.errors.js';
import { OPERATOR_ERRORS } from '../modules/operators/operators.errors.js';
import { OPS_ERRORS } from '../modules/ops/ops.errors.js';
import { PLAN_ERRORS } from '../modules/plans/plans.errors.js';
import { PROJECT_ERRORS } from '../modules/projects/projects.errors.js';
import { REPOSITORY_ERRORS } from '../modules/repositories/repositories.errors.js';
import { RUN_ERRORS } from '../modules/runs/runs.errors.js';
import { SANDBOX_ERRORS } from '../modules/sandbox/sandbox.errors.js';
import { SWARM_ERRORS } from '../modules/swarms/swarms.errors.js';
import { DATABASE_ERRORS } from '../modules/databases/databases.errors.js';
import { ACCESS_KEY_ERRORS } from '../modules/objects/access-keys/access-keys.errors.js';
import { ATTACHMENT_ERRORS } from '../modules/objects/attachments/attachments.errors.js';
import { OBJECT_ERRORS } from '../modules/objects/objects.errors.js';
import { SCHEDULE_ERRORS } from '../modules/schedules/schedules.errors.js';
import { SCIM_ERRORS } from '../modules/scim/scim.errors.js';
import { SSO_ERRORS } from '../modules/sso/sso.errors.js';
import { UPLOAD_ERRORS } from '../modules/uploads/uploads.errors.js';
import { WEBHOOK_ERRORS } from '../modules/webhooks/webhooks.errors.js';
import { ErrorCatalog } from '../platform/errors/error-catalog.js';
import { GENERIC_ERRORS } from '../platform/errors/generic.errors.js';

/** All errors that the API returns. A test compares it with the `*.errors.ts` files of the modules. */
export const ERROR_CATALOG = new ErrorCatalog([
  GENERIC_ERRORS,
  LIMIT_ERRORS,
  IDEMPOTENCY_ERRORS,
  OPERATOR_ERRORS,
  PLAN_ERRORS,
  FEATURE_ERRORS,
  CREDENTIAL_ERRORS,
  ACCESS_ERRORS,
  ATTEMPT_ERRORS,
  FACTOR_ERRORS,
  IDENTITY_ERRORS,
  KEY_ERRORS,
  OAUTH_ERRORS,
  PEOPLE_ERRORS,
  ORG_ERRORS,
  SSO_ERRORS,
  SCIM_ERRORS,
  CREDIT_ERRORS,
  BILLING_ERRORS,
  PROJECT_ERRORS,
  REPOSITORY_ERRORS,
  GITHUB_ERRORS,
  UPLOAD_ERRORS,
  DEPLOY_ERRORS,
  DOMAIN_ERRORS,
  CRON_ERRORS,
  SANDBOX_ERRORS,
  AI_ERRORS,
  SCHEDULE_ERRORS,
  DATABASE_ERRORS,
  OBJECT_ERRORS,
  ACCESS_KEY_ERRORS,
  ATTACHMENT_ERRORS,
  AGENT_ERRORS,
  SWARM_ERRORS,
  RUN_ERRORS,
  WEBHOOK_ERRORS,
  SITE_ERRORS,
  OPS_ERRORS,
]);
