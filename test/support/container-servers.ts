import type { ContainerEngine } from './container-engine.js';
import { SERVERS_IMAGE } from './container-images.js';
import { eventually } from './test-app.js';

const POSTGRES = '/usr/lib/postgresql/15/bin';
/** Both keep their data in memory, as they end with the test. */
const COMMON = ['--user', 'postgres', '--tmpfs', '/tmp:mode=1777,size=1g', '--workdir', '/tmp'];

/** What the image of PostgreSQL does, with the variables that compose gives it. */
const START_POSTGRES = `
printf %s "$POSTGRES_PASSWORD" > password && mkdir data
access='--pwfile password --auth scram-sha-256'
${POSTGRES}/initdb --pgdata data --username "$POSTGRES_USER" $access \${POSTGRES_INITDB_ARGS:-}
echo 'host all all all scram-sha-256' >> data/pg_hba.conf
echo "CREATE DATABASE $POSTGRES_DB" | ${POSTGRES}/postgres --single -D data postgres
exec ${POSTGRES}/postgres -D data -c listen_addresses='*' -c unix_socket_directories=/tmp`;

/** Debian's PostgreSQL in a container, as the official image configures it. @param args its network and variables. */
export async function startPostgres(engine: ContainerEngine, name: string, args: readonly string[]): Promise<void> {
  await engine.run(['--name', name, ...args, ...COMMON, SERVERS_IMAGE, 'bash', '-euc', START_POSTGRES]);
  await eventually(
    async () => (await engine.attempt(['exec', name, `${POSTGRES}/pg_isready`, '--host', '127.0.0.1'])).status === 0,
    'PostgreSQL answers',
    60_000,
  );
}

/** Debian's Redis in a container, reachable as that of the official image is. */
export async function startRedis(
  engine: ContainerEngine,
  name: string,
  { args, command }: { readonly args: readonly string[]; readonly command: readonly string[] },
): Promise<void> {
  const reachable = ['--protected-mode', 'no', '--bind', '0.0.0.0'];
  await engine.run(['--name', name, ...args, ...COMMON, SERVERS_IMAGE, ...command, ...reachable]);
}
