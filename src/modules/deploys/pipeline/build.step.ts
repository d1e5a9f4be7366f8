import { Injectable } from '@nestjs/common';
import type { BuildLimits, BuildSource } from '../../builds/build-request.js';
import type { Built } from '../../builds/built.js';
import { BuildsService } from '../../builds/builds.service.js';
import type { Plan } from '../../billing/plan.js';
import { jobIdOf } from '../jobs/deploy.queue.js';
import type { DeployRun } from './deploy-run.js';

const MEBIBYTE = 1_048_576;
/** Processes and threads: a bundler has a thread for each processor, and programs beside it. */
const TASKS = 512;
/** Bundlers use several processors at once; a build that uses all of its wall time on that many is one that hangs. */
const PROCESSORS = 4;

/** Makes files of a commit, within what the plan allows. */
@Injectable()
export class BuildStep {
  constructor(private readonly builds: BuildsService) {}

  /** @throws {BuildFailed} */
  run({ deploy, plan, variables, log, phases, signal }: DeployRun, source: BuildSource): Promise<Built> {
    return this.builds.build({
      id: jobIdOf({ deployId: deploy.id, attempt: deploy.attempt }),
      projectId: deploy.projectId,
      target: deploy.type,
      branch: deploy.branch,
      source,
      commitSha: deploy.commitSha!,
      settings: deploy.settings,
      limits: limitsOf(plan),
      environment: variables.values,
    }, {
      phase: (name) => { phases.begin(name); },
      line: (stream, text) => { log.line(phases.now, stream, text); },
    }, signal);
  }
}

const limitsOf = ({ deploys: { buildMs, memoryMib, diskMib } }: Plan): BuildLimits => ({
  wallMs: buildMs, cpuMs: PROCESSORS * buildMs, memoryBytes: memoryMib * MEBIBYTE, tasks: TASKS, diskBytes: diskMib * MEBIBYTE,
});
