import type { components } from './openapi.js';
import type { ListQuery } from './page.js';

type Schemas = components['schemas'];

/** A right that a key can have; `resource:*` is everything of a resource, and `*` is everything. */
export type Scope = Schemas['KeyView']['scopes'][number];

/** A named set of scopes for a common use of keys. */
export type Preset = NonNullable<Schemas['CreateKeyBody']['preset']>;

/** The roles of members, from the most to the least rights. */
export type Role = Schemas['ChangeRoleBody']['role'];

export type Language = Schemas['ExecutionRequest']['language'];

/** A program for the anonymous sandbox: `code` and `language`, and `stdin` if it reads any. */
export type TryRequest = Schemas['ExecutionRequest'];

/**
 * A finished run in the anonymous sandbox. Times are in milliseconds; `exit_code` is null when a signal ended it.
 */
export type Execution = Schemas['ExecutionView'];

/** A program for the sandbox with its files, time limit (in milliseconds) and memory limit (in MiB). */
export type RunRequest = Omit<Schemas['OrgExecutionRequest'], 'wait'>;

/** A run of an organization. Its output, end and times (in milliseconds) are there once it has finished. */
export type Run = Schemas['OrgExecutionView'];

/** A run in a list, without its output. */
export type ListedRun = Schemas['ListedExecutionView'];

/** What executions of an organization may use. */
export type SandboxLimits = Schemas['SandboxLimitsView'];

/** What a run shows beside its output. HTML and SVG are those of the program: nothing may let them run. */
export type RichResult = Schemas['RichResultView'];

/** A file that a run has left. */
export type Artifact = Schemas['ArtifactView'];

/** A set of installed packages, and the languages that can use it. */
export type PackageSet = Schemas['PackageSetView'];

/** An interpreter that keeps its variables and files between runs. */
export type SandboxSession = Schemas['SandboxSessionView'];
export type NewSandboxSession = Pick<Schemas['SandboxSessionBody'], 'language'> &
  Partial<Schemas['SandboxSessionBody']>;
/** Code for a session, and its input and limits. */
export type SandboxSessionCode = Pick<Schemas['SessionRunBody'], 'code'> &
  Partial<Omit<Schemas['SessionRunBody'], 'wait'>>;
/** A command for the shell of a session, and its input and limits. */
export type SandboxSessionCommand = Pick<Schemas['SessionShellBody'], 'command'> &
  Partial<Omit<Schemas['SessionShellBody'], 'wait'>>;
export type SandboxSessionFile = Schemas['SessionFileView'];

/** Which sessions to list. */
export interface SandboxSessionsQuery extends ListQuery {
  readonly status?: SandboxSession['status'] | undefined;
}

export type OrganizationMembership = Schemas['MembershipView'];
export type Organization = Schemas['OrgView'];
export type NewOrganization = Schemas['CreateOrgBody'];
export type OrganizationChange = Schemas['ChangeOrgBody'];

/** A domain of the email addresses of an organization. */
export type OrgDomain = Schemas['OrgDomainView'];

/** A connection of an organization to its identity provider, without its secrets. */
export type SsoConnection = Schemas['SsoConnectionView'];
export type NewSsoConnection = Pick<Schemas['CreateSsoConnectionBody'], 'name' | 'type'> &
  Partial<Schemas['CreateSsoConnectionBody']>;
export type SsoConnectionChange = Schemas['UpdateSsoConnectionBody'];

/** A connection, and what its provider says of the person who has tested it. */
export type TestedSsoConnection = Schemas['TestedConnectionView'];

/** A SCIM token of a connection, without the token itself. */
export type ScimToken = Schemas['ScimTokenView'];
/** A SCIM token with the token itself, which is shown once. */
export type IssuedScimToken = Schemas['CreatedScimTokenView'];
export type NewScimToken = Schemas['CreateScimTokenBody'];
export type Member = Schemas['MemberView'];
export type NewInvitation = Schemas['InviteBody'];
export type Invitation = Schemas['InvitationView'];
export type AuditEntry = Schemas['AuditEntryView'];

/** Something that happened in an organization. */
export type OrgEvent = Schemas['EventView'];

export type WebhookEndpoint = Schemas['WebhookEndpointView'];

/** An endpoint with its secret, which is shown once. */
export type IssuedWebhookEndpoint = Schemas['IssuedWebhookEndpointView'];
export type NewWebhookEndpoint = Pick<Schemas['CreateWebhookEndpointBody'], 'url'> &
  Partial<Schemas['CreateWebhookEndpointBody']>;
export type WebhookEndpointChange = Schemas['UpdateWebhookEndpointBody'];

/** A message to an endpoint, with how its last attempt ended. */
export type WebhookDelivery = Schemas['WebhookDeliveryView'];

