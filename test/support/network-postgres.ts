import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { serverAccount } from '../../src/platform/accounts/server-account.js';
import { findPostgresPrograms } from '../../src/platform/postgres/postgres-programs.js';
import { freePort } from './free-port.js';
import { makeMemoryDirectory, removeScratchDirectory } from './scratch-directory.js';
import type { CertificateFiles } from './test-authority.js';
import { eventually } from './test-app.js';

/** How PostgreSQL ends: in order, which ends its connections, or at once, so that it recovers at its next start. */
type PostgresStop = 'fast' | 'immediate';
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/**
 * A PostgreSQL that listens on a port: with certificates it takes connections with TLS only, without them plain ones.
 */
export class NetworkPostgres {
  private readonly directory = makeMemoryDirectory();
  private readonly account = serverAccount();
  private readonly data = join(this.directory, 'data');
  private readonly options = { ...this.account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  private settings: Record<string, string> = {};
  private child: ChildProcess | undefined;
  private port = 0;

  async start(tls?: CertificateFiles): Promise<void> {
    const programs = await findPostgresPrograms(this.directory, this.account);
    mkdirSync(this.data, { mode: 0o700 });
    this.give(this.data);
    const initdb = spawn(
      programs.initdb,
      [
        '--pgdata',
        this.data,
        '--username',
        'app',
        '--auth',
        'trust',
        '--encoding',
        'UTF8',
        '--no-sync',
        '--locale',
        'C',
      ],
      { ...this.options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const output = text(initdb.stderr);
    const [code] = (await once(initdb, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb: ${await output}`);
    if (tls !== undefined) this.take(tls);
    const kind = tls === undefined ? 'host' : 'hostssl';
    writeFileSync(
      join(this.data, 'pg_hba.conf'),
      ['127.0.0.1/32', '::1/128'].map((address) => `${kind} all all ${address} trust\n`).join(''),
    );
    this.port = await freePort();
    this.settings = {
      listen_addresses: 'localhost',
      port: String(this.port),
      unix_socket_directories: '',
      ssl: tls === undefined ? 'off' : 'on',
      fsync: 'off',
      shared_buffers: '32MB',
      max_connections: '200',
    };
    await this.run();
  }

  /** Ends it and starts it again. What it has committed stays, as only the process ends, and not the machine. */
  async restart(how: PostgresStop): Promise<void> {
    await this.end(how);
    await this.run();
  }

  url(parameters: string, host = 'localhost'): string {
    return `postgres://app@${host}:${this.port}/postgres${parameters === '' ? '' : `?${parameters}`}`;
  }

  async stop(): Promise<void> {
    await this.end('immediate');
    removeScratchDirectory(this.directory);
  }

  private async run(): Promise<void> {
    const { postgres } = await findPostgresPrograms(this.directory, this.account);
    this.child = spawn(
      postgres,
      ['-D', this.data, ...Object.entries(this.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...this.options, stdio: 'ignore' },
    );
    const parameters = this.settings['ssl'] === 'on' ? 'sslmode=no-verify' : '';
    await eventually(
      async () => {
        const client = new Client({ connectionString: this.url(parameters) });
        client.on('error', () => undefined);
        return client.connect().then(
          async () => {
            await client.end();
            return true;
          },
          () => false,
        );
      },
      'PostgreSQL answers',
      20_000,
    );
  }

  private async end(how: PostgresStop): Promise<void> {
    if (this.child === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(SIGNALS[how]);
    await ended;
  }

  private take({ certificate, key }: CertificateFiles): void {
    for (const [from, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      const path = join(this.data, name);
      copyFileSync(from, path);
      chmodSync(path, 0o600);
      this.give(path);
    }
  }

  private give(path: string): void {
    if (this.account !== undefined) chownSync(path, this.account.uid, this.account.gid);
  }
}
