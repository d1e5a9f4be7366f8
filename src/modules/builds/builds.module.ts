import { Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../platform/config/config.js';
import { Isolation } from '../../platform/isolation/isolation.js';
import { IsolationModule } from '../../platform/isolation/isolation.module.js';
import { Log } from '../../platform/logging/log.js';
import { NodePrograms } from '../../platform/node-programs/node-programs.js';
import { NodeProgramsModule } from '../../platform/node-programs/node-programs.module.js';
import { Clock } from '../../platform/time/clock.js';
import { BuildsService } from './builds.service.js';
import { IsolatedBuilds } from './isolated/isolated-builds.js';

function isolatedBuilds(
  { builds, gitAllowedHosts }: Config,
  isolation: Isolation,
  nodes: NodePrograms,
  clock: Clock,
): IsolatedBuilds {
  return new IsolatedBuilds({
    isolation,
    nodes,
    directory: builds.directory,
    allowedHosts: builds.allowedHosts,
    gitHosts: gitAllowedHosts,
    clock,
  });
}

/** For workers: builds take place in the process that has this module. */
@Module({
  imports: [IsolationModule, NodeProgramsModule],
  providers: [
    { provide: IsolatedBuilds, inject: [Config, Isolation, NodePrograms, Clock], useFactory: isolatedBuilds },
    { provide: BuildsService, useExisting: IsolatedBuilds },
  ],
  exports: [BuildsService],
})
export class BuildsModule implements OnApplicationBootstrap {
  constructor(
    private readonly builds: IsolatedBuilds,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.builds.sweep();
    const { mode, why } = await this.builds.diskMode();
    const how =
      mode === 'fixed' ? 'a file system of fixed size for each' : `shared directories that are counted, because ${why}`;
    this.log.info({ disks: mode }, `The disk of builds is ${how}.`);
  }
}
