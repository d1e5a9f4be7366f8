import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Page, pageOf, type PageRequest } from '../../../platform/database/page.js';
import type { Approval, ApprovalState } from '../domain/approval.js';
import { approvalOf, type ApprovalRow } from './run-rows.js';

export interface ApprovalFilter {
  readonly state?: ApprovalState | undefined;
  readonly runId?: string | undefined;
}

/** How a person, or time, has decided. */
export interface ApprovalDecision {
  readonly state: 'approved' | 'denied' | 'expired';
  readonly decidedBy: string | null;
  readonly note: string | null;
  /** The arguments that the person changed, with their digest. */
  readonly changed?: { readonly arguments: Readonly<Record<string, unknown>>; readonly digest: string };
}

type NewApproval = Pick<
  Approval,
  | 'id'
  | 'orgId'
  | 'agentId'
  | 'runId'
  | 'callId'
  | 'tool'
  | 'arguments'
  | 'digest'
  | 'reason'
  | 'createdAt'
  | 'expiresAt'
>;

@Injectable()
export class ApprovalsStore {
  constructor(private readonly database: Database) {}

  async add(approval: NewApproval): Promise<void> {
    await this.query(
      `
      INSERT INTO approvals (id, org_id, agent_id, run_id, call_id, tool, arguments, digest, reason, state, created_at,
        expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10, $11)`,
      [
        approval.id,
        approval.orgId,
        approval.agentId,
        approval.runId,
        approval.callId,
        approval.tool,
        JSON.stringify(approval.arguments),
        approval.digest,
        approval.reason,
        approval.createdAt,
        approval.expiresAt,
      ],
    );
  }

  async find(orgIds: readonly string[], id: string): Promise<Approval | undefined> {
    const [row] = await this.query<ApprovalRow>('SELECT * FROM approvals WHERE id = $1 AND org_id = ANY($2)', [
      id,
      orgIds,
    ]);
    return row && approvalOf(row);
  }

  async findOfCall(callId: string): Promise<Approval | undefined> {
    const [row] = await this.query<ApprovalRow>('SELECT * FROM approvals WHERE call_id = $1', [callId]);
    return row && approvalOf(row);
  }

  /** The ids of the approvals of calls, by call. */
  async idsOf(runId: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.query<{ id: string; call_id: string }>(
      'SELECT id, call_id FROM approvals WHERE run_id = $1',
      [runId],
    );
    return new Map(rows.map(({ id, call_id: callId }) => [callId, id]));
  }

  /** Newest first. */
  async list(orgId: string, { state, runId }: ApprovalFilter, { limit, after }: PageRequest): Promise<Page<Approval>> {
    const rows = await this.query<ApprovalRow>(
      `
      SELECT * FROM approvals
      WHERE org_id = $1 AND ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR run_id = $3)
        AND ($4::text IS NULL OR id < $4)
      ORDER BY id DESC LIMIT $5`,
      [orgId, state ?? null, runId ?? null, after ?? null, limit + 1],
    );
    return pageOf(rows.map(approvalOf), { limit, after }, ({ id }) => id);
  }

  /** Decides once. False when it was decided before. */
  async decide(id: string, { state, decidedBy, note, changed }: ApprovalDecision, at: Date): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      `
      UPDATE approvals SET state = $2, decided_by = $3, note = $4, decided_at = $5,
        arguments = coalesce($6::jsonb, arguments), digest = coalesce($7, digest), changes_arguments = $6 IS NOT NULL
      WHERE id = $1 AND state = 'waiting'`,
      [
        id,
        state,
        decidedBy,
        note,
        at,
        changed === undefined ? null : JSON.stringify(changed.arguments),
        changed?.digest ?? null,
      ],
    );
    return count === 1;
  }

  /** Uses an approval, once. False when it is not approved, or was used. */
  async use(callId: string, digest: string): Promise<boolean> {
    const [, count] = await this.database.manager.query<[unknown, number]>(
      "UPDATE approvals SET state = 'used' WHERE call_id = $1 AND state = 'approved' AND digest = $2",
      [callId, digest],
    );
    return count === 1;
  }

  /** Ends the approvals of runs that are over, and those of a call that changed. */
  async voidAll(of: { readonly runIds: readonly string[] } | { readonly callId: string }): Promise<void> {
    if ('callId' in of)
      await this.query("UPDATE approvals SET state = 'void' WHERE call_id = $1 AND state IN ('waiting', 'approved')", [
        of.callId,
      ]);
    else
      await this.query(
        "UPDATE approvals SET state = 'void' WHERE run_id = ANY($1) AND state IN ('waiting', 'approved')",
        [of.runIds],
      );
  }

  /** Approvals whose time is over, locked until the transaction ends. */
  async takeExpired(at: Date, limit: number): Promise<Approval[]> {
    const rows = await this.query<ApprovalRow>(
      `SELECT * FROM approvals WHERE state = 'waiting' AND expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [at, limit],
    );
    return rows.map(approvalOf);
  }

  async waitingCount(): Promise<number> {
    const [row] = await this.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM approvals WHERE state = 'waiting'",
      [],
    );
    return row!.count;
  }

  private query<T>(text: string, values: unknown[]): Promise<T[]> {
    return this.database.manager.query<T[]>(text, values);
  }
}
