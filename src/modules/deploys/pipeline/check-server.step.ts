import { Injectable } from '@nestjs/common';
import { AppServersService } from '../../hosting/app-servers.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import type { DeployLog } from '../logs/deploy-log.js';
import { DeployVariablesService } from '../requests/deploy-variables.service.js';
import type { DeployRun } from './deploy-run.js';

/** A server that prints more while it starts has the rest in its run-time log only. */
const MAX_LINES = 2_000;

/** Starts the server of a deploy once before any host leads to it. */
@Injectable()
export class CheckServerStep {
  constructor(
    private readonly servers: AppServersService,
    private readonly variables: DeployVariablesService,
  ) {}

  /** The log receives what the server prints until it answers. @throws {ServerDidNotStart} */
  async run({ deploy, log, phases, signal }: DeployRun, { kind }: DeployOutput): Promise<void> {
    if (kind === 'static') return;
    phases.begin('check');
    log.note('check', 'Starting the server.');
    const environment = await this.variables.of(deploy.id);
    await this.servers.check(deploy.id, { environment, signal, onLine: linesTo(log) });
    log.note('check', 'The server responds.');
  }
}

function linesTo(log: DeployLog): (stream: 'stdout' | 'stderr' | 'system', text: string) => void {
  let lines = 0;
  return (stream, text) => {
    if (++lines <= MAX_LINES) log.line('check', stream, text);
    else if (lines === MAX_LINES + 1)
      log.note('check', `The server printed more than ${MAX_LINES} lines. Its run-time log has the rest.`);
  };
}
