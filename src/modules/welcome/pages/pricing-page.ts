import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { escapeHtml } from '../../../platform/text/escape-html.js';
import { type Meter, METER_TABLE, METERS, TOKEN_KINDS, type TokenKind } from '../../metering/meter.js';
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
  ['Calls of models at once', ({ ai }) => count(ai.concurrency)],
  ['Tokens of models a minute', ({ ai }) => count(ai.tokensPerMinute)],
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
<th scope="col">Resource</th><th scope="col">Price</th><th scope="col">For</th></tr></thead><tbody>${METERS.map(
      (meter) => meterRows(meter, prices),
    ).join('')}</tbody></table></div>
${modelTable(prices)}
<p><a href="/docs/plans">All limits</a>,
<a href="/docs/metering">how usage is counted</a> and <a href="/docs/billing">what an invoice contains</a>.</p></main>`,
  };
}

/** A meter with models has one row for all of them, because a router may list hundreds. */
function meterRows(meter: Meter, prices: readonly ShownPrice[]): string {
  const { label, hasModel, price } = METER_TABLE[meter];
  const row = (cells: string): string => `<tr><th scope="row">${escapeHtml(label)}</th>${cells}</tr>`;
  if (hasModel) return row(`<td>By model</td><td>${escapeHtml(price.per)}</td>`);
  return prices
    .filter((each) => each.meter === meter)
    .map(({ priceNano, per }) => row(`<td>${dollars(priceNano)}</td><td>${escapeHtml(per)}</td>`))
    .join('');
}

const KIND_TITLES: Readonly<Record<TokenKind, string>> = {
  input: 'Input',
  output: 'Output',
  cache_read: 'Read from a cache',
  cache_write: 'Written to a cache',
};
const MOST_MODELS = 100;

function modelTable(prices: readonly ShownPrice[]): string {
  const models = new Map<string, Map<string, bigint>>();
  for (const { model, priceNano } of prices) {
    if (model === null) continue;
    const at = model.lastIndexOf(':');
    const name = model.slice(0, at);
    models.set(name, (models.get(name) ?? new Map<string, bigint>()).set(model.slice(at + 1), priceNano));
  }
  if (models.size === 0) return '';
  const cell = (nano: bigint | undefined): string => `<td>${nano === undefined ? '' : dollars(nano)}</td>`;
  const rows = [...models]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, MOST_MODELS)
    .map(
      ([name, kinds]) =>
        `<tr><th scope="row"><code>${escapeHtml(name)}</code></th>` +
        `${TOKEN_KINDS.map((kind) => cell(kinds.get(kind))).join('')}</tr>`,
    );
  const others = models.size - rows.length;
  return `<h2>Models</h2><p>For ${METER_TABLE.ai_tokens.price.per}.</p>
<div class="table" tabindex="0" role="region" aria-label="Prices of models"><table><thead><tr>
<th scope="col">Model</th>${TOKEN_KINDS.map((kind) => `<th scope="col">${KIND_TITLES[kind]}</th>`).join('')}
</tr></thead>
<tbody>${rows.join('')}</tbody></table></div>
${others > 0 ? `<p>And ${others} more: <code>GET /api/v1/ai/models</code>.</p>` : ''}`;
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

const count = (limit: number | null): string => (limit === null ? 'Unlimited' : limit.toLocaleString('en-US'));
const yes = (has: boolean): string => (has ? 'Yes' : 'No');
const dollars = (nano: bigint): string => `$${formatUsd(nano)}`;
