import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import { Mailer } from '../../../platform/mail/mailer.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { type WebhookNoticePayload, webhookNoticeJob } from './webhook-notice.job.js';

@Injectable()
@Handles(webhookNoticeJob)
export class WebhookNoticeProcessor implements JobHandler<WebhookNoticePayload> {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly outbox: Outbox,
    private readonly mailer: Mailer,
  ) {}

  async handle({ orgId, endpointId, ownerId }: WebhookNoticePayload): Promise<void> {
    const owners = await this.orgs.ownerIdsOf(orgId);
    if (ownerId === undefined) {
      await this.database.transaction(() =>
        this.outbox.enqueueAll(
          webhookNoticeJob,
          owners.map((id) => ({ orgId, endpointId, ownerId: id })),
        ),
      );
      return;
    }
    const endpoint = await this.endpoints.find(orgId, endpointId);
    const owner = owners.includes(ownerId) ? await this.people.find(ownerId) : undefined;
    const orgName = await this.orgs.nameOf(orgId);
    if (endpoint?.state !== 'paused' || owner === undefined || orgName === undefined) return;
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
