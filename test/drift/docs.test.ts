import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PLAN_IDS, PLANS } from '../../src/modules/plans/plan.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { ERROR_CATALOG } from '../../src/roles/error-catalog.js';

const DOCS = join(PROJECT_ROOT, 'docs');
const ERROR_PAGES = join(DOCS, 'errors');
const README = join(PROJECT_ROOT, 'README.md');

const read = (file: string): string => readFileSync(file, 'utf8');
const nameOf = (file: string): string => relative(PROJECT_ROOT, file);

const markdownBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** In a fenced block nothing is a link, and what looks like a path is an example. */
const withoutExamples = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```/gm, '');

const pages = markdownBelow(DOCS);
const servedPages = [...markdownBelow(ERROR_PAGES), join(DOCS, 'plans.md')];

/** The class by status, and the base class for all others (service document §7). */
const CLASS_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'ValidationError',
  401: 'AuthenticationError',
  402: 'InsufficientCreditsError',
  403: 'AuthorizationError',
  404: 'NotFoundError',
  409: 'ConflictError',
  429: 'RateLimitError',
};

describe('error pages', () => {
  const { codes } = ERROR_CATALOG;

  it('exist for every code and nothing else', () => {
    expect(readdirSync(ERROR_PAGES).sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });

  it.each(codes)('%s has its code as title, and its status, type and class in the table', (code) => {
    const { status, type } = ERROR_CATALOG.get(code);
    const lines = read(join(ERROR_PAGES, `${code}.md`)).split('\n');
    expect(lines[0]).toBe(`# \`${code}\``);
    expect(lines).toContain(`| ${status} | \`${type}\` | \`${CLASS_BY_STATUS[status] ?? 'ServiceError'}\` |`);
  });

  it.each(codes)('%s says what it means, why it comes and what to do', (code) => {
    const headings = read(join(ERROR_PAGES, `${code}.md`)).match(/^## .*$/gm);
    expect(headings).toEqual(
      expect.arrayContaining(['## What it means', '## Common causes', '## How to fix it', '## Example']),
    );
  });

  it.each(codes)('%s shows a response with its own status, type, page and screen of the app', (code) => {
    const { status, type, dashboard } = ERROR_CATALOG.get(code);
    const [, text = ''] = /^```json\n([\s\S]*?)^```/m.exec(read(join(ERROR_PAGES, `${code}.md`))) ?? [];
    const example = JSON.parse(text) as { error: { dashboard_url?: string } };
    expect(example.error.dashboard_url).toBe(dashboard && `http://127.0.0.1:3000/app${dashboard}`);
    expect(example).toEqual({
      error: expect.objectContaining({
        code,
        status,
        type,
        message: expect.any(String),
        docs_url: expect.stringMatching(`/docs/errors/${code}$`),
      }),
      meta: { request_id: expect.stringMatching(/^req_[0-9a-z]{26}$/) },
    });
  });
});

