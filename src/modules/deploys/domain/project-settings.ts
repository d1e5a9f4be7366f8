import type { Project } from '../../projects/projects.service.js';
import type { DeploySettings } from './deploy-facts.js';

/** The current settings of a project for its deploys. */
export function settingsOf({
  framework,
  rootDirectory,
  installCommand,
  buildCommand,
  outputDirectory,
  nodeVersion,
  startCommand,
  healthPath,
  startTimeoutMs,
  buildNetwork,
}: Project): DeploySettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(rootDirectory === null ? {} : { rootDirectory }),
    ...(installCommand === null ? {} : { installCommand }),
    ...(buildCommand === null ? {} : { buildCommand }),
    ...(outputDirectory === null ? {} : { outputDirectory }),
    ...(nodeVersion === null ? {} : { nodeVersion }),
    ...(startCommand === null ? {} : { startCommand }),
    ...(healthPath === null ? {} : { healthPath }),
    ...(startTimeoutMs === null ? {} : { startTimeoutMs }),
    ...(buildNetwork === null ? {} : { buildNetwork }),
  };
}
