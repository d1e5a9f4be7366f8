'use strict';
// Sends the files that a program has left in /artifacts to the host, which trusts them no more than the program. Only
// regular files are read, and none through a link. deliveries.ts defines the format.

// The code may replace what is in the module later.
const fs = { ...require('node:fs') };

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
const ROOT = Buffer.from('/artifacts');
const SLASH = Buffer.from('/');
const CHUNK = 65_536;
// A tree can be deeper and wider than anything that is kept.
const MAX_DEPTH = 16;
const MAX_ENTRIES = 2_000;
const MAX_LEFT = 20;
const MAX_PATH = 500;

class Sender {
  constructor({ files, bytes }, write) {
    Object.assign(this, { files, bytes, write, left: MAX_LEFT });
  }

  sendAll() {
    let entries = 0;
    const waiting = [{ directory: ROOT, depth: 0 }];
    while (waiting.length > 0) {
      const { directory, depth } = waiting.shift();
      for (const name of this.namesIn(directory)) {
        const path = Buffer.concat([directory, SLASH, name]);
        entries += 1;
        if (entries > MAX_ENTRIES) {
          this.leave(path, 'too_many');
          return;
        }
        const state = fs.lstatSync(path, { throwIfNoEntry: false });
        if (state === undefined) continue;
        if (!state.isDirectory()) this.send(path, state);
        else if (depth + 1 < MAX_DEPTH) waiting.push({ directory: path, depth: depth + 1 });
        else this.leave(path, 'too_deep');
      }
    }
  }

  namesIn(directory) {
    try {
      return fs.readdirSync(directory, { encoding: 'buffer' }).sort(Buffer.compare);
    } catch {
      this.leave(directory, 'unreadable');
      return [];
    }
  }

  send(path, found) {
    if (!found.isFile()) return this.leave(path, 'not_a_file');
    if (nameOf(path).length > MAX_PATH) return this.leave(path, 'invalid_name');
    if (this.files <= 0) return this.leave(path, 'too_many');
    let file;
    try {
      file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch {
      return this.leave(path, 'unreadable');
    }
    try {
      const state = fs.fstatSync(file);
      if (!state.isFile()) return this.leave(path, 'not_a_file');
      if (state.size > this.bytes) return this.leave(path, 'too_large');
      this.files -= 1;
      this.bytes -= state.size;
      this.sendContent(path, file, state.size);
    } finally {
      fs.closeSync(file);
    }
  }

  sendContent(path, file, size) {
    const name = nameOf(path);
    this.write(Buffer.from(`#file ${name.length} ${size}\n`));
    this.write(name);
    const chunk = Buffer.alloc(CHUNK);
    for (let left = size; left > 0;) {
      const read = fs.readSync(file, chunk, 0, Math.min(CHUNK, left), null);
      // Something may still write to the file; what is missing then is zeros.
      const sent = read > 0 ? chunk.subarray(0, read) : chunk.fill(0).subarray(0, Math.min(CHUNK, left));
      this.write(sent);
      left -= sent.length;
    }
  }

  /** Names what is not kept. Of many, the first few are enough. */
  leave(path, why) {
    this.left -= 1;
    if (this.left < 0) return;
    const name = nameOf(path).subarray(0, MAX_PATH);
    this.write(Buffer.from(`#left ${name.length} ${why}\n`));
    this.write(name);
  }
}

const nameOf = (path) => path.subarray(ROOT.length + 1);

exports.sendArtifacts = (bounds, write) => {
  new Sender(bounds, write).sendAll();
  write(Buffer.from('#done\n'));
};
