import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { ConnectionSecrets, sealedOf } from '../connections/connection-secrets.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';

/** Re-encrypts the secret of one connection at a time. */
@Injectable()
export class EncryptedSsoSecrets extends EncryptedTable<SsoConnection> implements OnApplicationBootstrap {
  constructor(
    private readonly connections: SsoConnectionsStore,
    private readonly secrets: ConnectionSecrets,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: SsoConnection | undefined, limit: number): Promise<SsoConnection[]> {
    return this.connections.withoutMark(mark, last?.id, limit);
  }

  async reencrypt(connection: SsoConnection): Promise<void> {
    await this.connections.saveResealed(connection.id, sealedOf(connection), this.secrets.resealed(connection));
  }

  idsOf({ id, orgId }: SsoConnection): Readonly<Record<string, string>> {
    return { connectionId: id, orgId };
  }
}
