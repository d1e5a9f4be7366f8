import { type Plan, type PlanId, ServiceError, type Subscription } from '@service/client';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../../api';
import { refreshBilling, subscriptionQuery } from '../../data/billing';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { State } from '../../ui/state';
import { dayOf } from './amounts';

const COUNT = new Intl.NumberFormat('en');
const MIB_OF_GIB = 1_024;

interface PlansProps {
  readonly org: string;
  readonly plans: readonly Plan[];
  readonly subscription: Subscription;
  readonly mayWrite: boolean;
}

/** The plans beside each other, and the way from one to another. */
export function Plans({ org, plans, subscription, mayWrite }: PlansProps): ReactNode {
  const [wanted, setWanted] = useState<Plan>();
  const current = plans.find(({ id }) => id === subscription.plan);
  const { planned_change: planned, pending_change: pending } = subscription;
  const nameOf = (id: PlanId): string => plans.find((each) => each.id === id)?.name ?? id;
  const keep = mayWrite && current !== undefined && (
    <Button
      onClick={() => {
        setWanted(current);
      }}
    >
      Stay with {current.name}
    </Button>
  );
  return (
    <>
      {planned !== undefined && (
        <p className="bg-warn-soft mb-3 flex flex-wrap items-center justify-between gap-3 rounded-md p-3">
          {nameOf(planned.plan)} begins on {dayOf(planned.at)}.{keep}
        </p>
      )}
      {pending !== undefined && (
        <p className="bg-warn-soft mb-3 flex flex-wrap items-center justify-between gap-3 rounded-md p-3">
          {nameOf(pending.plan)} waits for the approval of the operator, since {dayOf(pending.requested_at)}.{keep}
        </p>
      )}
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {plans.map((plan) => (
          <li key={plan.id} className={`card flex flex-col gap-3 p-4 ${plan === current ? 'border-accent' : ''}`}>
            <div className="flex min-h-6 items-center justify-between gap-2">
              <h3 className="font-semibold">{plan.name}</h3>
              {plan === current && <State tone="accent">Your plan</State>}
            </div>
            <p className="text-xl font-semibold tabular-nums">
              {priceOf(plan === current ? subscription.price_usd_per_month : plan.price_usd_per_month)}
            </p>
            <ul className="text-muted grid flex-1 content-start gap-1 text-sm">
              {contentsOf(plan).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            {mayWrite && plan !== current && plan.price_usd_per_month !== null && (
              <Button
                wide
                look={isLarger(plan, current, plans) ? 'primary' : 'plain'}
                disabled={plan.id === planned?.plan || plan.id === pending?.plan}
                onClick={() => {
                  setWanted(plan);
                }}
              >
                Change to {plan.name}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        open={wanted !== undefined}
        title={
          wanted === undefined ? '' : wanted === current ? `Stay with ${wanted.name}?` : `Change to ${wanted.name}?`
        }
        action={wanted === current ? 'Drop the change' : 'Change the plan'}
        onClose={() => {
          setWanted(undefined);
        }}
        onConfirm={async () => {
          if (wanted !== undefined) await choose(org, wanted.id);
        }}
      >
        {wanted !== undefined && current !== undefined && (
          <Consequences wanted={wanted} current={current} plans={plans} subscription={subscription} />
        )}
      </Confirm>
    </>
  );
}

/** What a change costs and gains, or takes away. */
function Consequences({
  wanted,
  current,
  plans,
  subscription: { period },
}: {
  readonly wanted: Plan;
  readonly current: Plan;
  readonly plans: readonly Plan[];
  readonly subscription: Subscription;
}): ReactNode {
  if (wanted === current) return 'Nothing changes then.';
  const isUp = isLarger(wanted, current, plans);
  const before = new Set(contentsOf(current));
  const after = new Set(contentsOf(wanted));
  const [more, less] = [[...after].filter((line) => !before.has(line)), [...before].filter((line) => !after.has(line))];
  return (
    <div className="grid gap-3">
      {isUp ? (
        <p>
          It begins at once, or when the operator approves it, and costs {priceOf(wanted.price_usd_per_month)}, by the
          second. For the rest of this month that is about {restOfMonth(wanted, period.to, period.from)}.
        </p>
      ) : (
        <p>
          It begins on {dayOf(period.to)}; until then {current.name} stays. It is refused while you use more than it
          includes.
        </p>
      )}
      <div>
        <b className="text-ink">{isUp ? 'You get' : 'You then have'}</b>
        <ul className="ml-4 list-disc">
          {more.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </div>
      {!isUp && less.length > 0 && (
        <div>
          <b className="text-ink">Instead of</b>
          <ul className="ml-4 list-disc">
            {less.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** Where a payment method is missing, it leads to the page of the payment provider. */
async function choose(org: string, plan: PlanId): Promise<void> {
  try {
    const subscription = await api.billing.choosePlan(plan, { organization: org });
    queries.setQueryData(subscriptionQuery(org).queryKey, subscription);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'payment_method_required' || plan === 'free') throw error;
    const { url } = await api.billing.checkout(plan, { organization: org });
    if (url === undefined) throw error;
    location.assign(url);
  }
  await refreshBilling(org);
}

const isLarger = (plan: Plan, current: Plan | undefined, plans: readonly Plan[]): boolean =>
  current !== undefined && plans.indexOf(plan) > plans.indexOf(current);

const priceOf = (usd: string | null): string =>
  usd === null ? 'By contract' : `$${COUNT.format(Number(usd))} a month`;

function contentsOf({
  limits,
  features,
  bills_usage: billsUsage,
  included_credits_usd: credits,
  support,
}: Plan): string[] {
  return [
    limits.calls_per_day === null ? 'Calls without a limit' : `${COUNT.format(limits.calls_per_day)} calls a day`,
    limits.projects === null ? 'Projects without a limit' : `${COUNT.format(limits.projects)} projects`,
    `${COUNT.format(limits.deploys_stored_mib / MIB_OF_GIB)} GiB of files in deploys`,
    features.production_deploys ? 'Production deploys' : 'Preview deploys only',
    ...(features.swarms_and_cron ? ['Crons'] : []),
    ...(features.wildcard_domains ? ['Wildcard domains'] : []),
    ...(features.sso ? ['Single sign-on'] : []),
    ...(Number(credits) > 0 ? [`$${credits} of credits, once`] : []),
    billsUsage ? 'Usage is billed' : 'Usage stops with the credits',
    `Support: ${support}`,
  ];
}

function restOfMonth({ price_usd_per_month: price }: Plan, to: string, from: string): string {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return `$${((Number(price) * Math.max(0, end - Date.now())) / (end - start)).toFixed(2)}`;
}
