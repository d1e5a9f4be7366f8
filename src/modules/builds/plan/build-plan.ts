import { posix } from 'node:path';

import { DEFAULT_HEALTH_PATH, START_TIMEOUT_MS } from '../../projects/project-settings.js';
import { type BuildSettings } from '../build-request.js';
import { type UsedSetting } from '../built.js';
import { detectPreset, presetNamed } from '../frameworks/catalog.js';
import { derive, type Mode, type Preset } from '../frameworks/preset.js';
import { Source } from '../frameworks/source.js';
import { isMonorepoRoot, unknownFramework } from './unknown-framework.js';
import { type Inspection } from './inspection.js';
import { nodeVersionFor } from './node-version.js';
import {
  firstInstallCommandOf,
  installCommandOf,
  packageManagerEnvironment,
  packageManagerOf,
} from './package-manager.js';
import { type BuildPlan, installedIn, SOURCE } from './plan-types.js';
import { exceptions } from './public-files.js';
import { type Serving, servingOf } from './serving.js';
import { type RepositoryFiles, repositoryFilesOf } from './repository-files.js';
import { noteFileDatabases, noteFunctions, noteLocks, noteProcesses, noteUnfetched } from './source-notes.js';
import { used } from './used-settings.js';

/** The tools that this machine has for builds. */
interface AvailableTools {
  /** Major versions, newest first. */
  readonly nodeVersions: readonly string[];
  readonly report: (text: string) => void;
}

/**
 * Decides how a source becomes files to be served.
 *
 * @throws {BuildFailed} `framework_not_found`, `output_not_found`, `install_failed`
 */
export function planOf(set: BuildSettings, inspection: Inspection, tools: AvailableTools): BuildPlan {
  const files = repositoryFilesOf(inspection, tools.report);
  const file = files.settings;
  const settings: BuildSettings = { ...file, ...set };
  const source = new Source(inspection);
  const preset = presetOf(settings, source, inspection) ?? unknownFramework(source, inspection);
  const mode = modeOf(preset, source);
  const root = posix.join(SOURCE, settings.rootDirectory ?? '');
  const packageManager = packageManagerOf(inspection.packageManager);
  const build = buildCommandOf(preset, settings, source);
  const install = pythonInstallOf(preset, settings, source, root) ?? installOf(settings, inspection, root);
  const runs = inspection.manifest !== null || build !== null;
  const node = nodeOf(set, inspection, files, tools);
  noteLocks(inspection, tools.report);
  noteUnfetched(inspection, tools.report);
  const serving = servingOf({ mode, source, settings, set, inspection, root, hasBuild: build !== null });
  // A server may have code of its own in a directory with such a name.
  if (serving.start === null) noteFunctions(source, tools.report);
  else {
    noteProcesses(inspection, tools.report);
    noteFileDatabases(source, tools.report);
  }
  return {
    framework: preset.name,
    nodeVersion: runs ? node.value : null,
    root,
    install,
    dependencies: Object.keys(inspection.manifest?.dependencies ?? {}),
    build,
    packageManager,
    environment: packageManagerEnvironment(packageManager),
    buildEnvironment: preset.environment ?? {},
    frameworkCaches: cachesOf(preset, root),
    leavesModulesAlone: preset.leavesModulesAlone === true,
    pack: serving.pack,
    rootExceptions: exceptions(source, true),
    pages: serving.pages,
    serve: serving.serve,
    adapter: serving.adapter,
    base: serving.base,
    crons: files.crons,
    settings: {
      framework: used(set.framework, file.framework, preset.name) as UsedSetting<string>,
      root_directory: used(set.rootDirectory, null, null),
      node_version: runs ? node : { ...node, value: null },
      install_command: used(set.installCommand, file.installCommand, install?.command ?? null),
      build_command: used(set.buildCommand, file.buildCommand, build),
      output_directory: used(set.outputDirectory, file.outputDirectory, serving.output),
      ...serverSettings(set, serving),
    },
  };
}

