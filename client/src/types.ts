import type { components } from './openapi.js';
import type { ListQuery } from './page.js';

type Schemas = components['schemas'];

/** What a key can be allowed to do; `resource:*` is all of a resource, `*` is everything. */
export type Scope = Schemas['KeyView']['scopes'][number];

/** Scopes by what a key is commonly for. */
export type Preset = NonNullable<Schemas['CreateKeyBody']['preset']>;

/** From the most to the least that a member may do. */
export type Role = Schemas['ChangeRoleBody']['role'];

export type Language = Schemas['ExecutionRequest']['language'];

/** A program for the anonymous sandbox: `code` and `language`, and `stdin` if it reads any. */
export type TryRequest = Schemas['ExecutionRequest'];

/**
 * A run in the anonymous sandbox, which is over. Times are in milliseconds; `exit_code` is null when a signal ended it.
 */
export type Execution = Schemas['ExecutionView'];

/** A program for the sandbox, with files beside it, a limit of time in milliseconds and one of memory in MiB. */
export type RunRequest = Omit<Schemas['OrgExecutionRequest'], 'wait'>;

/** A run of an organization. It has its output, its end and its times (in milliseconds) once it is over. */
export type Run = Schemas['OrgExecutionView'];

/** A run in a list, without its output. */
export type ListedRun = Schemas['ListedExecutionView'];

export type OrganizationMembership = Schemas['MembershipView'];
export type Organization = Schemas['OrgView'];
export type NewOrganization = Schemas['CreateOrgBody'];
export type OrganizationChange = Schemas['ChangeOrgBody'];
export type Member = Schemas['MemberView'];
export type NewInvitation = Schemas['InviteBody'];
export type Invitation = Schemas['InvitationView'];
export type AuditEntry = Schemas['AuditEntryView'];

export type NewAccount = Schemas['SignUpBody'];

/** What sign-up and sign-in answer. The `session_token` is for `new Service({ sessionToken })`; it is no API key. */
export type SignedIn = Schemas['SignedInView'];

/** A sign-in on some device; `current` is the one that asks. */
export type Session = Schemas['SessionView'];
export type RotatedSession = Schemas['RotatedSessionView'];

/** A key without its secret. */
export type Key = Schemas['KeyView'];

/** A key with its secret, which is shown this once. */
export type KeyWithSecret = Schemas['MintedKeyView'];

type NewKeyRights = { readonly scopes: readonly Scope[] } | { readonly preset: Preset };

type NewKeyPlace =
  | { readonly kind: 'personal' }
  | { readonly kind: 'select_orgs'; readonly org_ids: readonly string[] }
  | { readonly kind: 'org_bound'; readonly org_id: string };

/** Which organizations a key reaches, what it may do there, from which addresses and until when. */
export type NewKey = Pick<Schemas['CreateKeyBody'], 'name' | 'expires_at' | 'expires_in_days' | 'allowed_ips'> &
  NewKeyRights &
  NewKeyPlace;

export type KeyChange = Schemas['ChangeKeyBody'];

/** Who calls, and what they may do in the organization of the call. */
export type WhoCalls = Schemas['MeView'];

/** A call to be explained. `org` is an id or a slug. */
export type ExplainedCall = Schemas['ExplainBody'];

/** Whether a call would be let through, and if not, by what it is refused and the smallest fix. */
export type Explanation = Schemas['ExplanationView'];

/** What is deployed. Without a `repo_url` there is nothing to deploy yet. */
export type Project = Schemas['ProjectView'];
export type NewProject = Schemas['CreateProjectBody'];

/** What is left out stays as it is; null clears. */
export type ProjectChange = Schemas['ChangeProjectBody'];

/** A variable of a project's environment, with the targets that have it alike; a secret comes without its value. */
export type EnvVariable = Schemas['EnvVariableView'];
export type EnvTarget = EnvVariable['targets'][number];

/** `secret` is true unless you say otherwise. */
export type NewEnvVariable = Schemas['EnvVariableBody'];

/** A git repository of the service. Its `repo_url` is what git clones and what a project links. */
export type Repository = Schemas['RepositoryView'];
export type NewRepository = Schemas['CreateRepositoryBody'];

/** What a repository can begin with. */
export type Template = Schemas['TemplateView'];

/** What was used of a meter, and its cost in US dollars; `quantity` is in digits, of `unit`. */
export type Usage = Schemas['UsageView'];

/** The time that usage is shown for, and what all of it costs. */
export type UsageMeta = Schemas['UsageMeta'];

/** From the beginning of `from` until before `to`, each a day or a time at a full hour; without both, this month. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  /** What is told apart besides the meter. */
  readonly group_by?: readonly ('meter' | 'model' | 'project' | 'day')[];
}

/** When what is left is used up, if it goes on as it does. */
export type Forecast = Schemas['ForecastView'];

/** Prices are decimal strings in US dollars; null is unlimited, or agreed on. */
export type Plan = Schemas['PlanView'];
export type PlanId = Plan['id'];

/** What so much of a meter costs. */
export type Price = Schemas['PriceView'];

/** The plan of an organization, what it pays for it, and what is planned. */
export type SpendCap = Schemas['SpendCapView'];
export type Subscription = Schemas['SubscriptionView'];
export type UpcomingInvoice = Schemas['UpcomingInvoiceView'];
export type Credits = Schemas['CreditsView'];

/** What a month has cost. `amount` of a line is exact, `total` in whole cents. */
export type Invoice = Schemas['InvoiceView'];
export type ListedInvoice = Schemas['ListedInvoiceView'];

/** From a commit to something that can be opened. `state` says how far it is; times are RFC 3339. */
export type Deploy = Schemas['DeployView'];
export type DeployRequest = Partial<Schemas['CreateDeployBody']>;
export type DeployEvent = Schemas['DeployEventView'];
export type DeployLogLine = Schemas['DeployLogLineView'];

/** Which deploys to list. */
export interface DeployQuery extends ListQuery {
  readonly branch?: string | undefined;
  readonly type?: Deploy['type'] | undefined;
  readonly state?: Deploy['state'] | undefined;
}
