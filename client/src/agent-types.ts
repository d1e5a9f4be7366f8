import type { ListQuery } from './page.js';
import type { Scope } from './types.js';

/** The limits of a run. `cost` is a decimal string in USD, for the run and all runs below it. */
export interface RunBudget {
  readonly cost: string;
  readonly steps: number;
  /** Time during which the run is active. Waiting does not count. */
  readonly active_seconds: number;
  readonly tool_calls: number;
}

/** A tool of a version. */
export interface AgentTool {
  /** A kind of tools, from `agents.tools`. */
  readonly name: string;
  /** `auto` asks a person when the tool or what the run has read makes it necessary. */
  readonly approval: 'auto' | 'always' | 'never';
  readonly unknown_outcome: 'ask' | 'tell_model';
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface AgentMemorySettings {
  /** Texts that the model always sees. */
  readonly blocks: readonly { readonly label: string; readonly description?: string; readonly value: string }[];
  /** Whether the agent can remember and recall more texts. */
  readonly archive: boolean;
}

/** What a version consists of. It never changes. */
export interface AgentDefinition {
  readonly instructions: string;
  /** The first model answers, and the others when it is unavailable. */
  readonly models: readonly string[];
  readonly tools: readonly AgentTool[];
  readonly scopes: readonly Scope[];
  readonly budget: RunBudget;
  /** The most that all runs may spend in a month, in USD. */
  readonly monthly_cost: string | null;
  readonly approval_expires_seconds: number;
  readonly memory: AgentMemorySettings;
  /** A JSON Schema, or null for text. */
  readonly output_schema: Readonly<Record<string, unknown>> | null;
  readonly max_output_tokens?: number | null;
  readonly temperature?: number | null;
}

/** A definition to set. Absent fields keep their value, or get their default. */
export type AgentDefinitionChange = Partial<
  Omit<AgentDefinition, 'tools' | 'budget' | 'memory'> & {
    readonly tools: readonly (Pick<AgentTool, 'name'> & Partial<AgentTool>)[];
    readonly budget: Partial<RunBudget>;
    readonly memory: Partial<AgentMemorySettings>;
  }
>;

export interface Agent {
  /** `agt_…` */
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly slug: string;
  readonly description?: string | null;
  readonly state: 'active' | 'paused';
  readonly paused_because?: 'person' | 'plan' | null;
  readonly live_version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by?: string | null;
}

export interface AgentVersion extends AgentDefinition {
  readonly agent_id: string;
  readonly number: number;
  /** Whether new runs use it. */
  readonly live: boolean;
  readonly created_at: string;
  readonly created_by?: string | null;
}

export type NewAgent = AgentDefinitionChange &
  Pick<AgentDefinition, 'instructions' | 'models'> & {
    readonly name: string;
    readonly slug?: string;
    readonly description?: string;
  };

export type AgentChange = AgentDefinitionChange & {
  readonly name?: string;
  readonly description?: string | null;
  readonly state?: Agent['state'];
  /** Set it to false to create a version that is not live yet. */
  readonly promote?: boolean;
};

/** A kind of tools that versions can use. */
export interface AgentToolKind {
  readonly name: string;
  readonly summary: string;
  readonly scopes: readonly Scope[];
}

/** A secret without its value, which is never returned. */
export interface AgentSecret {
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A text in the archive of an agent. */
export interface AgentMemory {
  /** `mem_…` */
  readonly id: string;
  readonly agent_id: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** The run that wrote it. */
  readonly run_id?: string | null;
  /** Whether the run had read text from outside of the service. */
  readonly tainted: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MemoriesQuery extends ListQuery {
  readonly query?: string | undefined;
}

/** A text that the model always sees. */
export interface MemoryBlock {
  readonly label: string;
  readonly description?: string | null;
  readonly value: string;
  readonly version: number;
  readonly run_id?: string | null;
  readonly tainted: boolean;
  readonly updated_at: string;
}

export type AgentRunState = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled' | 'timed_out';
export type AgentRunWait = 'approval' | 'answer' | 'children' | 'timer' | 'budget' | 'unknown_outcome';

export interface AgentRunFailure {
  readonly code: string;
  readonly message: string;
}

/** A run of an agent. */
export interface AgentRun {
  /** `run_…` */
  readonly id: string;
  readonly org_id: string;
  readonly agent_id: string;
  readonly agent_version: number;
  readonly state: AgentRunState;
  readonly waiting_for?: AgentRunWait | null;
  /** More about what it waits for, such as the limit that is used up. */
  readonly wait_detail?: Readonly<Record<string, unknown>> | null;
  readonly wakes_at?: string | null;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: AgentRunFailure | null;
  readonly trigger: 'api' | 'schedule' | 'swarm' | 'agent';
  readonly parent_run_id?: string | null;
  readonly swarm_id?: string | null;
  readonly schedule_id?: string | null;
  readonly continues?: string | null;
  /** Whether it has read text from outside of the service. */
  readonly tainted: boolean;
  /** USD so far, with all runs below it. */
  readonly cost: string;
  readonly budget: RunBudget;
  readonly used: Omit<RunBudget, 'cost'>;
  readonly created_at: string;
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
  readonly started_by: { readonly user_id: string; readonly key_id?: string | null };
}

export interface AgentRunRequest {
  readonly input: string | Readonly<Record<string, unknown>>;
  /** Limits below those of the version. */
  readonly budget?: Partial<RunBudget>;
  /** A run of the same agent whose conversation goes on. */
  readonly continues?: string;
}

export interface AgentRunsQuery extends ListQuery {
  readonly agent_id?: string | undefined;
  readonly state?: AgentRunState | undefined;
  readonly swarm_id?: string | undefined;
  readonly schedule_id?: string | undefined;
  readonly parent_run_id?: string | undefined;
}

/** A call of a tool. */
export interface AgentToolCall {
  /** `tcl_…` */
  readonly id: string;
  readonly step: number;
  readonly index: number;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state:
    | 'proposed'
    | 'awaiting_approval'
    | 'authorised'
    | 'executing'
    | 'succeeded'
    | 'failed'
    | 'denied'
    | 'expired'
    | 'outcome_unknown';
  /** What a crash in the middle means: `once` is never repeated. */
  readonly effect: 'local' | 'read' | 'keyed' | 'once';
  /** What an executing call waits for, such as an answer. */
  readonly waiting_for?: string | null;
  readonly output?: unknown;
  readonly error?: AgentRunFailure | null;
  readonly approval_id?: string | null;
  readonly started_at?: string | null;
  readonly ended_at?: string | null;
}

/** An answer of the model with its calls, or a summary of earlier steps. */
export interface AgentRunStep {
  readonly run_id: string;
  readonly seq: number;
  readonly kind: 'answer' | 'summary';
  readonly model?: string | null;
  readonly text?: string | null;
  /** For `ai.generations.retrieve`. */
  readonly generation_id?: string | null;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly cost?: string | null;
  readonly tool_calls: readonly AgentToolCall[];
  readonly created_at: string;
  readonly ended_at?: string | null;
}

/** Something that happened in a run. */
export interface AgentRunEvent {
  readonly seq: number;
  /** Such as `run.started`, `step.ended` or `call.awaiting_approval`. */
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A part of the answer that the model is writing. It is live only: the whole text comes with its step. */
export interface AgentRunDelta {
  readonly seq?: undefined;
  readonly type: 'delta';
  readonly data: { readonly step: number; readonly text: string };
}

/** All steps of a run, with their calls and costs. */
export interface AgentRunTranscript {
  readonly run: AgentRun;
  readonly steps: readonly AgentRunStep[];
}

/** An answer to the question of a run. */
export interface AgentRunAnswer {
  readonly content: unknown;
  /** The call that asked, if there are several. */
  readonly call_id?: string;
}

/** What happened to a call whose outcome is unknown. */
export interface AgentCallOutcome {
  readonly call_id: string;
  readonly outcome: 'happened' | 'did_not_happen';
  readonly output?: unknown;
}

/** A call of a tool that waits, or waited, for the decision of a person. */
export interface Approval {
  /** `apr_…` */
  readonly id: string;
  readonly run_id: string;
  readonly agent_id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly reason: 'rule' | 'tainted' | 'tool';
  readonly state: 'waiting' | 'approved' | 'denied' | 'expired' | 'used' | 'void';
  /** SHA-256 of the tool, the arguments and the version: exactly these are approved. */
  readonly digest: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly decided_at?: string | null;
  readonly decided_by?: string | null;
  readonly note?: string | null;
}

export interface ApprovalsQuery extends ListQuery {
  readonly state?: Approval['state'] | undefined;
  readonly run_id?: string | undefined;
}

export interface ApprovalDecision {
  readonly decision: 'approve' | 'deny';
  /** Other arguments to run with. The model is informed. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

/** When something fires: exactly one of the three. */
export interface ScheduleTimes {
  /** Five fields. */
  readonly cron?: string | null;
  readonly every_seconds?: number | null;
  readonly at?: string | null;
}

/** A schedule that starts runs of an agent. */
export interface Schedule extends ScheduleTimes {
  /** `sch_…` */
  readonly id: string;
  readonly org_id: string;
  readonly agent_id: string;
  readonly name: string;
  /** A zone of the IANA database, such as `Europe/Berlin`. */
  readonly time_zone: string;
  readonly input: unknown;
  readonly budget?: Partial<RunBudget> | null;
  /** What happens while an earlier run is active. */
  readonly overlap: 'skip' | 'buffer_one' | 'cancel_other' | 'allow';
  /** Which of the missed times fire late. */
  readonly catch_up: 'latest' | 'all';
  readonly catch_up_seconds: number;
  readonly jitter_seconds: number;
  readonly state: 'active' | 'paused';
  readonly paused_because?: 'person' | 'failures' | 'plan' | 'finished' | null;
  readonly next_fires: readonly string[];
  readonly last_fire?: ScheduleFire | null;
  readonly failures_in_a_row: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

type ScheduleOptions = Pick<
  Schedule,
  'time_zone' | 'budget' | 'overlap' | 'catch_up' | 'catch_up_seconds' | 'jitter_seconds'
>;

export type NewSchedule = ScheduleTimes &
  Partial<ScheduleOptions> & {
    readonly agent_id: string;
    readonly name: string;
    readonly input: AgentRunRequest['input'];
  };

export type ScheduleChange = Partial<Omit<NewSchedule, 'agent_id'>>;

/** A time at which a schedule was due, and what came of it. */
export interface ScheduleFire {
  /** `fir_…` */
  readonly id: string;
  readonly schedule_id: string;
  readonly due_at: string;
  readonly state: 'due' | 'started' | 'skipped' | 'missed' | 'failed';
  readonly reason?: string | null;
  readonly run_id?: string | null;
  readonly fired_at?: string | null;
}

/** The zone is UTC by default. */
export type SchedulePreview = ScheduleTimes & { readonly time_zone?: string; readonly count?: number };

export type SwarmTaskState = 'blocked' | 'open' | 'claimed' | 'done' | 'failed' | 'cancelled';

/** Agents that work on the tasks of one goal. */
export interface Swarm {
  /** `swm_…` */
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly goal: string;
  readonly state: 'running' | 'stalled' | 'succeeded' | 'failed' | 'cancelled';
  readonly coordinator: { readonly agent_id: string; readonly run_id?: string | null };
  readonly workers: readonly { readonly agent_id: string; readonly count: number }[];
  readonly budget: { readonly cost: string; readonly coordinator_reserve: string };
  /** USD so far. */
  readonly cost: string;
  /** How many tasks are in each state. */
  readonly tasks: Readonly<Record<SwarmTaskState, number>>;
  readonly output?: unknown;
  readonly error?: AgentRunFailure | null;
  readonly created_at: string;
  readonly ended_at?: string | null;
  readonly created_by: string;
}

export interface NewSwarm {
  readonly name: string;
  readonly goal: string;
  readonly coordinator: { readonly agent_id: string };
  readonly workers: readonly { readonly agent_id: string; readonly count: number }[];
  readonly budget: { readonly cost: string; readonly coordinator_reserve?: string };
}

/** A task on the board of a swarm. */
export interface SwarmTask {
  /** `tsk_…` */
  readonly id: string;
  readonly swarm_id: string;
  readonly title: string;
  readonly description?: string | null;
  readonly state: SwarmTaskState;
  /** Tasks that must be done first. */
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  readonly claimed_by?: {
    readonly run_id?: string | null;
    readonly user_id?: string | null;
    readonly name?: string | null;
  } | null;
  /** It rises with each claim. Only the latest claim can change the task. */
  readonly fence: number;
  readonly lease_expires_at?: string | null;
  readonly attempts: number;
  readonly max_attempts: number;
  /** What was written down for the next worker. */
  readonly notes: readonly { readonly text: string; readonly run_id?: string | null; readonly at: string }[];
  readonly result?: unknown;
  /** Why the last attempt failed. */
  readonly error?: AgentRunFailure | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface NewSwarmTask {
  readonly title: string;
  readonly description?: string;
  readonly needs?: readonly string[];
  readonly labels?: readonly string[];
  readonly max_attempts?: number;
}

/** A failed attempt. The tasks that needed a task that failed for good are cancelled. */
export interface FailedSwarmTask extends SwarmTask {
  readonly cancelled_tasks: readonly string[];
}

export interface TaskFailure extends Fenced {
  readonly message: string;
  readonly code?: string;
  /** True if another attempt cannot help. */
  readonly final?: boolean;
}

export interface SchedulesQuery extends ListQuery {
  readonly agent_id?: string | undefined;
  readonly state?: Schedule['state'] | undefined;
}

export interface SwarmTasksQuery extends ListQuery {
  readonly state?: SwarmTaskState | undefined;
}

export interface TaskClaim {
  readonly name?: string;
  readonly lease_seconds?: number;
}

/** Which open task to claim. */
export interface NextTaskClaim extends TaskClaim {
  /** Only a task whose labels are all among these. */
  readonly labels?: readonly string[];
}

/** The fence of the claim. */
export interface Fenced {
  readonly fence: number;
}
