// Asks addresses on a fixed schedule, however late the answers are, and prints how long they took. A process of its
// own: what drives the attack must not keep the clock waiting.
const { Agent, request } = require('node:http');
const { setPriority } = require('node:os');

const { asks, headers, seconds, everyMs } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true });
// Callers have processors of their own in the world.
try {
  setPriority(0, -10);
} catch {
  /* An ordinary user may not. */
}
try {
  require('node:fs').writeFileSync('/proc/self/autogroup', '-10');
} catch {
  /* Nor this. */
}

const ask = (url) =>
  new Promise((resolve) => {
    const from = performance.now();
    const done = (status) => {
      resolve({ status, ms: performance.now() - from });
    };
    const call = request(url, { agent, headers, timeout: 30_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        done(answer.statusCode);
      });
      answer.on('error', () => {
        done(0);
      });
    });
    call.on('timeout', () => {
      call.destroy();
    });
    call.on('error', () => {
      done(0);
    });
    call.end();
  });

const answers = Object.fromEntries(Object.keys(asks).map((name) => [name, []]));
const end = performance.now() + seconds * 1_000;
const timer = setInterval(() => {
  if (performance.now() > end) {
    clearInterval(timer);
    void finish();
    return;
  }
  for (const [name, url] of Object.entries(asks)) answers[name].push(ask(url));
}, everyMs);

async function finish() {
  const figures = {};
  for (const [name, promises] of Object.entries(answers)) {
    const all = await Promise.all(promises);
    const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
    figures[name] = {
      p50: at(0.5),
      p99: at(0.99),
      count: all.length,
      failed: all.filter(({ status }) => status !== 200).length,
    };
  }
  process.stdout.write(JSON.stringify(figures), () => process.exit(0));
}
