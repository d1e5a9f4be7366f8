import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';

/** What a server of S3 does instead of its work. */
export type S3Fault =
  /** It answers with an error of S3. */
  | { readonly kind: 'answer'; readonly status: number; readonly code: string }
  /** Something in front of it answers. */
  | { readonly kind: 'page'; readonly status: number }
  /** The connection breaks before anything is done. */
  | { readonly kind: 'reset' }
  /** It does its work, and the answer is lost. */
  | { readonly kind: 'lose-answer' }
  /** There is no answer. */
  | { readonly kind: 'stall' }
  /** The connection breaks in the middle of the answer. */
  | { readonly kind: 'break-off' }
  /** The answer stops in its middle. */
  | { readonly kind: 'stall-body' };

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/**
 * A server of S3, on loopback if nothing else is said, with a bucket, that can fail. Like those of S3, and unlike
 * s3rver by itself, it stores a blob when all of it has arrived, and nothing of it before.
 */
export class S3Peer {
  private readonly server: Server;
  private faults: { fault: S3Fault; left: number; methods: string[] }[] = [];
  /** The methods of requests that arrived whole. */
  readonly seen: string[] = [];

  private constructor(
    private readonly store: Server,
    readonly directory: string,
    private readonly host: string,
  ) {
    this.server = createServer((request, response) => {
      // A request that breaks off is not passed on.
      this.handle(request, response).catch(() => response.destroy());
    });
  }

  /** @param host the address that it listens on. */
  static async start(host = '127.0.0.1'): Promise<S3Peer> {
    const directory = mkdtempSync(join(tmpdir(), 's3-peer-'));
    const s3 = new S3rver({
      ...{ port: 0, address: '127.0.0.1', silent: true, directory },
      configureBuckets: [{ name: 'blobs', configs: [] }],
    });
    await s3.run();
    const peer = new S3Peer(s3.httpServer, directory, host);
    peer.server.listen(0, host);
    await once(peer.server, 'listening');
    return peer;
  }

  /** The settings of a service that keeps there what the setting of this name is about. */
  settingsOf(name: string): Record<string, string> {
    return { [name]: this.address(), ...CREDENTIALS };
  }

  address(bucket = 'blobs'): string {
    return `s3://${bucket}/some/place?endpoint=http://${this.host}:${portOf(this.server)}`;
  }

  /** Requests with these methods fail so many times, or until {@link mend}. */
  fail(fault: S3Fault, { times = Infinity, methods = ['GET', 'PUT', 'HEAD', 'DELETE'] } = {}): void {
    this.faults.push({ fault, left: times, methods });
  }

  mend(): void {
    this.faults = [];
    this.seen.length = 0;
  }

  async stop(): Promise<void> {
    for (const server of [this.server, this.store]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method!;
    const body = await buffer(request);
    this.seen.push(method);
    const found = this.faults.find((each) => each.left > 0 && each.methods.includes(method));
    if (found !== undefined) found.left--;
    const fault = found?.fault;
    switch (fault?.kind) {
      case 'stall':
        return;
      case 'reset':
        request.socket.resetAndDestroy();
        return;
      case 'answer':
        response.writeHead(fault.status, { 'content-type': 'application/xml' });
        response.end(method === 'HEAD' ? undefined : `<Error><Code>${fault.code}</Code><Message>No.</Message></Error>`);
        return;
      case 'page':
        response.writeHead(fault.status, { 'content-type': 'text/html' });
        response.end(method === 'HEAD' ? undefined : '<html><body><hr>nginx</body></html>');
        return;
      case undefined:
      case 'lose-answer':
      case 'break-off':
      case 'stall-body':
        await this.pass(request, body, (answer, bytes) => {
          send(response, answer, { bytes, fault });
        });
    }
  }

  private async pass(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    done: (answer: IncomingMessage, bytes: Buffer) => void,
  ): Promise<void> {
    // The host is signed.
    const passed = httpRequest({ host: '127.0.0.1', port: portOf(this.store), method, path: url, headers });
    passed.end(body);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    done(answer, await buffer(answer));
  }
}

function send(
  response: ServerResponse,
  { statusCode, headers }: IncomingMessage,
  { bytes, fault }: { bytes: Buffer; fault: S3Fault | undefined },
): void {
  if (fault?.kind === 'lose-answer') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(statusCode!, headers);
  if (fault === undefined) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (fault.kind === 'break-off') setTimeout(() => response.socket?.resetAndDestroy(), 20);
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
