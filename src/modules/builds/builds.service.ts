import { type BuildObserver, type BuildRequest, type BuildSource } from './build-request.js';
import { type Built } from './built.js';

export interface ResolvedCommit {
  /** The full hash. */
  readonly sha: string;
  /** The first line, of at most 200 characters. */
  readonly message: string;
  /** The name only. */
  readonly author: string;
}

/** Makes files that can be served of source that is not trusted. */
export abstract class BuildsService {
  /**
   * Which commit it is that a branch points to now.
   *
   * @throws {BuildFailed} `repository_unreachable`, `ref_not_found`, `isolation_unavailable`
   * @throws the signal's reason when it was aborted.
   */
  abstract resolve(source: BuildSource, signal: AbortSignal): Promise<ResolvedCommit>;

  /**
   * Fetches, installs and builds in isolation. When it throws, nothing of the build is left on this machine.
   *
   * @throws {BuildFailed}
   * @throws the signal's reason when it was aborted.
   */
  abstract build(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<Built>;
}
