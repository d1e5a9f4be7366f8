import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { AliasesService } from '../../src/modules/hosting/aliases.service.js';
import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import type { BuiltOutput } from '../../src/modules/hosting/built-output.js';
import { DeployEnvironment } from '../../src/modules/hosting/deploy-environment.js';
import { deployLabel } from '../../src/modules/hosting/labels.js';
import { type AppLogLine, RuntimeLogsService } from '../../src/modules/hosting/runtime-logs.service.js';
import { Database } from '../../src/platform/database/database.js';
import { uniqueName } from './make.js';
import type { TestApp } from './test-app.js';

export type Files = Readonly<Record<string, string | Buffer>>;

export const NO_ROUTING: BuiltOutput['routing'] = {
  redirects: [],
  rewrites: [],
  headers: [],
  cleanUrls: false,
  trailingSlash: null,
  notFound: null,
};

export const LIMITS = { files: 1_000, bytes: 100_000_000, storedBytes: 1_000_000_000_000 };

/** What a build would have made of these files. */
export function built(files: Files, change: Partial<BuiltOutput> = {}): BuiltOutput {
  return {
    framework: 'static',
    nodeVersion: null,
    kind: 'static',
    server: null,
    routing: NO_ROUTING,
    static: [{ directory: '', prefix: '/', immutable: false }],
    files: () =>
      iterated(
        Object.entries(files).map(([path, text]) => {
          const content = Buffer.from(text);
          return {
            path,
            bytes: content.length,
            executable: path.includes('/.bin/'),
            content: iterated([content.subarray(0, 7), content.subarray(7)]),
          };
        }),
      ),
    ...change,
  };
}

async function* iterated<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

export interface Deployed {
  readonly deployId: string;
  readonly projectId: string;
  readonly orgId: string;
  readonly label: string;
}

let deploys = 0;

/** A deploy that can be reached under its own label. */
export async function deploy(app: TestApp, output: BuiltOutput, owner: Partial<Deployed> = {}): Promise<Deployed> {
  const random = Math.random().toString(36).slice(2).padEnd(14, '0').slice(0, 14);
  const deployId = `dpl_${String(++deploys).padStart(12, '0')}${random}`;
  const deployed = {
    deployId,
    projectId: uniqueName('prj'),
    orgId: 'org_acme',
    label: deployLabel(deployId),
    ...owner,
  };
  await app.get(ArtifactsService).ingest(deployed, output, LIMITS, new AbortController().signal);
  await point(app, deployed.label, deployed, 'deploy');
  return deployed;
}

export async function point(
  app: TestApp,
  label: string,
  { deployId, projectId, orgId }: Deployed,
  kind: 'deploy' | 'branch' | 'production' = 'production',
): Promise<void> {
  await app.get(Database).transaction(() => app.get(AliasesService).point(label, { deployId, projectId, orgId, kind }));
}

/** Gives variables to the servers of deploys that are known to hosting only. */
export function giveEnvironment(app: TestApp, values: Readonly<Record<string, string>> = {}): void {
  const environment = app.get(DeployEnvironment);
  jest.spyOn(environment, 'of').mockResolvedValue(values);
  jest.spyOn(environment, 'servicesOf').mockResolvedValue([]);
  jest.spyOn(environment, 'maskOf').mockResolvedValue((text) => text.replaceAll('a-secret-of-the-app', '[secret]'));
}

/** The last lines that the servers of a deploy printed. */
export const runtimeLogs = (app: TestApp, deployId: string, limit?: number): Promise<AppLogLine[]> =>
  app.get(RuntimeLogsService).read({ deployId }, limit === undefined ? {} : { limit });

export interface Page {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface VisitOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly host?: string;
  readonly body?: string | Buffer;
}

/** Asks the app with this label, as a browser would that was led here by its host name; nothing is decoded. */
export async function visit(
  app: TestApp,
  label: string,
  path = '/',
  { method = 'GET', headers = {}, host = `${label}.localhost:${app.appsPort}`, body }: VisitOptions = {},
): Promise<Page> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port: app.appsPort, host: '127.0.0.1', path, method, headers: { host, ...headers }, agent: false },
      (response) => {
        buffer(response).then((content) => {
          resolve({ status: response.statusCode!, headers: response.headers, body: content, text: content.toString() });
        }, reject);
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}
