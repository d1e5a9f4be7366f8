import type { Approval } from '../domain/approval.js';
import type { Run, RunStep } from '../domain/run.js';
import type { RunToolCall } from '../domain/tool-call-state.js';

type Text<Row> = { readonly [Key in keyof Row]: Row[Key] };

export interface RunRow {
  readonly id: string;
  readonly org_id: string;
  readonly agent_id: string;
  readonly agent_version: number;
  readonly root_run_id: string;
  readonly parent_run_id: string | null;
  readonly depth: number;
  readonly swarm_id: string | null;
  readonly schedule_id: string | null;
  readonly continues: string | null;
  readonly trigger: Run['trigger'];
  readonly user_id: string;
  readonly key_id: string | null;
  readonly state: Run['state'];
  readonly waiting_for: Run['waitingFor'];
  readonly wait_detail: Run['waitDetail'];
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly tainted: boolean;
  readonly cost_limit_nano: string;
  readonly step_limit: number;
  readonly active_limit_ms: string;
  readonly tool_call_limit: number;
  readonly budget_subjects: string[];
  readonly steps: number;
  readonly active_ms: string;
  readonly tool_calls: number;
  readonly attempt: number;
  readonly losses: number;
  readonly wakes: number;
  readonly ready_at: Date | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

export const runOf = (row: Text<RunRow>): Run => ({
  id: row.id,
  orgId: row.org_id,
  agentId: row.agent_id,
  agentVersion: row.agent_version,
  rootRunId: row.root_run_id,
  parentRunId: row.parent_run_id,
  depth: row.depth,
  swarmId: row.swarm_id,
  scheduleId: row.schedule_id,
  continues: row.continues,
  trigger: row.trigger,
  userId: row.user_id,
  keyId: row.key_id,
  state: row.state,
  waitingFor: row.waiting_for,
  waitDetail: row.wait_detail,
  wakesAt: row.state === 'waiting' ? row.ready_at : null,
  failure: row.failure_code === null ? null : { code: row.failure_code, message: row.failure_message ?? '' },
  input: row.input,
  output: row.output,
  isTainted: row.tainted,
  budget: {
    costNano: BigInt(row.cost_limit_nano),
    steps: row.step_limit,
    activeMs: Number(row.active_limit_ms),
    toolCalls: row.tool_call_limit,
  },
  budgetSubjects: row.budget_subjects,
  used: { steps: row.steps, activeMs: Number(row.active_ms), toolCalls: row.tool_calls },
  attempt: row.attempt,
  losses: row.losses,
  wakes: row.wakes,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

export interface StepRow {
  readonly seq: number;
  readonly kind: RunStep['kind'];
  readonly state: RunStep['state'];
  readonly asks: number;
  readonly model: string | null;
  readonly text: string | null;
  readonly generation_id: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_nano: string | null;
  readonly created_at: Date;
  readonly ended_at: Date | null;
}

export const stepOf = (row: StepRow): RunStep => ({
  seq: row.seq,
  kind: row.kind,
  state: row.state,
  asks: row.asks,
  model: row.model,
  text: row.text,
  generationId: row.generation_id,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  costNano: row.cost_nano === null ? null : BigInt(row.cost_nano),
  createdAt: row.created_at,
  endedAt: row.ended_at,
});

export interface ToolCallRow {
  readonly id: string;
  readonly org_id: string;
  readonly run_id: string;
  readonly step: number;
  readonly place: number;
  readonly model_call_id: string;
  readonly tool: string;
  readonly effect: RunToolCall['effect'];
  readonly effect_key: string;
  readonly arguments: Record<string, unknown>;
  readonly state: RunToolCall['state'];
  readonly waiting_for: RunToolCall['waitingFor'];
  readonly wakes_at: Date | null;
  readonly output: unknown;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

export const toolCallOf = (row: ToolCallRow): RunToolCall => ({
  id: row.id,
  orgId: row.org_id,
  runId: row.run_id,
  step: row.step,
  place: row.place,
  modelCallId: row.model_call_id,
  tool: row.tool,
  effect: row.effect,
  effectKey: row.effect_key,
  arguments: row.arguments,
  state: row.state,
  waitingFor: row.waiting_for,
  wakesAt: row.wakes_at,
  output: row.output,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  startedAt: row.started_at,
  endedAt: row.ended_at,
});

export interface ApprovalRow {
  readonly id: string;
  readonly org_id: string;
  readonly agent_id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly digest: string;
  readonly reason: Approval['reason'];
  readonly state: Approval['state'];
  readonly changes_arguments: boolean;
  readonly note: string | null;
  readonly decided_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
}

export const approvalOf = (row: ApprovalRow): Approval => ({
  id: row.id,
  orgId: row.org_id,
  agentId: row.agent_id,
  runId: row.run_id,
  callId: row.call_id,
  tool: row.tool,
  arguments: row.arguments,
  digest: row.digest,
  reason: row.reason,
  state: row.state,
  changesArguments: row.changes_arguments,
  note: row.note,
  decidedBy: row.decided_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
});
