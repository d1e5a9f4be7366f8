/** An organization as there could be one, for pictures: everything in it is made by calls of the API and by pushes. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { git, write } from '../../bench/service.mjs';

export const ORG = 'harbor-books';
const PERSON = { username: 'mira', email: 'mira@harbor-books.example', password: 'a-long-enough-secret' };

const DAY_MS = 86_400_000;
const OVER = ['ready', 'error', 'canceled'];

const PAGE = (title, text) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<h1>${title}</h1><p>${text}</p></html>
`;

/** A build without packages, so that it takes a second and needs no network. */
const BUILD = `import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
const layout = readFileSync('layout.html', 'utf8');
for (const name of readdirSync('pages')) {
  const text = readFileSync('pages/' + name, 'utf8');
  writeFileSync('dist/' + name, layout.replace('{{page}}', text));
  console.log('\\x1b[32m✓\\x1b[0m dist/' + name.padEnd(18) + '\\x1b[2m' + text.length + ' bytes\\x1b[0m');
}
console.log('\\x1b[1m' + readdirSync('dist').length + ' pages written\\x1b[0m');
`;

const SITE = {
  'package.json': JSON.stringify({ name: 'storefront', private: true, scripts: { build: 'node build.mjs' } }, null, 2),
  'build.mjs': BUILD,
  'layout.html': PAGE('Harbor Books', '{{page}}'),
  'pages/index.html': 'New and used books, a minute from the harbor.',
  'pages/about.html': 'Open every day from ten to seven.',
  'pages/events.html': 'Readings on the first Friday of the month.',
  'pages/404.html': 'This page is not here.',
};

/**
 * Calls as the app makes them, with the cookie of a session.
 *
 * @param {string} url of the service
 */
class Caller {
  constructor(url) {
    this.url = url;
    this.cookie = '';
    this.org = undefined;
  }

