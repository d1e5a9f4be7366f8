import { Injectable } from '@nestjs/common';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import { ExecutionNetworkOff } from '../sandbox.errors.js';

/** The operator's switch for what code of tenants may connect to. */
@Injectable()
export class NetworkPermission {
  constructor(private readonly hosting: HostingSettings) {}

  /** @throws {ExecutionNetworkOff} `feature_disabled` when the operator lets no code of tenants out. */
  require(allowedHosts: readonly string[] | undefined): void {
    if (allowedHosts !== undefined && this.hosting.appsNetwork === 'off') throw new ExecutionNetworkOff();
  }
}