export type NewAccount = Schemas['SignUpBody'];

/**
 * The result of sign-up and sign-in. Pass `session_token` to `new Service({ sessionToken })`; it is not an API key.
 * With `session: 'cookie'` it is absent.
 */
export type SignedIn = Schemas['SignedInView'];

/** A sign-in on a device; `current` is the session of the call. */
export type Session = Schemas['SessionView'];
export type RotatedSession = Schemas['RotatedSessionView'];
/** Your address, and the change of it that is in progress. */
export type Email = Schemas['EmailView'];
export type EmailChange = Schemas['EmailChangeView'];
export type ConfirmedEmailChange = Schemas['ConfirmedEmailChangeView'];
export type Factors = Schemas['FactorsView'];
export type Factor = Schemas['FactorView'];
export type NewTotp = Schemas['NewTotpView'];
export type AddedFactor = Schemas['AddedFactorView'];
export type SignInMethods = Schemas['SignInMethodsView'];
/** What begins a sign-in with a provider or SSO: `challenge` is the SHA-256 of a random verifier, as base64url. */
export type FlowRequest = Schemas['BeginFlowBody'];
export type IdentityRequest = Schemas['BeginIdentityBody'];
export type WaitingFlow = Schemas['WaitingFlowView'];
export type DecidedFlow = Schemas['DecidedFlowView'];
export type BegunFlow = Schemas['BegunFlowView'];
export type Identity = Schemas['IdentityView'];
/** A code of an app, a recovery code, or what a browser says that a passkey has signed. */
export type ShownFactor = { readonly code: string } | { readonly passkey: Readonly<Record<string, unknown>> };

/** A key without its secret. */
export type Key = Schemas['KeyView'];

/** What you granted to an OAuth client. */
export type Grant = Schemas['OauthGrantView'];

/** What a member granted to an OAuth client within an organization. */
export type OrgGrant = Schemas['OrgGrantView'];

/** A key with its secret, which is shown once. */
export type KeyWithSecret = Schemas['MintedKeyView'];

type NewKeyRights = { readonly scopes: readonly Scope[] } | { readonly preset: Preset };

type NewKeyPlace =
  | { readonly kind: 'personal' }
  | { readonly kind: 'select_orgs'; readonly org_ids: readonly string[] }
  | { readonly kind: 'org_bound'; readonly org_id: string };

/** The organizations, rights, addresses and lifetime of a new key. */
export type NewKey = Pick<Schemas['CreateKeyBody'], 'name' | 'expires_at' | 'expires_in_days' | 'allowed_ips'> &
  NewKeyRights &
  NewKeyPlace;

export type KeyChange = Schemas['ChangeKeyBody'];

/** The caller, and their rights in the organization of the call. */
export type WhoCalls = Schemas['MeView'];

/** The call to explain. `org` is an id or a slug. */
export type ExplainedCall = Schemas['ExplainBody'];

/** States if a call would be allowed, and otherwise what refuses it and the smallest fix. */
export type Explanation = Schemas['ExplanationView'];

/** A project. Without a `repo_url`, it cannot be deployed. */
export type Project = Schemas['ProjectView'];

/** A project in a list, with its last deploy. */
export type ListedProject = Schemas['ListedProjectView'];
export type NewProject = Schemas['CreateProjectBody'];

/** Fields that are left out do not change; null clears a field. */
export type ProjectChange = Schemas['ChangeProjectBody'];

/** The settings that builds and servers of a project use, with where each comes from. */
export type ProjectSettings = Schemas['ProjectSettingsView'];

/** An environment variable with the targets that share it. A secret has no value here. */
export type EnvVariable = Schemas['EnvVariableView'];
export type EnvTarget = EnvVariable['targets'][number];

/** `secret` is true by default. */
export type NewEnvVariable = Schemas['EnvVariableBody'];

/** A branch of a repository, as the last push has left it. */
export type Branch = Schemas['BranchView'];

/** A git repository of the service. Clone its `repo_url`, or link it to a project. */
export type Repository = Schemas['RepositoryView'];

/** Files of a repository at a commit. */
export type RepositoryFiles = Schemas['RepositoryFilesView'];

/** A commit that was added to a branch. */
export type Commit = Schemas['AddedCommitView'];
export type NewCommit = Schemas['CreateCommitBody'];
export type NewRepository = Schemas['CreateRepositoryBody'];

/** The GitHub accounts of an organization, and whether the service has a GitHub App. */
export type Github = Schemas['GithubView'];
export type GithubInstallation = Schemas['GithubInstallationView'];

/** The addresses that begin to connect a GitHub account. */
export type GithubLink = Schemas['GithubLinkView'];

/** What GitHub returned to the person who connects an account. */
export type GithubConnection = Schemas['ConnectGithubBody'];

