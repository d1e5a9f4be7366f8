export type Ecosystem = 'npm' | 'pip';

/** What packages resolve to, with a hash of each file. The same lock always gives the same files. */
export interface PackageLock {
  readonly ecosystem: Ecosystem;
  readonly text: string;
}

export interface LayerBounds {
  /** The size of all files together. */
  readonly bytes: number;
  readonly files: number;
  /** The size of all layers of this machine together. Layers that nobody uses are removed for a new one. */
  readonly allBytes: number;
}

/** A directory of installed packages that stays until it is released. No program can change it. */
export interface LayerLease {
  readonly directory: string;
  release(): void;
}

/** The packages cannot be installed, and asking again gives the same. */
export class PackageInstallFailed extends Error {
  override readonly name = 'PackageInstallFailed';

  /** @param log the last lines of npm or pip, without control characters. */
  constructor(
    message: string,
    readonly log: string,
  ) {
    super(message);
  }
}

/** This machine cannot install packages now. The message says why, for the caller. */
export class PackageLayersUnavailable extends Error {
  override readonly name = 'PackageLayersUnavailable';
}

/**
 * Installs packages from the operator's registries into directories that runs can mount. npm and pip run in isolation,
 * reach the registry only, and run no code of a package.
 */
export abstract class PackageLayers {
  /** The interpreter that a lock and a layer are for, such as `python3.11-x64`. */
  abstract runtimeOf(ecosystem: Ecosystem): string;

  /**
   * Resolves packages, each with its exact version, and what they depend on.
   *
   * @throws {PackageInstallFailed}
   * @throws {PackageLayersUnavailable}
   */
  abstract lock(ecosystem: Ecosystem, packages: readonly string[], signal: AbortSignal): Promise<PackageLock>;

  /** Returns the layer of a lock, or null when it has to be installed first. */
  abstract lease(lock: PackageLock): Promise<LayerLease | null>;

  /**
   * Installs what a lock says.
   *
   * @throws {PackageInstallFailed}
   * @throws {PackageLayersUnavailable}
   */
  abstract install(lock: PackageLock, bounds: LayerBounds, signal: AbortSignal): Promise<void>;
}
