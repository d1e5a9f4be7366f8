import { join } from 'node:path';
import { Module } from '@nestjs/common';

import { Config } from '../config/config.js';
import { NodePrograms } from './node-programs.js';

/** The versions of Node that builds and app servers run on. */
@Module({
  providers: [
    {
      provide: NodePrograms,
      inject: [Config],
      useFactory: ({ dataDir }: Config) => new NodePrograms({ directory: join(dataDir, 'node') }),
    },
  ],
  exports: [NodePrograms],
})
export class NodeProgramsModule {}
