import type { LocalService } from '../../../platform/egress/local-service.js';
import type { FileCron } from '../../crons/cron-rules.js';
import type { BuildNetwork, Framework, NodeVersion } from '../../projects/project-settings.js';

export const DEPLOY_TRIGGERS = ['api', 'push', 'hook'] as const;
export type DeployTrigger = (typeof DEPLOY_TRIGGERS)[number];

/**
 * The settings that a project's builds and servers use. Settings that are left out are detected from the source, or
 * have a default.
 */
export interface DeploySettings {
  readonly framework?: Framework;
  readonly rootDirectory?: string;
  readonly installCommand?: string;
  readonly buildCommand?: string;
  readonly outputDirectory?: string;
  readonly nodeVersion?: NodeVersion;
  readonly startCommand?: string;
  readonly healthPath?: string;
  readonly startTimeoutMs?: number;
  readonly buildNetwork?: BuildNetwork;
}

/** A setting as a build used it: `set` by the project, from a `file` of the repository, or `detected`. */
interface UsedDeploySetting {
  readonly value: string | number | null;
  readonly source: 'set' | 'file' | 'detected';
}

/** The settings that a build used, by their names in the API. */
export type UsedDeploySettings = Readonly<Record<string, UsedDeploySetting>>;

/** The result of a build. */
export interface DeployOutput {
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  readonly files: number;
  readonly bytes: number;
  /** Deploys of earlier releases have none. */
  readonly settings?: UsedDeploySettings;
  /** The crons that run while the deploy is in production. Older deploys have none. */
  readonly crons?: readonly FileCron[];
}

/** `system` is written by the platform, the other two by the programs of the build. */
export const LOG_STREAMS = ['stdout', 'stderr', 'system'] as const;
export type LogStream = (typeof LOG_STREAMS)[number];

/** The phases of a deploy, to one of which each line of its log belongs. */
export const LOG_PHASES = [
  'queue',
  'resolve',
  'fetch',
  'install',
  'build',
  'collect',
  'ingest',
  'check',
  'live',
] as const;
export type LogPhase = (typeof LOG_PHASES)[number];

export interface LogLine {
  /** Lines of a deploy are numbered from 1, without gaps. */
  readonly seq: number;
  readonly at: Date;
  readonly phase: LogPhase;
  readonly stream: LogStream;
  readonly text: string;
}

/** The variables that a deploy is built and run with. */
export interface DeployVariables {
  readonly values: Readonly<Record<string, string>>;
  /** The values that the log must not show. */
  readonly secretValues: readonly string[];
  /** What the build reaches at local ports. */
  readonly services: readonly LocalService[];
}
