export { type Auth } from './auth.js';
export { type Billing } from './billing.js';
export { type Deploys, type LogOptions } from './deploys.js';
export {
  AuthenticationError,
  AuthorizationError,
  ConflictError,
  type ErrorFacts,
  InsufficientCreditsError,
  NotFoundError,
  RateLimitError,
  ServiceError,
  ValidationError,
} from './errors.js';
export { type Keys } from './keys.js';
export { type Me } from './me.js';
export { type Orgs } from './orgs.js';
export { type Listing, type ListQuery, type Page } from './page.js';
export { type Projects } from './projects.js';
export { type Repositories } from './repositories.js';
export { type Sandbox } from './sandbox.js';
export { Service, type ServiceOptions } from './service.js';
export {
  type Answer,
  type Budget,
  type Hooks,
  type RequestEvent,
  type RequestOptions,
  type ResponseEvent,
  type RetryEvent,
} from './transport.js';
export type {
  AuditEntry,
  Credits,
  Deploy,
  DeployEvent,
  DeployLogLine,
  DeployQuery,
  DeployRequest,
  EnvTarget,
  EnvVariable,
  Execution,
  ExplainedCall,
  Explanation,
  Forecast,
  Invitation,
  Invoice,
  Key,
  KeyChange,
  KeyWithSecret,
  Language,
  ListedInvoice,
  ListedRun,
  Member,
  NewAccount,
  NewEnvVariable,
  NewInvitation,
  NewKey,
  NewOrganization,
  NewProject,
  NewRepository,
  Organization,
  OrganizationChange,
  OrganizationMembership,
  Plan,
  PlanId,
  Preset,
  Price,
  Project,
  ProjectChange,
  Repository,
  Role,
  RotatedSession,
  Run,
  RunRequest,
  Scope,
  Session,
  SignedIn,
  SpendCap,
  Subscription,
  Template,
  TryRequest,
  UpcomingInvoice,
  WhoCalls,
  Usage,
  UsageMeta,
  UsageQuery,
} from './types.js';
