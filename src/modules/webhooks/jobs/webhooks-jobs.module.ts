import { Module } from '@nestjs/common';
import { EgressModule } from '../../../platform/egress/egress.module.js';
import { MailModule } from '../../../platform/mail/mail.module.js';
import { ReencryptionModule } from '../../../platform/secrets/reencryption.module.js';
import { EventsModule } from '../../events/events.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { OwnerNoticesModule } from '../../orgs/owner-notices.module.js';
import { RecordedEntriesModule } from '../../orgs/recorded-entries.module.js';
import { MessageDelivery } from '../deliveries/message-delivery.js';
import { DeliveryAttempts } from '../deliveries/delivery-attempts.js';
import { EndpointPauses } from '../deliveries/endpoint-pauses.js';
import { WebhookSender } from '../deliveries/webhook-sender.js';
import { WebhooksPersistenceModule } from '../persistence/webhooks-persistence.module.js';
import { WebhooksModule } from '../webhooks.module.js';
import { DeliveryTicker } from './delivery-ticker.js';
import { EncryptedEndpointSecrets } from './encrypted-endpoint-secrets.js';
import { OldDeliveriesSweeper } from './old-deliveries.sweeper.js';
import { WebhookAuditProcessor } from './webhook-audit.processor.js';
import { WebhookEventProcessor } from './webhook-event.processor.js';
import { WebhookNoticeProcessor } from './webhook-notice.processor.js';
import { WebhookOrgDeletedProcessor } from './webhook-org-deleted.processor.js';

@Module({
  imports: [
    EgressModule,
    EventsModule,
    MailModule,
    OrgDirectoryModule,
    OwnerNoticesModule,
    RecordedEntriesModule,
    ReencryptionModule,
    WebhooksModule,
    WebhooksPersistenceModule,
  ],
  providers: [
    MessageDelivery,
    DeliveryAttempts,
    DeliveryTicker,
    EncryptedEndpointSecrets,
    EndpointPauses,
    OldDeliveriesSweeper,
    WebhookAuditProcessor,
    WebhookEventProcessor,
    WebhookNoticeProcessor,
    WebhookOrgDeletedProcessor,
    WebhookSender,
  ],
})
export class WebhooksJobsModule {}
