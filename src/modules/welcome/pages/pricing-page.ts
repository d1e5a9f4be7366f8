import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { escapeHtml } from '../../../platform/text/escape-html.js';
import { type Meter, METER_TABLE, METERS } from '../../metering/meter.js';
import type { ShownPrice } from '../../metering/prices.service.js';
import { type Plan, PLAN_IDS, PLANS } from '../../plans/plan.js';
import type { PublicPage } from '../../site/public-pages.js';

const SUPPORT: Readonly<Record<Plan['support'], string>> = {
  community: 'Community',
  email: 'Email',
  priority: 'Priority + SLAs',
  dedicated: 'Dedicated + custom SLAs',
};

/** The rows of the plan table (service document §8), and what a deploy gets beside them. */
const ROWS: readonly (readonly [string, (plan: Plan) => string])[] = [
  ['API calls a day', ({ limits }) => count(limits.callsPerDay)],
  ['AI agents', ({ limits }) => count(limits.agents)],
  ['Projects', ({ limits }) => count(limits.projects)],
  ['Production deploys', ({ features }) => yes(features.production_deploys)],
  ['Agent swarms + cron', ({ features }) => yes(features.swarms_and_cron)],
  ['SSO / SAML', ({ features }) => yes(features.sso)],
  ['Wildcard domains', ({ features }) => yes(features.wildcard_domains)],
  ['Builds reach every public address', ({ features }) => yes(features.open_build_network)],
  ['Servers of deploys at once', ({ apps }) => count(apps.servers)],
  ['Deploys at once', ({ deploys }) => count(deploys.concurrency)],
  ['Storage for deploys', ({ deploys }) => `${(deploys.storedMib / 1_024).toLocaleString('en-US')} GiB`],
  ['Sandbox runs at once', ({ sandbox }) => count(sandbox.concurrency)],
  ['Support', ({ support }) => SUPPORT[support]],
];

export function pricingPage(prices: readonly ShownPrice[]): PublicPage {
  const plans = PLAN_IDS.map((id) => PLANS[id]);
  return {
    title: 'Pricing',
    description: 'Plans, and the price of each unit of usage.',
    place: 'pricing',
    kind: 'plain',
    body: `<main id="main"><h1>Pricing</h1>
<p class="lead">A base price and the usage that you had, to the unit.
Free has ${dollars(PLANS.free.creditNano)} of credits that pay for every kind of usage.</p>
<ul class="plans">${plans.map(card).join('')}</ul>
<h2>What each plan includes</h2>
<div class="table" tabindex="0" role="region" aria-label="Plans"><table><thead><tr><th scope="col">
<span class="hidden">Limit</span></th>${plans
      .map(({ name }) => `<th scope="col">${name}</th>`)
      .join('')}</tr></thead><tbody>${ROWS.map(
      ([title, value]) =>
        `<tr><th scope="row">${title}</th>${plans.map((plan) => `<td>${value(plan)}</td>`).join('')}</tr>`,
    ).join('')}</tbody></table></div>
<h2>Usage</h2><p>Prices are the same on every plan.</p>
<div class="table" tabindex="0" role="region" aria-label="Prices of usage"><table><thead><tr>
<th scope="col">Resource</th><th scope="col">Price</th><th scope="col">For</th></tr></thead><tbody>${prices
      .toSorted((one, other) => METERS.indexOf(one.meter) - METERS.indexOf(other.meter))
      .map(
        ({ meter, model, priceNano, per }) =>
          `<tr><th scope="row">${meterOf(meter, model)}</th>` +
          `<td>${dollars(priceNano)}</td><td>${escapeHtml(per)}</td></tr>`,
      )
      .join('')}</tbody></table></div>
<p><a href="/docs/plans">All limits</a>,
<a href="/docs/metering">how usage is counted</a> and <a href="/docs/billing">what an invoice contains</a>.</p></main>`,
  };
}

const card = (plan: Plan): string => `<li><h2>${plan.name}</h2>
<p class="price">${priceOf(plan)}</p>
<p>${termsOf(plan)}</p>
<p><a class="button${plan.id === 'builder' ? '' : ' quiet'}" href="/app/sign-up">${actionOf(plan)}</a></p></li>`;

const priceOf = ({ priceUsdPerMonth: price }: Plan): string =>
  price === null ? 'By contract' : `$${price}<span> a month</span>`;

function termsOf({ billsUsage, priceUsdPerMonth }: Plan): string {
  if (priceUsdPerMonth === null) return 'Limits and prices as agreed.';
  return billsUsage
    ? 'Plus usage, billed monthly. You can set a spend cap.'
    : 'No card needed. Usage stops when the credits are used up.';
}

const actionOf = ({ id, name }: Plan): string => (id === 'free' ? 'Start' : `Choose ${name}`);

const meterOf = (meter: Meter, model: string | null): string =>
  escapeHtml(METER_TABLE[meter].label) + (model === null ? '' : ` <code>${escapeHtml(model)}</code>`);

const count = (limit: number | null): string => (limit === null ? 'Unlimited' : limit.toLocaleString('en-US'));
const yes = (has: boolean): string => (has ? 'Yes' : 'No');
const dollars = (nano: bigint): string => `$${formatUsd(nano)}`;
