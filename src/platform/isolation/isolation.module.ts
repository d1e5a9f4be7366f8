import { Module } from '@nestjs/common';

import { Config } from '../config/config.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import { Isolation } from './isolation.js';

function isolationOf({ sandbox }: Config, shutdown: Shutdown): Isolation {
  const { cgroups, cpuWeight, copiesDirectory, bubblewrap } = sandbox;
  const isolation = new Isolation({
    cgroups,
    cpuWeight,
    copiesDirectory,
    ...(bubblewrap === undefined ? {} : { bubblewrapPlaces: [bubblewrap] }),
  });
  shutdown.at('queues', () => isolation.close());
  return isolation;
}

/** The one isolation of this process for what it launches; the sandbox has its own in another process. */
@Module({
  providers: [{ provide: Isolation, inject: [Config, Shutdown], useFactory: isolationOf }],
  exports: [Isolation],
})
export class IsolationModule {}
