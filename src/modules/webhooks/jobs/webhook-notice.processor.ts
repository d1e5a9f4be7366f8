import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { OwnerNotices } from '../../orgs/owner-notices.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { type WebhookNoticePayload, webhookNoticeJob } from './webhook-notice.job.js';

@Injectable()
@Handles(webhookNoticeJob)
export class WebhookNoticeProcessor implements JobHandler<WebhookNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly notices: OwnerNotices,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly mailer: Mailer,
  ) {}

  async handle(notice: WebhookNoticePayload): Promise<void> {
    const { orgId, endpointId } = notice;
    const recipient = await this.notices.recipientOf(webhookNoticeJob, notice);
    const endpoint = recipient && (await this.endpoints.find(orgId, endpointId));
    if (recipient === undefined || endpoint?.state !== 'paused') return;
    const { owner, orgName } = recipient;
    const { host } = new URL(endpoint.url);
    await this.mailer.send({
      to: owner.email,
      about: endpointId,
      subject: `A webhook endpoint of ${orgName} was paused`,
      text: [
        `Hello ${owner.username},`,
        endpoint.pauseReason === 'gone'
          ? `the webhook endpoint at ${host} of the organization "${orgName}" answers 410 Gone, ` +
            'so nothing is sent to ' +
            'it any more.'
          : `the webhook endpoint at ${host} of the organization "${orgName}" has accepted no message for a day, so ` +
            'nothing is sent to it any more.',
        `When it works again, make it active with PATCH ${this.config.publicUrl}/api/v1/orgs/${orgId}` +
          `/webhook-endpoints/${endpointId} and {"state": "active"}, and replay what it has missed.`,
        '',
      ].join('\n\n'),
    });
  }
}