/** A template for new repositories. */
export type Template = Schemas['TemplateView'];

/** The usage of a meter and its cost in US dollars. `quantity` is a string of digits, in `unit`. */
export type Usage = Schemas['UsageView'];

/** The period of the usage, and its total cost. */
export type UsageMeta = Schemas['UsageMeta'];

/** From `from` up to, but excluding, `to`. Each is a day or a full hour; the default is this month. */
export interface UsageQuery {
  readonly from?: string;
  readonly to?: string;
  /** Groups besides the meter. */
  readonly group_by?: readonly ('meter' | 'model' | 'project' | 'day')[];
}

/** When the rest is used up at the current rate. */
export type Forecast = Schemas['ForecastView'];

/** A plan. Prices are decimal strings in US dollars; null means unlimited, or by contract. */
export type Plan = Schemas['PlanView'];
export type PlanId = Plan['id'];

/** The price of an amount of a meter. */
export type Price = Schemas['PriceView'];

export type SpendCap = Schemas['SpendCapView'];
export type SpendingBudget = Schemas['BudgetView'];
export type NewSpendingBudget = Schemas['SetBudgetBody'];

/** The plan of an organization, its price and any scheduled change. */
export type Subscription = Schemas['SubscriptionView'];
export type UpcomingInvoice = Schemas['UpcomingInvoiceView'];
export type Credits = Schemas['CreditsView'];

/** The invoice of a month. `amount` of a line is exact; `total` is in whole cents. */
export type Invoice = Schemas['InvoiceView'];
export type ListedInvoice = Schemas['ListedInvoiceView'];

/** A deploy of a commit. `state` is its progress; times are RFC 3339. */
export type Deploy = Schemas['DeployView'];

/** A domain of a project, with the records to set at the DNS provider. */
export type Domain = Schemas['DomainView'];
export type NewDomain = Pick<Schemas['CreateDomainBody'], 'name'> & Partial<Schemas['CreateDomainBody']>;

/** The fields of a domain to update. null clears a redirect. */
export type DomainChange = Schemas['ChangeDomainBody'];
export type DeployRequest = Partial<Schemas['CreateDeployBody']>;
export type DeployEvent = Schemas['DeployEventView'];
export type DeployLogLine = Schemas['DeployLogLineView'];

/** Requests, errors, durations, memory and restarts of a project over time. */
export type AppMetrics = Schemas['AppMetricsView'];

/** Times are RFC 3339. `step` is in seconds. */
export interface AppMetricsQuery {
  readonly deploy?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: 60 | 300 | 900 | 3600 | 21600 | 86400 | undefined;
}

/** A line that the server of a deploy printed. */
export type RuntimeLogLine = Schemas['RuntimeLogLineView'];
export type RuntimeLogLevel = RuntimeLogLine['level'];

/** A file of an upload: its path, and the SHA-256 of its content in hexadecimal digits. */
export type UploadedFile = Schemas['UploadFileBody'];

/** The files of a directory. `missing` has the hashes of the content that has to be sent. */
export type Upload = Schemas['UploadView'];

export interface UploadContent {
  readonly sha256: string;
  readonly content: Uint8Array;
}

/** Filters for a list of deploys. */
export interface DeployQuery extends ListQuery {
  readonly branch?: string | undefined;
  readonly type?: Deploy['type'] | undefined;
  readonly state?: Deploy['state'] | undefined;
}

export type DeployHook = Schemas['DeployHookView'];
/** A new hook with its secret URL, which is returned only once. */
export type IssuedDeployHook = Schemas['IssuedDeployHookView'];
export type NewDeployHook = Schemas['CreateDeployHookBody'];

/** Who may open the hosts of a project. */
export type Protection = Schemas['ProtectionView'];
export type ProtectionChange = Schemas['ChangeProtectionBody'];
/** A signed link to a protected host, and its token for programs. */
export type AccessLink = Schemas['AccessLinkView'];

export type Cron = Schemas['CronView'];
export type CronRun = Schemas['CronRunView'];
export type NewCron = Pick<Schemas['CreateCronBody'], 'path' | 'schedule'> & Partial<Schemas['CreateCronBody']>;
export type CronChange = Schemas['ChangeCronBody'];

/** What failed in the installation, for operators. */
export type OpsErrors = Schemas['RecentErrorsView'];
export type OpsSchedules = Schemas['SchedulesView'];

/** The state of the installation, for operators. */
export interface OpsManifest {
  readonly service: {
    readonly name: string;
    readonly version: string;
    readonly role: string;
    readonly startedAt: string;
    readonly instance: string;
  };
  readonly status: 'ok' | 'degraded' | 'draining';
  readonly parts: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
  /** Absent while Redis is unavailable. */
  readonly queues?: readonly {
    readonly name: string;
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
    readonly oldestWaitingSeconds: number;
    readonly paused: boolean;
  }[];
  /** Absent while the database is unavailable. */
  readonly tasks?: { readonly open: number; readonly claimed: number; readonly resolved24h: number };
}

