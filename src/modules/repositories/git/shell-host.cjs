/**
 * Starts shells for the API, and hands their pipes over to it. To start a program copies the page tables of the process
 * that starts it, which blocks a large process for tens of milliseconds; this one is small, and nobody waits for it.
 *
 * A message asks for a shell: `{ id, file, args, options }`. Its pipes follow one by one, `{ id, pipe }`, then
 * `{ id, pid }`, when all of them have left this process, and in the end `{ id, code, signal }`. A shell that cannot be
 * started is `{ id, failed }`.
 */
const { spawn } = require('node:child_process');

process.on('message', ({ id, file, args, options }) => {
  let child;
  try {
    child = spawn(file, args, options);
  } catch (error) {
    process.send({ id, failed: error.message });
    return;
  }
  child.once('error', (error) => process.send({ id, failed: error.message }));
  if (child.pid === undefined) return;
  child.once('exit', (code, signal) => process.send({ id, code, signal }));
  for (const [pipe, stream] of child.stdio.entries()) {
    stream.on('error', () => undefined);
    process.send({ id, pipe }, stream);
  }
  process.send({ id, pid: child.pid });
});

// The API has ended, or wants no more shells. The event `disconnect` does not come while pipes are handed over. The
// shells notice it by themselves, as their pipes close.
process.stdin.resume().on('close', () => process.exit(0));

process.send({ ready: true });
