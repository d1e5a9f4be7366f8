import { Injectable } from '@nestjs/common';
import type { JobHandler } from '../../../platform/background/define-job.js';
import { Handles } from '../../../platform/background/handles.js';
import type { AuditRecordedPayload } from '../../audit/audit-recorded.job.js';
import { RecordedEntries } from '../../orgs/recorded-entries.js';
import { NewDeliveries } from '../deliveries/new-deliveries.js';
import { AUDIT_TYPE } from '../domain/webhook-types.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';
import { webhookAuditSubscription } from './webhooks.job.js';

/** Sends entries of audit logs as the export has them. The id of an entry is that of its message. */
@Injectable()
@Handles(webhookAuditSubscription)
export class WebhookAuditProcessor implements JobHandler<AuditRecordedPayload> {
  constructor(
    private readonly endpoints: WebhookEndpointsStore,
    private readonly entries: RecordedEntries,
    private readonly additions: NewDeliveries,
  ) {}

  async handle({ orgId, entryId }: AuditRecordedPayload): Promise<void> {
    const endpoints = await this.endpoints.naming(orgId, AUDIT_TYPE);
    if (endpoints.length === 0) return;
    const entry = await this.entries.find(orgId, entryId);
    if (entry === undefined) return;
    const message = { id: entryId, orgId, type: AUDIT_TYPE, at: entry.at, data: { ...entry } };
    for (const endpoint of endpoints) await this.additions.add(endpoint, message);
  }
}
