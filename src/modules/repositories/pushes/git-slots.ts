import { Injectable } from '@nestjs/common';
import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import { ConcurrencyLimitService } from '../../limits/concurrency-limit.service.js';
import { GitPlaces } from '../git/git-places.js';
import { TooManyGitCalls } from '../repositories.errors.js';

/** The git requests of one organization. A clone holds its place from start to end. */
const PLACES = { name: 'git', places: 16, lifetimeMs: 31 * 60_000 };
const BUSY_RETRY_SECONDS = 5;

/** Decides whether a git request may start, by the limits of its organization and of this process. */
@Injectable()
export class GitSlots {
  constructor(
    private readonly places: GitPlaces,
    private readonly concurrency: ConcurrencyLimitService,
  ) {}

  /**
   * Takes a place in both limits until {@link release}.
   *
   * @throws {TooManyGitCalls} `concurrency_limit_exceeded`
   * @throws {ServiceUnavailable} `service_unavailable` when this process has no free place.
   */
  async take(orgId: string, holder: string): Promise<void> {
    if (!(await this.concurrency.take(PLACES, orgId, holder))) throw new TooManyGitCalls(PLACES.places);
    if (this.places.take()) return;
    await this.concurrency.end(PLACES, orgId, holder);
    throw new ServiceUnavailable(new Error(`All ${this.places.count} places for git are taken.`), BUSY_RETRY_SECONDS);
  }

  async release(orgId: string, holder: string): Promise<void> {
    this.places.giveBack();
    await this.concurrency.end(PLACES, orgId, holder);
  }
}
