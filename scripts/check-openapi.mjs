#!/usr/bin/env node
/**
 * `npm run check:openapi` checks the OpenAPI description against the rules of redocly.yaml. It is created from the code
 * without a database, Redis or a build: Nest reads the controllers and creates no services.
 *
 * The rules run in the engine of the Redocly CLI. The CLI itself would add some hundred packages for pages and
 * previews, and the engine is installed anyway for the types of the client.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core';

const require = createRequire(import.meta.url);
require('../test/support/typescript-hook.cjs');
require('reflect-metadata');

const RULES = fileURLToPath(new URL('../redocly.yaml', import.meta.url));

const document = await describeService();
if (process.argv.includes('--print')) {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
} else {
  const config = await createConfig(readFileSync(RULES, 'utf8'), { configPath: RULES });
  const problems = await lintFromString({
    source: JSON.stringify(document, null, 2),
    absoluteRef: 'openapi.json',
    config,
  });
  const totals = getTotals(problems);
  formatProblems(problems, { format: 'stylish', totals, maxProblems: 10_000, version: '' });
  if (totals.errors + totals.warnings > 0) process.exitCode = 1;
}

async function describeService() {
  const { ModulesContainer, NestFactory, Reflector } = require('@nestjs/core');
  const { DeclaredRoutes } = require('../src/modules/auth/http/declared-routes.ts');
  const { describeApi } = require('../src/modules/docs/http/describe-api.ts');
  const { Config } = require('../src/platform/config/config.ts');
  const { NoSiblings } = require('../src/platform/lifecycle/sibling-processes.ts');
  const { openLog } = require('../src/platform/logging/log.ts');
  const { RequestContext } = require('../src/platform/logging/request-context.ts');
  const { createDataSource } = require('../src/roles/data-source.ts');
  const { ERROR_CATALOG } = require('../src/roles/error-catalog.ts');
  const { ServiceModule } = require('../src/roles/service.module.ts');
  const { loadSettings } = require('../src/roles/settings.ts');

  // Nothing connects to these addresses or encrypts with these keys.
  const settings = loadSettings({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    REDIS_URL: 'redis://127.0.0.1:1',
    API_KEY_PEPPER: 'of-no-use-'.repeat(4),
    SECRETS_KEY: 'of-no-use-'.repeat(4),
  });
  const config = settings.of(Config);
  const module = await ServiceModule.with(['api'], {
    settings,
    log: openLog(config, new Writable({ write: (_line, _encoding, done) => done() })),
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource: createDataSource({ url: config.databaseUrl, poolSize: 1, connectTimeoutMs: 1 }),
  });
  const app = await NestFactory.create(module, { preview: true, abortOnError: false, logger: ['error'] });
  const routes = new DeclaredRoutes(app.get(ModulesContainer), new Reflector());
  return describeApi(app, { publicUrl: config.publicUrl, routes, errors: ERROR_CATALOG });
}
