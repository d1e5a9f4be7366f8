import { setTimeout as sleep } from 'node:timers/promises';
import { Writable } from 'node:stream';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import type { AgentTool, AgentToolKind, EffectClass } from '../../src/modules/agents/agent-tool.js';
import { AgentTools } from '../../src/modules/agents/agent-tools.js';
import { FeaturesModule } from '../../src/modules/features/features.module.js';
import { MembershipDirectoryModule } from '../../src/modules/orgs/membership-directory.module.js';
import { PersonDirectoryModule } from '../../src/modules/people/person-directory.module.js';
import { ProjectOwnersModule } from '../../src/modules/projects/project-owners.module.js';
import { EngineModule } from '../../src/modules/runs/engine/engine.module.js';
import { RunLeases } from '../../src/modules/runs/engine/run-leases.js';
import { RunWorkerHost } from '../../src/modules/runs/engine/run-worker-host.js';
import { RunWorkerService } from '../../src/modules/runs/engine/run-worker.service.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { Config } from '../../src/platform/config/config.js';
import { Database } from '../../src/platform/database/database.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import type { WorkerOrder } from './run-worker.js';
import { watchQueries } from './watched-queries.js';

@Module({})
class RunWorkers {}

let isCounting = false;
let queries = 0;
let dieBefore: number | undefined;

const counted = (dataSource: DataSource): DataSource =>
  watchQueries(dataSource, (_text, send) => {
    if (isCounting && ++queries === dieBefore) process.kill(process.pid, 'SIGKILL');
    return send();
  });

/** A tool that does nothing but leave a trace of its effect. */
function kindOf(name: string, effect: EffectClass, call: AgentTool['call']): AgentToolKind {
  const tool: AgentTool = {
    name,
    description: 'Is tested.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect,
    scopes: [],
    taints: false,
    isOutward: false,
    call,
  };
  return { name, summary: 'Is tested.', scopes: [], faultsOf: () => [], toolsOf: () => Promise.resolve([tool]) };
}

/** It is loaded only where it is used, because it brings most of the service. */
const toolsModule = async (): Promise<Type> =>
  (await import('../../src/modules/runs/tools/run-tools.module.js')).RunToolsModule;

/** Lets a tool act, and then end the process before anything is known of it. */
function makeDeadly(kind: AgentToolKind): void {
  const toolsOf = kind.toolsOf.bind(kind);
  const deadly = async (...of: Parameters<typeof toolsOf>): Promise<readonly AgentTool[]> =>
    (await toolsOf(...of)).map((tool) => ({
      ...tool,
      call: async (call) => {
        await tool.call(call);
        process.kill(process.pid, 'SIGKILL');
        return new Promise<never>(() => undefined);
      },
    }));
  Object.assign(kind, { toolsOf: deadly });
}

// Several of these workers run at once, and each takes only the runs that the test gives it.
RunWorkerHost.prototype.onReady = () => undefined;

async function main({ settings: environment, effectsUrl, ...order }: WorkerOrder): Promise<void> {
  const settings = loadSettings(environment);
  const config = settings.of(Config);
  const nothing = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const app = await NestFactory.createApplicationContext(
    {
      module: RunWorkers,
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
        FeaturesModule,
        MembershipDirectoryModule,
        PersonDirectoryModule,
        ProjectOwnersModule,
        EngineModule,
        ...(order.hasTools === true ? [await toolsModule()] : []),
      ],
    },
    { logger: false, abortOnError: false },
  );
  const tools = app.get(AgentTools);
  for (const effect of ['read', 'keyed', 'once'] as const)
    tools.register(
      kindOf(`test_${effect}`, effect, async ({ effectKey, run }) => {
        await fetch(`${effectsUrl}/${effect}/${run.id}/${effectKey}`, { method: 'POST' });
        return { kind: 'succeeded', output: 'done' };
      }),
    );
  tools.register(
    kindOf('test_local', 'local', async ({ effectKey, run }) => {
      await app
        .get(Database)
        .manager.query('INSERT INTO test_effects (run_id, key) VALUES ($1, $2)', [run.id, effectKey]);
      return { kind: 'succeeded', output: 'done' };
    }),
  );
  if (order.dieAfterTool !== undefined) makeDeadly(tools.find(order.dieAfterTool)!);
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  dieBefore = order.dieBefore;
  isCounting = true;
  await app.get(RunWorkerService).takeRuns();
  const leases = app.get(RunLeases);
  while (leases.size > 0) await sleep(10);
  isCounting = false;
  process.stdout.write(`idle ${queries}\n`);
  // It keeps its leases until the test ends it.
  await new Promise(() => undefined);
}

main(JSON.parse(process.argv[2]!) as WorkerOrder).catch((error: unknown) => {
  process.stderr.write(String(error instanceof Error ? error.stack : error), () => {
    process.exit(1);
  });
});
