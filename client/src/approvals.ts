import type { Approval, ApprovalDecision, ApprovalsQuery } from './agent-types.js';
import { methodsOf } from './methods.js';
import type { Listing } from './page.js';
import type { RequestOptions, Transport } from './transport.js';

/** Calls of tools that wait for the decision of a person. Reads need `agents:read`, and writes need `agents:write`. */
export interface Approvals {
  /** Lists approvals, newest first. */
  list(query?: ApprovalsQuery, options?: RequestOptions): Listing<Approval>;

  /** @throws {NotFoundError} `approval_not_found`. */
  get(approvalId: string, options?: RequestOptions): Promise<Approval>;

  /**
   * Approves exactly these arguments, or others of yours, or denies the call. The run then continues.
   *
   * @throws {ConflictError} `approval_already_decided`, `approval_expired`.
   * @throws {AuthorizationError} `approval_not_allowed`: a run cannot approve.
   */
  decide(approvalId: string, decision: ApprovalDecision, options?: RequestOptions): Promise<Approval>;
}

export const approvalsOf = (transport: Transport): Approvals =>
  methodsOf<Approvals>(transport, { list: 'list approvals', get: 'get approvals/:', decide: 'post approvals/:' });
