import { type Execution, type Language, ServiceError, type TryRequest } from '@service/client';
// The whole client would be most of the scripts of the page, which needs one of its parts.
import { connect } from '../../../client/src/connect';
import { serverEventsOf } from '../../../client/src/server-events';
import type { Transport } from '../../../client/src/transport';
import { EXAMPLES } from '../sandbox/examples';
import { fragmentOf, programIn } from '../sandbox/link';

const at = (id: string): HTMLElement => document.getElementById(id)!;

/** Lets the landing page run code. A program that is shared is in the fragment of the address, which no server sees. */
export function openSandbox(): void {
  const code = at('code') as HTMLTextAreaElement;
  const language = at('language') as HTMLSelectElement;
  const output = at('output');
  const facts = at('facts');
  const run = at('run') as HTMLButtonElement;
  const share = at('share') as HTMLButtonElement;
  const service = connect({ baseUrl: location.origin, anonymous: true });

  const start = async (): Promise<void> => {
    // The keys start it, too.
    if (run.disabled) return;
    run.disabled = true;
    output.textContent = 'Running…';
    facts.textContent = '';
    const seen = { output: false };
    try {
      const program = { language: language.value as Language, code: code.value };
      const execution = await ran(service, program, (text) => {
        if (!seen.output) output.textContent = '';
        seen.output = true;
        output.append(text);
      });
      if (!seen.output) output.textContent = 'It printed nothing.';
      const left = service.budget?.remaining;
      facts.textContent = `${execution.status} in ${Math.round(execution.duration_ms)} ms${left == null ? '' : `; calls left today: ${left}`}`;
    } catch (error) {
      const { message, hint } =
        error instanceof ServiceError || error instanceof Lost ? error : { message: UNREACHED, hint: undefined };
      // What was printed before stays.
      const said = [message, hint].filter(Boolean).join('\n');
      if (seen.output) output.append(`\n${said}`);
      else output.textContent = said;
    } finally {
      run.disabled = false;
    }
  };

  run.disabled = false;
  share.hidden = false;
  run.addEventListener('click', () => void start());
  code.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
  });
  language.addEventListener('change', () => {
    if (Object.values(EXAMPLES).includes(code.value)) code.value = EXAMPLES[language.value as Language];
  });
  share.addEventListener('click', () => {
    void copyLink(language.value as Language, code.value).then((said) => {
      facts.textContent = said;
    });
  });
  const restore = (): void => {
    void programIn(location.hash).then((found) => {
      if (found === undefined) return;
      language.value = found.language;
      code.value = found.code;
    });
  };
  addEventListener('hashchange', restore);
  restore();
}

const UNREACHED = 'The service was not reached. Try again.';

/** The run was begun and lost. */
class Lost extends Error {
  readonly hint: string | undefined;

  constructor({ message, hint }: { readonly message: string; readonly hint?: string | undefined }) {
    super(message);
    this.hint = hint;
  }
}

/** Runs a program, passes on what it prints while it runs, and returns how it ended. */
async function ran(service: Transport, body: TryRequest, onOutput: (text: string) => void): Promise<Execution> {
  const headers = { accept: 'text/event-stream' };
  const response = await service.response({
    method: 'POST',
    path: '/api/v1/sandbox/try',
    body,
    headers,
    isStream: true,
  });
  // What stands between may not pass on what the page accepts. Then the answer is the result.
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const { data } = (await response.json()) as { readonly data: Execution };
    const { stdout, stderr } = data;
    if (stdout + stderr !== '') onOutput(stdout + stderr);
    return data;
  }
  for await (const { type, data: text } of serverEventsOf(response.body!)) {
    const data = JSON.parse(text) as unknown;
    if (type === 'stdout' || type === 'stderr') onOutput((data as { readonly text: string }).text);
    else if (type === 'result') return data as Execution;
    else if (type === 'error') throw new Lost((data as { readonly error: Lost }).error);
  }
  throw new Lost({ message: 'The connection broke off before the program ended. Try again.' });
}

async function copyLink(language: Language, code: string): Promise<string> {
  const fragment = await fragmentOf({ language, code });
  if (fragment === undefined) return 'The program is too long for a link.';
  history.replaceState(null, '', fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    return 'Link copied.';
  } catch {
    return 'The link is in the address bar.';
  }
}
