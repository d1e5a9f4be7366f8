import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { SpendCapsStore } from '../persistence/spend-caps.store.js';
import { type SpendWarningPayload, spendWarningJob } from './spend-warning.job.js';

/** Emails every owner of an organization when part of the month's spend cap is used. */
@Injectable()
@Handles(spendWarningJob)
export class SpendWarningProcessor implements JobHandler<SpendWarningPayload> {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly caps: SpendCapsStore,
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
  ) {}

  async handle(job: SpendWarningPayload): Promise<void> {
    const { orgId, month, level } = job;
    if (job.ownerId === undefined) {
      await this.database.transaction(async () => {
        for (const id of await this.orgs.ownerIdsOf(orgId))
          await this.outbox.enqueue(spendWarningJob, { orgId, month, level, ownerId: id }, jobIdOf(job, id));
      });
      return;
    }
    if (!(await this.orgs.ownerIdsOf(orgId)).includes(job.ownerId)) return;
    const owner = await this.people.find(job.ownerId);
    const orgName = await this.orgs.nameOf(orgId);
    const warning = await this.caps.warning(orgId, month, level);
    if (owner === undefined || orgName === undefined || warning === undefined) return;
    const { billedNano, capNano } = warning;
    await this.mailer.send({
      to: owner.email,
      about: job.orgId,
      subject: `${job.level} % of the spend cap of ${orgName} is used up`,
      text: [
        `Hello ${owner.username},`,
        `the organization "${orgName}" has used $${formatUsd(billedNano)} of its spend cap ` +
          `of $${formatUsd(capNano)} for ${job.month.slice(0, 7)} (UTC).`,
        job.level === 100
          ? 'Work that costs is refused with 402 spend_cap_reached until the month ends, or the cap is raised.'
          : 'At 100 %, work that costs is refused until the month ends, or the cap is raised.',
        `The cap is set with PUT ${this.config.publicUrl}/api/v1/billing/spend-cap.`,
        '',
      ].join('\n\n'),
    });
  }
}

/** The id is the same for every repetition of a warning to one owner, so that the queue takes it once. */
const jobIdOf = ({ orgId, month, level }: SpendWarningPayload, ownerId: string): string =>
  `${orgId}-${month}-${level}-${ownerId}`;
