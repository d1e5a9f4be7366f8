interface Found {
  readonly title: string;
  readonly heading: string;
  readonly address: string;
}

const PAUSE_MS = 120;

/** Suggests pages while a person types. The form works without it. */
export function openSuggestions(field: HTMLInputElement, list: HTMLElement): void {
  let timer = 0;
  let asked: AbortController | undefined;

  const show = (found: readonly Found[]): void => {
    list.replaceChildren(
      ...found.map(({ title, heading, address }) => {
        const link = document.createElement('a');
        link.href = address;
        link.textContent = heading === '' ? title : `${title}: ${heading}`;
        const item = document.createElement('li');
        item.append(link);
        return item;
      }),
    );
    list.hidden = found.length === 0;
  };
  const ask = async (): Promise<void> => {
    asked?.abort();
    asked = new AbortController();
    const question = field.value.trim();
    if (question === '') {
      show([]);
      return;
    }
    // The client library is for the API, which this page is no part of; and every page of the documentation would load
    // it for one request.
    const answer = await fetch(`/docs/suggestions?q=${encodeURIComponent(question)}`, { signal: asked.signal });
    if (answer.ok) show(((await answer.json()) as { data: Found[] }).data);
  };

  field.addEventListener('input', () => {
    clearTimeout(timer);
    // What cannot be asked now is asked with the next letter, or by the form.
    timer = window.setTimeout(() => void ask().catch(() => undefined), PAUSE_MS);
  });
  field.form?.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const here = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Escape') {
      show([]);
      field.focus();
    } else if (event.key === 'ArrowDown' && links.length > 0) {
      links[Math.min(here + 1, links.length - 1)]!.focus();
      event.preventDefault();
    } else if (event.key === 'ArrowUp' && here >= 0) {
      (links[here - 1] ?? field).focus();
      event.preventDefault();
    }
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target !== document.body) return;
    field.focus();
    event.preventDefault();
  });
}
