import { Injectable } from '@nestjs/common';
import { type CommitStatus, GithubClient } from './client/github-client.js';
import { GithubBusy, GithubRefused } from './github.errors.js';
import { GithubRepositories, type RepositoryAccess } from './github-repositories.js';
import { type CommentPlace, GithubCommentsStore } from './persistence/github-comments.store.js';

export type { CommitStatus };

/** The permission is missing, or what is reported on no longer exists. Another attempt would change nothing. */
const IN_VAIN = [403, 404, 410, 422];

export interface ReportedCommit {
  readonly orgId: string;
  readonly repoUrl: string;
  readonly sha: string;
}

export interface ReportedBranch {
  readonly orgId: string;
  readonly repoUrl: string;
  readonly branch: string;
  /** Identifies what the comment is about, such as a project. A pull request has one comment for each topic. */
  readonly topic: string;
}

/** Another worker is writing the comment. The next attempt finds it. */
class CommentBeingWritten extends Error {
  override readonly name = 'CommentBeingWritten';
}

/** Reports on commits and pull requests of repositories whose account an organization has connected. */
@Injectable()
export class GithubReports {
  constructor(
    private readonly github: GithubClient,
    private readonly repositories: GithubRepositories,
    private readonly comments: GithubCommentsStore,
  ) {}

  /** True when the repository is one of GitHub, and this service is an app there. It makes no call. */
  concerns(repoUrl: string): boolean {
    return this.repositories.isAtGithub(repoUrl);
  }

  /**
   * Sets the status of a commit. It replaces the one with the same context. Does nothing without access.
   *
   * @throws {GithubBusy} @throws {GithubRefused} when another attempt may succeed.
   */
  setStatus({ orgId, repoUrl, sha }: ReportedCommit, status: CommitStatus): Promise<void> {
    return this.withAccess({ orgId, repoUrl, permission: 'statuses' }, ({ token, fullName }) =>
      this.github.createStatus(token, { fullName, sha }, status),
    );
  }

  /**
   * Writes the comment of the topic on the open pull requests of the branch, or edits it. Does nothing without access.
   * A comment that a person deleted stays deleted.
   *
   * @throws {GithubBusy} @throws {GithubRefused} when another attempt may succeed.
   * @throws {CommentBeingWritten}
   */
  comment({ orgId, repoUrl, branch, topic }: ReportedBranch, text: string): Promise<void> {
    return this.withAccess({ orgId, repoUrl, permission: 'pull_requests' }, async (access) => {
      for (const pull of await this.github.openPulls(access.token, access.fullName, branch))
        await this.write(access, { topic, repository: access.fullName.toLowerCase(), pull }, text);
    });
  }

  private async write({ token, fullName }: RepositoryAccess, place: CommentPlace, text: string): Promise<void> {
    const mark = `<!-- ${place.topic} -->`;
    const body = `${mark}\n${text}`;
    const known = await this.comments.find(place);
    if (known !== null) {
      await this.github.editComment(token, { fullName, commentId: known }, body);
      return;
    }
    if (!(await this.comments.reserve(place))) throw new CommentBeingWritten();
    try {
      // A worker that died may have written the comment, but not its id.
      const found = await this.github.findComment(token, { fullName, pull: place.pull }, mark);
      if (found === null) {
        await this.comments.written(
          place,
          await this.github.createComment(token, { fullName, pull: place.pull }, body),
        );
        return;
      }
      await this.comments.written(place, found);
      await this.github.editComment(token, { fullName, commentId: found }, body);
    } catch (error) {
      await this.comments.release(place);
      throw error;
    }
  }

  private async withAccess(
    { orgId, repoUrl, permission }: { orgId: string; repoUrl: string; permission: string },
    work: (access: RepositoryAccess) => Promise<void>,
  ): Promise<void> {
    try {
      const access = await this.repositories.accessTo(orgId, repoUrl, { [permission]: 'write' });
      if (access !== null) await work(access);
    } catch (error) {
      if (!isInVain(error)) throw error;
    }
  }
}

/** A limit of the rate has a status of those as well. */
const isInVain = (error: unknown): boolean =>
  error instanceof GithubRefused &&
  !(error instanceof GithubBusy) &&
  error.answered !== undefined &&
  IN_VAIN.includes(error.answered);
