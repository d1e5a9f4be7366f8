import { existsSync } from 'node:fs';

/** The builder of container images. Builds see this directory of the machine, and find no program elsewhere. */
const BUILDAH = '/usr/bin/buildah';

/**
 * Returns what this machine lacks to build the Dockerfile of a project, each as the thing to install. Everything else
 * is built without it.
 */
export function missingForImages(program = BUILDAH): string[] {
  return existsSync(program) ? [] : ['the package buildah'];
}
