// Run it after `npm run build`: it looks at the website in dist/.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const files = readdirSync('dist', { recursive: true, encoding: 'utf8' });

test('each screen is a page with its text in it', () => {
  assert.match(readFileSync('dist/index.html', 'utf8'), /It runs\./);
  assert.match(readFileSync('dist/about.html', 'utf8'), /One code for Android, iOS and the web\./);
});

test('the scripts and the fonts that pages ask for are there, and come from nowhere else', () => {
  const page = readFileSync('dist/index.html', 'utf8');
  const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source);
  assert.ok(scripts.length > 0);
  for (const source of scripts) assert.ok(existsSync(`dist${source}`), source);
  assert.ok(files.some((name) => /Inter_400Regular.*\.ttf$/.test(name)));
  assert.doesNotMatch(page, /fonts\.(googleapis|gstatic)\.com/);
});
