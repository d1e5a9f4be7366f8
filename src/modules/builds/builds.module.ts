import { Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Config } from '../../platform/config/config.js';
import { Isolation } from '../../platform/isolation/isolation.js';
import { IsolationModule } from '../../platform/isolation/isolation.module.js';
import { Clock } from '../../platform/time/clock.js';
import { BuildsService } from './builds.service.js';
import { IsolatedBuilds } from './isolated/isolated-builds.js';

function isolatedBuilds({ builds, gitAllowedHosts }: Config, isolation: Isolation, clock: Clock): IsolatedBuilds {
  return new IsolatedBuilds({ isolation, directory: builds.directory, allowedHosts: builds.allowedHosts, gitHosts: gitAllowedHosts, clock });
}

/** For workers: builds take place in the process that has this module. */
@Module({
  imports: [IsolationModule],
  providers: [
    { provide: IsolatedBuilds, inject: [Config, Isolation, Clock], useFactory: isolatedBuilds },
    { provide: BuildsService, useExisting: IsolatedBuilds },
  ],
  exports: [BuildsService],
})
export class BuildsModule implements OnApplicationBootstrap {
  constructor(private readonly builds: IsolatedBuilds) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.builds.sweep();
  }
}
