import { Injectable } from '@nestjs/common';
import { type ProvisioningConnection, SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { tokenRefused } from './token-refused.js';

/** Writes of an organization happen one after the other. */
@Injectable()
export class ConnectionLock {
  constructor(private readonly sso: SsoProvisioningService) {}

  /**
   * Locks the organization until the running transaction ends. Returns the connection as it is then.
   *
   * @throws {ScimRefusal} 401: the connection was deleted meanwhile.
   */
  async take(connection: ProvisioningConnection): Promise<ProvisioningConnection> {
    const current = await this.sso.lock(connection);
    if (current === undefined) throw tokenRefused();
    return current;
  }
}
