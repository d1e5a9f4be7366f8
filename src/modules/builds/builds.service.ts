import { type BuildObserver, type BuildRequest } from './build-request.js';
import { type Built } from './built.js';

export interface ResolvedCommit {
  /** The full hash. */
  readonly sha: string;
  /** The first line, of at most 200 characters. */
  readonly message: string;
  /** The name only. */
  readonly author: string;
}

/** A source that is being fetched to this machine. It occupies its place there until it is closed. */
export interface FetchedSource {
  readonly commit: ResolvedCommit;

  /**
   * Installs and builds in isolation. It can be called once. `variables` are known with the commit; those of the
   * request replace them. The caller then closes the result instead of this source.
   * When it throws, nothing of the build is left on this machine.
   *
   * @throws {BuildFailed}
   * @throws the signal's reason when it was aborted.
   */
  build(variables?: Readonly<Record<string, string>>): Promise<Built>;

  /** Removes everything. It has to be called when nothing is built, and is harmless otherwise. */
  close(): Promise<void>;
}

/** Builds files to serve from untrusted source. */
export abstract class BuildsService {
  /**
   * Fetches the source, and resolves as soon as the commit is known, while the rest is still being fetched. When it
   * throws, nothing is left on this machine.
   *
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`, `isolation_unavailable`
   * @throws the signal's reason when it was aborted.
   */
  abstract fetch(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<FetchedSource>;
}
