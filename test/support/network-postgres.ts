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

/** A PostgreSQL that listens on a port and takes connections with TLS only. */
export class NetworkPostgres {
  private readonly directory = makeMemoryDirectory();
  private readonly account = serverAccount();
  private child: ChildProcess | undefined;
  private port = 0;

  async start({ certificate, key }: CertificateFiles): Promise<void> {
    const programs = await findPostgresPrograms(this.directory, this.account);
    const data = join(this.directory, 'data');
    mkdirSync(data, { mode: 0o700 });
    this.give(data);
    const options = { ...this.account, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
    const initdb = spawn(
      programs.initdb,
      ['--pgdata', data, '--username', 'app', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync', '--locale', 'C'],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const output = text(initdb.stderr);
    const [code] = (await once(initdb, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb: ${await output}`);
    for (const [from, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      copyFileSync(from, join(data, name));
      chmodSync(join(data, name), 0o600);
      this.give(join(data, name));
    }
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n');
    this.port = await freePort();
    const settings = {
      listen_addresses: 'localhost',
      port: String(this.port),
      unix_socket_directories: '',
      ssl: 'on',
      fsync: 'off',
      shared_buffers: '32MB',
    };
    this.child = spawn(
      programs.postgres,
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...options, stdio: 'ignore' },
    );
    await eventually(
      async () => {
        const client = new Client({ connectionString: this.url('sslmode=no-verify') });
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

  url(parameters: string, host = 'localhost'): string {
    return `postgres://app@${host}:${this.port}/postgres${parameters === '' ? '' : `?${parameters}`}`;
  }

  async stop(): Promise<void> {
    if (this.child?.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGQUIT');
      await ended;
    }
    removeScratchDirectory(this.directory);
  }

  private give(path: string): void {
    if (this.account !== undefined) chownSync(path, this.account.uid, this.account.gid);
  }
}
