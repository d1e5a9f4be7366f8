import { type Language, ServiceError } from '@service/client';
// The whole client would be most of the scripts of the page, which needs one of its parts.
import { connect } from '../../../client/src/connect';
import { Sandbox } from '../../../client/src/sandbox';
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
  const sandbox = new Sandbox(service);

  const start = async (): Promise<void> => {
    run.disabled = true;
    output.textContent = 'Running…';
    facts.textContent = '';
    try {
      const { data: execution } = await sandbox.try({ language: language.value as Language, code: code.value });
      output.textContent = `${execution.stdout}${execution.stderr}` || 'It printed nothing.';
      const left = service.budget?.remaining;
      facts.textContent = `${execution.status} in ${Math.round(execution.duration_ms)} ms${left == null ? '' : `; calls left today: ${left}`}`;
    } catch (error) {
      output.textContent =
        error instanceof ServiceError
          ? [error.message, error.hint].filter(Boolean).join('\n')
          : 'The service was not reached. Try again.';
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
