import type { ProvisioningConnection } from '../../sso/sso-provisioning.service.js';

/** A call of a provider that has shown a token of the connection. */
export interface ScimCall {
  readonly connection: ProvisioningConnection;
  readonly ip: string;
}
