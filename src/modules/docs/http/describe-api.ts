import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ErrorCatalog } from '../../../platform/errors/error-catalog.js';
import { listErrorCodes } from '../../../platform/http/api-refusals.js';
import { VERSION } from '../../../platform/version.js';
import type { RouteDirectory } from '../../auth/route-directory.js';
import { addBodyExamples, describePathParameters } from './api-examples.js';
import { SECURITY_SCHEMES, securityOf } from './security-schemes.js';

interface Surroundings {
  readonly publicUrl: string;
  readonly routes: RouteDirectory;
  readonly errors: ErrorCatalog;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The reference shows the tags in this order, which is the order in which a new user needs them. */
const TAGS: Readonly<Record<string, string>> = {
  auth: 'Sign-up, sign-in, sessions and passwords.',
  me: 'The caller: the account, the organizations and the scopes of the credential.',
  factors: 'Second factors of the account: authenticator apps, passkeys and recovery codes.',
  identities: 'Accounts at GitHub and Google that sign a person in.',
  keys: 'API keys.',
  organizations: 'Organizations, members, invitations and the audit log.',
  sso: 'Single sign-on of organizations: verified domains, and connections to identity providers.',
  projects: 'Projects and their environment variables.',
  repositories: 'Git repositories, hosted by this service or by GitHub.',
  deploys: 'Deploys of projects: creation, logs, promotion and rollback.',
  domains: 'Domains of projects: their records, verification and redirects.',
  crons: 'Crons of projects: requests at times of a schedule, and their history.',
  databases: 'PostgreSQL databases: queries, credentials, branches, backups and attachments.',
  storage: 'Buckets and objects: uploads, links, access keys and attachments.',
  ai: 'Models: calls, prices, and which projects may call them.',
  agents: 'Agents: definitions, versions, memory, runs and approvals.',
  schedules: 'Runs of agents at times of a schedule.',
  swarms: 'Agents that work on the tasks of a goal.',
  sandbox: 'Runs untrusted code in isolation.',
  events: 'What happens in an organization, as a stream.',
  webhooks: 'What happens in an organization, sent to your endpoints and signed.',
  integrations: 'Connections to GitHub.',
  billing: 'Plans, prices, usage, credits, spend caps and invoices.',
  operations: 'Health, readiness, metrics, and the endpoints of the operator.',
  documentation: 'The documentation of the API, and this OpenAPI document.',
};

/** Generates the OpenAPI document. It depends on the code alone, so that the application need not have started. */
export function describeApi(app: INestApplication, { publicUrl, routes, errors }: Surroundings): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Service platform')
    .setDescription(
      'All errors have the same shape, and each `code` has a page under `/docs/errors/<code>`. ' +
        'Every answer under `/api/v1` carries the budget headers `x-service-tier`, `x-service-calls-limit`, ' +
        '`x-service-calls-remaining` and `x-service-calls-reset`.',
    )
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(publicUrl);
  for (const [tag, description] of Object.entries(TAGS)) builder.addTag(tag, description);
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) builder.addSecurity(name, scheme);
  const document = SwaggerModule.createDocument(app, builder.build());
  addSecurity(document, routes);
  describePathParameters(document);
  describeLists(document);
  addBodyExamples(document);
  listErrorCodes(document, errors.codes);
  return document;
}

/** Lists in a query are written as one parameter for each item, which is also what OpenAPI takes as given. */
function describeLists({ paths }: OpenAPIObject): void {
  for (const operations of Object.values(paths)) {
    for (const { parameters = [] } of Object.values(operations) as Operation[]) {
      for (const parameter of parameters) {
        if ('in' in parameter && parameter.in === 'query' && parameter.schema && 'items' in parameter.schema)
          Object.assign(parameter, { style: 'form', explode: true });
      }
    }
  }
}

/** The security of each operation matches its guards, because both read the same declarations. */
function addSecurity({ paths }: OpenAPIObject, routes: RouteDirectory): void {
  // A parameter that may contain slashes begins with an asterisk.
  const byTemplate = new Map(routes.list().map((route) => [`${route.method} ${route.path.replace('*', ':')}`, route]));
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations) as [string, Operation][]) {
      const route = byTemplate.get(`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`);
      if (route === undefined) throw new Error(`${method} ${path} is documented, but no controller declares it.`);
      operation.security = securityOf(route);
      if (route.rule?.scope !== undefined) Object.assign(operation, { 'x-required-scope': route.rule.scope });
    }
  }
}
