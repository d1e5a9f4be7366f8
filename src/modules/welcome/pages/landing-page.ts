import { escapeHtml } from '../../../platform/text/escape-html.js';
import type { PublicPage } from '../../site/public-pages.js';

const PROGRAM = `const stars = ['Sirius', 'Vega', 'Rigel'];

for (const [index, star] of stars.entries()) {
  console.log(\`\${index + 1}. \${star}\`);
}
`;

const FEATURES = [
  [
    'Deploys',
    'Push a repository. Frameworks are found by themselves, previews and rollbacks come with it.',
    '/docs/deploys',
  ],
  [
    'Sandbox',
    'Run TypeScript, JavaScript and Python that you do not trust, isolated, without an account.',
    '/docs/sandbox',
  ],
  ['Metering', 'Usage is counted exactly once and billed by plan, to the nano-dollar.', '/docs/metering'],
  ['Domains', 'Bring your own domains. Certificates come by themselves.', '/docs/domains'],
  ['API first', 'Typed errors, retries that are safe, a client library and a command line.', '/docs/api'],
  [
    'Your machine',
    'One process and one command. Grow to many machines when you need them.',
    '/docs/operations/running',
  ],
] as const;

/** The sandbox works once the script of the page is there; without it, the page says how to call it. */
export const landingPage = (): PublicPage => ({
  title: 'Service: a developer platform on a machine of your own',
  description: 'Deploys, a sandbox, usage metering and billing on one machine, with one command.',
  kind: 'landing',
  body: `<main id="main">
<section class="hero"><h1>Push code, run programs, bill usage. On a machine of your own.</h1>
<p>One command, no cloud account. Try the sandbox: it runs here, isolated, without signing up.</p>
<p class="actions"><a class="button" href="/app/sign-up">Create an account</a>
<a class="button quiet" href="/docs/start">Run it yourself</a></p></section>
<section class="sandbox" aria-labelledby="try">
<div class="bar"><h2 id="try">Sandbox</h2>
<label><span class="hidden">Language</span><select id="language"><option value="typescript">TypeScript</option>
<option value="javascript">JavaScript</option><option value="python">Python</option></select></label>
<button type="button" id="share" class="button quiet" hidden>Copy link</button>
<button type="button" id="run" class="button" disabled>Run</button></div>
<div class="panes">
<textarea id="code" aria-label="Code" spellcheck="false" autocomplete="off">${escapeHtml(PROGRAM)}</textarea>
<div class="out">
<pre id="output" tabindex="0" role="region" aria-label="Output">Run it, and what it prints is here.</pre>
<p id="facts" role="status"></p></div></div>
<noscript><p class="note">Running code from this page needs JavaScript. From a terminal it needs curl:</p>
<pre>curl -s /api/v1/sandbox/try -H 'content-type: application/json' \\
  -d '{"language":"python","code":"print(1)"}'</pre></noscript>
</section>
<section class="features" aria-label="What it does"><ul>${FEATURES.map(
    ([title, text, to]) => `<li><a href="${to}"><h2>${title}</h2><p>${text}</p></a></li>`,
  ).join('')}</ul></section>
<section class="start" aria-labelledby="start"><h2 id="start">One command</h2>
<pre tabindex="0">npm ci &amp;&amp; npm start</pre>
<p>Databases, queues and isolation come with it.
<a href="/docs/start">Read how it starts</a>, or <a href="/pricing">see the plans</a>.</p></section>
</main>`,
});
