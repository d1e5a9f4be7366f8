/** Where the source comes from. */
export interface BuildSource {
  /** As the project has it (`https://…`). */
  readonly repoUrl: string;
  /** The path of a bare repository of our own; null for foreign ones, which are fetched from `repoUrl`. */
  readonly localRepository: string | null;
  /** A branch, or the full hash of a commit. */
  readonly ref: string;
  /** For a private repository. They are in no command line, no environment and no log. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** What the project says; what it does not say is found out from the source. */
export interface BuildSettings {
  /** One of `FRAMEWORKS`. */
  readonly framework?: string;
  /** Within the repository. */
  readonly rootDirectory?: string;
  readonly installCommand?: string;
  readonly buildCommand?: string;
  /** Within the root directory. */
  readonly outputDirectory?: string;
  /** `20`, `22` or `24`. */
  readonly nodeVersion?: string;
}

export interface BuildLimits {
  /** Of all phases together. */
  readonly wallMs: number;
  /** Of each program that is run: that which installs, and that which builds. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
  /** Processes and threads at a time. */
  readonly tasks: number;
  /** Of everything that the build writes: source, packages, temporary files and what it makes. */
  readonly diskBytes: number;
}

export interface BuildRequest {
  /** Names one attempt of one deploy: `[a-z0-9_-]`, at most 100 characters. */
  readonly id: string;
  readonly projectId: string;
  readonly target: 'production' | 'preview';
  readonly branch: string;
  readonly source: BuildSource;
  readonly settings: BuildSettings;
  readonly limits: BuildLimits;
  /** The project's variables of the target. */
  readonly environment: Readonly<Record<string, string>>;
}

export type BuildPhase = 'fetch' | 'install' | 'build' | 'collect';

/** Is told how a build goes. What programs wrote is freed of control characters, but for nothing else. */
export interface BuildObserver {
  phase(name: BuildPhase): void;
  /** `system`: the service's own words. */
  line(stream: 'stdout' | 'stderr' | 'system', text: string): void;
}
