import { operatorRoleOf } from './operator-role.js';
import { parseOperatorEmails } from './settings/operator-emails.js';

const NOBODY = new Set<string>();
const ada = { email: 'Ada@Example.org', emailVerified: true, hasFirstAccount: false };
const named = { operatorEmails: parseOperatorEmails('ada@example.org')!, opsToken: undefined };

describe('the role of an operator', () => {
  it('is of people whose verified address is named, in any case of ASCII letters', () => {
    expect(operatorRoleOf(ada, named)).toBe('named');
    expect(operatorRoleOf(ada, { ...named, opsToken: 'x'.repeat(16) })).toBe('named');
    expect(operatorRoleOf({ ...ada, emailVerified: false }, named)).toBeUndefined();
    expect(operatorRoleOf({ ...ada, email: 'bob@example.org' }, named)).toBeUndefined();
    // The sign of Kelvin is a small k in other rules of case.
    const kim = { operatorEmails: parseOperatorEmails('kim@example.org')!, opsToken: undefined };
    expect(operatorRoleOf({ ...ada, email: '\u212aim@example.org' }, kim)).toBeUndefined();
  });

  it('is of the first account only while no operator is named and no token is set', () => {
    const first = { ...ada, email: 'first@example.org', emailVerified: false, hasFirstAccount: true };
    expect(operatorRoleOf(first, { operatorEmails: NOBODY, opsToken: undefined })).toBe('first_account');
    expect(operatorRoleOf(first, { operatorEmails: NOBODY, opsToken: 'x'.repeat(16) })).toBeUndefined();
    expect(operatorRoleOf(first, named)).toBeUndefined();
    expect(operatorRoleOf(ada, { operatorEmails: NOBODY, opsToken: undefined })).toBeUndefined();
  });
});

describe('the list of operators', () => {
  it('is read with spaces and empty places', () => {
    expect(parseOperatorEmails(' Ada@example.org, ,bob@example.org ')).toEqual(
      new Set(['ada@example.org', 'bob@example.org']),
    );
  });

  it.each(['ada', 'ada@example.org bob@example.org', '@example.org', 'ada@'])('refuses %s', (text) => {
    expect(parseOperatorEmails(text)).toBeUndefined();
  });
});
