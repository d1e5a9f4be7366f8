import { Injectable } from '@nestjs/common';
import { AppServersService } from '../../hosting/app-servers.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import type { DeployRun } from './deploy-run.js';

/** Starts the server of a deploy once before any host leads to it. */
@Injectable()
export class CheckServerStep {
  constructor(private readonly servers: AppServersService) {}

  /** @throws {ServerDidNotStart} with the last lines of its output. */
  async run({ deploy, variables, log, phases, signal }: DeployRun, { kind }: DeployOutput): Promise<void> {
    if (kind === 'static') return;
    phases.begin('check');
    log.note('check', 'Starting the server.');
    await this.servers.check(deploy.id, variables.values, signal);
    log.note('check', 'The server responds.');
  }
}
