import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MembershipDirectoryModule } from '../modules/orgs/membership-directory.module.js';
import { ProjectOwnersModule } from '../modules/projects/project-owners.module.js';
import { PersonDirectoryModule } from '../modules/people/person-directory.module.js';
import { SandboxSettings } from '../modules/sandbox/sandbox.settings.js';
import { FeaturesModule } from '../modules/features/features.module.js';
import { BackgroundWork, PROCESS_ROLES } from '../platform/background/background-work.js';
import type { Role } from '../platform/config/config.js';
import { type Ground, PlatformModule } from '../platform/platform.module.js';
import { BACKGROUND_CATALOG } from './background-catalog.js';
import { ERROR_CATALOG } from './error-catalog.js';
import { HttpModule } from './http.module.js';
// The import checks that no prefix of ids is declared twice.
import './id-catalog.js';

/** The long-running roles, each in its own process; `all` supervises one of each. */
export const SERVICE_ROLES = ['api', 'edge', 'worker', 'databases'] as const satisfies readonly Role[];
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** A process imports only the code of its own role, which saves tens of megabytes. */
const MODULES: Readonly<Record<ServiceRole, () => Promise<Type>>> = {
  api: async () => (await import('./api.module.js')).ApiModule,
  edge: async () => (await import('./edge.module.js')).EdgeModule,
  worker: async () => (await import('./worker.module.js')).WorkerModule,
  databases: async () => (await import('./database-host.module.js')).DatabaseHostModule,
};

/** Imports the code of a role, which takes most of the time of a start. */
export async function loadRole(role: ServiceRole): Promise<void> {
  await MODULES[role]();
}

/** The parts that differ between processes. */
export type ServiceGround = Omit<Ground, 'catalog' | 'isolation' | 'errors'>;

@Module({})
export class ServiceModule {
  /** A process has one role; tests combine several. */
  static async with(roles: readonly ServiceRole[], ground: ServiceGround): Promise<DynamicModule> {
    const modules = await Promise.all(roles.map((role) => MODULES[role]()));
    return {
      module: ServiceModule,
      imports: [
        PlatformModule.with({
          ...ground,
          catalog: BACKGROUND_CATALOG,
          errors: ERROR_CATALOG,
          isolation: ground.settings.of(SandboxSettings),
        }),
        DiscoveryModule,
        FeaturesModule,
        MembershipDirectoryModule,
        PersonDirectoryModule,
        ProjectOwnersModule,
        HttpModule,
        ...modules,
      ],
      // Nest runs hooks from the leaves to the root, so the modules have started by now.
      providers: [BackgroundWork, { provide: PROCESS_ROLES, useValue: roles }],
    };
  }
}
