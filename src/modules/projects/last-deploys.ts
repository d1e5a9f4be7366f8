/** The newest deploy of a project, as lists of projects show it. */
export interface LastDeploy {
  readonly id: string;
  readonly projectId: string;
  readonly state: string;
  readonly type: string;
  readonly branch: string;
  readonly commitSha: string | null;
  readonly commitMessage: string | null;
  readonly errorCode: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Finds the newest deploys of projects. The module that owns deploys implements this port. */
export abstract class LastDeploys {
  /** Returns one for each project that has deploys, by the id of the project. */
  abstract of(projectIds: readonly string[]): Promise<ReadonlyMap<string, LastDeploy>>;
}
