import { Injectable } from '@nestjs/common';
import type { JobDefinition } from '../../platform/background/define-job.js';
import { Database } from '../../platform/database/database.js';
import { Outbox } from '../../platform/outbox/outbox.js';
import { type Person, PersonDirectory } from '../auth/person-directory.js';
import { OrgDirectory } from './org-directory.js';

/** The payload of a job that notifies the owners of an organization. */
interface OwnerNotice {
  readonly orgId: string;
  /** The owner to notify. The first job has none and adds one job for each owner. */
  readonly ownerId?: string;
}

/** Whom a notice goes to. */
export interface NoticeRecipient {
  readonly owner: Person;
  readonly orgName: string;
}

/** Notices to the owners of organizations. Each owner gets a job, so that a failed mail does not repeat the others. */
@Injectable()
export class OwnerNotices {
  constructor(
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Returns whom a job notifies. A job without an owner adds one for each owner, and notifies nobody itself; nor does
   * one whose person is an owner no longer, or whose organization was deleted.
   */
  async recipientOf<Notice extends OwnerNotice>(
    job: JobDefinition<Notice>,
    notice: Notice,
  ): Promise<NoticeRecipient | undefined> {
    const { orgId, ownerId } = notice;
    const owners = await this.orgs.ownerIdsOf(orgId);
    if (ownerId === undefined) {
      const each = owners.map((id) => ({ ...notice, ownerId: id }));
      await this.database.transaction(() => this.outbox.enqueueAll(job, each));
      return undefined;
    }
    const owner = owners.includes(ownerId) ? await this.people.find(ownerId) : undefined;
    const orgName = await this.orgs.nameOf(orgId);
    return owner === undefined || orgName === undefined ? undefined : { owner, orgName };
  }
}
