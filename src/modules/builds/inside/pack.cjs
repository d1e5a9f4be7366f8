'use strict';
/**
 * Runs inside of a sandbox that can write nothing, as `node pack.cjs <plan as JSON>`, or as a part of `source.cjs`
 * if no code of the user has run. It writes records to standard output: four bytes of length, JSON of that length,
 * and, for a file, its content. The first record has the facts, then come files, links and notes, and at last
 * `{"end":true}`.
 *
 * In the directories that visitors receive (`served` of the plan), a link becomes a copy of what it leads to, which has
 * to be in the same directory. Elsewhere links are kept, because packages find each other by their real paths. What a
 * kept link leads to is named by its real path in the packed tree, so that no link leads through another one.
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

const sent = { files: new Set(), links: new Set(), directories: new Set() };

function* directoriesAbove(to) {
  for (let at = path.dirname(to); at !== '.'; at = path.dirname(at)) yield at;
}

/** Returns false when the tree already has something else at the path, or a link above it. */
function claim(kind, to) {
  if (sent.files.has(to) || sent.links.has(to) || sent.directories.has(to)) return false;
  for (const above of directoriesAbove(to)) {
    if (sent.files.has(above) || sent.links.has(above)) return false;
    if (sent.directories.has(above)) break;
  }
  kind.add(to);
  for (const above of directoriesAbove(to)) {
    if (sent.directories.has(above)) break;
    sent.directories.add(above);
  }
  return true;
}

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

/** Returns the directory whose files visitors receive and that holds this path, as a path on the disk, or null. */
function servedAbove(item, to) {
  const holds = (directory) => directory === '' || (to !== directory && isInside(to, directory));
  const directory = item.served.filter(holds).sort((a, b) => b.length - a.length)[0];
  if (directory === undefined) return null;
  const isBelow = item.to === '' || isInside(directory, item.to);
  return isBelow ? path.join(item.from, path.relative(`/${item.to}`, `/${directory}`)) : item.from;
}

/**
 * True when the last of these names is never published. Expo exports the pictures and fonts of packages to
 * assets/node_modules, which is published unless the output is the project itself.
 */
function isTool(item, names) {
  const name = names[names.length - 1];
  if (name.startsWith('.')) return name !== '.well-known';
  if (name.toLowerCase() !== 'node_modules') return false;
  return item.except.includes('node_modules') || names[0] !== 'assets' || names[1] !== 'node_modules';
}

/** A link must not show visitors what they would not receive without it. */
function isHidden(item, relative) {
  const names = relative.split('/');
  if (!item.site) return names.includes('.git');
  return (
    names.some((_, index) => isTool(item, names.slice(0, index + 1))) || item.except.includes(names[0].toLowerCase())
  );
}

/** Returns the path of a file in the packed tree, or null when it is not packed. */
function packedPath(items, real) {
  for (const item of items) {
    if (!isInside(real, item.from)) continue;
    const names = path.relative(item.from, real).split('/');
    if (names.includes('.git') || item.except.includes(names[0])) continue;
    return path.join(item.to, ...names);
  }
  return null;
}

function sendLink(item, to, real) {
  const at = packedPath(item.items, real);
  if (at === null) note(`${to} was left out: it leads out of ${item.named}.`);
  else if (!isPlain(at)) note(`${to} was left out: what it leads to cannot be served.`);
  else if (claim(sent.links, to)) {
    record({ link: to, to: path.relative(path.dirname(`/${to}`), path.join('/', at)) || '.' });
    if (item.served.includes(to)) note(`${to} is a link, so that its files are for the server only.`);
  } else if (!sent.links.has(to)) note(`${to} was left out: the output has something else at this path.`);
}

function sendEntry(item, from, to, above) {
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
  const served = link ? servedAbove(item, to) : null;
  if (link && served === null) {
    sendLink(item, to, real);
    return;
  }
  if (link && (!isInside(real, served) || isHidden(item, path.relative(served, real)))) {
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
  if (claim(sent.files, to)) sendFile(real, to, stat);
  else if (!sent.files.has(to)) note(`${to} was left out: the output has something else at this path.`);
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
    const at = to === '' ? name : `${to}/${name}`;
    if (item.site && isTool(item, at.split('/'))) continue;
    sendEntry(item, path.join(from, name), at, above);
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
  if (real !== item.from && isInside(plan.root, real)) return null;
  if (path.relative(plan.within, real).split('/').includes('.git')) return null;
  return { ...item, from: real };
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
  const { root } = plan;
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
  const withPage = plan.needsPage ? found.find((item) => hasPage(item.from)) : undefined;
  return { first: withPage ?? found[0] ?? null, isPageless: plan.needsPage && withPage === undefined };
}

const lacksFrontPage = ({ needsPage }, { from }) =>
  needsPage && statOf(path.join(from, 'index.html'))?.isFile() !== true;

function pack(plan) {
  const { first, isPageless } = selected(plan);
  if (first === null) {
    record({ facts: { found: false, pageDirectories: plan.needsPage ? pageDirectories(plan) : [] } });
  } else {
    const server = plan.standalone ? serverIn(first.from) : null;
    record({
      facts: {
        found: !plan.standalone || server !== null,
        output: path.relative(plan.within, first.from),
        server,
        redirects: textOf(first.from, '_redirects', 262_144),
        headers: textOf(first.from, '_headers', 262_144),
        pages: plan.pages.filter((name) => statOf(path.join(first.from, name))?.isFile() === true),
        isPageless,
        pageDirectories: isPageless || lacksFrontPage(plan, first) ? pageDirectories(plan) : [],
        missing: plan.leaves.filter((name) => statOf(path.join(first.from, name)) === null),
        isEmpty: fs.readdirSync(first.from).length === 0,
      },
    });
    const at = server ?? '';
    const items = [
      { ...first, to: '' },
      ...plan.more
        .map((item) => resolved(plan, item))
        .filter((item) => item !== null)
        .map((item) => ({ ...item, to: path.join(at, item.to) })),
    ];
    const served = plan.served.map((directory) =>
      path.relative('/', path.join('/', plan.standalone ? at : '', directory)),
    );
    for (const item of items) sendDirectory({ ...item, items, served }, item.from, item.to, [item.from]);
  }
  record({ end: true, notes: notes.count });
}

if (require.main === module) pack(JSON.parse(process.argv[2]));
else module.exports = { note, pack, record, sendFile };
