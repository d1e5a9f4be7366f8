'use strict';
/**
 * Runs inside of a sandbox that can write nothing, as `node pack-image.cjs <directory>`. The directory has the root of
 * an image (`root`) and what the builder reports about it (`inspect.json`). It writes records in the format of
 * `pack.cjs`: the configuration of the image, then files, links and notes, and at last `{"end":true}`.
 *
 * A link is kept as a path relative to itself, because the root of the image is not the root of the tree. Directories
 * exist by their files, so an empty one gets a file `.keep`.
 */
const fs = require('node:fs');
const path = require('node:path');

const { note, record, sendFile } = require('./pack.cjs');

const LARGEST_REPORT = 1024 * 1024;
const LARGEST_PASSWD = 1024 * 1024;
const LONGEST_PATH = 1024;
const MOST_USERS = 1_000;
/** These are replaced when the server runs. The files in /etc are mounted over, so they have to exist. */
const REPLACED = new Set(['proc', 'sys', 'dev', 'tmp', 'run', '.dockerenv']);
const MOUNTED_OVER = ['etc/hosts', 'etc/resolv.conf', 'etc/nsswitch.conf'];

const directory = process.argv[2];
const root = path.join(directory, 'root');
const special = { left: 0, users: 0 };

const isPlain = (name) => !/[\x00-\x1f\x7f\\\ufffd]/.test(name) && Buffer.byteLength(name) <= LONGEST_PATH;

function textOf(file, most) {
  const stat = fs.lstatSync(file);
  if (!stat.isFile() || stat.size > most) throw new Error(`${path.basename(file)} is no text`);
  return fs.readFileSync(file, 'utf8');
}

/** The names of users. A file that is a link may lead out of the image, so it is not read. */
function usersOf() {
  try {
    const lines = textOf(path.join(root, 'etc/passwd'), LARGEST_PASSWD).split('\n');
    return lines.slice(0, MOST_USERS).map((line) => line.split(':')[0].slice(0, 100));
  } catch {
    return [];
  }
}

/** What a link leads to, as names below the root of the image. As in a real root, `..` never leads out of it. */
function targetOf(to, target) {
  const names = target.startsWith('/') ? [] : to.split('/').slice(0, -1);
  for (const name of target.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

function sendLink(from, to) {
  const target = targetOf(to, fs.readlinkSync(from));
  if (isPlain(target)) record({ link: to, to: path.posix.relative(path.posix.dirname(`/${to}`), `/${target}`) || '.' });
  else note(`${to} was left out: what it leads to cannot be served.`);
}

function sendEntry(from, to) {
  if (!isPlain(to)) {
    note(`${JSON.stringify(to.slice(0, 200))} was left out: its path cannot be served.`);
    return;
  }
  if (MOUNTED_OVER.includes(to)) return;
  const stat = fs.lstatSync(from);
  if (stat.isSymbolicLink()) sendLink(from, to);
  else if (stat.isDirectory()) sendDirectory(from, to);
  else if (stat.isFile()) {
    if ((stat.mode & 0o6000) !== 0) special.users += 1;
    sendFile(from, to, stat);
  } else special.left += 1;
}

function sendDirectory(from, to) {
  // Names that are not valid UTF-8 contain a replacement character, and are left out by `isPlain`.
  const names = fs.readdirSync(from).sort();
  if (names.length === 0) record({ file: `${to}/.keep`, bytes: 0, executable: false });
  for (const name of names) sendEntry(path.join(from, name), `${to}/${name}`);
}

const { OCIv1: image } = JSON.parse(textOf(path.join(directory, 'inspect.json'), LARGEST_REPORT));
record({ image: { os: image.os, architecture: image.architecture, config: image.config ?? {}, users: usersOf() } });
for (const name of fs.readdirSync(root).sort()) if (!REPLACED.has(name)) sendEntry(path.join(root, name), name);
for (const file of MOUNTED_OVER) record({ file, bytes: 0, executable: false });
if (special.left > 0) note(`${special.left} devices, sockets or pipes were left out of the image.`);
if (special.users > 0)
  note(`${special.users} programs of the image change their user. They run as the user of the server instead.`);
record({ end: true });
