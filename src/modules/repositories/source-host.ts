/** The location that git fetches a repository from, with its credentials. */
export interface RepositorySource {
  /** The path of a bare repository on this machine; null to fetch it from its URL. */
  readonly localRepository: string | null;
  /** Set for a private repository: short-lived credentials for this repository only. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A host of repositories that reports pushes. */
export abstract class SourceHost {
  /**
   * Returns how an organization accesses a repository; null for a URL of another host, and for a public repository.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {GithubRefused} `upstream_error`
   */
  abstract sourceOf(orgId: string, repoUrl: string): Promise<RepositorySource | null>;
}
