import { setTimeout as sleep } from 'node:timers/promises';

import { type IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { BuildFailed } from '../build-failed.js';
import { type ResolvedCommit } from '../builds.service.js';
import { ArchiveBroken, ArchiveReader } from '../collect/archive-reader.js';
import { type Inspection, inspectionOf } from '../plan/inspection.js';
import { type BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';

const SHA = /^[0-9a-f]{40}$/;
const LONGEST_MESSAGE = 200;
/** When the stream breaks off, the program is expected to end within this time. */
const ENDS_WITHIN_MS = 2_000;
/** The status of `source.cjs` when git could not fetch the commit. */
const NOT_FETCHED = 3;

/** What happens to the fetched source before its build. */
export interface Preparation {
  /** The repository on this machine to fetch the commit from, if the source has only its files. */
  readonly repository: { readonly url: string; readonly commit: string } | null;
  /** A directory that is emptied, for packages that are mounted there. */
  readonly emptied: string | null;
  readonly cached: {
    /** The paths of the cache, below this directory. */
    readonly within: string;
    readonly paths: readonly string[];
    /** Where the cache was copied while git fetched, and where it is mounted. */
    readonly copy: string;
    readonly original: string;
  } | null;
}

interface SourceProgramParts {
  readonly session: BuildSession;
  readonly program: IsolatedProgram;
  /** Returns the reason why git failed. */
  readonly fault: () => BuildFailed;
  /** The address of a repository whose files were checked out without fetching it. */
  readonly repository: string | null;
}

/**
 * The program that fetches the source. It sends the commit, then the facts about the source, and, if nothing is built,
 * the files.
 */
export class SourceProgram {
  readonly program: IsolatedProgram;
  readonly reader: ArchiveReader;
  private sha = '';

  constructor(private readonly parts: SourceProgramParts) {
    this.program = parts.program;
    this.reader = new ArchiveReader(parts.program.stdout as AsyncIterable<Buffer>, (text) => {
      parts.session.say(cleanText(text));
    });
  }

  /** @throws {BuildFailed} `repository_unreachable`, `ref_not_found` */
  async commit(): Promise<ResolvedCommit> {
    const { sha, author, message } = await this.explained(this.reader.commit());
    if (!SHA.test(sha)) throw new BuildFailed('repository_unreachable', 'The repository returned an invalid commit.');
    this.sha = sha;
    return {
      sha,
      author: cleanText(author).slice(0, LONGEST_MESSAGE),
      message: cleanText(message).slice(0, LONGEST_MESSAGE),
    };
  }

  /** Call this after {@link commit}. It resolves when all files are fetched. @throws as {@link commit}. */
  async inspection(): Promise<Inspection> {
    const raw = await this.explained(this.reader.inspection());
    try {
      return inspectionOf(raw);
    } catch (cause) {
      throw new BuildFailed('isolation_unavailable', 'The source could not be read.', { cause });
    }
  }

  /** Makes the program send the files, which the caller reads from {@link reader}. */
  pack(plan: object): void {
    this.program.send(Buffer.from(JSON.stringify(plan)));
  }

  /**
   * Prepares the source for its build and ends the program. Returns false when there is no room for the packages.
   * @throws as {@link commit}.
   */
  async prepare(wanted: Omit<Preparation, 'repository'>): Promise<boolean> {
    const { session, fault, repository } = this.parts;
    const preparation: Preparation = {
      ...wanted,
      repository: repository === null ? null : { url: repository, commit: this.sha },
    };
    this.program.send(Buffer.from(JSON.stringify({ prepare: preparation })));
    await this.explained(this.reader.drain());
    const status = await session.finish(this.program);
    if (status === NOT_FETCHED) throw fault();
    return status === 0;
  }

  private async explained<T>(said: Promise<T>): Promise<T> {
    try {
      return await said;
    } catch (error) {
      throw error instanceof ArchiveBroken ? await this.causeOf(error) : error;
    }
  }

  private async causeOf(broken: ArchiveBroken): Promise<unknown> {
    const { session, fault } = this.parts;
    const isOver = await Promise.race([
      this.program.exited.then(() => true),
      sleep(ENDS_WITHIN_MS, false, { ref: false }),
    ]);
    if (!isOver) {
      await this.program.destroy();
      return new BuildFailed('isolation_unavailable', 'The source could not be read.', { cause: broken });
    }
    try {
      await session.finish(this.program);
    } catch (error) {
      return error;
    }
    return fault();
  }
}
