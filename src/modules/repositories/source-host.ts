/** Where git gets a repository from, and by what. */
export interface RepositorySource {
  /** The path of a bare repository of our own; null for one that is fetched from its address. */
  readonly localRepository: string | null;
  /** For a private one. Short-lived, and good for this one repository. */
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A place that keeps repositories and tells when they are pushed to. */
export abstract class SourceHost {
  /**
   * How an organization gets at a repository; null for an address that is not of this place, and for one that it gives
   * to everybody alike.
   *
   * @throws {RepositoryNotFound} `repository_not_found`
   * @throws {GithubRefused} `upstream_error`
   */
  abstract sourceOf(orgId: string, repoUrl: string): Promise<RepositorySource | null>;
}
