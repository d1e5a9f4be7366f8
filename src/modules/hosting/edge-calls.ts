import { request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AliasesService } from './aliases.service.js';

/** More of an answer is not read. */
const MAX_BYTES = 1_048_576;

/** A request of the platform to an app. */
export interface EdgeCall {
  readonly label: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends requests of the platform to apps, through the listener for visitors in the same process. */
@Injectable()
export class EdgeCalls {
  private server: Server | undefined;

  constructor(private readonly aliases: AliasesService) {}

  /** Called by the listener when it exists, in the role `edge`. */
  enterAt(server: Server): void {
    this.server = server;
  }

  /**
   * Sends a GET and returns the status of its answer, once all of the answer or enough of it has arrived. Redirects are
   * not followed.
   *
   * @throws {Error} when there is no answer, or when `signal` is aborted before its end.
   */
  get({ label, path, headers, signal }: EdgeCall): Promise<number> {
    const { host, protocol } = new URL(this.aliases.urlOf(label));
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        ...this.addressOfListener(),
        path,
        agent: false,
        signal,
        setHost: false,
        // Behind a proxy that ends HTTPS, an app would redirect a request that says nothing about it.
        headers: { ...headers, host, 'x-forwarded-proto': protocol.replace(':', ''), connection: 'close' },
      });
      request.once('error', reject);
      request.once('response', (answer) => {
        const status = answer.statusCode ?? 0;
        let bytes = 0;
        answer.once('error', reject);
        answer.once('end', () => {
          resolve(status);
        });
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MAX_BYTES) return;
          resolve(status);
          request.destroy();
        });
      });
      request.end();
    });
  }

  private addressOfListener(): { host: string; port: number } {
    const address = this.server?.address() as AddressInfo | null | undefined;
    if (address === null || address === undefined)
      throw new Error('This process does not listen for visitors of apps.');
    const anywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address.address];
    return { host: anywhere ?? address.address, port: address.port };
  }
}
