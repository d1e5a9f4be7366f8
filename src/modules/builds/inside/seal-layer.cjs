'use strict';
// Runs in the isolation of a build, when npm or pip has ended. Leaves plain files and directories, which everybody can
// read and nobody but their owner can write, and refuses what is too much or leads out.

const fs = require('node:fs');

const [root, maxBytes, maxFiles] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
/** What a disk takes for a file of one byte, and for a directory. */
const BLOCK_BYTES = 4_096;
const SEPARATOR = Buffer.from('/');
const found = { bytes: 0, files: 0 };

class Refused extends Error {}

/** Paths are bytes, because names need not be text. */
function seal(directory) {
  fs.chmodSync(directory, 0o755);
  for (const name of fs.readdirSync(directory, { encoding: 'buffer' })) {
    const path = Buffer.concat([directory, SEPARATOR, name]);
    const facts = fs.lstatSync(path);
    found.files += 1;
    if (found.files > maxFiles) throw new Refused(`The packages have more than ${maxFiles} files.`);
    found.bytes += facts.isFile() ? Math.ceil(facts.size / BLOCK_BYTES) * BLOCK_BYTES : BLOCK_BYTES;
    if (found.bytes > maxBytes) throw new Refused(`The packages have more than ${maxBytes / 1_048_576} MiB.`);
    if (facts.isDirectory()) seal(path);
    else if (facts.isSymbolicLink()) requireInside(path);
    else if (facts.isFile()) {
      // No bit for another user or group remains.
      fs.chmodSync(path, (facts.mode & 0o111) === 0 ? 0o644 : 0o755);
    } else throw new Refused(`${path.toString()} is neither a file nor a directory.`);
  }
}

/** A link is kept as it is, so it must say the same wherever the layer is mounted. */
function requireInside(path) {
  const target = fs.readlinkSync(path);
  let real = '';
  try {
    real = fs.realpathSync(path);
  } catch {
    // It leads nowhere.
  }
  if (target.startsWith('/') || !real.startsWith(`${root}/`))
    throw new Refused(`${path.toString()} is a link that leads out of the packages.`);
}

try {
  const facts = fs.lstatSync(root, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isDirectory()) throw new Refused('Nothing was installed.');
  seal(Buffer.from(root));
  process.stdout.write(`${JSON.stringify(found)}\n`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