/** The settings of a server. Static files have none. */
function serverSettings(
  set: BuildSettings,
  { start }: Serving,
): Pick<BuildPlan['settings'], 'start_command' | 'health_path' | 'start_timeout_ms'> {
  return {
    start_command: used(set.startCommand, null, start),
    health_path: used(set.healthPath, null, start === null ? null : DEFAULT_HEALTH_PATH),
    start_timeout_ms: used(set.startTimeoutMs, null, start === null ? null : START_TIMEOUT_MS.default),
  };
}

function presetOf(settings: BuildSettings, source: Source, inspection: Inspection): Preset | null {
  const { framework, outputDirectory, startCommand } = settings;
  if (framework !== undefined) return presetNamed(framework);
  const preset = detectPreset(source);
  const isNamed = outputDirectory !== undefined || startCommand !== undefined;
  return preset !== null && !isNamed && isMonorepoRoot(preset, source, inspection) ? null : preset;
}

const modeOf = ({ modes }: Preset, source: Source): Mode =>
  modes.find(({ when }) => when?.(source) ?? true) ?? modes.at(-1)!;

function cachesOf({ caches, cachesElsewhere }: Preset, root: string): BuildPlan['frameworkCaches'] {
  return cachesElsewhere === undefined
    ? { within: root, paths: caches ?? [] }
    : { within: '/', paths: cachesElsewhere };
}

function nodeOf(
  set: BuildSettings,
  { manifest, nodeFile }: Inspection,
  files: RepositoryFiles,
  tools: AvailableTools,
): UsedSetting<string> {
  if (set.nodeVersion !== undefined) return { value: set.nodeVersion, source: 'set' };
  const range = manifest?.node ?? nodeFile ?? files.node;
  return { value: usableNode(range, tools), source: range === null || range.trim() === '' ? 'detected' : 'file' };
}

/** If the requested version of Node is not available, the newest is used with a note: most sources work with it. */
function usableNode(range: string | null, { nodeVersions, report }: AvailableTools): string {
  const newest = nodeVersions[0]!;
  if (range === null || range.trim() === '') return newest;
  const fitting = nodeVersionFor(range, nodeVersions);
  if (fitting === null)
    report(
      `Node ${range.slice(0, 100)} is not available. Using ${newest}; available are ${nodeVersions.join(' and ')}.`,
    );
  return fitting ?? newest;
}

function buildCommandOf(preset: Preset, { buildCommand }: BuildSettings, source: Source): string | null {
  if (buildCommand !== undefined) return buildCommand === '' ? null : buildCommand;
  const scripts = derive(preset.buildScripts ?? ['build'], source);
  const script = scripts.find((name) => source.script(name) !== undefined);
  return script === undefined ? derive(preset.build, source) : `npm run ${script}`;
}

/** Packages of Python are not cached. */
function pythonInstallOf(
  { install }: Preset,
  { installCommand }: BuildSettings,
  source: Source,
  root: string,
): BuildPlan['install'] {
  const command = installCommand ?? install?.(source);
  return install === undefined || command == null ? null : { command, directory: root, cacheKey: null };
}

function installOf({ installCommand }: BuildSettings, inspection: Inspection, root: string): BuildPlan['install'] {
  const { manifest, lock, workspace, installHash, hasWorkspaces, packageManager } = inspection;
  const directory = installedIn(inspection, root);
  // Packages of workspaces lie in several directories, but only one is cached.
  const cacheKey = lock === null || hasWorkspaces ? null : installHash;
  if (installCommand === '') return null;
  if (installCommand !== undefined)
    return { command: installCommand, directory: root, cacheKey: directory === root ? cacheKey : null };
  if (manifest === null) return null;
  const needsNothing = Object.keys(manifest.dependencies).length === 0 && workspace === null;
  if (lock === null && needsNothing) return null;
  const manager = packageManagerOf(packageManager);
  return { command: (lock === null ? firstInstallCommandOf : installCommandOf)(manager), directory, cacheKey };
}
