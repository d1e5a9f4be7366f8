import { DatabaseEngine } from '../../src/modules/databases/engine/database-engine.js';
import { Make } from '../support/make.js';
import { TestApp } from '../support/test-app.js';

interface TestedEngine {
  readonly engine: string;
  readonly settings: NodeJS.ProcessEnv;
}

const OWN: TestedEngine = { engine: 'a server of its own', settings: {} };
/** The PostgreSQL of the tests is the operator's server. */
const SERVER: TestedEngine = {
  engine: "the operator's server",
  settings: { TENANT_DATABASES_URL: process.env['TEST_POSTGRES_URL'] },
};

/** What keeps databases. What is tested of both is what a tenant sees or tries. */
export const ENGINES: readonly TestedEngine[] = [OWN, SERVER];

/** One app for the tests of a group, whose databases are kept by this engine. */
export function useEngine({ settings }: TestedEngine): TestApp {
  const app = new TestApp(settings, 'all');
  beforeAll(() => app.start());
  afterAll(async () => {
    // A server that others use too goes on.
    if (settings['TENANT_DATABASES_URL'] !== undefined)
      for (const row of await new Make(app).sql('SELECT cluster_id FROM databases'))
        await app.get(DatabaseEngine).drop(row['cluster_id'] as string);
    await app.stop();
  });
  return app;
}

/** The roles and the database of a tenant by the names that they have inside. */
export interface NamesInside {
  readonly owner: string;
  readonly reader: string;
  readonly platform: string;
  readonly app: string;
}

export async function namesInside(app: TestApp, databaseId: string): Promise<NamesInside> {
  if (app.get(DatabaseEngine).kind === 'own')
    return { owner: 'owner', reader: 'reader', platform: 'platform', app: 'app' };
  const [row] = await new Make(app).sql('SELECT cluster_id, current_user AS platform FROM databases WHERE id = $1', [
    databaseId,
  ]);
  const name = row!['cluster_id'] as string;
  return { owner: `${name}_owner`, reader: `${name}_reader`, platform: row!['platform'] as string, app: name };
}

/** The statement with the names of the roles and the database that it means. */
export const withNames = (names: NamesInside, sql: string): string =>
  sql.replace(/\b(?:owner|reader|platform|app)\b/g, (word) => names[word as keyof NamesInside]);
