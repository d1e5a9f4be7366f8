/**
 * `npm run build && node scripts/stolen-passwords.mjs LIST...`: makes the filter of passwords that new ones must not be
 * among, from text files with a password in each line. docs/decisions/0112 says which lists it was made from.
 */
import './on-pinned-node.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Shorter ones are refused by their length. */
const MIN_LENGTH = 10;
const FALSE_POSITIVES = 1 / 10_000;
/** Those that are in no list because too many people think that nobody else has them. */
const MORE = ['correct horse battery staple', 'correcthorsebatterystaple', 'password!1', 'p@ssw0rd123', 'p@ssword123'];
const FILE = new URL('../src/modules/people/accounts/stolen-passwords.bin', import.meta.url);

const { BloomFilter } = createRequire(import.meta.url)('../dist/src/platform/text/bloom-filter.js');
const passwords = new Set(MORE);
for (const list of process.argv.slice(2))
  for (const line of readFileSync(list, 'utf8').split(/\r?\n/))
    if (line.length >= MIN_LENGTH) passwords.add(line.toLowerCase());
if (passwords.size === MORE.length) throw new Error('Name at least one list of passwords.');

const filter = BloomFilter.empty(passwords.size, FALSE_POSITIVES);
for (const password of passwords) filter.add(password);
const { bytes } = filter;
writeFileSync(FILE, bytes);
console.log(`${passwords.size} passwords in ${bytes.length} bytes`);
