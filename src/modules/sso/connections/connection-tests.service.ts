import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import type { CheckedIdentity } from '../../identities/checked-identity.js';
import {
  type BegunSignIn,
  ExternalSignInsService,
  type ShownCode,
} from '../../identities/external-sign-ins.service.js';
import { ExternalSignInInvalid } from '../../identities/identities.errors.js';
import { IdentitiesService } from '../../identities/identities.service.js';
import { SsoConnectionsStore } from '../persistence/sso-connections.store.js';
import { ConnectionAccess, type ConnectionPath } from './connection-access.js';
import { ConnectionHistory } from './connection-history.js';
import { type SsoConnection, tested } from './sso-connection.js';

/** Where the browser of the administrator returns to, and what proves there that the test is their own. */
export interface BeginTestInput {
  readonly returnTo: string;
  readonly challenge: string;
}

export interface TestedConnection {
  readonly connection: SsoConnection;
  /** What the provider says of the administrator. */
  readonly identity: CheckedIdentity;
}

/**
 * Tests of connections: an administrator comes in through one, and from then on signs in with that identity. So nobody
 * makes a connection active that would lock them out.
 */
@Injectable()
export class ConnectionTestsService {
  constructor(
    private readonly database: Database,
    private readonly access: ConnectionAccess,
    private readonly connections: SsoConnectionsStore,
    private readonly signIns: ExternalSignInsService,
    private readonly identities: IdentitiesService,
    private readonly history: ConnectionHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins a test, which ends within ten minutes, in any status of the connection.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   * @throws {FeatureNotInPlan} `feature_not_in_plan`
   * @throws {SsoConnectionNotFound} `sso_connection_not_found`, and what {@link ExternalSignInsService.begin} throws.
   */
  async begin(call: Call, path: ConnectionPath, input: BeginTestInput): Promise<BegunSignIn> {
    const { id: connectionId } = await this.access.getForUse(call, path);
    const source = { provider: 'sso', connectionId } as const;
    return this.signIns.begin({ ...input, source, userId: call.principal.user.id }, call.ip);
  }

  /**
   * Connects the identity to the administrator, unless it is theirs already, and notes that the connection works.
   *
   * @throws {ExternalSignInInvalid} `invalid_flow`: also for a flow of another person or connection.
   * @throws {IdentityConnected} `already_exists`, and as {@link begin}.
   */
  complete(call: Call, path: ConnectionPath, shown: ShownCode): Promise<TestedConnection> {
    const { id: userId } = call.principal.user;
    return this.database.transaction(async () => {
      const before = await this.access.lockForUse(call, path);
      const identity = await this.signIns.redeem(shown, userId);
      if (identity.provider !== 'sso' || identity.issuer !== before.id) throw new ExternalSignInInvalid();
      if ((await this.identities.findUserId(identity)) !== userId)
        await this.identities.connect(identity, userId, call);
      const connection = tested(before, this.clock.now());
      await this.connections.save(connection);
      await this.history.record(call, 'sso_connection.tested', connection);
      return { connection, identity };
    });
  }
}
