import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { type AgentSecret, AgentSecretsStore } from '../persistence/agent-secrets.store.js';
import { AgentVault } from '../secrets/agent-vault.js';

/** Re-encrypts one secret of an agent at a time. */
@Injectable()
export class EncryptedAgentSecrets extends EncryptedTable<AgentSecret> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly secrets: AgentSecretsStore,
    private readonly vault: AgentVault,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: AgentSecret | undefined, limit: number): Promise<AgentSecret[]> {
    return this.secrets.withoutMark(mark, last, limit);
  }

  reencrypt({ agentId, name }: AgentSecret): Promise<void> {
    return this.database.transaction(async () => {
      // It may have been set again or deleted meanwhile.
      const secret = await this.secrets.lock(agentId, name);
      if (secret === undefined) return;
      const value = this.vault.seal(this.vault.open(secret.value, secret), secret);
      await this.secrets.replaceValue(agentId, name, value);
    });
  }

  idsOf({ agentId, name }: AgentSecret): Readonly<Record<string, string>> {
    return { agentId, name };
  }
}
