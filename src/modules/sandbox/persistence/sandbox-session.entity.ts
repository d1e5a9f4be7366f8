import assert from 'node:assert/strict';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PackageChoice } from '../domain/packages.js';
import type { Language } from '../domain/sandbox-runtime.js';
import type { SessionLimits } from '../sessions/host/session-process.js';
import type { SessionEnd, SessionState } from '../domain/session-state.js';

/** What is known of a session before it starts. */
type StartingSession = Pick<
  SandboxSession,
  | 'id'
  | 'orgId'
  | 'userId'
  | 'keyId'
  | 'runId'
  | 'name'
  | 'language'
  | 'limits'
  | 'packages'
  | 'allowedHosts'
  | 'idleTimeoutSeconds'
  | 'expiresAt'
  | 'aliveUntil'
>;

/** An interpreter that a worker keeps for an organization between runs. */
@Entity('sandbox_sessions')
export class SandboxSession {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'key_id', nullable: true }) keyId!: string | null;
  /** The run of an agent that it belongs to, and ends with. */
  @Column('text', { name: 'run_id', nullable: true }) runId!: string | null;
  @Column('text', { nullable: true }) name!: string | null;
  @Column('text') language!: Language;
  @Column('text') status!: SessionState;
  @Column('text', { name: 'end_reason', nullable: true }) endReason!: SessionEnd | null;
  @Column('jsonb') limits!: SessionLimits;
  @Column('jsonb', { nullable: true }) packages!: PackageChoice | null;
  /** The hosts that it may connect to. Null for a session without a network. */
  @Column('jsonb', { name: 'allowed_hosts', nullable: true }) allowedHosts!: readonly string[] | null;
  @Column('int', { name: 'idle_timeout_seconds' }) idleTimeoutSeconds!: number;
  /** The worker that holds it. Null until one has taken it. */
  @Column('text', { name: 'worker_id', nullable: true }) workerId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'last_used_at' }) lastUsedAt!: Date;
  /** It ends then, however much it is used. */
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
  /** Its worker puts it off. A session whose worker has not done so is lost. */
  @Column('timestamptz', { name: 'alive_until' }) aliveUntil!: Date;

  /** A session that no worker has taken yet. */
  static starting(facts: StartingSession, at: Date): SandboxSession {
    assert(facts.expiresAt > at, 'A session was over before it began.');
    const state = { status: 'starting', endReason: null, workerId: null, endedAt: null } as const;
    return Object.assign(new SandboxSession(), { ...facts, ...state, createdAt: at, lastUsedAt: at });
  }

  ended(reason: SessionEnd, at: Date): this {
    this.status = 'ended';
    this.endReason = reason;
    this.endedAt = at;
    return this;
  }

  frozen(): this {
    this.status = 'frozen';
    return this;
  }
}
