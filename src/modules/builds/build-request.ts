import type { LocalService } from '../../platform/egress/local-service.js';

/** The place of the source. */
export interface BuildSource {
  /** The address in the settings of the project (`https://…`). */
  readonly repoUrl: string;
  /** The path of a bare repository on this machine, or null for one that is fetched from `repoUrl`. */
  readonly localRepository: string | null;
  /** A branch, or the full hash of a commit. */
  readonly ref: string;
  /** The credentials of a private repository. They appear in no command line, environment or log. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** The settings of the project. Settings that are left out are detected from the source. */
export interface BuildSettings {
  /** One of `FRAMEWORKS`. */
  readonly framework?: string;
  /** A path relative to the repository. */
  readonly rootDirectory?: string;
  readonly installCommand?: string;
  readonly buildCommand?: string;
  /** A path relative to the root directory. */
  readonly outputDirectory?: string;
  /** `20`, `22` or `24`. */
  readonly nodeVersion?: string;
  /** Starts the server in the root directory. With it, a project of any framework is a server. */
  readonly startCommand?: string;
  /** The path that shows that the server has started, such as `/health`. */
  readonly healthPath?: string;
  /** The time that the server may take to start. */
  readonly startTimeoutMs?: number;
  /** What the build may reach: package registries (the default), or every public address. */
  readonly network?: 'registries' | 'open';
}

export interface BuildLimits {
  /** The limit for all phases together. */
  readonly wallMs: number;
  /** The limit for each program: one installs, and one builds. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** The maximum number of concurrent processes and threads. */
  readonly tasks: number;
  /** The limit for everything that the build writes: source, packages, temporary files and output. */
  readonly diskBytes: number;
}

export interface BuildRequest {
  /** The id of one attempt of one deploy: `[a-z0-9_-]`, at most 100 characters. */
  readonly id: string;
  readonly projectId: string;
  readonly target: 'production' | 'preview';
  readonly branch: string;
  readonly source: BuildSource;
  readonly settings: BuildSettings;
  readonly limits: BuildLimits;
  /** The project's variables of the target. */
  readonly environment: Readonly<Record<string, string>>;
  /** What its code reaches at ports of 127.0.0.1, such as attached databases. */
  readonly services?: readonly LocalService[];
}

export type BuildPhase = 'fetch' | 'install' | 'build' | 'collect';

/** Receives the progress of a build. Control characters are removed from the lines of programs, and nothing else. */
export interface BuildObserver {
  phase(name: BuildPhase): void;
  /** The stream `system` has the lines of the service itself. */
  line(stream: 'stdout' | 'stderr' | 'system', text: string): void;
}
