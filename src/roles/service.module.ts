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
// Checks as it is loaded that no two kinds of ids share a prefix.
import './id-catalog.js';

/** The roles that keep running, each a process of its own; `all` is a supervisor of one of each. */
export const SERVICE_ROLES = ['api', 'edge', 'worker'] as const satisfies readonly Role[];
export type ServiceRole = (typeof SERVICE_ROLES)[number];

/** A process loads the code of its own role alone, which saves it tens of megabytes. */
const MODULES: Readonly<Record<ServiceRole, () => Promise<Type>>> = {
  api: async () => (await import('./api.module.js')).ApiModule,
  edge: async () => (await import('./edge.module.js')).EdgeModule,
  worker: async () => (await import('./worker.module.js')).WorkerModule,
};

/** Loads the code of a role, which takes most of its start. */
export async function loadRole(role: ServiceRole): Promise<void> {
  await MODULES[role]();
}

/** What a process brings along; the rest is the same for each. */
export type ServiceGround = Omit<Ground, 'catalog' | 'isolation' | 'errors'>;

@Module({})
export class ServiceModule {
  /** A process has one role. Tests put several together into one. */
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
      // The modules' own beginnings come first: hooks run from the leaves to the root.
      providers: [BackgroundWork, { provide: PROCESS_ROLES, useValue: roles }],
    };
  }
}
