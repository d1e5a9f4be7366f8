import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Clusters } from '../../src/modules/databases/engine/own/clusters.js';
import { ClusterHome } from '../../src/modules/databases/engine/own/cluster-home.js';
import { ClusterSocket } from '../../src/modules/databases/engine/own/cluster-socket.js';
import { OwnEngine } from '../../src/modules/databases/engine/own/own-engine.js';
import { useApp } from '../support/test-app.js';
import { EngineOf } from './engine-harness.js';

describe('a superuser inside of a database', () => {
  const app = useApp({}, 'databases');
  const on = new EngineOf(app);

  /** What a program prints that the server runs, as the service's own role. */
  async function printed(id: string, program: string): Promise<string> {
    const lines = await app
      .get(Clusters)
      .of(id)
      .ask(async (client) => {
        await client.query('CREATE TEMPORARY TABLE lines (line text)');
        // Nothing that is printed has a meaning for COPY.
        const asPrinted = "(FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')";
        await client.query(`COPY lines FROM PROGRAM '${program.replaceAll("'", "''")}' ${asPrinted}`);
        return (await client.query<{ line: string }>('SELECT line FROM lines')).rows;
      });
    return lines.map(({ line }) => line).join('\n');
  }

  it('sees no file of this machine and of no other database', async () => {
    const [id, other] = [await on.created(), await on.created()];
    writeFileSync(join(app.dataDirectory, 'canary'), 'secret');
    expect(await printed(id, `cat ${app.dataDirectory}/canary 2>&1; true`)).toContain('No such file');
    expect(await printed(id, 'ls /; ls /root /home /var /etc /srv /work 2>/dev/null; true')).not.toMatch(
      new RegExp(`${other}|canary|^(root|home|var|srv|work)$`, 'm'),
    );
    expect((await printed(id, 'ls /etc')).split('\n').sort()).toEqual(['passwd', 'postgres']);
    // Its own processes, and none of this machine.
    expect(await printed(id, 'cat /proc/[0-9]*/cmdline | tr "\\0" "\\n"')).not.toMatch(/node|jest|redis/);
    expect(await printed(id, 'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"; true')).not.toMatch(/SECRET|PEPPER/);
  });

  it('reaches no network', async () => {
    const id = await on.created();
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const attempt = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2>&1 && echo reached; true`;
    expect(await printed(id, attempt)).not.toContain('reached');
    server.close();
  });

  it('cannot write to its settings, its programs, or the users', async () => {
    const id = await on.created();
    const attempt = async (file: string): Promise<string> => printed(id, `(echo x >> ${file}) 2>&1; true`);
    for (const file of ['/etc/postgres/postgresql.conf', '/etc/postgres/pg_hba.conf', '/etc/passwd', '/opt/postgres/x'])
      expect(await attempt(file)).toMatch(/Permission denied|Read-only file system/);
    const settings = join(app.get(ClusterHome).directoryOf(id), 'settings/postgresql.conf');
    expect(readFileSync(settings, 'utf8')).not.toContain('x\n\n');
    await expect(
      app
        .get(Clusters)
        .of(id)
        .ask((client) => client.query("ALTER SYSTEM SET archive_command = 'true'")),
    ).rejects.toThrow('ALTER SYSTEM is not allowed');
  });

  it('signals no process outside, and sees no shared memory of others', async () => {
    const [id, other] = [await on.created(), await on.created()];
    await on.query(other, 'SELECT 1');
    // A header, and the segments of this server alone.
    const segments = (await printed(id, 'cat /proc/sysvipc/shm')).split('\n').slice(1);
    expect(segments.length).toBeLessThanOrEqual(4);
    // It ends its own server with it.
    await printed(id, 'kill -9 -1 2>&1; true').catch(() => undefined);
    expect(await on.query(other, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    expect(await on.query(id, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('leads the service nowhere with a link in place of its socket', async () => {
    const id = await on.created();
    const path = '/run/postgres/.s.PGSQL.5432';
    await on.query(id, 'SELECT 1');
    // The descriptor of the first socket stays that of the server.
    await printed(id, `rm ${path}; ln -s /run/docker.sock ${path}; echo done`);
    expect(await on.query(id, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    const directory = join(app.get(ClusterHome).directoryOf(id), 'run');
    expect(() => ClusterSocket.open(join(directory, '.s.PGSQL.5432'))).toThrow('has no socket');
    await on.engine.sleep(id);
    // The next server removes the link and makes a socket.
    expect(await on.query(id, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });

  it('is not harmed by files that a cluster has left for the service to remove', async () => {
    const id = await on.created();
    const outside = join(app.dataDirectory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'kept'), 'kept');
    const program = await app.get(OwnEngine).run(id, {
      command: () => [
        '/bin/sh',
        '-c',
        `cd /cluster; ln -s ${outside} link; mkdir -p closed/deep; chmod 000 closed; ` +
          'i=0; while [ $i -lt 400 ]; do mkdir -p aaaaaaaaaaaaaaaaaaaa; cd aaaaaaaaaaaaaaaaaaaa; i=$((i+1)); done',
      ],
      output: { line: () => undefined, bytes: 1_000 },
    });
    await program.exited;
    await on.engine.drop(id);
    expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('kept');
  });

  it('cannot make the service speak to a socket of the machine', async () => {
    const place = join(app.dataDirectory, 'sockets');
    mkdirSync(place);
    const server = createServer().listen(join(place, 'real'));
    await new Promise((resolve) => server.once('listening', resolve));
    symlinkSync(join(place, 'real'), join(place, 'link'));
    expect(() => ClusterSocket.open(join(place, 'link'))).toThrow('has no socket');
    expect(() => ClusterSocket.open(join(place, 'none'))).toThrow();
    server.close();
    rmSync(place, { recursive: true });
  });
});
