/** The part of the page about builds that a message leads to. */
type Section =
  | 'output'
  | 'routing'
  | 'limits'
  | 'disk'
  | 'failed-commands'
  | 'variables'
  | 'unavailable'
  | 'node-versions'
  | 'servers'
  | 'root-directory'
  | 'framework'
  | 'packages'
  | 'functions'
  | 'network'
  | 'refused'
  | 'fetching'
  | 'dockerfile';

/** The sentence at the end of a message: where its subject is explained. Documentation is served below `/docs`. */
export const moreAt = (section: Section): string => ` See /docs/builds#${section}.`;
