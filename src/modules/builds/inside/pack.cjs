'use strict';
/**
 * Runs inside of a sandbox that can write nothing, as `node pack.cjs <plan as JSON>`, or as a part of `source.cjs`
 * if no code of the user has run. It writes records to standard output: four bytes of length, JSON of that length,
 * and, for a file, its content. The first record has the facts, then come files and notes, and at last
 * `{"end":true}`.
 */
const fs = require('node:fs');
const path = require('node:path');

const CHUNK = 256 * 1024;
const LONGEST_PATH = 1024;

function writeAll(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function record(value) {
  const json = Buffer.from(JSON.stringify(value));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  writeAll(Buffer.concat([length, json]));
}

const notes = { count: 0 };
function note(text) {
  notes.count += 1;
  if (notes.count <= 50) record({ note: text });
}

const isInside = (inner, outer) => inner === outer || inner.startsWith(`${outer}/`);
const isPlain = (name) => !/[\x00-\x1f\x7f\\\ufffd]/.test(name);
const statOf = (file) => {
  try {
    return fs.statSync(file);
  } catch {
    return null;
  }
};

function textOf(directory, name, most) {
  const stat = statOf(path.join(directory, name));
  if (stat === null || !stat.isFile() || stat.size > most) return null;
  try {
    return fs.readFileSync(path.join(directory, name), 'utf8');
  } catch {
    return null;
  }
}

const sent = new Set();

function sendFile(from, to, stat) {
  let descriptor;
  try {
    descriptor = fs.openSync(from, 'r');
  } catch (error) {
    note(`${to} was left out: it cannot be read (${error.code}).`);
    return;
  }
  try {
    record({ file: to, bytes: stat.size, executable: (stat.mode & 0o111) !== 0 });
    const chunk = Buffer.alloc(Math.min(CHUNK, Math.max(1, stat.size)));
    for (let left = stat.size; left > 0;) {
      const read = fs.readSync(descriptor, chunk, 0, Math.min(chunk.length, left), null);
      if (read === 0) throw new Error('a file became shorter');
      writeAll(chunk.subarray(0, read));
      left -= read;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}

/** A program of npm finds its modules relative to its real path, so that a script is sent instead of a copy. */
function sendBinary(from, to, target) {
  const relative = path.relative(path.dirname(from), target).replaceAll("'", "'\\''");
  const script = Buffer.from(`#!/bin/sh\nexec node "$(dirname "$0")"/'${relative}' "$@"\n`);
  record({ file: to, bytes: script.length, executable: true });
  writeAll(script);
}

function startsWithNode(file) {
  const descriptor = fs.openSync(file, 'r');
  try {
    const start = Buffer.alloc(64);
    fs.readSync(descriptor, start, 0, 64, 0);
    return /^#!.*\bnode\b/.test(start.toString('latin1').split('\n')[0]);
  } finally {
    fs.closeSync(descriptor);
  }
}

function sendEntry(item, from, to, above) {
  const name = path.basename(from);
  if (!isPlain(to) || Buffer.byteLength(to) > LONGEST_PATH) {
    note(`${JSON.stringify(to.slice(0, 200))} was left out: its path cannot be served.`);
    return;
  }
  let real = from;
  let link = false;
  try {
    link = fs.lstatSync(from).isSymbolicLink();
    if (link) real = fs.realpathSync(from);
  } catch {
    note(`${to} was left out: its link is broken.`);
    return;
  }
  if (link && !isInside(real, item.tree)) {
    note(`${to} was left out: it leads out of ${item.named}.`);
    return;
  }
  const stat = statOf(real);
  if (stat === null) return;
  if (stat.isDirectory()) {
    if (above.includes(real)) note(`${to} was left out: it leads back to a directory that holds it.`);
    else sendDirectory(item, from, to, [...above, real]);
    return;
  }
  if (!stat.isFile()) {
    note(`${to} was left out: it is not a regular file.`);
    return;
  }
  if (sent.has(to)) return;
  sent.add(to);
  if (link && path.basename(path.dirname(from)) === '.bin' && name !== '' && startsWithNode(real))
    sendBinary(from, to, real);
  else sendFile(real, to, stat);
}

function sendDirectory(item, from, to, above) {
  let names;
  try {
    names = fs.readdirSync(from).sort();
  } catch (error) {
    note(`${to} was left out: it cannot be read (${error.code}).`);
    return;
  }
  for (const name of names) {
    const isTop = above.length === 1;
    // Sites compare without case, because a name in another case is as much the same file to its author.
    if (name === '.git' || (isTop && item.except.includes(item.site ? name.toLowerCase() : name))) continue;
    if (item.site && ((name.startsWith('.') && name !== '.well-known') || name.toLowerCase() === 'node_modules'))
      continue;
    sendEntry(item, path.join(from, name), to === '' ? name : `${to}/${name}`, above);
  }
}

/** Finds the server of Next.js: at the top, or in a directory below it in a monorepo. */
function serverIn(directory) {
  const waiting = [''];
  for (let seen = 0; waiting.length > 0 && seen < 10_000; seen++) {
    const at = waiting.shift();
    const here = path.join(directory, at);
    let entries;
    try {
      entries = fs.readdirSync(here, { withFileTypes: true });
    } catch {
      continue;
    }
    if (entries.some((entry) => entry.name === 'server.js' && entry.isFile())) return at;
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
        waiting.push(path.join(at, entry.name));
    }
  }
  return null;
}

function resolved(plan, item) {
  const real = (() => {
    try {
      return fs.realpathSync(item.from);
    } catch {
      return null;
    }
  })();
  if (real === null || !isInside(real, plan.within) || !statOf(real).isDirectory()) return null;
  // An output that is a link to the project itself would publish its source.
  if (real !== item.from && isInside(plan.root ?? plan.within, real)) return null;
  if (path.relative(plan.within, real).split('/').includes('.git')) return null;
  return { except: [], site: false, ...item, from: real, tree: item.tree ?? real };
}

const MOST_LOOKED_AT = 20_000;
const isPage = (name) => /\.html?$/i.test(name);

/** True when the directory, or one below it, has an HTML page. */
function hasPage(directory) {
  const waiting = [directory];
  for (let seen = 0; waiting.length > 0 && seen < MOST_LOOKED_AT;) {
    const at = waiting.shift();
    let entries;
    try {
      entries = fs.readdirSync(at, { withFileTypes: true });
    } catch {
      continue;
    }
    seen += entries.length;
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (isPage(entry.name) && !entry.isDirectory()) return true;
      if (entry.isDirectory()) waiting.push(path.join(at, entry.name));
    }
  }
  return false;
}

/** Directories that could be meant instead: those of up to two names that have a page. */
function pageDirectories(plan) {
  const root = plan.root ?? plan.within;
  const below = (at) => {
    try {
      return fs
        .readdirSync(path.join(root, at), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
        .map((entry) => path.join(at, entry.name))
        .slice(0, 100);
    } catch {
      return [];
    }
  };
  const top = below('');
  return [...top, ...top.flatMap(below)]
    .filter((at) => {
      try {
        return fs.readdirSync(path.join(root, at)).some(isPage);
      } catch {
        return false;
      }
    })
    .filter(isPlain)
    .slice(0, 5);
}

/** Selects what to collect: the first directory that exists, of those with a page if there is one. */
function selected(plan) {
  const found = plan.candidates.map((item) => resolved(plan, item)).filter((item) => item !== null);
  return (plan.needsPage === true ? found.find((item) => hasPage(item.from)) : undefined) ?? found[0] ?? null;
}

function pack(plan) {
  const first = selected(plan);
  if (first === null) {
    record({ facts: { found: false, pageDirectories: plan.needsPage === true ? pageDirectories(plan) : [] } });
  } else {
    const isPageless = plan.needsPage === true && !hasPage(first.from);
    const server = plan.standalone === true ? serverIn(first.from) : null;
    record({
      facts: {
        found: plan.standalone !== true || server !== null,
        output: path.relative(plan.within, first.from),
        server,
        redirects: textOf(first.from, '_redirects', 262_144),
        headers: textOf(first.from, '_headers', 262_144),
        pages: (plan.pages ?? []).filter((name) => statOf(path.join(first.from, name))?.isFile() === true),
        isPageless,
        pageDirectories: isPageless ? pageDirectories(plan) : [],
        missing: (plan.leaves ?? []).filter((name) => statOf(path.join(first.from, name)) === null),
        isEmpty: fs.readdirSync(first.from).length === 0,
      },
    });
    sendDirectory(first, first.from, '', [first.from]);
    for (const more of plan.more.map((item) => resolved(plan, item)).filter((item) => item !== null)) {
      sendDirectory(more, more.from, path.join(server ?? '', more.to), [more.from]);
    }
  }
  record({ end: true, notes: notes.count });
}

if (require.main === module) pack(JSON.parse(process.argv[2]));
else module.exports = { pack, record };
