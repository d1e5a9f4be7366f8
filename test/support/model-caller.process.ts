import { setTimeout as sleep } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import { CallRequest } from '../../src/modules/ai/calls/call-request.js';
import { CallsModule } from '../../src/modules/ai/calls/calls.module.js';
import { ModelCallsService } from '../../src/modules/ai/calls/model-calls.service.js';
import type { Call } from '../../src/modules/auth/caller.js';
import { Principal } from '../../src/modules/auth/principal.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { Config } from '../../src/platform/config/config.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import type { CallerOrder, CallerReport } from './model-caller.js';
import { watchQueries } from './watched-queries.js';

@Module({})
class ModelCallers {}

let queries = 0;
let dieBefore: number | undefined;

const counted = (dataSource: DataSource): DataSource =>
  watchQueries(dataSource, (_text, send) => {
    if (++queries === dieBefore) process.kill(process.pid, 'SIGKILL');
    return send();
  });

async function main(order: CallerOrder): Promise<CallerReport> {
  const settings = loadSettings(order.settings);
  const config = settings.of(Config);
  const nothing = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const app = await NestFactory.createApplicationContext(
    {
      module: ModelCallers,
      imports: [
        PlatformModule.with({
          settings,
          isolation: settings.of(SandboxSettings),
          log: openLog(config, nothing),
          siblings: new NoSiblings(),
          context: new RequestContext(),
          dataSource: counted(createDataSource({ url: config.databaseUrl!, poolSize: 5 })),
          catalog: BACKGROUND_CATALOG,
          errors: ERROR_CATALOG,
        }),
        CallsModule,
      ],
    },
    { logger: false },
  );
  const calls = app.get(ModelCallsService);
  const call = callOf(order);
  const request = new CallRequest('chat_completions', order.body);
  // What is read once and kept is known before queries are counted. Others may have spent all money by now.
  await calls.rehearse(call, request).catch(() => undefined);
  queries = 0;
  dieBefore = order.dieBefore;

  const refused: Record<string, number> = {};
  let succeeded = 0;
  const one = async (): Promise<void> => {
    for (;;) {
      try {
        await calls.complete(call, request, new AbortController().signal);
        succeeded++;
        return;
      } catch (error) {
        const { status, code = String(error) } = error as { status?: number; code?: string };
        if (status !== 429) {
          refused[code] = (refused[code] ?? 0) + 1;
          process.stdout.write('refused\n');
          return;
        }
        await sleep(20);
      }
    }
  };
  await Promise.all(Array.from({ length: order.calls }, one));
  await app.close();
  return { succeeded, refused, queries };
}

function callOf({ org, userId }: CallerOrder): Call {
  const principal = new Principal({
    user: {
      id: userId,
      username: 'caller',
      email: 'caller@example.com',
      emailVerified: true,
      hasSecondFactor: false,
      hasPassword: true,
    },
    credential: {
      type: 'api_key',
      keyId: 'key_caller',
      kind: 'personal',
      name: 'caller',
      prefix: 'svc',
      last4: '0000',
      scopes: new Set(['ai:invoke']),
      allowedIps: [],
      ssoOrgIds: [],
    },
    memberships: [org],
    homeOrgId: org.id,
  });
  return { principal, org, ip: '127.0.0.1', requestId: 'req_caller' };
}

void main(JSON.parse(process.argv[2]!) as CallerOrder).then((report) => {
  process.stdout.write(JSON.stringify(report), () => {
    process.exit(0);
  });
});
