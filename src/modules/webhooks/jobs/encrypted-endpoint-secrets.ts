import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import type { WebhookEndpoint } from '../persistence/webhook-rows.js';
import { WebhookEndpointsStore } from '../persistence/webhook-endpoints.store.js';

/** Re-encrypts the secrets of one endpoint at a time. */
@Injectable()
export class EncryptedEndpointSecrets extends EncryptedTable<WebhookEndpoint> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsStore,
    private readonly secrets: EndpointSecrets,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: WebhookEndpoint | undefined, limit: number): Promise<WebhookEndpoint[]> {
    return this.endpoints.withoutMark(mark, last?.id, limit);
  }

  reencrypt({ orgId, id }: WebhookEndpoint): Promise<void> {
    return this.database.transaction(async () => {
      // It may have been rotated or deleted meanwhile.
      const endpoint = await this.endpoints.lock(orgId, id);
      if (endpoint !== undefined) await this.endpoints.saveSecrets(this.secrets.reencrypted(endpoint));
    });
  }

  idsOf({ id }: WebhookEndpoint): Readonly<Record<string, string>> {
    return { endpointId: id };
  }
}
