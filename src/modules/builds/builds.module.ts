import { Module, type OnApplicationBootstrap } from '@nestjs/common';

import { Isolation } from '../../platform/isolation/isolation.js';
import { IsolationModule } from '../../platform/isolation/isolation.module.js';
import { Log } from '../../platform/logging/log.js';
import { NodePrograms } from '../../platform/node-programs/node-programs.js';
import { NodeProgramsModule } from '../../platform/node-programs/node-programs.module.js';
import { Clock } from '../../platform/time/clock.js';
import { ProjectsSettings } from '../projects/projects.settings.js';
import { BuildsSettings } from './builds.settings.js';
import { BuildsService } from './builds.service.js';
import { missingForImages } from './image-builder.js';
import { IsolatedBuilds } from './isolated/isolated-builds.js';
import { PackageLayers } from './package-layers.js';

const isolatedBuilds = (
  {
    directory,
    allowedHosts,
    imageRegistries: imageHosts,
    imageMirrors: [imageMirror],
    npmRegistry: npm,
    pythonIndex: pip,
  }: BuildsSettings,
  { gitAllowedHosts: gitHosts }: ProjectsSettings,
  isolation: Isolation,
  nodes: NodePrograms,
  clock: Clock,
): IsolatedBuilds =>
  new IsolatedBuilds({
    isolation,
    nodes,
    directory,
    allowedHosts,
    gitHosts,
    imageHosts,
    layerRegistries: { npm, pip },
    ...(imageMirror === undefined ? {} : { imageMirror }),
    clock,
  });

/** Only workers import this module, because builds run in the process that has it. */
@Module({
  imports: [IsolationModule, NodeProgramsModule],
  providers: [
    {
      provide: IsolatedBuilds,
      inject: [BuildsSettings, ProjectsSettings, Isolation, NodePrograms, Clock],
      useFactory: isolatedBuilds,
    },
    { provide: BuildsService, useExisting: IsolatedBuilds },
    { provide: PackageLayers, inject: [IsolatedBuilds], useFactory: ({ layers }: IsolatedBuilds) => layers },
  ],
  exports: [BuildsService, PackageLayers],
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
    const missing = missingForImages();
    if (missing.length > 0)
      this.log.info({ missing }, 'Projects with a Dockerfile are refused on this machine, because it lacks a builder.');
  }
}
