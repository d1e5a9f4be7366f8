import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { serverAccount } from '../../src/platform/accounts/server-account.js';
import { freePort } from './free-port.js';
import { makeScratchDirectory, removeScratchDirectory } from './scratch-directory.js';
import { eventually } from './test-app.js';

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

/**
 * Runs a test with the real PgBouncer. Without it the test is skipped, unless CI requires it (`REQUIRE_PGBOUNCER=1`).
 */
export const withPgbouncer = PGBOUNCER !== undefined || process.env['REQUIRE_PGBOUNCER'] === '1' ? it : it.skip;

/** A PgBouncer in front of the PostgreSQL of the tests, with the settings that its page recommends. */
export class Pgbouncer {
  private readonly directory = makeScratchDirectory();
  private child: ChildProcess | undefined;
  private port = 0;

  constructor(private readonly mode: 'session' | 'transaction') {}

  async start(): Promise<void> {
    const server = new Client({ connectionString: process.env['TEST_POSTGRES_URL']! });
    this.port = await freePort();
    const file = join(this.directory, 'pgbouncer.ini');
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: this.port,
      unix_socket_dir: '',
      auth_type: 'any',
      admin_users: 'app',
      pool_mode: this.mode,
      default_pool_size: 40,
      server_reset_query: 'DISCARD ALL',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const target = `* = host=${server.host} port=${server.port} user=${server.user}`;
    writeFileSync(file, `[databases]\n${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
    // It may enter the directory of the server's socket only as that user, and does not run as root.
    const account = serverAccount();
    if (account !== undefined) chownSync(file, account.uid, account.gid);
    this.child = spawn(PGBOUNCER!, [file], { ...account, cwd: '/', stdio: 'ignore' });
    await eventually(() => this.answers(), 'PgBouncer answers', 10_000);
  }

  /** The address of a database of the tests, by way of PgBouncer. */
  urlOf(databaseUrl: string): string {
    return `postgres://app@127.0.0.1:${this.port}${new URL(databaseUrl).pathname}`;
  }

  async stop(): Promise<void> {
    await this.end();
    removeScratchDirectory(this.directory);
  }

  /** Its clients lose their connections. */
  async end(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
  }

  /** The names that its clients of a database have given themselves. */
  async clientsOf(databaseUrl: string): Promise<string[]> {
    const client = new Client(this.console);
    await client.connect();
    try {
      const { rows } = await client.query<{ database: string; application_name: string }>('SHOW CLIENTS');
      const name = new URL(databaseUrl).pathname.slice(1);
      return rows.filter(({ database }) => database === name).map((row) => row.application_name);
    } finally {
      await client.end();
    }
  }

  private get console(): { host: string; port: number; user: string; database: string } {
    return { host: '127.0.0.1', port: this.port, user: 'app', database: 'pgbouncer' };
  }

  private async answers(): Promise<boolean> {
    const client = new Client(this.console);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SHOW VERSION');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