describe('the documentation', () => {
  it.each([...pages, ...(existsSync(README) ? [README] : [])].map(nameOf))(
    '%s links only to files that exist',
    (name) => {
      const file = join(PROJECT_ROOT, name);
      const targets = [...withoutExamples(read(file)).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)].map(
        ([, target]) => target!,
      );
      const broken = targets
        .filter((target) => !/^([a-z][a-z0-9+.-]*:|#|\/)/i.test(target))
        .filter((target) => !existsSync(join(dirname(file), decodeURIComponent(target.replace(/#.*$/, '')))));
      expect(broken).toEqual([]);
    },
  );

  it.each(servedPages.map(nameOf))(
    '%s has no relative links, which would break when the service shows the page',
    (name) => {
      expect(withoutExamples(read(join(PROJECT_ROOT, name)))).not.toMatch(/\]\((?![a-z]+:|#)/);
    },
  );

  it.each(pages.map(nameOf))('%s names only paths that exist', (name) => {
    const spans = [...withoutExamples(read(join(PROJECT_ROOT, name))).matchAll(/`([^`\n]+)`/g)].map(
      ([, span]) => span!,
    );
    const missing = spans
      .filter((span) => /^(src|test|scripts|docs|migrations)\/[\w./-]*$/.test(span))
      .filter((path) => !existsSync(join(PROJECT_ROOT, path)));
    expect(missing).toEqual([]);
  });

  it('lists every decision, each with its own number', () => {
    const folder = join(DOCS, 'decisions');
    const records = readdirSync(folder)
      .filter((name) => name !== 'README.md')
      .sort();
    const listed = [...read(join(folder, 'README.md')).matchAll(/\]\((\d{4}-[a-z0-9-]+\.md)\)/g)].map(
      ([, record]) => record,
    );
    expect(listed).toEqual(records);
    const numbers = records.map((record) => record.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const record of records) expect(read(join(folder, record))).toMatch(new RegExp(`^# ${record.slice(0, 4)}: `));
  });

  it('uses only existing metrics in the objectives', () => {
    const sources = readdirSync(join(PROJECT_ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(PROJECT_ROOT, 'src', name)))
      .join('\n');
    const named = read(join(DOCS, 'operations/slo.md')).match(/\b(http|queue|sandbox|db)_[a-z_]+/g)!;
    const unknown = [...new Set(named)].filter(
      (metric) => !sources.includes(`'${metric.replace(/_(bucket|count|sum)$/, '')}'`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('plans', () => {
  /** Service document §8, value for value. */
  const PLANS_OF_DOCUMENT = [
    ['', 'Free', 'Builder ($49/mo)', 'Pro ($299/mo)', 'Enterprise'],
    ['API calls/day', '5,000', '100,000', 'Unlimited', 'Unlimited'],
    ['AI agents', '1', '10', 'Unlimited', 'Unlimited'],
    ['Projects', '3', '25', 'Unlimited', 'Unlimited'],
    ['Production deploys', 'No', 'Yes', 'Yes', 'Yes'],
    ['Agent swarms + cron', 'No', 'Yes', 'Yes', 'Yes'],
    ['Support', 'Community', 'Email', 'Priority + SLAs', 'Dedicated + custom SLAs'],
    ['SSO / SAML', 'No', 'No', 'No', 'Yes'],
  ];

  it.each([join(DOCS, 'plans.md'), README].map(nameOf))('match the service document in %s', (name) => {
    const rows = read(join(PROJECT_ROOT, name))
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map(cellsOf);
    expect(
      rows
        .filter(({ length }) => length === 5)
        .filter(([first]) => first !== '---')
        .slice(0, PLANS_OF_DOCUMENT.length),
    ).toEqual(PLANS_OF_DOCUMENT);
  });

  it('match the table that enforces them', () => {
    const words = {
      community: 'Community',
      email: 'Email',
      priority: 'Priority + SLAs',
      dedicated: 'Dedicated + custom SLAs',
    } as const;
    const number = (value: number | null): string => value?.toLocaleString('en-US') ?? 'Unlimited';
    const yes = (value: boolean): string => (value ? 'Yes' : 'No');
    const plans = PLAN_IDS.map((id) => PLANS[id]);
    expect(PLANS_OF_DOCUMENT).toEqual([
      [
        '',
        ...plans.map(({ name, priceUsdPerMonth }) => (priceUsdPerMonth ? `${name} ($${priceUsdPerMonth}/mo)` : name)),
      ],
      ['API calls/day', ...plans.map(({ limits }) => number(limits.callsPerDay))],
      ['AI agents', ...plans.map(({ limits }) => number(limits.agents))],
      ['Projects', ...plans.map(({ limits }) => number(limits.projects))],
      ['Production deploys', ...plans.map(({ features }) => yes(features.production_deploys))],
      ['Agent swarms + cron', ...plans.map(({ features }) => yes(features.swarms_and_cron))],
      ['Support', ...plans.map(({ support }) => words[support])],
      ['SSO / SAML', ...plans.map(({ features }) => yes(features.sso))],
    ]);
  });

  it('show the holds of a second and of a sandbox run', () => {
    const text = read(join(DOCS, 'plans.md'));
    const plans = PLAN_IDS.map((id) => PLANS[id]);
    const row = (title: string, cells: string[]): string => `| ${title} | ${cells.join(' | ')} |`;
    expect(text).toContain(
      row(
        'API calls/second',
        plans.map(({ callsPerSecond }) => callsPerSecond.toLocaleString('en-US')),
      ),
    );
    expect(text).toContain(
      row(
        'Sandbox execution timeout',
        plans.map(({ sandbox }) => `${sandbox.timeoutMs / 1000} s`),
      ),
    );
    expect(text).toContain(
      row(
        'Sandbox execution memory',
        plans.map(({ sandbox }) => `${sandbox.memoryMib.toLocaleString('en-US')} MiB`),
      ),
    );
    expect(text).toContain(
      row(
        'Sandbox executions at once',
        plans.map(({ sandbox }) => String(sandbox.concurrency)),
      ),
    );
    expect(text).toContain(
      row(
        'Sandbox sessions at once',
        plans.map(({ sandbox }) => String(sandbox.sessions.count)),
      ),
    );
    expect(text).toContain(
      row(
        'Longest sandbox session',
        plans.map(({ sandbox: { sessions } }) =>
          sessions.minutes < 60 ? `${sessions.minutes} min` : `${sessions.minutes / 60} h`,
        ),
      ),
    );
    expect(text).toContain(
      row(
        'Deploys at once',
        plans.map(({ deploys }) => String(deploys.concurrency)),
      ),
    );
    expect(text).toContain(
      row(
        'Build time',
        plans.map(({ deploys }) => `${deploys.buildMs / 60_000} min`),
      ),
    );
    expect(text).toContain(
      row(
        'Build memory',
        plans.map(({ deploys }) => `${deploys.memoryMib.toLocaleString('en-US')} MiB`),
      ),
    );
    expect(text).toContain(
      row(
        'App servers at once, on one machine',
        plans.map(({ apps }) => String(apps.servers)),
      ),
    );
    expect(text).toContain(
      row(
        'App server memory',
        plans.map(({ apps }) => `${apps.memoryMib.toLocaleString('en-US')} MiB`),
      ),
    );
    expect(text).toContain(
      row(
        'App server processor share',
        plans.map(({ apps }) => String(apps.cpuWeight)),
      ),
    );
    expect(text).toContain(
      row(
        'App server processors, at most',
        plans.map(({ apps }) => String(apps.cpuMaxPercent / 100)),
      ),
    );
    expect(text).toContain(
      row(
        'Build disk',
        plans.map(({ deploys }) => `${deploys.diskMib.toLocaleString('en-US')} MiB`),
      ),
    );
  });

  it.each(['plans.md', 'databases.md', 'storage.md'])('%s shows the limits of databases and storage', (page) => {
    const lines = read(join(DOCS, page)).split('\n');
    const plans = PLAN_IDS.map((id) => PLANS[id]);
    const days = ({ databases }: (typeof plans)[number]): string =>
      `${databases.restoreDays} ${databases.restoreDays === 1 ? 'day' : 'days'}`;
    const count = (value: number): string => value.toLocaleString('en-US');
    const rows: [RegExp, string, string[]][] = [
      [/plans|databases/, 'Databases', plans.map(({ databases }) => count(databases.count))],
      [/plans|databases/, 'GB in each( database)?', plans.map(({ databases }) => count(databases.gigabytes))],
      [
        /plans|databases/,
        'Connections to each( database)?',
        plans.map(({ databases }) => count(databases.connections)),
      ],
      [
        /plans|databases/,
        'Memory of each( database)?',
        plans.map(({ databases }) => `${count(databases.memoryMib)} MiB`),
      ],
      [/plans|databases/, 'Restore window( of databases)?', plans.map(days)],
      [/plans|storage/, 'GB in all buckets', plans.map(({ storage }) => count(storage.gigabytes))],
      [/plans|storage/, 'Buckets', plans.map(({ storage }) => count(storage.buckets))],
      [/plans|storage/, 'GB in one object', plans.map(({ storage }) => count(storage.objectGigabytes))],
    ];
    for (const [pages, title, cells] of rows.filter(([pages]) => pages.test(page)))
      expect([pages, lines.filter((line) => new RegExp(`^\\| ${title} \\|`).test(line)).map(cellsOf)]).toEqual([
        pages,
        [[expect.stringMatching(`^${title}$`), ...cells]],
      ]);
  });

  it('state the free credits and the anonymous limits', () => {
    const text = read(join(DOCS, 'plans.md'));
    expect(text).toContain('$5 in credits');
    expect(text).toContain('| Sandbox executions/day | 10 for an IP address |');
    expect(text).toContain('| Execution timeout | 30 seconds |');
    expect(text).toContain('| API calls/day | 1,000 for an IP address |');
  });
});

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
