import { type BuildSettings } from '../build-request.js';
import { detectPreset } from '../frameworks/catalog.js';
import { Source } from '../frameworks/source.js';
import { type Inspection } from '../plan/inspection.js';
import { type FileSettings } from '../plan/used-settings.js';

/** The framework of a project that its Dockerfile builds. It is one of `FRAMEWORKS`, and has no preset. */
export const IMAGE_FRAMEWORK = 'docker';

/**
 * True when the Dockerfile builds the project: the framework is set to `docker`, or no preset knows the source. A
 * Python project whose application is not found is known by its packages only, so its Dockerfile says more.
 */
export function isBuiltAsImage(set: BuildSettings, file: FileSettings, inspection: Inspection): boolean {
  const framework = set.framework ?? file.framework;
  if (framework !== undefined) return framework === IMAGE_FRAMEWORK;
  if (inspection.dockerfile === null) return false;
  const preset = detectPreset(new Source(inspection));
  if (preset === null) return true;
  return preset.name === 'python'
    ? set.startCommand === undefined
    : preset.name === 'static' && !hasPagesOrBuild(inspection);
}

/** Without them, a source is taken for static files only because it has a directory `public`, as many servers have. */
const hasPagesOrBuild = ({ entries, manifest }: Inspection): boolean =>
  manifest !== null || entries.some((name) => /\.html?$/i.test(name));
