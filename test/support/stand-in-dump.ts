import { chmodSync, copyFileSync, constants, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A program in place of `pg_dump`, for machines that have none of the right version. It connects to the socket of its
 * arguments, speaks the protocol of PostgreSQL, and does what the table `stand_in` of the database says. It shows what
 * the service gives it, in what isolation it runs, and how the service treats what it writes; not that an archive of
 * the real one is right.
 */
export class StandInDump {
  constructor(private readonly directory: string) {}

  get path(): string {
    return join(this.directory, 'bin/pg_dump');
  }

  /** @param version what it says about itself. */
  install(version = '18.4'): void {
    for (const name of ['bin', 'lib']) mkdirSync(join(this.directory, name), { recursive: true });
    // Users of isolated programs must reach it.
    chmodSync(this.directory, 0o755);
    copyFileSync(process.execPath, join(this.directory, 'lib/node'), constants.COPYFILE_FICLONE);
    this.says(version);
  }

  says(version: string): void {
    writeFileSync(this.path, PROGRAM.replace('VERSION', version));
    chmodSync(this.path, 0o755);
  }
}

/** The interpreter is where the service mounts the directory `lib` beside the program. */
const PROGRAM = `#!/opt/pg_dump/lib/node
'use strict';
if (process.argv.includes('--version')) {
  console.log('pg_dump (PostgreSQL) VERSION');
  process.exit(0);
}
const { once } = require('node:events');
const { existsSync, readdirSync } = require('node:fs');
const { connect } = require('node:net');
const options = Object.fromEntries(process.argv.slice(2).map((each) => each.replace(/^--/, '').split('=')));

class Session {
  constructor() {
    this.socket = connect(options.host + '/.s.PGSQL.' + options.port);
    this.socket.on('error', fail).on('close', () => fail(new Error('server closed the connection unexpectedly')));
    this.settings = {};
  }
  async begin() {
    await once(this.socket, 'connect');
    const names = { user: options.username, database: options.dbname, options: process.env.PGOPTIONS };
    const text = Buffer.from(Object.entries(names).flat().join('\\0') + '\\0\\0');
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + text.length, 0);
    head.writeUInt32BE(3 << 16, 4);
    this.socket.write(Buffer.concat([head, text]));
    await this.rows();
  }
  query(sql) {
    const text = Buffer.from(sql + '\\0');
    const head = Buffer.alloc(5);
    head.write('Q');
    head.writeUInt32BE(4 + text.length, 1);
    this.socket.write(Buffer.concat([head, text]));
    return this.rows();
  }
  async rows() {
    const rows = [];
    for (;;) {
      const head = await this.read(5);
      const body = await this.read(head.readUInt32BE(1) - 4);
      const type = head.toString('latin1', 0, 1);
      if (type === 'S') this.settings[body.toString().split('\\0')[0]] = body.toString().split('\\0')[1];
      if (type === 'E') fail(new Error('query failed: ERROR:  ' + /\\0M([^\\0]*)/.exec(body.toString())[1]));
      if (type === 'D') rows.push(valueOf(body));
      if (type === 'Z') return rows;
    }
  }
  async read(bytes) {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const chunk = this.socket.read(bytes);
      if (chunk !== null) return chunk;
      await once(this.socket, 'readable');
    }
  }
}
const valueOf = (body) => body.toString('utf8', 6);
function fail(error) {
  process.stderr.write('pg_dump: error: ' + error.message + '\\n', () => process.exit(1));
}
async function write(bytes) {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

async function main() {
  const session = new Session();
  await session.begin();
  const [mode] = await session.query('SELECT mode FROM public.stand_in');
  if (mode === 'mismatch') {
    process.stderr.write('pg_dump: detail: server version: 19.1; pg_dump version: 18.4\\n');
    fail(new Error('aborting because of server version mismatch'));
    return;
  }
  if (mode === 'broken') {
    await session.query('SELECT no_such_column FROM public.stand_in');
    return;
  }
  if (mode === 'short') {
    await write('PGDMP');
    await write(Buffer.alloc(200_000));
    fail(new Error('it broke on its way'));
    return;
  }
  if (mode === 'endless') {
    for (let mebibytes = 1; ; mebibytes++) {
      await write(Buffer.alloc(1_048_576));
      await session.query("SET application_name = 'stand-in " + mebibytes + "'");
    }
  }
  const [user] = await session.query('SELECT current_user');
  const [readOnly] = await session.query('SHOW transaction_read_only');
  const rows = await session.query('SELECT note FROM public.notes ORDER BY note');
  const facts = {
    arguments: process.argv.slice(2),
    environment: process.env,
    uid: process.getuid(),
    network: await new Promise((resolve) => {
      connect(9, '127.0.0.1').on('error', ({ code }) => resolve(code)).on('connect', () => resolve('connected'));
    }),
    run: readdirSync('/run/postgresql'),
    seesHost: ['/etc/passwd', '/var/lib', '/home', '/root', '/usr/bin'].filter((path) => existsSync(path)),
    serverVersion: session.settings.server_version,
    user, readOnly, rows,
  };
  await write('PGDMP' + JSON.stringify(facts));
  process.stdout.end(() => process.exit(0));
}
main().catch(fail);
`;
