import { lookup } from 'node:dns/promises';
import { rm } from 'node:fs/promises';
import { BlockList, connect, isIPv6, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import { EgressProxy } from '../../../platform/egress/egress-proxy.js';
import { ProcessDirectories } from '../../../platform/isolation/process-directories.js';
import { HostingSettings } from '../../hosting/hosting.settings.js';
import { parseAllowedHost } from '../domain/allowed-hosts.js';
import { SandboxSettings } from '../sandbox.settings.js';

/** What one run may move, in both directions together. */
const EGRESS_BYTES = 1024 * 1024 * 1024;

type Owner = { readonly execution_id: string } | { readonly session_id: string };

/** The way out of one execution, or of one session. */
export interface RunNetwork {
  readonly directory: string;
  /** Each run of a session may move as much as an execution. */
  readonly renew: () => void;
  /** Never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a proxy for each execution or session with a network, in this worker. It resolves the allowed names itself and
 * connects only to public addresses that are neither this machine's nor refused by the operator.
 */
@Injectable()
export class RunNetworks {
  private readonly directories: ProcessDirectories;
  private readonly logger = new Logger('SandboxNetwork');

  constructor(
    settings: SandboxSettings,
    private readonly hosting: HostingSettings,
  ) {
    this.directories = new ProcessDirectories(settings.egressDirectory);
  }

  async open(owner: Owner, allowed: readonly string[]): Promise<RunNetwork> {
    const directory = await this.directories.make();
    const removeIfPossible = (): Promise<void> =>
      this.remove(directory).catch((error: unknown) => {
        // What is left of it is removed when the worker starts again, and what has run has run.
        this.logger.warn({ msg: 'The way out of a program was not removed', ...owner, error: String(error) });
      });
    try {
      const proxy = await EgressProxy.listen({
        directory,
        policy: { hosts: [], trusted: [], listed: allowed.flatMap((text) => parseAllowedHost(text) ?? []) },
        bytes: EGRESS_BYTES,
        refused: (target, reason) => {
          this.logger.log({ msg: 'A program was refused a host', ...owner, target, reason });
        },
        reached: (target) => {
          this.logger.log({ msg: 'A program reached a host', ...owner, target });
        },
        resolve: async (host) => this.permitted(await this.resolve(host)),
        connect: (port, address) => this.connect(port, address),
      });
      return {
        directory,
        renew: () => {
          proxy.renew();
        },
        close: async () => {
          await proxy.close();
          await removeIfPossible();
        },
      };
    } catch (error) {
      await removeIfPossible();
      throw error;
    }
  }

  /** Tests lead names to servers of their own, and let directories resist. */
  async resolve(host: string): Promise<readonly string[]> {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }

  connect(port: number, address: string): Socket {
    return connect(port, address);
  }

  remove(directory: string): Promise<void> {
    return rm(directory, { recursive: true, force: true });
  }

  /** The addresses of the machine may change at any time. */
  private permitted(addresses: readonly string[]): string[] {
    const refused = new BlockList();
    for (const { address, family } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
      refused.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
    for (const range of this.hosting.appsNetworkRefused) {
      const [address = '', prefix = '32'] = range.split('/');
      refused.addSubnet(address, Number(prefix), 'ipv4');
    }
    return addresses.filter((address) => !refused.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'));
  }
}
