import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { BoardModule } from '../../src/modules/swarms/board/board.module.js';
import { TaskBoard } from '../../src/modules/swarms/board/task-board.js';
import type { SwarmTask } from '../../src/modules/swarms/persistence/swarm-rows.js';
import { Config } from '../../src/platform/config/config.js';
import { NoSiblings } from '../../src/platform/lifecycle/sibling-processes.js';
import { openLog } from '../../src/platform/logging/log.js';
import { RequestContext } from '../../src/platform/logging/request-context.js';
import { PlatformModule } from '../../src/platform/platform.module.js';
import { BACKGROUND_CATALOG } from '../../src/roles/background-catalog.js';
import { createDataSource } from '../../src/roles/data-source.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';
import { loadSettings } from '../../src/roles/settings.js';
import type { ClaimerOrder, ClaimerPart, ClaimerReport } from './task-claimer.js';

@Module({})
class TaskClaimers {}

const AT_ONCE = 40;
const HOLDER = { runId: null, userId: 'usr_claimer', name: String(process.pid) };

async function open(order: ClaimerOrder): Promise<TaskBoard> {
  const settings = loadSettings(order.settings);
  const config = settings.of(Config);
  const nothing = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const ground = {
    settings,
    isolation: settings.of(SandboxSettings),
    log: openLog(config, nothing),
    siblings: new NoSiblings(),
    context: new RequestContext(),
    dataSource: createDataSource({ url: config.databaseUrl!, poolSize: 10 }),
    catalog: BACKGROUND_CATALOG,
    errors: ERROR_CATALOG,
  };
  const app = await NestFactory.createApplicationContext(
    { module: TaskClaimers, imports: [PlatformModule.with(ground), BoardModule] },
    { logger: false },
  );
  return app.get(TaskBoard);
}

async function main(order: ClaimerOrder): Promise<void> {
  const board = await open(order);
  let held: SwarmTask | undefined;

  async function run(part: ClaimerPart): Promise<ClaimerReport> {
    const won: string[] = [];
    const refused: Record<string, number> = {};
    const attempt = async (work: () => Promise<SwarmTask | undefined>): Promise<SwarmTask | undefined> => {
      try {
        const task = await work();
        if (task !== undefined) won.push(task.id);
        return task;
      } catch (error) {
        const { code = String(error) } = error as { code?: string };
        refused[code] = (refused[code] ?? 0) + 1;
        return undefined;
      }
    };
    const { orgId, swarmId } = order;
    switch (part.do) {
      case 'race': {
        const claim = { holder: HOLDER, leaseSeconds: 600 };
        // More at once would wait longer for a connection than a busy machine allows. Each process has this order.
        for (let from = 0; from < part.ids.length; from += AT_ONCE) {
          const ids = part.ids.slice(from, from + AT_ONCE);
          await Promise.all(ids.map((id) => attempt(() => board.claim({ id, orgId }, claim))));
        }
        break;
      }
      case 'drain': {
        const claim = { holder: HOLDER, leaseSeconds: 600 };
        const worker = async (): Promise<void> => {
          while ((await attempt(() => board.claimNext(swarmId, undefined, claim))) !== undefined);
        };
        await Promise.all(Array.from({ length: 10 }, worker));
        break;
      }
      case 'hold': {
        const { id, leaseSeconds } = part;
        held = await attempt(() => board.claim({ id, orgId }, { holder: HOLDER, leaseSeconds }));
        break;
      }
      case 'finish':
        await attempt(() => board.complete(held!, 'late'));
    }
    return { won, refused };
  }

  process.stdout.write('ready\n');
  const parts = [...order.parts];
  for await (const line of createInterface({ input: process.stdin })) {
    const part = line === 'go' ? parts.shift() : undefined;
    if (part === undefined) break;
    process.stdout.write(`${JSON.stringify(await run(part))}\n`);
  }
}

void main(JSON.parse(process.argv[2]!) as ClaimerOrder).then(() => process.exit(0));
