/*
 * One channel reports the changes of labels, of the production deploys of projects, and of custom hosts. Labels have no
 * colon, so that the prefixes below cannot be mistaken for one.
 */

const PRODUCTION = 'production:';
const CUSTOM_HOST = 'host:';

/** The key under which the production deploy of a project is looked up and its changes are reported. */
export const keyOfProduction = (projectId: string): string => PRODUCTION + projectId;

export const projectOfKey = (key: string): string | undefined => after(PRODUCTION, key);

/** The key under which changes of a custom host are reported. */
export const keyOfCustomHost = (name: string): string => CUSTOM_HOST + name;

export const customHostOfKey = (key: string): string | undefined => after(CUSTOM_HOST, key);

const after = (prefix: string, key: string): string | undefined =>
  key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
