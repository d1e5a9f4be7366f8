export const APPROVAL_STATES = ['waiting', 'approved', 'denied', 'expired', 'used', 'void'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** Why a call needs approval: the version says so, the run has read untrusted text, or the tool asks for it. */
export const APPROVAL_REASONS = ['rule', 'tainted', 'tool'] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

export interface Approval {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The SHA-256 of what was approved: the definition of the tool, the arguments and the version. */
  readonly digest: string;
  readonly reason: ApprovalReason;
  readonly state: ApprovalState;
  /** True when the person who approved it changed the arguments. */
  readonly changesArguments: boolean;
  readonly note: string | null;
  readonly decidedBy: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
}
