import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../support/embedded-servers.js';
import { onThisMachine } from '../support/patience.js';

const HAPROXY = ['/usr/sbin/haproxy', '/usr/bin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));
const EXAMPLE = join(__dirname, '../../deploy/haproxy/haproxy.cfg');

/** True where the drills can run; without HAProxy they are skipped, unless CI requires it (`REQUIRE_HAPROXY=1`). */
export const hasHaproxy = HAPROXY !== undefined || process.env['REQUIRE_HAPROXY'] === '1';

interface BalancerAddresses {
  readonly apiPort: number;
  readonly appsPort: number;
  readonly apis: readonly number[];
  /** The port of the hosts of deploys, and the one of probes. */
  readonly edges: readonly (readonly [apps: number, probes: number])[];
}

/**
 * HAProxy with the configuration of deploy/haproxy, in which only addresses and the patience of checks are replaced.
 */
export class Balancer {
  private child: ChildProcess | undefined;
  private readonly socket: string;

  constructor(
    private readonly directory: string,
    private readonly addresses: BalancerAddresses,
  ) {
    this.socket = join(directory, 'haproxy.sock');
  }

  get url(): string {
    return `http://127.0.0.1:${this.addresses.apiPort}`;
  }

  async start(): Promise<void> {
    const file = join(this.directory, 'haproxy.cfg');
    writeFileSync(file, this.configuration());
    this.child = spawn(HAPROXY!, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-20_000);
      });
    await until('HAProxy sees all machines', async () => {
      if (this.child!.exitCode !== null) throw new Error(`HAProxy ended: ${output}`);
      return existsSync(this.socket) && (await this.areAllUp());
    });
  }

  /** Resolves when every machine is in turn, as a rolling restart waits for before it goes on. */
  untilAllAreUp(): Promise<void> {
    return until('HAProxy sees all machines', () => this.areAllUp(), 20_000);
  }

  async stop(): Promise<void> {
    if (this.child === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** How many requests a machine was given. */
  async requestsOf(backend: 'api' | 'edge', server: string): Promise<number> {
    const row = (await this.statistics()).find(([proxy, name]) => proxy === backend && name === server);
    if (row === undefined) throw new Error(`HAProxy knows no ${backend}/${server}.`);
    return Number(row[4]);
  }

  private async areAllUp(): Promise<boolean> {
    const rows = (await this.statistics()).filter(([, server]) => !['FRONTEND', 'BACKEND'].includes(server!));
    return rows.length > 0 && rows.every(([, , state]) => state === 'UP');
  }

  /** Backend, server, state, the last check, and how many requests it was given. */
  private async statistics(): Promise<string[][]> {
    const connection = connect(this.socket);
    connection.end('show stat\n');
    const lines = (await text(connection)).trim().split('\n');
    const names = lines[0]!.replace('# ', '').split(',');
    const columns = ['pxname', 'svname', 'status', 'last_chk', 'stot'].map((name) => names.indexOf(name));
    return lines.slice(1).map((line) => columns.map((column) => line.split(',')[column]!));
  }

  /** @throws {Error} when the file has an address that this cluster has no machine for. */
  private configuration(): string {
    const { apiPort, appsPort, apis, edges } = this.addresses;
    const replaced: readonly (readonly [string, string])[] = [
      ['/run/haproxy/admin.sock', this.socket],
      // A busy machine answers late.
      ['timeout check 2s', `timeout check ${Math.round(onThisMachine(2_000))}ms`],
      ['bind :80\n', `bind 127.0.0.1:${apiPort}\n`],
      ['bind :8080\n', `bind 127.0.0.1:${appsPort}\n`],
      ...apis.map((port, index) => [`10.0.0.1${index + 1}:3000`, `127.0.0.1:${port}`] as const),
      ...edges.map(
        ([apps, probes], index) =>
          [`10.0.0.2${index + 1}:3001 check port 3000`, `127.0.0.1:${apps} check port ${probes}`] as const,
      ),
    ];
    const written = replaced.reduce(
      (file, [from, to]) => {
        if (!file.includes(from)) throw new Error(`The example has no ${from}.`);
        return file.replaceAll(from, to);
      },
      readFileSync(EXAMPLE, 'utf8'),
    );
    const left = written.split('\n').filter((line) => !/^\s*#/.test(line) && /\b10\.0\.|bind :/.test(line));
    if (left.length > 0) throw new Error(`No machine stands for: ${left.join('; ')}`);
    return written;
  }
}
