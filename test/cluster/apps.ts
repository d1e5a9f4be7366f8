import { mkdirSync, writeFileSync } from 'node:fs';
import { until } from '../support/embedded-servers.js';
import { GitClient } from '../support/git-client.js';
import type { Caller } from './caller.js';
import type { Cluster } from './cluster.js';

const SERVER = `require('node:http').createServer((request, response) => response.end('from the server'))
  .listen(process.env.PORT, process.env.HOSTNAME);`;

const FILES = {
  site: { 'index.html': '<h1>from a file</h1>' },
  server: {
    'package.json': JSON.stringify({ name: 'app', private: true, scripts: { start: 'node server.js' } }),
    'server.js': SERVER,
  },
} as const;

export interface App {
  /** All names under which it is served; each may lead to another machine. */
  readonly hosts: readonly string[];
  readonly text: string;
}

/** Pushes a site of files and one with a server, and resolves when both are served. */
export async function deployApps(cluster: Cluster, caller: Caller): Promise<{ site: App; server: App }> {
  const git = new GitClient();
  try {
    return {
      site: { hosts: await deployed(cluster, caller, { git, kind: 'site' }), text: '<h1>from a file</h1>' },
      server: { hosts: await deployed(cluster, caller, { git, kind: 'server' }), text: 'from the server' },
    };
  } finally {
    git.remove();
  }
}

async function deployed(
  cluster: Cluster,
  caller: Caller,
  { git, kind }: { readonly git: GitClient; readonly kind: keyof typeof FILES },
): Promise<string[]> {
  const { repo_url: repoUrl } = await caller.expect('POST', '/repositories', { name: kind });
  const { id: project } = await caller.expect('POST', '/projects', { name: kind, repo_url: repoUrl });
  const url = cluster.url.replace('//', `//any:${caller.token}@`) + new URL(repoUrl as string).pathname;
  await git.run(['clone', '--quiet', url, kind]);
  mkdirSync(git.path(kind), { recursive: true });
  for (const [name, content] of Object.entries(FILES[kind])) writeFileSync(git.path(kind, name), content);
  await git.run(['add', '.'], { cwd: kind });
  await git.run(['commit', '--quiet', '-m', 'An app'], { cwd: kind });
  await git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: kind });
  let deploy: { state: string; id: string; error?: unknown; finished_at?: string } | undefined;
  await until(
    `${kind} is deployed`,
    async () => {
      [deploy] = (await caller.expect('GET', `/projects/${project}/deploys`)) as (typeof deploy)[];
      return deploy?.finished_at !== undefined;
    },
    120_000,
  );
  if (deploy!.state !== 'ready') throw new Error(`${kind} ended as ${deploy!.state}: ${JSON.stringify(deploy!.error)}`);
  const rows = await cluster.sql<{ label: string }>('SELECT label FROM host_aliases WHERE project_id = $1', [project]);
  return rows.map(({ label }) => `${label}.localhost:${cluster.appsPort}`);
}
