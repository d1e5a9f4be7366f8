import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { Approval } from '../domain/approval.js';
import { type ApprovalMailPayload, approvalMailJob } from './runs.job.js';
import { ApprovalMailSources } from './approval-mail-sources.js';

const MAX_ARGUMENT_CHARACTERS = 2_000;

@Injectable()
@Handles(approvalMailJob)
export class ApprovalMailProcessor implements JobHandler<ApprovalMailPayload> {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly stores: ApprovalMailSources,
    private readonly people: PersonDirectory,
    private readonly orgs: OrgDirectory,
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
  ) {}

  /** An approval that was decided meanwhile needs no mail. */
  async handle({ approvalId, orgId, userId }: ApprovalMailPayload): Promise<void> {
    const approval = await this.stores.waiting(orgId, approvalId);
    if (approval === undefined) return;
    if (userId === undefined) {
      const ids = new Set([...(await this.orgs.ownerIdsOf(orgId)), approval.startedBy]);
      await this.database.transaction(() =>
        this.outbox.enqueueAll(
          approvalMailJob,
          [...ids].map((id) => ({ approvalId, orgId, userId: id })),
        ),
      );
      return;
    }
    const person = await this.people.find(userId);
    const orgName = await this.orgs.nameOf(orgId);
    if (person === undefined || orgName === undefined) return;
    await this.mailer.send({
      to: person.email,
      about: approvalId,
      subject: `An agent of ${orgName} waits for your approval`,
      text: this.textOf(approval, person.username),
    });
  }

  private textOf({ tool, arguments: input, runId, expiresAt, id }: Approval, username: string): string {
    return [
      `Hello ${username},`,
      `an agent asks to use the tool ${tool} with these arguments:`,
      JSON.stringify(input, undefined, 2).slice(0, MAX_ARGUMENT_CHARACTERS),
      `Approve or deny it until ${expiresAt.toISOString()}: ${this.config.publicUrl}/~/runs/${runId}`,
      `From the command line: service approvals approve ${id}`,
      '',
    ].join('\n\n');
  }
}
