import type { Framework, NodeVersion } from '../../projects/project-settings.js';

export type DeployTrigger = 'api' | 'push';

/** How a project wants to be built; what is left out is found out. */
export interface DeploySettings {
  readonly framework?: Framework;
  readonly rootDirectory?: string;
  readonly installCommand?: string;
  readonly buildCommand?: string;
  readonly outputDirectory?: string;
  readonly nodeVersion?: NodeVersion;
}

/** What a build made. */
export interface DeployOutput {
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: 'static' | 'server';
  readonly files: number;
  readonly bytes: number;
}

/** `system`: what the platform itself says. */
export const LOG_STREAMS = ['stdout', 'stderr', 'system'] as const;
export type LogStream = (typeof LOG_STREAMS)[number];

/** What a deploy is busy with when a line is written. */
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
  /** 1 for the first of the deploy; without gaps. */
  readonly seq: number;
  readonly at: Date;
  readonly phase: LogPhase;
  readonly stream: LogStream;
  readonly text: string;
}

/** The variables that a deploy is built and run with. */
export interface DeployVariables {
  readonly values: Readonly<Record<string, string>>;
  /** Those that may not be shown. */
  readonly secretValues: readonly string[];
}
