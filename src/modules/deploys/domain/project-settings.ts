import type { Project } from '../../projects/projects.service.js';
import type { DeploySettings } from './deploy-facts.js';

/** The current build settings of a project. */
export function settingsOf({
  framework,
  rootDirectory,
  installCommand,
  buildCommand,
  outputDirectory,
  nodeVersion,
}: Project): DeploySettings {
  return {
    ...(framework === null ? {} : { framework }),
    ...(rootDirectory === null ? {} : { rootDirectory }),
    ...(installCommand === null ? {} : { installCommand }),
    ...(buildCommand === null ? {} : { buildCommand }),
    ...(outputDirectory === null ? {} : { outputDirectory }),
    ...(nodeVersion === null ? {} : { nodeVersion }),
  };
}
