import { Injectable } from '@nestjs/common';
import { DeployFailed } from '../deploy-failure.js';
import type { DeployOutput } from '../deploy-facts.js';
import type { DeployRun } from './deploy-run.js';

/** Starts the server of a deploy once before anybody is led to it. */
@Injectable()
export class CheckServerStep {
  /** @throws {DeployFailed} `server_did_not_start` */
  run(_run: DeployRun, { kind }: DeployOutput): Promise<void> {
    if (kind === 'static') return Promise.resolve();
    return Promise.reject(new DeployFailed('server_did_not_start', 'This release hosts static sites; servers are not hosted yet.'));
  }
}
