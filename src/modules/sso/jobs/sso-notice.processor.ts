import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Config } from '../../../platform/config/config.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { OwnerNotices } from '../../orgs/owner-notices.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { type SsoNoticePayload, ssoNoticeJob } from './sso-notice.job.js';
import { ssoNoticeTextOf } from './sso-notice-text.js';

@Injectable()
@Handles(ssoNoticeJob)
export class SsoNoticeProcessor implements JobHandler<SsoNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly notices: OwnerNotices,
    private readonly connections: SsoConnectionsStore,
    private readonly mailer: Mailer,
  ) {}

  async handle(notice: SsoNoticePayload): Promise<void> {
    const { orgId, kind } = notice;
    const recipient = await this.notices.recipientOf(ssoNoticeJob, notice);
    const connection = recipient && (await this.connectionOf(notice));
    if (recipient === undefined || connection === null) return;
    const { owner, orgName } = recipient;
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
