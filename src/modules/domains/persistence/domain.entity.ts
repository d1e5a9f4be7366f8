import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  type CheckProblem,
  type DomainState,
  isOver,
  type Observation,
  ROUTED_HERE,
  type SeenRecords,
  timeToNextCheckMs,
} from '../claims/domain-state.js';

/** After as many failed checks in a row the owner is shown that something is wrong. */
const FAILURES_TO_MISCONFIGURED = 3;

interface NewDomain {
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
  readonly challengeToken: string;
}

/** What the owner of a domain chooses. */
export type DomainChoices = Pick<Domain, 'redirectTo' | 'httpsRedirect' | 'hsts'>;

/** A claim of an organization to a name, which is served once it is proved and its records lead here. */
@Entity('domains')
export class Domain {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'org_id' }) orgId!: string;
  @Column('text', { name: 'project_id' }) projectId!: string;
  /** In ASCII and lower case, with `*.` before it for a wildcard. */
  @Column('text') name!: string;
  @Column('text', { name: 'challenge_token' }) challengeToken!: string;
  @Column('text') state!: DomainState;
  @Column('text', { name: 'redirect_to', nullable: true }) redirectTo!: string | null;
  @Column('boolean', { name: 'https_redirect' }) httpsRedirect!: boolean;
  @Column('boolean') hsts!: boolean;
  /** Why the last check did not succeed. */
  @Column('text', { nullable: true }) problem!: CheckProblem | null;
  /** The records that the last check found. */
  @Column('jsonb', { nullable: true }) seen!: SeenRecords | null;
  @Column('int', { name: 'failed_checks' }) failedChecks!: number;
  @Column('timestamptz', { name: 'failing_since', nullable: true }) failingSince!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'verified_at', nullable: true }) verifiedAt!: Date | null;
  /** When the domain was first served since it was verified. */
  @Column('timestamptz', { name: 'active_at', nullable: true }) activeAt!: Date | null;
  @Column('timestamptz', { name: 'checked_at', nullable: true }) checkedAt!: Date | null;
  /** Null when the domain is only checked on request. */
  @Column('timestamptz', { name: 'next_check_at', nullable: true }) nextCheckAt!: Date | null;

  /** A claim that is not proved yet. */
  static claim({ id, orgId, projectId, name, challengeToken }: NewDomain, choices: DomainChoices, at: Date): Domain {
    const domain = new Domain();
    domain.id = id;
    domain.orgId = orgId;
    domain.projectId = projectId;
    domain.name = name;
    domain.challengeToken = challengeToken;
    domain.state = 'pending';
    domain.redirectTo = choices.redirectTo;
    domain.httpsRedirect = choices.httpsRedirect;
    domain.hsts = choices.hsts;
    domain.problem = null;
    domain.seen = null;
    domain.failedChecks = 0;
    domain.failingSince = null;
    domain.createdAt = at;
    domain.verifiedAt = domain.activeAt = domain.checkedAt = null;
    domain.nextCheckAt = new Date(at.getTime() + timeToNextCheckMs('pending', { ageMs: 0, isFine: false })!);
    return domain;
  }

  get isWildcard(): boolean {
    return this.name.startsWith('*.');
  }

  /** True while the organization holds the name, so that another one needs more than its own proof. */
  get isHeld(): boolean {
    return this.state !== 'pending';
  }

  /** True while visitors get an answer: until the grace period of a misconfigured domain is over. */
  get isServed(): boolean {
    return this.activeAt !== null && (this.state === 'active' || this.state === 'misconfigured');
  }

  /** Returns the names of the choices that changed. */
  choose(choices: Partial<DomainChoices>): (keyof DomainChoices)[] {
    const names = Object.keys(choices) as (keyof DomainChoices)[];
    const changed = names.filter((name) => choices[name] !== this[name]);
    Object.assign(this, choices);
    return changed;
  }

  /** Applies the result of a check. A pending domain whose proof was found is verified by it. */
  checked(observation: Observation, at: Date): void {
    this.checkedAt = at;
    this.seen = observation.seen;
    this.problem = observation.problem;
    if (observation.isUnknown) {
      // Nothing was learned, and nothing is lost: the name servers may be back in a moment.
    } else if (observation.isProved) {
      this.state = this.state === 'pending' ? 'verified' : this.state;
      this.verifiedAt ??= at;
      this.proved(observation, at);
    } else if (this.isHeld) {
      this.failed(at);
    }
    this.nextCheckAt = this.nextCheckAfter(at);
  }

  /** Another organization holds the name, and its proof is still there. */
  refused(observation: Observation, at: Date): void {
    this.checkedAt = at;
    this.seen = observation.seen;
    this.problem = 'held_by_another';
    this.nextCheckAt = this.nextCheckAfter(at);
  }

  /** The organization holds the name no longer, and needs a new proof. */
  lose(problem: CheckProblem, at: Date): void {
    this.state = 'pending';
    this.verifiedAt = this.activeAt = this.failingSince = null;
    this.failedChecks = 0;
    this.problem = problem;
    this.checkedAt = at;
    this.nextCheckAt = null;
  }

  private proved({ routing }: Observation, at: Date): void {
    if (routing === ROUTED_HERE) {
      this.state = 'active';
      this.activeAt ??= at;
      this.recovered();
    } else if (this.activeAt === null) {
      // It was never served, so there is nothing that could fail.
      this.state = 'verified';
      this.recovered();
    } else {
      this.failed(at);
    }
  }

  private recovered(): void {
    this.failedChecks = 0;
    this.failingSince = null;
  }

  private failed(at: Date): void {
    this.failedChecks++;
    this.failingSince ??= at;
    if (this.failedChecks < FAILURES_TO_MISCONFIGURED) return;
    this.state = 'misconfigured';
    if (isOver(this.failingSince, at)) this.lose(this.problem ?? 'records_missing', at);
  }

  private nextCheckAfter(at: Date): Date | null {
    const ageMs = at.getTime() - this.createdAt.getTime();
    const waitMs = timeToNextCheckMs(this.state, { ageMs, isFine: this.problem === null });
    return waitMs === null ? null : new Date(at.getTime() + waitMs);
  }
}
