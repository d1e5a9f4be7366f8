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

/** Source on its way to this machine; holds its place there until it is closed. */
export interface FetchedSource {
  readonly commit: ResolvedCommit;

  /**
   * Installs and builds, in isolation, once. What it answers is to be closed instead of this; when it throws, nothing
   * of the build is left on this machine.
   *
   * @throws {BuildFailed}
   * @throws the signal's reason when it was aborted.
   */
  build(): Promise<Built>;

  /** Removes everything; to be called where nothing is built. May be called in any case. */
  close(): Promise<void>;
}

/** Makes files that can be served of source that is not trusted. */
export abstract class BuildsService {
  /**
   * Fetches the source, and resolves as soon as it is known which commit it is; the rest of it goes on coming
   * meanwhile. When it throws, nothing is left on this machine.
   *
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`, `isolation_unavailable`
   * @throws the signal's reason when it was aborted.
   */
  abstract fetch(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<FetchedSource>;
}
