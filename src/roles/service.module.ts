import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { FeaturesModule } from '../modules/features/features.module.js';
import type { Role } from '../platform/config/config.js';
import { type Ground, PlatformModule } from '../platform/platform.module.js';
import { ApiModule } from './api.module.js';
import { EdgeModule } from './edge.module.js';
import { WorkerModule } from './worker.module.js';

/** The roles that keep running; each is a choice of the same modules. */
const MODULES = {
  all: [ApiModule, WorkerModule],
  api: [ApiModule],
  worker: [WorkerModule],
} satisfies Partial<Record<Role, Type[]>>;

export type ServiceRole = Extract<Role, keyof typeof MODULES>;

@Module({})
export class ServiceModule {
  static with(role: ServiceRole, ground: Ground): DynamicModule {
    return {
      module: ServiceModule,
      imports: [PlatformModule.with(ground), FeaturesModule, EdgeModule, ...MODULES[role]],
    };
  }
}