  async call(method, path, body, headers = {}) {
    const response = await fetch(`${this.url}/api/v1/${path}`, {
      method,
      headers: {
        'x-service-session': 'cookie',
        'sec-fetch-site': 'same-origin',
        cookie: this.cookie,
        ...(this.org !== undefined && { 'x-service-org': this.org }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';', 1)[0];
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text).data;
  }

  /** Waits until this holds of what a call returns. */
  async until(path, holds, what = path) {
    for (let tries = 0; tries < 600; tries++) {
      const found = await this.call('GET', path);
      if (holds(found)) return found;
      await sleep(100);
    }
    throw new Error(`Waited in vain: ${what}`);
  }
}

/** A repository with a project, and a directory from which commits are pushed to it. */
class Site {
  constructor(caller, { project, repository, directory, url }) {
    Object.assign(this, { caller, project, repository, directory, url });
  }

  static async create(caller, { name, secret, workDir, settings = {}, files }) {
    const repository = await caller.call('POST', 'repositories', { name });
    const { repo_url: url } = repository;
    const project = await caller.call('POST', 'projects', { name, repo_url: url, ...settings });
    const directory = join(workDir, name);
    const withSecret = url.replace('://', `://mira:${secret}@`);
    await git(['init', '--quiet', '-b', 'main', directory]);
    write(directory, files);
    return new Site(caller, { project: project.id, repository: repository.id, directory, url: withSecret });
  }

  /** Pushes a commit, and resolves with its deploy when that is over, or has got as far as a state. */
  async push(message, { author = 'Mira Lindqvist', branch = 'main', files = {}, states = OVER } = {}) {
    const inDirectory = (...args) => git(args, this.directory);
    await inDirectory('checkout', '--quiet', '-B', branch);
    write(this.directory, files);
    await inDirectory('add', '.');
    const email = `${author.split(' ')[0].toLowerCase()}@harbor-books.example`;
    await inDirectory(
      ...['-c', `user.name=${author}`, '-c', `user.email=${email}`],
      ...['commit', '--quiet', '--allow-empty', '--author', `${author} <${email}>`, '-m', message],
    );
    const sha = (await inDirectory('rev-parse', 'HEAD')).trim();
    await inDirectory('push', '--quiet', this.url, `HEAD:refs/heads/${branch}`);
    const ofPush = (deploys) => deploys.find(({ commit }) => commit?.sha === sha);
    const deploys = await this.caller.until(
      `projects/${this.project}/deploys?limit=5`,
      (all) => states.includes(ofPush(all)?.state),
      `the deploy of "${message}"`,
    );
    return ofPush(deploys);
  }
}

/** @returns what the addresses of screens need */
export async function makeSample({ url, usageToken, workDir }) {
  const caller = new Caller(url);
  await caller.call('POST', 'auth/sign-up', PERSON);
  const org = await caller.call('POST', 'orgs', { name: 'Harbor Books', slug: ORG });
  caller.org = ORG;
  const { secret, id: first } = await caller.call('POST', 'keys', {
    name: 'Laptop of Mira',
    kind: 'org_bound',
    org_id: ORG,
  });
  const shared = { secret, workDir };

  const storefront = await Site.create(caller, {
    ...shared,
    name: 'storefront',
    settings: { build_command: 'node build.mjs' },
    files: SITE,
  });
  const releases = [
    await storefront.push('The shop opens'),
    await storefront.push('Readings have a page', { author: 'Tomas Reyes' }),
    await storefront.push('Prices show the tax', { author: 'Mira Lindqvist' }),
  ];
  const preview = await storefront.push('Gift cards, a first draft', {
    author: 'Tomas Reyes',
    branch: 'gift-cards',
    files: { 'pages/gift-cards.html': 'For those who have read everything.' },
  });
  await git(['checkout', '--quiet', 'main'], storefront.directory);
  const failed = await storefront.push('Search by author', {
    author: 'Ines Okoro',
    files: { 'build.mjs': `${BUILD}console.error('Error: pages/search.html has no {{title}}');\nprocess.exit(1);\n` },
  });
  const live = await storefront.push('Search by author, with a title', {
    author: 'Ines Okoro',
    files: { 'build.mjs': BUILD, 'pages/search.html': 'Find a book by its author.' },
  });

  const others = {};
  for (const [name, title] of [
    ['docs', 'How we work'],
    ['stock-api', 'Stock'],
    ['newsletter', 'News of the harbor'],
  ]) {
    others[name] = await Site.create(caller, {
      ...shared,
      name,
      files: { 'index.html': PAGE(title, 'Harbor Books'), 'health.json': '{"ok":true}\n' },
    });
  }
  await others.docs.push('Returns are free for 30 days', { author: 'Ines Okoro' });
  await others['stock-api'].push('Count books on their way', { author: 'Tomas Reyes' });
  await others.newsletter.push('The autumn issue');

  await caller.call('PUT', `projects/${storefront.project}/env`, {
    variables: [
      { name: 'DATABASE_URL', value: 'postgres://shop:secret@db.harbor-books.example/shop', targets: ['production'] },
      { name: 'DATABASE_URL', value: 'postgres://shop:secret@db.harbor-books.example/preview', targets: ['preview'] },
      { name: 'STOCK_API', value: 'https://stock.harbor-books.example', targets: ['production'] },
      { name: 'MAIL_FROM', value: 'hello@harbor-books.example', targets: ['production'] },
    ],
  });
  await caller.call('PUT', 'billing/spend-cap', { amount: '50.00' });
  for (const [language, code] of [
    ['python', 'print(sum(n * n for n in range(10)))'],
    ['javascript', 'console.log([..."harbor"].reverse().join(""))'],
  ])
    await caller.call('POST', 'sandbox/executions', { language, code });
  await reportUsage({ url, usageToken, org: org.id, project: storefront.project });
  await caller.until('billing/usage', (lines) => lines.length >= 3, 'the usage');
  return { org, first, secret, caller, storefront, others, releases, preview, failed, live };
}

/** Days of usage up to now that rise and fall as those of a shop do. */
async function reportUsage({ url, usageToken, org, project }) {
  const now = Date.now();
  const today = new Date(now).getUTCDate();
  const events = Array.from({ length: today }, (_, ago) => {
    const occurred_at = new Date(now - ago * DAY_MS).toISOString();
    const swing = 1 + 0.4 * Math.sin(ago * 0.9) + (ago % 7 === 2 ? 0.5 : 0);
    const event = { source: 'sample', org_id: org, project_id: project, occurred_at };
    const model = { meter: 'ai_tokens', model: 'anthropic/claude-sonnet:output' };
    return [
      { ...event, id: randomUUID(), meter: 'sandbox_compute', quantity: String(Math.round(9_000_000 * swing)) },
      { ...event, id: randomUUID(), ...model, quantity: String(Math.round(24_000 * swing)) },
      { ...event, id: randomUUID(), meter: 'object_storage', quantity: String(Math.round(2e15 * swing)) },
    ];
  }).flat();
  const response = await fetch(`${url}/api/v1/billing/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${usageToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
  });
  if (!response.ok) throw new Error(`The usage was not accepted: ${response.status} ${await response.text()}`);
}
