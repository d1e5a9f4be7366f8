'use strict';
/**
 * Runs inside of a sandbox as the user of a build: `node measure.cjs <most bytes> <most files> <directory …>`. It
 * prints `{"bytes","files","uncounted"}`: the disk usage of the directories, and the number of entries that could
 * not be read. It stops when a maximum is exceeded.
 */
const fs = require('node:fs');

const [mostBytes, mostFiles, ...directories] = process.argv
  .slice(2)
  .map((value, index) => (index < 2 ? Number(value) : value));
const found = { bytes: 0, files: 0, uncounted: 0 };
/** Files with more than one name, which are counted once. */
const linked = new Set();

/** An entry that was deleted meanwhile takes no space. */
function uncounted(error) {
  if (error.code !== 'ENOENT') found.uncounted += 1;
}

function take(path) {
  let stat;
  try {
    stat = fs.lstatSync(path);
  } catch (error) {
    uncounted(error);
    return false;
  }
  found.files += 1;
  if (stat.isDirectory() || stat.nlink < 2 || !linked.has(stat.ino)) found.bytes += stat.blocks * 512;
  if (!stat.isDirectory() && stat.nlink > 1) linked.add(stat.ino);
  return stat.isDirectory();
}

const waiting = directories.filter(take);
while (waiting.length > 0 && found.bytes <= mostBytes && found.files <= mostFiles) {
  const at = waiting.pop();
  try {
    const directory = fs.opendirSync(at, { bufferSize: 256 });
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      const path = `${at}/${entry.name}`;
      if (take(path)) waiting.push(path);
    }
    directory.closeSync();
  } catch (error) {
    uncounted(error);
  }
}
process.stdout.write(`${JSON.stringify(found)}\n`);
