import { escapeHtml } from '../../../platform/text/escape-html.js';
import type { PartStates } from '../../health/readiness.service.js';
import type { PublicPage } from '../../site/public-pages.js';

interface State {
  readonly isReady: boolean;
  readonly parts: PartStates;
}

const WORDS: Readonly<Record<string, readonly [text: string, tone: string]>> = {
  up: ['Works', 'good'],
  degraded: ['Works in part', 'warn'],
  down: ['Down', 'bad'],
};

/** Names of parts as a reader would say them; others are shown as they are. */
const TITLES: Readonly<Record<string, string>> = {
  database: 'Database',
  migrations: 'Changes to the database',
  redis: 'Limits and messages',
  queues: 'Queues of jobs',
  sandbox: 'Sandbox',
  app_network: 'Network of apps',
  image_builds: 'Builds of images',
  processes: 'Processes',
  edge: 'Hosts of deploys',
  worker: 'Builds and schedules',
  storage: 'Disk',
};

export function statusPage({ isReady, parts }: State, now: Date): PublicPage {
  const states = Object.entries(parts);
  const isWhole = isReady && states.every(([, { status }]) => status === 'up');
  const [said, tone] = isWhole
    ? ['Everything works', 'good']
    : isReady
      ? ['Works, with limits', 'warn']
      : ['Not available', 'bad'];
  return {
    title: `Status: ${said}`,
    description: 'Whether each part of the service works now.',
    place: 'status',
    kind: 'plain',
    body: `<main id="main"><h1>Status</h1><p class="banner ${tone}" role="status"><strong>${said}</strong>
<span>Checked at <time datetime="${now.toISOString()}">${now.toISOString().slice(11, 19)} UTC</time></span></p>
<ul class="parts">${states.map(row).join('')}</ul>
<p>Machines read <a href="/ready"><code>/ready</code>
</a>. What callers can expect over 30 days, and how it is measured, is in
<a href="/docs/operations/slo">service level objectives</a>.</p></main>`,
  };
}

function row([name, { status, ...facts }]: [string, PartStates[string]]): string {
  const [word, tone] = WORDS[status] ?? [status, 'warn'];
  const reason = [facts['reason'], facts['message']].find((text) => typeof text === 'string');
  return (
    `<li><span><strong>${escapeHtml(TITLES[name] ?? name.replaceAll('_', ' '))}</strong>` +
    `${reason === undefined ? '' : `<small>${escapeHtml(reason)}</small>`}</span>` +
    `<span class="state ${tone}">${escapeHtml(word)}</span></li>`
  );
}
