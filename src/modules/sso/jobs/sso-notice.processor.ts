import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { type SsoNoticePayload, ssoNoticeJob } from './sso-notice.job.js';
import { ssoNoticeTextOf } from './sso-notice-text.js';

@Injectable()
@Handles(ssoNoticeJob)
export class SsoNoticeProcessor implements JobHandler<SsoNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly connections: SsoConnectionsStore,
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
  ) {}

  async handle({ ownerId, ...notice }: SsoNoticePayload): Promise<void> {
    const { orgId, kind } = notice;
    const owners = await this.orgs.ownerIdsOf(orgId);
    if (ownerId === undefined) {
      await this.database.transaction(() =>
        this.outbox.enqueueAll(
          ssoNoticeJob,
          owners.map((id) => ({ ...notice, ownerId: id })),
        ),
      );
      return;
    }
    const owner = owners.includes(ownerId) ? await this.people.find(ownerId) : undefined;
    const orgName = await this.orgs.nameOf(orgId);
    const connection = await this.connectionOf(notice);
    if (owner === undefined || orgName === undefined || connection === null) return;
    const { subject, paragraphs } = ssoNoticeTextOf(kind, { orgName, connection });
    await this.mailer.send({
      to: owner.email,
      about: connection?.id ?? orgId,
      subject,
      text: [`Hello ${owner.username},`, ...paragraphs, this.placeOf(notice), ''].join('\n\n'),
    });
  }

  /** Null when the notice is about a connection that was deleted meanwhile. */
  private async connectionOf({ orgId, connectionId }: SsoNoticePayload): Promise<SsoConnection | undefined | null> {
    if (connectionId === undefined) return undefined;
    return (await this.connections.findOf(orgId, connectionId)) ?? null;
  }

  private placeOf({ orgId, connectionId }: SsoNoticePayload): string {
    const path = connectionId === undefined ? '' : `/${connectionId}`;
    return `The settings are at ${this.config.publicUrl}/api/v1/orgs/${orgId}/sso/connections${path}.`;
  }
}
