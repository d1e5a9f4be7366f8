import { Injectable } from '@nestjs/common';

/** A branch that a push has created or moved. */
export interface PushedBranch {
  readonly name: string;
  /** The commit that the branch points to now. */
  readonly commitSha: string;
}

/** What a push changed, for those who tell its pusher what happens next. */
export interface PushReport {
  readonly orgId: string;
  readonly repoUrl: string;
  /** The branches that were created or moved; deleted ones are left out. */
  readonly branches: readonly PushedBranch[];
  /** The time just before the changes were recorded. */
  readonly since: Date;
  /** True if the pusher asked to wait for the results: `git push -o wait`. */
  readonly wait: boolean;
}

/** Describes to the pusher, line by line, what a push has started. It ends soon after `signal` is aborted. */
export type PushReporter = (report: PushReport, signal: AbortSignal) => AsyncIterable<string>;

/** The module that acts on pushes registers its reporter here, so that repositories depend on no such module. */
@Injectable()
export class PushReporters {
  private readonly reporters: PushReporter[] = [];

  register(reporter: PushReporter): void {
    this.reporters.push(reporter);
  }

  async *lines(report: PushReport, signal: AbortSignal): AsyncGenerator<string> {
    for (const reporter of this.reporters) yield* reporter(report, signal);
  }
}
