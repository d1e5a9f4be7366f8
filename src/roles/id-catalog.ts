import { APPROVAL_ID, RUN_ID, RUN_WORKER_ID, TOOL_CALL_ID } from '../modules/runs/runs.ids.js';
import { AGENT_ID, MEMORY_ID } from '../modules/agents/agents.ids.js';
import { GENERATION_ID } from '../modules/ai/ai.ids.js';
import { AUDIT_ENTRY_ID } from '../modules/audit/audit.ids.js';
import { API_KEY_ID, API_KEY_SECRET_ID } from '../modules/auth/keys/keys.ids.js';
import { INVITATION_ID, ORG_ID } from '../modules/orgs/orgs.ids.js';
import { FACTOR_ID } from '../modules/factors/factors.ids.js';
import { BROWSER_SIGN_IN_ID, EXTERNAL_SIGN_IN_ID, IDENTITY_ID } from '../modules/identities/identities.ids.js';
import { EMAIL_CHANGE_ID, EMAIL_TOKEN_ID, USER_ID } from '../modules/people/people.ids.js';
import { SESSION_ID, SIGN_IN_FLOW_ID } from '../modules/auth/sessions/sessions.ids.js';
import { CREDIT_NOTE_ID, INVOICE_ID, PLAN_CHANGE_ID } from '../modules/billing/billing.ids.js';
import { BUDGET_ID, CREDIT_GRANT_ID, LEDGER_ENTRY_ID } from '../modules/credits/credits.ids.js';
import {
  CLUSTER_ID,
  DATABASE_CREDENTIAL_ID,
  DATABASE_BACKUP_ID,
  DATABASE_HOST_ID,
  DATABASE_ID,
  DATABASE_OPERATION_ID,
} from '../modules/databases/databases.ids.js';
import { CRON_ID, CRON_RUN_ID } from '../modules/crons/crons.ids.js';
import { DEPLOY_HOOK_ID, DEPLOY_ID } from '../modules/deploys/deploys.ids.js';
import { DOMAIN_ID } from '../modules/domains/domains.ids.js';
import { ORG_EVENT_ID } from '../modules/events/events.ids.js';
import { INSTALLATION_ID, LINK_STATE_ID } from '../modules/github/github.ids.js';
import { BUCKET_ID, OBJECT_UPLOAD_ID, STORAGE_RESERVATION_ID } from '../modules/objects/objects.ids.js';
import { ATTEMPT_ID } from '../modules/idempotency/idempotency.ids.js';
import { OAUTH_GRANT_ID, OAUTH_SIGNING_KEY_ID } from '../modules/oauth/oauth.ids.js';
import { TASK_EVENT_ID, TASK_ID } from '../modules/ops/ops.ids.js';
import { PROJECT_ID } from '../modules/projects/projects.ids.js';
import { REPOSITORY_ID } from '../modules/repositories/repositories.ids.js';
import { ARTIFACT_ID, EXECUTION_ID, SANDBOX_SESSION_ID } from '../modules/sandbox/sandbox.ids.js';
import { SWARM_ID, SWARM_TASK_ID } from '../modules/swarms/swarms.ids.js';
import { SCHEDULE_FIRE_ID, SCHEDULE_ID } from '../modules/schedules/schedules.ids.js';
import { SCIM_GROUP_ID, SCIM_TOKEN_ID, SCIM_USER_ID } from '../modules/scim/scim.ids.js';
import { ORG_DOMAIN_ID, SSO_CONNECTION_ID } from '../modules/sso/sso.ids.js';
import { UPLOAD_ID, UPLOAD_STORE_ID } from '../modules/uploads/uploads.ids.js';
import { WEBHOOK_DELIVERY_ID, WEBHOOK_ENDPOINT_ID } from '../modules/webhooks/webhooks.ids.js';
import { IdCatalog } from '../platform/ids/id-catalog.js';
import {
  JOB_ID,
  MESSAGE_ID,
  OUTBOX_MESSAGE_ID,
  PROCESS_ID,
  REQUEST_ID,
  WORKER_ID,
} from '../platform/ids/platform.ids.js';

/** All prefixes of ids. A test compares it with the `*.ids.ts` files of the modules. */
export const ID_CATALOG = new IdCatalog([
  AUDIT_ENTRY_ID,
  JOB_ID,
  MESSAGE_ID,
  OUTBOX_MESSAGE_ID,
  PROCESS_ID,
  REQUEST_ID,
  WORKER_ID,
  ATTEMPT_ID,
  USER_ID,
  EMAIL_CHANGE_ID,
  EMAIL_TOKEN_ID,
  FACTOR_ID,
  IDENTITY_ID,
  BROWSER_SIGN_IN_ID,
  EXTERNAL_SIGN_IN_ID,
  SESSION_ID,
  SIGN_IN_FLOW_ID,
  API_KEY_ID,
  API_KEY_SECRET_ID,
  OAUTH_GRANT_ID,
  OAUTH_SIGNING_KEY_ID,
  ORG_ID,
  INVITATION_ID,
  ORG_DOMAIN_ID,
  SSO_CONNECTION_ID,
  SCIM_TOKEN_ID,
  SCIM_USER_ID,
  SCIM_GROUP_ID,
  BUDGET_ID,
  CREDIT_GRANT_ID,
  LEDGER_ENTRY_ID,
  PLAN_CHANGE_ID,
  INVOICE_ID,
  CREDIT_NOTE_ID,
  PROJECT_ID,
  REPOSITORY_ID,
  INSTALLATION_ID,
  LINK_STATE_ID,
  UPLOAD_ID,
  ORG_EVENT_ID,
  WEBHOOK_ENDPOINT_ID,
  WEBHOOK_DELIVERY_ID,
  UPLOAD_STORE_ID,
  DEPLOY_ID,
  DOMAIN_ID,
  DEPLOY_HOOK_ID,
  CRON_ID,
  CRON_RUN_ID,
  ARTIFACT_ID,
  EXECUTION_ID,
  SANDBOX_SESSION_ID,
  GENERATION_ID,
  SCHEDULE_ID,
  SCHEDULE_FIRE_ID,
  AGENT_ID,
  APPROVAL_ID,
  RUN_ID,
  RUN_WORKER_ID,
  TOOL_CALL_ID,
  MEMORY_ID,
  SWARM_ID,
  SWARM_TASK_ID,
  TASK_ID,
  TASK_EVENT_ID,
  DATABASE_ID,
  CLUSTER_ID,
  DATABASE_HOST_ID,
  DATABASE_OPERATION_ID,
  DATABASE_CREDENTIAL_ID,
  BUCKET_ID,
  OBJECT_UPLOAD_ID,
  STORAGE_RESERVATION_ID,
  DATABASE_BACKUP_ID,
]);
