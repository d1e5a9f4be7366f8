/** Fields of forms that a person has typed in since their form was last sent. */
const fields = new Set<HTMLElement>();

/** Begins to notice what is typed into forms. */
export function watchTyping(): void {
  addEventListener(
    'input',
    ({ target }) => {
      if (target instanceof HTMLElement && target.closest('form') !== null) fields.add(target);
    },
    { capture: true },
  );
}

/** Whether leaving the page now would lose something that a person typed. */
export function isSomethingTyped(): boolean {
  for (const field of fields) if (!field.isConnected) fields.delete(field);
  return [...fields].some((field) => !('value' in field) || field.value !== '');
}

/** The service has what was typed into this form. */
export function forgetTyped(form: HTMLFormElement): void {
  for (const field of fields) if (form.contains(field)) fields.delete(field);
}
