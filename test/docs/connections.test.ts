import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataSource } from '../../src/roles/data-source.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

/** PostgreSQL's defaults. */
const [MAX_CONNECTIONS, RESERVED] = [100, 3];

const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Files of a process that runs, and not of commands, that open a connection of their own to the service's database. */
function openers(): string[] {
  return ['src/modules', 'src/platform'].flatMap((directory) =>
    readdirSync(join(PROJECT_ROOT, directory), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => join(directory, name))
      .filter((path) => /new (Client|Pool)\(\{\s+connectionString: this\.config\.\w*[dD]atabaseUrl/.test(read(path))),
  );
}

it('the pages count the connections of a process as the code opens them', () => {
  const { poolSize } = createDataSource({ url: 'postgres://nowhere' }).options as { poolSize: number };
  expect(openers().sort()).toEqual([
    'src/modules/hosting/persistence/alias-changes.ts',
    'src/modules/hosting/persistence/store-lock.ts',
    'src/platform/database/database-notifications.ts',
  ]);
  const each = poolSize + openers().length;
  const processes = Math.floor((MAX_CONNECTIONS - RESERVED) / each);
  expect(read('docs/scaling.md')).toContain(`Connections: ${each} for each process | ${processes} processes with`);
  expect(read('docs/scaling.md')).toContain(`${poolSize} in the pool, all in use under load, and up to 3 outside`);
  expect(read('docs/operations/running.md')).toContain(`up to ${each} connections to PostgreSQL`);
  expect(read('docs/operations/cluster.md')).toContain(`each process takes up to ${each}`);
  expect(read('docs/operations/kubernetes.md')).toContain(`Up to ${each} connections for each pod`);
  expect(read('docs/operations/redis-and-postgresql.md')).toContain(`; ${each} for each process`);
});
