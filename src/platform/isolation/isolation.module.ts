import { Module } from '@nestjs/common';

import { Shutdown } from '../lifecycle/shutdown.js';
import { Isolation } from './isolation.js';
import { IsolationSettings } from './isolation-settings.js';

function isolationOf(settings: IsolationSettings, shutdown: Shutdown): Isolation {
  const { cgroups, cpuWeight, copiesDirectory, bubblewrap } = settings;
  const isolation = new Isolation({
    cgroups,
    cpuWeight,
    copiesDirectory,
    ...(bubblewrap === undefined ? {} : { bubblewrapPlaces: [bubblewrap] }),
  });
  shutdown.at('queues', () => isolation.close());
  return isolation;
}

/**
 * The isolation of this process for the programs that it launches. Code runs have one of their own, in another process.
 */
@Module({
  providers: [{ provide: Isolation, inject: [IsolationSettings, Shutdown], useFactory: isolationOf }],
  exports: [Isolation],
})
export class IsolationModule {}
