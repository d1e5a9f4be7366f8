import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import { AgentVersionsService } from '../../agents/agent-versions.service.js';
import { JsonSchemas } from '../../agents/json-schemas.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Approval } from '../domain/approval.js';
import { approvalDigestOf } from '../domain/digests.js';
import { ApprovalAlreadyDecided, ApprovalExpired, ApprovalNotAllowed, ApprovalNotFound } from '../runs.errors.js';
import { VersionTools } from '../tools/version-tools.js';
import { ApprovalEffects } from './approval-effects.js';

export interface DecideApprovalInput {
  readonly decision: 'approve' | 'deny';
  /** Replaces the arguments of the model. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly note?: string | undefined;
}

/** Takes the decisions of people. What was approved is what runs, and nothing else. */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly database: Database,
    private readonly effects: ApprovalEffects,
    private readonly versions: AgentVersionsService,
    private readonly tools: VersionTools,
    private readonly schemas: JsonSchemas,
    private readonly orgs: OrgDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Decides an approval. The run goes on at once, unless it waits for something else as well.
   *
   * @throws {ApprovalNotFound} `approval_not_found`
   * @throws {ApprovalNotAllowed} `approval_not_allowed`: a run cannot decide.
   * @throws {ApprovalAlreadyDecided} `approval_already_decided`
   * @throws {ApprovalExpired} `approval_expired`
   * @throws {RequestInvalid} `invalid_request`: the changed arguments do not fit the tool.
   */
  async decide(call: Call, id: string, input: DecideApprovalInput): Promise<Approval> {
    const { principal } = call;
    if (principal.isWork) throw new ApprovalNotAllowed();
    return this.database.transaction(async () => {
      const approval = await this.effects.lock(principal.lookupOrgIds, id);
      if (approval === undefined) throw new ApprovalNotFound();
      principal.require('agents:write', approval.orgId);
      const now = this.clock.now();
      if (approval.state === 'expired' || (approval.state === 'waiting' && approval.expiresAt <= now))
        throw new ApprovalExpired(approval.expiresAt);
      if (approval.state !== 'waiting') throw new ApprovalAlreadyDecided(approval.state);
      const changed = input.decision === 'approve' ? await this.changedBy(approval, input) : undefined;
      const isApproved = input.decision === 'approve';
      const decided = await this.effects.apply(approval, {
        state: isApproved ? 'approved' : 'denied',
        decidedBy: principal.user.id,
        note: input.note ?? null,
        ...(changed === undefined ? {} : { changed }),
      });
      const details = { approval: id, tool: approval.tool, run: approval.runId, changed: changed !== undefined };
      const target = { type: 'agent', id: approval.agentId } as const;
      const action = isApproved ? 'agent.call_approved' : 'agent.call_denied';
      await this.orgs.record({ orgId: approval.orgId, action, target, details }, call);
      return decided;
    });
  }

  private async changedBy(
    approval: Approval,
    { arguments: input }: DecideApprovalInput,
  ): Promise<{ arguments: Readonly<Record<string, unknown>>; digest: string } | undefined> {
    if (input === undefined) return undefined;
    const run = await this.effects.runOf(approval);
    const version = run && (await this.versions.find(approval.agentId, run.agentVersion));
    const usable = version && (await this.tools.of(version, run)).get(approval.tool);
    if (version === undefined || usable === undefined) throw new ApprovalAlreadyDecided('void');
    const faults = this.schemas.validate(usable.tool.inputSchema, input);
    if (faults.length > 0)
      throw new RequestInvalid(
        faults.map(({ path, message }) => ({
          path: `arguments${path}`,
          in: 'body',
          code: 'is_argument',
          message: `arguments${path} ${message}`,
        })),
      );
    return { arguments: input, digest: approvalDigestOf({ tool: usable.tool, input, version }) };
  }
}
