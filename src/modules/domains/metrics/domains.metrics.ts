import { Injectable, type Provider } from '@nestjs/common';
import { InjectMetric, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '../../../platform/time/clock.js';
import { CHECK_PROBLEMS, type CheckProblem, DOMAIN_STATES } from '../claims/domain-state.js';
import { DomainsStore } from '../persistence/domains.store.js';

const DOMAINS = 'custom_domains';
const OVERDUE = 'custom_domain_check_overdue_seconds';
const CHECKS = 'custom_domain_checks_total';
const QUESTIONS = 'tls_questions_total';

/** What a check found: `ok`, a problem, or an `error` of the platform. */
type CheckOutcome = CheckProblem | 'ok' | 'error';
const CHECK_OUTCOMES: readonly CheckOutcome[] = ['ok', ...CHECK_PROBLEMS, 'error'];

/**
 * The answer to a proxy that asks for permission. All but `allowed` and `error` are the same answer to it. `disabled`:
 * there is no secret. `too_many_names`: the wildcard has as many names as may be.
 */
const TLS_ANSWERS = [
  'allowed',
  'not_served',
  'too_many_names',
  'too_many_questions',
  'wrong_secret',
  'disabled',
  'error',
] as const;
export type TlsAnswer = (typeof TLS_ANSWERS)[number];

@Injectable()
export class DomainMetrics {
  constructor(
    domains: DomainsStore,
    clock: Clock,
    @InjectMetric(CHECKS) private readonly checks: Counter,
    @InjectMetric(QUESTIONS) private readonly questions: Counter,
    @InjectMetric(DOMAINS) states: Gauge,
    @InjectMetric(OVERDUE) overdue: Gauge,
  ) {
    // A series that appears with its first count shows no increase.
    for (const outcome of CHECK_OUTCOMES) checks.inc({ outcome }, 0);
    for (const answer of TLS_ANSWERS) questions.inc({ answer }, 0);
    // The gauges are read on each request for `/metrics`. While PostgreSQL is unavailable they keep their last values.
    const read = async (): Promise<void> => {
      const found = await domains.countByState(clock.now()).catch(() => undefined);
      if (found === undefined) return;
      for (const state of DOMAIN_STATES) states.set({ state }, found.counts.get(state) ?? 0);
      overdue.set(found.overdueSeconds);
    };
    let reading: Promise<void> | undefined;
    // Both gauges wait for one query.
    const collect = (): Promise<void> =>
      (reading ??= read().finally(() => {
        reading = undefined;
      }));
    Object.assign(states, { collect });
    Object.assign(overdue, { collect });
  }

  checked(outcome: CheckOutcome): void {
    this.checks.inc({ outcome });
  }

  answered(answer: TlsAnswer): void {
    this.questions.inc({ answer });
  }
}

export const DOMAIN_METRICS: Provider[] = [
  DomainMetrics,
  makeGaugeProvider({
    name: DOMAINS,
    help: 'Custom domains of the whole service by state.',
    labelNames: ['state'],
  }),
  makeGaugeProvider({
    name: OVERDUE,
    help: 'How long the check of a proved custom domain has been due, of the one that has waited longest.',
  }),
  makeCounterProvider({
    name: CHECKS,
    help: 'Checks of the records of custom domains, by outcome.',
    labelNames: ['outcome'],
  }),
  makeCounterProvider({
    name: QUESTIONS,
    help: 'Questions of proxies whether a host name may have a certificate, by answer.',
    labelNames: ['answer'],
  }),
];
