import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { eventually } from './test-app.js';
import { freePort } from './free-port.js';

const CADDY = ['/usr/bin/caddy', '/usr/local/bin/caddy'].find((path) => existsSync(path));
const START_WITHIN_MS = 20_000;

/** Runs a test with the real Caddy. Without it the test is skipped, unless CI requires it (`REQUIRE_CADDY=1`). */
export const withCaddy = CADDY !== undefined || process.env['REQUIRE_CADDY'] === '1' ? it : it.skip;

interface CaddyVisit {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Caddy with `deploy/Caddyfile` and certificates of an authority of its own. */
export class Caddy {
  private child: ChildProcess | undefined;
  private readonly home = mkdtempSync(join(tmpdir(), 'caddy-'));
  private httpPort = 0;
  private httpsPort = 0;
  private output = '';

  /** @param settings the variables that the Caddyfile reads. */
  async start(settings: Readonly<Record<string, string>>): Promise<void> {
    [this.httpPort, this.httpsPort] = [await freePort(), await freePort()];
    const config = join(PROJECT_ROOT, 'deploy/Caddyfile');
    this.child = spawn(CADDY!, ['run', '--config', config, '--adapter', 'caddyfile'], {
      env: {
        HOME: this.home,
        XDG_DATA_HOME: this.home,
        XDG_CONFIG_HOME: this.home,
        HTTP_PORT: String(this.httpPort),
        HTTPS_PORT: String(this.httpsPort),
        TLS_ISSUER: 'internal',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    await eventually(
      async () => {
        if (this.child?.exitCode != null) throw new Error(`Caddy ended: ${this.output}`);
        return existsSync(this.rootCertificate) && (await this.visit('http', 'unknown.example.com')).status === 404;
      },
      `Caddy answers: ${this.output}`,
      START_WITHIN_MS,
    );
  }

  async stop(): Promise<void> {
    if (this.child?.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true });
  }

  /** Visits a host as a browser does that trusts the authority. Rejects when there is no certificate for it. */
  visit(scheme: 'http' | 'https', host: string, path = '/', headers = {}): Promise<CaddyVisit> {
    const port = scheme === 'https' ? this.httpsPort : this.httpPort;
    const common = { host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false } as const;
    return new Promise((resolve, reject) => {
      const request =
        scheme === 'https'
          ? httpsRequest({ ...common, servername: host, ca: readFileSync(this.rootCertificate) })
          : httpRequest(common);
      request.once('response', (response) => {
        text(response).then((body) => {
          resolve({ status: response.statusCode!, headers: response.headers, text: body });
        }, reject);
      });
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The listener is not there yet.
        if (error.code === 'ECONNREFUSED') resolve({ status: 0, headers: {}, text: '' });
        else reject(error);
      });
      request.end();
    });
  }

  private get rootCertificate(): string {
    return join(this.home, 'caddy/pki/authorities/local/root.crt');
  }
}
