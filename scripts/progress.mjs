/** Says what is being done and for how long: on a terminal in one line that changes, in a log as lines. */
const SIGNS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TERMINAL_EVERY_MS = 100;
/** No step is silent for longer than 3 s. */
const LOG_EVERY_MS = 2_500;

/** Does `work`, which must not block, under a title; what it throws is thrown. */
export async function step(title, work, output = process.stderr) {
  const startedAtMs = performance.now();
  const seconds = () => ((performance.now() - startedAtMs) / 1000).toFixed(1);
  const say = output.isTTY ? onTerminal(output, title, seconds) : inLog(output, title, seconds);
  try {
    const result = await work();
    say.end('✓');
    return result;
  } catch (error) {
    say.end('✗');
    throw error;
  }
}

function onTerminal(output, title, seconds) {
  let turn = 0;
  const draw = () => output.write(`\r\x1b[2K  ${SIGNS[(turn += 1) % SIGNS.length]} ${title} … ${seconds()} s`);
  draw();
  const timer = setInterval(draw, TERMINAL_EVERY_MS);
  return {
    end: (sign) => {
      clearInterval(timer);
      output.write(`\r\x1b[2K  ${sign} ${title} (${seconds()} s)\n`);
    },
  };
}

function inLog(output, title, seconds) {
  output.write(`${title} …\n`);
  const timer = setInterval(() => output.write(`${title} … ${seconds()} s\n`), LOG_EVERY_MS);
  return {
    end: (sign) => {
      clearInterval(timer);
      output.write(`${title} ${sign === '✓' ? 'took' : 'failed after'} ${seconds()} s.\n`);
    },
  };
}
