import { type RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { domainOfAddress, readOrgDomainName } from './org-domain-name.js';

const faultOf = (typed: string): string => {
  try {
    return readOrgDomainName(typed);
  } catch (error) {
    return (error as RequestInvalid & { help: { details: { code: string }[] } }).help.details[0]!.code;
  }
};

describe('the name of a domain of an organization', () => {
  it.each([
    ['Acme.COM', 'acme.com'],
    ['www.acme.com', 'acme.com'],
    ['eu.acme.co.uk', 'eu.acme.co.uk'],
    ['BÜCHER-acme.de', 'xn--bcher-acme-9db.de'],
    ['acme。com', 'acme.com'],
  ])('%s is %s', (typed, name) => {
    expect(readOrgDomainName(typed)).toBe(name);
  });

  it.each([
    ['*.acme.com', 'is_not_wildcard'],
    ['co.uk', 'is_not_public_suffix'],
    ['github.io', 'is_not_public_suffix'],
    ['192.0.2.1', 'is_domain'],
    ['acme', 'is_public'],
    ['acme.test', 'is_public'],
    ['p\u0430ypal.com', 'is_one_script'],
    ['GMail.com', 'is_not_public_mail'],
    ['ｇmail.com', 'is_not_public_mail'],
    ['www.yahoo.co.uk', 'is_not_public_mail'],
    ['proton.me', 'is_not_public_mail'],
    ['gmx.de', 'is_not_public_mail'],
    ['163.com', 'is_not_public_mail'],
  ])('%s is refused: %s', (typed, code) => {
    expect(faultOf(typed)).toBe(code);
  });
});

describe('the domain of an address', () => {
  it.each([
    ['Ada@Acme.COM', 'acme.com'],
    ['ada+x@bücher-acme.de', 'xn--bcher-acme-9db.de'],
    ['ada@www.acme.com', 'www.acme.com'],
    ['"ada@other.com"@acme.com', 'acme.com'],
    ['ada@acme.com.', undefined],
    ['ada@*.acme.com', undefined],
    ['ada@[192.0.2.1]', undefined],
    ['@acme.com', undefined],
    ['acme.com', undefined],
    ['ada@', undefined],
  ])('%s: %s', (address, name) => {
    expect(domainOfAddress(address)).toBe(name);
  });
});
