import { Injectable } from '@nestjs/common';
import { NetworkTools } from '../../platform/isolation/network/network-tools.js';
import { HostingSettings } from './hosting.settings.js';

/** Whether app servers have a network on this machine, and what is missing if they should have one. */
export type AppNetworkState =
  { readonly mode: 'off' } | { readonly mode: 'auto' | 'required'; readonly missing: readonly string[] };

/** Reports what the setting and this machine allow. The attempt that it takes is made once for each process. */
@Injectable()
export class AppNetworkStatus {
  private readonly tools = new NetworkTools();

  constructor(private readonly settings: HostingSettings) {}

  async state(): Promise<AppNetworkState> {
    const { appsNetwork: mode } = this.settings;
    return mode === 'off' ? { mode } : { mode, missing: await this.tools.missing() };
  }
}
