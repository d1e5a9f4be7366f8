import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { as, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

const FOLDER = join(PROJECT_ROOT, 'templates/agents');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yml'));

describe('the templates of agents', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  let key: string;
  beforeAll(async () => {
    key = await make.key(await make.person({ plan: 'pro' }));
  });

  it('are all there', () => {
    expect(FILES.sort()).toEqual([
      'daily-report/agent.yml',
      'repo-doctor/agent.yml',
      'swarm-research/agent.yml',
      'swarm-research/worker.yml',
    ]);
  });

  it.each(FILES)('are valid, and need no scope that a person cannot give: %s', async (name) => {
    const definition = parse(readFileSync(join(FOLDER, name), 'utf8')) as Record<string, unknown>;
    const answer = await app.post('/api/v1/agents', definition, as(key));
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    const { id, slug } = answer.body.data;
    expect(slug).toBe(definition['slug']);
    const version = (await app.fetch(`/api/v1/agents/${id as string}/versions/1`, as(key))).body.data;
    expect(version.instructions).toBe(definition['instructions']);
    expect(version.tools).toHaveLength((definition['tools'] as unknown[]).length);
    expect(version.scopes.length).toBeGreaterThan(0);
    // What a README says to run names the agent.
    const readme = readFileSync(join(FOLDER, name, '../README.md'), 'utf8');
    expect(readme).toContain(definition['slug'] as string);
  });
});
