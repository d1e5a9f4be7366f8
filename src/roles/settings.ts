import { AiSettings } from '../modules/ai/ai.settings.js';
import { AuditSettings } from '../modules/audit/audit.settings.js';
import { AuthSettings } from '../modules/auth/auth.settings.js';
import { BillingSettings } from '../modules/billing/billing.settings.js';
import { BuildsSettings } from '../modules/builds/builds.settings.js';
import { DatabasesSettings } from '../modules/databases/databases.settings.js';
import { DeploysSettings } from '../modules/deploys/deploys.settings.js';
import { DnsSettings } from '../modules/dns/dns.settings.js';
import { DocsSettings } from '../modules/docs/docs.settings.js';
import { DomainsSettings } from '../modules/domains/domains.settings.js';
import { FeaturesSettings } from '../modules/features/features.settings.js';
import { GithubSettings } from '../modules/github/github.settings.js';
import { HostingSettings } from '../modules/hosting/hosting.settings.js';
import { IdentitiesSettings } from '../modules/identities/identities.settings.js';
import { LimitsSettings } from '../modules/limits/limits.settings.js';
import { MeteringSettings } from '../modules/metering/metering.settings.js';
import { ObjectsSettings } from '../modules/objects/objects.settings.js';
import { OperatorsSettings } from '../modules/operators/operators.settings.js';
import { PlansSettings } from '../modules/plans/plans.settings.js';
import { ProjectsSettings } from '../modules/projects/projects.settings.js';
import { OauthSettings } from '../modules/oauth/oauth.settings.js';
import { RepositoriesSettings } from '../modules/repositories/repositories.settings.js';
import { RunToolsSettings } from '../modules/runs/run-tools.settings.js';
import { RunsSettings } from '../modules/runs/runs.settings.js';
import { SandboxSettings } from '../modules/sandbox/sandbox.settings.js';
import { SsoSettings } from '../modules/sso/sso.settings.js';
import { UploadsSettings } from '../modules/uploads/uploads.settings.js';
import { WebhooksSettings } from '../modules/webhooks/webhooks.settings.js';
import { type ModuleSettingsClass, readSettings, type Settings } from '../platform/config/settings.js';
import { RedisSettings } from '../platform/redis/redis.settings.js';
import { TracingSettings } from '../platform/tracing/tracing.settings.js';
import { BackupSettings } from './backup/backup.settings.js';

/** All settings of the modules and roles, and of parts of the platform. */
export const MODULE_SETTINGS: readonly ModuleSettingsClass[] = [
  RedisSettings,
  TracingSettings,
  BackupSettings,
  OperatorsSettings,
  FeaturesSettings,
  LimitsSettings,
  PlansSettings,
  AuditSettings,
  AuthSettings,
  IdentitiesSettings,
  SsoSettings,
  OauthSettings,
  MeteringSettings,
  BillingSettings,
  GithubSettings,
  ProjectsSettings,
  RepositoriesSettings,
  UploadsSettings,
  BuildsSettings,
  DeploysSettings,
  HostingSettings,
  DnsSettings,
  DomainsSettings,
  DatabasesSettings,
  ObjectsSettings,
  RunsSettings,
  SandboxSettings,
  AiSettings,
  RunToolsSettings,
  WebhooksSettings,
  DocsSettings,
];

/** @throws {Error} that names all invalid variables at once, but no value, as it may be a secret. */
export const loadSettings = (source: NodeJS.ProcessEnv, options?: { readonly isSupervised?: boolean }): Settings =>
  readSettings(MODULE_SETTINGS, source, options);
