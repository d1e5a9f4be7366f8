const EMAIL = /^[^\s@,]{1,64}@[^\s@,]{1,255}$/;

/** Parses addresses separated by commas; returns undefined when one of them is no address. */
export function parseOperatorEmails(text: string): ReadonlySet<string> | undefined {
  const emails = text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  return emails.every((email) => EMAIL.test(email)) ? new Set(emails.map(asListed)) : undefined;
}

/** Only ASCII letters are folded: other rules of case make two different addresses the same. */
export const asListed = (email: string): string => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