export type OpsTask = Schemas['TaskView'];
export type OpsTasks = Schemas['TasksView'];
export interface OpsTasksQuery {
  readonly status?: OpsTask['status'];
  readonly runbookTag?: string;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}
export type OpsOrganizations = Schemas['OrganizationsView'];
export type OpsOrganization = Schemas['OrganizationAccountView'];
export interface OpsOrganizationsQuery {
  /** A part of the name or slug, the id, or the whole email address of an owner. */
  readonly search?: string | undefined;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}
export type FeatureFlags = Schemas['FlagsView'];
export type FlagChange = Schemas['ToggleFlagBody'];
export type PlanChange = Schemas['SetPlanBody'];
export type PlanSet = Schemas['SetPlanView'];
export type NewCredits = Pick<Schemas['GrantCreditsBody'], 'orgId' | 'amountUsd' | 'reason' | 'key'>;
export type CreditedOrganization = Schemas['GrantedCreditsView'];
export type InvoiceCorrection = Schemas['CreditNoteBody'];
export type InvoiceState = Schemas['InvoiceStateView'];

/** A model that calls can use. Prices are US dollars for 1,000,000 tokens, as decimal strings. */
export type Model = Schemas['ModelView'];

/** What a model did: tokens, cost, times (in milliseconds) and outcome, without any text. */
export type Generation = Schemas['GenerationView'];
export type GenerationContent = Schemas['GenerationContentView'];
export type ModelProvider = Schemas['ProviderView'];
export type ProviderKey = Schemas['ProviderKeyView'];
export type ModelPolicy = Schemas['ModelPolicyView'];
export type NewModelPolicy = Partial<Schemas['SetModelPolicyBody']>;

/** Which generations to list. */
export interface GenerationsQuery extends ListQuery {
  readonly model?: string | undefined;
  readonly outcome?: Generation['outcome'] | undefined;
  readonly key_id?: string | undefined;
  readonly project_id?: string | undefined;
}

/** The most that a call would cost in US dollars, and the tokens that it may have. */
export type PricedCall = Schemas['PricedCallView'];

/** A message of a conversation, in OpenAI's shape. The service passes on fields that are not named here. */
export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  /** A text, or parts such as `{ type: 'image_url', image_url: { url } }`. */
  readonly content?: string | readonly object[] | null;
  readonly [field: string]: unknown;
}

/** OpenAI's chat completion request. The service passes on fields that are not named here. */
export interface ChatCompletionRequest {
  /** ID or alias of a model. */
  readonly model: string;
  /** Models that are tried, in this order, when `model` does not begin to answer. At most three. */
  readonly models?: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** The most tokens of the answer. Their price is held. */
  readonly max_tokens?: number;
  readonly stream?: boolean | null;
  /** `include_usage: true` sends a last chunk with the usage and its cost. */
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly tools?: readonly object[];
  readonly tool_choice?: string | object;
  readonly response_format?: object;
  readonly [field: string]: unknown;
}

/** The tokens of a call, and what they cost. */
export interface ModelUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens?: number;
  readonly total_tokens: number;
  /** In US dollars. */
  readonly cost?: number;
  readonly [field: string]: unknown;
}

/** A request of the model to call a tool. `arguments` is JSON. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly ToolCall[];
      readonly [field: string]: unknown;
    };
    /** `stop`, `length`, `tool_calls` or another reason of the model. */
    readonly finish_reason: string;
  }[];
  readonly usage?: ModelUsage;
  /** The ID for `generations.retrieve`. */
  readonly generation_id: string;
  readonly [field: string]: unknown;
}

/** A part of an answer. `choices` is empty in the chunk with the usage. */
export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: {
      readonly role?: 'assistant';
      readonly content?: string | null;
      readonly tool_calls?: readonly (Partial<ToolCall> & { readonly index: number })[];
      readonly [field: string]: unknown;
    };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: ModelUsage | null;
  readonly [field: string]: unknown;
}

/** OpenAI's embeddings request. */
export interface EmbeddingsRequest {
  /** ID or alias of a model. */
  readonly model: string;
  readonly input: string | readonly string[];
  readonly [field: string]: unknown;
}

/** A vector for each text. */
export interface Embeddings {
  readonly object: 'list';
  readonly data: readonly {
    readonly object: 'embedding';
    readonly index: number;
    readonly embedding: readonly number[];
  }[];
  readonly model: string;
  readonly usage?: ModelUsage;
  /** The ID for `generations.retrieve`. */
  readonly generation_id: string;
  readonly [field: string]: unknown;
}
