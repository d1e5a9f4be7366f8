import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Clock } from '../../platform/time/clock.js';
import type { Call } from '../auth/caller.js';
import { AgentAccess } from './access/agent-access.js';
import { AgentFull, SecretNameInvalid } from './agents.errors.js';
import { type AgentSecret, AgentSecretsStore } from './persistence/agent-secrets.store.js';
import { AgentVault } from './secrets/agent-vault.js';

const MAX_SECRETS = 50;
const NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** What is shown of a secret. */
export type ShownSecret = Pick<AgentSecret, 'name' | 'createdAt' | 'updatedAt'>;

/** Secrets for the tools of agents. They are never returned, and no model sees them. */
@Injectable()
export class AgentSecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: AgentSecretsStore,
    private readonly vault: AgentVault,
    private readonly access: AgentAccess,
    private readonly clock: Clock,
  ) {}

  /** For the tools of runs. */
  async valueOf(agentId: string, name: string): Promise<string | undefined> {
    const secret = await this.secrets.find(agentId, name);
    return secret && this.vault.open(secret.value, secret);
  }

  /** Returns all values, so that results of tools can be masked. */
  async valuesOf(agentId: string): Promise<string[]> {
    return (await this.secrets.list(agentId)).map((secret) => this.vault.open(secret.value, secret));
  }

  /**
   * Returns the secrets by name, without their values.
   *
   * @throws {AgentNotFound} `agent_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, idOrSlug: string): Promise<readonly ShownSecret[]> {
    return this.secrets.list((await this.access.get(call, idOrSlug, 'agents:read')).id);
  }

  /** Sets or replaces a secret. @throws as {@link list}. @throws {RequestInvalid} `invalid_request` */
  async set(call: Call, idOrSlug: string, name: string, value: string): Promise<ShownSecret> {
    if (!NAME.test(name)) throw new SecretNameInvalid();
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      const others = (await this.secrets.list(agent.id)).filter((secret) => secret.name !== name);
      if (others.length >= MAX_SECRETS)
        throw new AgentFull('', {
          code: 'max_secrets',
          message: `An agent can have ${MAX_SECRETS} secrets. Delete one that is no longer used.`,
          expected: { max: MAX_SECRETS },
        });
      const place = { agentId: agent.id, name };
      const by = { updatedAt: this.clock.now(), updatedBy: call.principal.user.id };
      const secret = await this.secrets.set({ ...place, value: this.vault.seal(value, place), ...by });
      await this.access.record(call, 'agent.secret_set', agent, { name });
      return secret;
    });
  }

  /** A missing secret is not an error. @throws as {@link list}. */
  delete(call: Call, idOrSlug: string, name: string): Promise<void> {
    return this.database.transaction(async () => {
      const agent = await this.access.lock(call, idOrSlug);
      if (await this.secrets.remove(agent.id, name))
        await this.access.record(call, 'agent.secret_deleted', agent, { name });
    });
  }
}
